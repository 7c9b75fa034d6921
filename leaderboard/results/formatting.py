"""How figures are printed: digits, intervals and ranks, the same on pages and in exports."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from benchmarks.protocols.base import Metric
from benchmarks.scoring.sheets import MetricValue
from benchmarks.statistics.intervals import LEAST_GROUPS


@dataclass(frozen=True, slots=True)
class StripFigure:
    title: str
    value: str
    note: str


def print_age(seconds: float) -> str:
    """ "12 s", "4 min", "3 h" or "2 d", never more than it is."""
    for unit, length in (("d", 86_400), ("h", 3_600), ("min", 60)):
        if seconds >= 2 * length:
            return f"{int(seconds // length)} {unit}"
    return f"{int(seconds)} s"


def print_size(size: int) -> str:
    """Bytes as "640 B", "12.4 kB", "3.1 MB" or "1.2 GB"."""
    for unit, length in (("GB", 1_000_000_000), ("MB", 1_000_000), ("kB", 1_000)):
        if size >= length:
            return f"{size / length:.1f} {unit}"
    return f"{size} B"


MISSING = "–"
MINUS = "−"  # of pages; a hyphen is shorter than a plus


def scale(metric: Metric) -> float:
    return 100.0 if metric.unit == "percent" else 1.0


def print_number(value: float, digits: int, *, signed: bool = False) -> str:
    """Where it is `signed`, with a plus too: "+5.10", "−2.31" or "0.00"."""
    text = f"{value:{'+' if signed else ''}z.{digits}f}".replace("-", MINUS)
    return text if text.strip("+0.") else text.removeprefix("+")


def print_value(metric: Metric, value: float | None) -> str:
    if value is None:
        return MISSING
    is_balance = metric.higher_is_better is None and metric.scale[0] < 0
    return print_number(value * scale(metric), metric.digits, signed=is_balance)


def print_interval(metric: Metric, figure: MetricValue) -> str:
    """The 95 % interval of a figure; empty where there is none."""
    return interval_text(figure.low, figure.high, partial(print_value, metric))


def interval_text(low: float | None, high: float | None, printed: Callable[[float], str]) -> str:
    """The one notation of intervals, "43.85 to 100.00" or "−0.40 to +5.10": half a width behind
    "±" would be wrong of lopsided ones, and a dash would be read as a minus. Empty without ends."""
    return "" if low is None or high is None else f"{printed(low)} to {printed(high)}"


def no_interval(figure: MetricValue) -> str:
    """Why a figure that has a value has no interval, as the end of a sentence; empty where it has
    one."""
    if figure.value is None or figure.low is not None:
        return ""
    if figure.groups == 0:  # which leaves no value, but in a hidden test
        return "a hidden test shows rounded scores alone"
    if figure.groups is None:
        return "computed before the reason was recorded"
    if figure.groups < 2:
        return "too few question groups (1)"
    if figure.groups < LEAST_GROUPS:
        count = int(figure.groups)
        return f"too few question groups ({count})"
    return "all question groups have the same value"


NO_LABELS = "people have labelled no answer of this entry"


def why_missing(metric: Metric, figure: MetricValue | None) -> str:
    """Why there is no value. figure: None where the entry has no such figure at all. Of what needs
    labels by people `groups` says how many are missing."""
    if figure is None:
        return NO_LABELS if metric.needs_labels else "not measured"
    if metric.needs_labels and figure.groups:
        needed = "one more is" if figure.groups == 1 else f"{figure.groups} more are"
        return f"not enough labels by people: at least {needed} needed"
    return metric.empty


def print_missing_labels(metric: Metric, figure: MetricValue | None) -> str:
    """ "12 labels more", in a few words; empty where something else is missing."""
    if figure is None or not metric.needs_labels or not figure.groups:
        return ""
    return f"{figure.groups} label{'' if figure.groups == 1 else 's'} more"


def print_rank(best: int | None, worst: int | None) -> str:
    if best is None or worst is None:
        return MISSING
    return str(best) if best == worst else f"{best}-{worst}"


def print_share(share: float) -> str:
    """A share in percent with one decimal; what is less than all is never rounded up to 100 %."""
    return "100 %" if share >= 1 else f"{min(100 * share, 99.9):.1f} %"
