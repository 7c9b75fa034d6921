"""A published row made again from the verdicts that were recorded with it.

A case is {"verdicts": "012…", "not_recorded": […], "filled": "1 for each, 0 for ID", "printed":
{…}} with one digit per question, in their order: 0 incorrect, 1 correct, 2 unclear, "." not
recorded. "filled" says which verdicts the rows in "not_recorded" are given, "printed" which
percentages the paper prints: accuracies by name, and "consistency" as the shares of figures
correct, inconsistent and wrong.

The board's row that calls itself reproduced is held against the same verdicts. It comes out if it
does by the case's filling or by one with a single row that is not correct; its diagnosis is left
out, for that needs comparisons too, and none were recorded. Of GPT-4V's row two fillings give the
accuracies, one (VD/math/4/0/0 incorrect) the bias too.
"""

import math
import re
from collections.abc import Iterator, Mapping, Sequence

from benchmarks.protocols.base import Difference, QuestionView
from benchmarks.protocols.hallusionbench.board import BOARD, ROW_DIAGNOSIS
from benchmarks.protocols.hallusionbench.scoring import contributions

_SPOKEN = ("incorrect", "correct", "unclear")
_MISSING = "."
_FILLED = re.compile(r"([012]) for (\S+)")
_EACH = "each"
_CONSISTENCY = ("consistent", "inconsistent", "all_wrong")
_DIGITS = {"pct_diff_code": 3, "fp_ratio_code": 2}
"""Decimal places that the paper prints of a share; of all others four, as a percentage with two."""
_SLIP = 1e-6  # of a sum in floating point, far below a printed digit


def check_recorded(
    case: Mapping[str, object], questions: Sequence[QuestionView]
) -> Sequence[Difference]:
    """Every printed figure that these verdicts do not give, or whatever makes the case unusable."""
    ids = [question.public_id for question in questions]
    fillings = _fillings(case.get("filled"))
    faults = [*_unusable(case, ids, fillings)]
    if faults:
        return faults
    digits = str(case["verdicts"])
    missing = [id_ for id_, digit in zip(ids, digits, strict=True) if digit == _MISSING]

    def differences(
        printed: Sequence[tuple[str, object]], filling: Mapping[str, str]
    ) -> Sequence[Difference]:
        return tuple(_differences(printed, _figures(questions, _filled(ids, digits, filling))))

    own = differences([*_printed(case["printed"])], fillings)
    rows = [*_reproduced()]
    others = ({_EACH: "1", id_: digit} for id_ in missing for digit in "02")
    if own or any(not differences(rows, filling) for filling in (fillings, *others)):
        return own
    return differences(rows, fillings)


def _filled(ids: Sequence[str], digits: str, filling: Mapping[str, str]) -> list[str | None]:
    filled = (
        filling.get(id_, filling.get(_EACH, "")) if digit == _MISSING else digit
        for id_, digit in zip(ids, digits, strict=True)
    )
    return [_SPOKEN[int(digit)] for digit in filled]


def _fillings(filled: object) -> dict[str, str]:
    """The digit by id, that of all others by "each"; nothing where the sentence cannot be read."""
    parts = [_FILLED.fullmatch(part) for part in str(filled).split(", ")]
    return {part[2]: part[1] for part in parts if part} if all(parts) else {}


def _unusable(
    case: Mapping[str, object], ids: Sequence[str], fillings: Mapping[str, str]
) -> Iterator[Difference]:
    verdicts, missing = case.get("verdicts"), case.get("not_recorded")
    if not isinstance(verdicts, str) or len(verdicts) != len(ids):
        length = f"{len(verdicts)} characters" if isinstance(verdicts, str) else "no text"
        yield Difference("verdicts", f"{len(ids)} digits of 012, one per question", length)
        return
    if strange := sorted(set(verdicts) - {*"012", _MISSING}):
        yield Difference("verdicts", "digits of 012 and points", " ".join(strange))
    unknown = [id_ for id_, digit in zip(ids, verdicts, strict=True) if digit == _MISSING]
    if missing != unknown:
        yield Difference("not_recorded", unknown, missing)
    if any(id_ not in fillings and _EACH not in fillings for id_ in unknown):
        yield Difference("filled", '"1 for each, 0 for ID"', case.get("filled"))
    if not isinstance(case.get("printed"), Mapping) or not case["printed"]:
        yield Difference("printed", "an object of percentages", case.get("printed"))


def _figures(questions: Sequence[QuestionView], verdicts: Sequence[str | None]) -> dict[str, float]:
    """Every metric of the whole release, as a share, that has anything to count."""
    made = contributions(questions, [""] * len(questions), {"correctness.1": verdicts})
    sums = zip(
        made.names,
        made.numerator[0].sum(axis=0).tolist(),
        made.denominator[0].sum(axis=0).tolist(),
        strict=True,
    )
    return {name: hits / total for name, hits, total in sums if total}


def _printed(printed: object) -> Iterator[tuple[str, object]]:
    """The shares of a case by metric."""
    for name, value in printed.items() if isinstance(printed, Mapping) else ():
        names = _CONSISTENCY if name == "consistency" else (str(name),)
        values = value if isinstance(value, list) else [value]
        if len(values) != len(names):
            yield str(name), value
            continue
        for one, percent in zip(names, values, strict=True):
            yield one, round(percent / 100, 6) if isinstance(percent, int | float) else percent


def _reproduced() -> Iterator[tuple[str, object]]:
    """The shares of the board's reproduced row by metric."""
    diagnosis = {metric.name for metric in ROW_DIAGNOSIS}
    for row in BOARD.published:
        if row.reproduced:
            yield from ((name, v) for name, v in row.values.items() if name not in diagnosis)


def _differences(
    printed: Sequence[tuple[str, object]], found: Mapping[str, float]
) -> Iterator[Difference]:
    for name, value in printed:
        if name not in found:
            yield Difference(name, value, "no such number")
        elif not isinstance(value, int | float) or not _is_printed(
            found[name], value, _DIGITS.get(name, 4)
        ):
            yield Difference(name, value, found[name])


def _is_printed(found: float, printed: float, digits: int) -> bool:
    """Rounded or cut off: the paper does both."""
    scaled, wanted = found * 10**digits, printed * 10**digits
    ends = (round(scaled), math.trunc(scaled + math.copysign(_SLIP, scaled)))
    return any(abs(end - wanted) < _SLIP for end in ends)
