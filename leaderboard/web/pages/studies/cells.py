"""How figures of studies are printed: shares in percent, coefficients with two digits."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from leaderboard.results.formatting import MISSING, interval_text, print_number


@dataclass(frozen=True, slots=True)
class Cell:
    """A figure as printed. `note` says why `value` is "–", or what is missing; `n` what it
    counts."""

    value: str
    interval: str = ""
    note: str = ""
    n: str = ""

    @property
    def certainty(self) -> str:
        return f"95 % interval {self.interval}" if self.interval else self.note


NO_MAJORITY = "needs three people per answer"


def share_cell(figure: Sequence[Any], undefined: str = "nothing to compare") -> Cell:
    """undefined: why there is none where nothing is counted."""
    value, low, high, units, *_ = figure
    if value is None:
        return Cell(MISSING, note=undefined, n="0")
    interval = print_between(low, high, 100.0, 1)
    note = "" if interval else "no interval: too few questions"
    return Cell(f"{100 * value:.1f} %", interval, note, f"{units:,}")


ALL_THE_SAME = "all ratings are the same, so chance explains everything"
ONE_ANSWER = "one rating for everything, indistinguishable from chance"
NEARLY_ONE = "no interval: nearly all answers are the same"


def coefficient_cell(figure: Sequence[Any], undefined: str = ALL_THE_SAME) -> Cell:
    """Nothing is said of a coefficient of fewer items than tell it. `undefined`: why there is none
    of as many."""
    value, low, high, units, _, _, missing, *_ = figure
    if missing:
        return Cell(MISSING, note=f"not enough labels: {missing:,} more needed", n=f"{units:,}")
    if value is None:
        return Cell(MISSING, note=undefined, n=f"{units:,}")
    interval = print_between(low, high, 1.0, 2)
    return Cell(print_number(value, 2), interval, "" if interval else NEARLY_ONE, f"{units:,}")


def kappa_cell(figure: Sequence[Any]) -> Cell:
    """Of two who judge the same."""
    return coefficient_cell(figure, ONE_ANSWER)


def majority_cell(figure: Sequence[Any]) -> Cell:
    """Of single votes held against what most say."""
    return share_cell(figure, NO_MAJORITY)


def print_between(low: float | None, high: float | None, scale: float, digits: int) -> str:
    return interval_text(low, high, lambda end: print_number(scale * end, digits))


def percent(share: float | None) -> str:
    return MISSING if share is None else f"{100 * share:.0f} %"
