"""Cases of fixed verdicts, and whether our scoring finds in them the numbers of the official
functions.

A case is {"verdicts": "0112…", "same": "0110…", "expected": {…}} with one digit per question, in
their order: 0 incorrect, 1 correct, 2 unclear; 0 different, 1 same. "expected" holds [hits, total]
of accuracies, counts of consistency and diagnosis, and the code's bias numbers (null where the
official code divides by zero). A block named after a scope, "VD" or "VS/chart", holds the same for
that scope.
"""

import math
from collections.abc import Iterator, Mapping, Sequence

from benchmarks.protocols.base import ConformanceCheck, Contributions, Difference, QuestionView
from benchmarks.protocols.hallusionbench.recorded import check_recorded
from benchmarks.protocols.hallusionbench.scoring import contributions

_DIGITS: Mapping[str, tuple[str, ...]] = {
    "verdicts": ("incorrect", "correct", "unclear"),
    "same": ("different", "same"),
}
_ACCURACIES = ("aAcc", "qAcc", "fAcc", "easy", "hard")
_CONSISTENCY = {"correct": "consistent", "inconsistent": "inconsistent", "wrong": "all_wrong"}
_KINDS = {"LH": "lh", "VI": "vi", "Mixed": "mixed"}
_TOLERANCE = (
    1e-9  # the official code subtracts two means, we divide one sum: the last digits differ
)


def check(case: Mapping[str, object], questions: Sequence[QuestionView]) -> Sequence[Difference]:
    """Every expected number our scoring computes differently, or whatever makes the case
    unusable."""
    faults = [*_unusable(case, len(questions))]
    expected = case.get("expected")
    if faults or not isinstance(expected, Mapping):
        return faults
    found = contributions(
        questions,
        [""] * len(questions),
        {"correctness.1": _texts(case, "verdicts"), "same.1": _texts(case, "same")},
    )
    return tuple(_differences("", expected, _numbers(found)))


CONFORMANCE: Mapping[str, ConformanceCheck] = {"": check, "recorded": check_recorded}


def _unusable(case: Mapping[str, object], questions: int) -> Iterator[Difference]:
    for name in sorted(case.keys() - {*_DIGITS, "expected"}):
        yield Difference(name, "no such key in a case", case[name])
    for name, texts in _DIGITS.items():
        digits = "".join(map(str, range(len(texts))))
        wanted = f"{questions} digits of {digits}, one per question"
        value = case.get(name)
        if not isinstance(value, str):
            yield Difference(name, wanted, "missing" if value is None else value)
        elif len(value) != questions:
            yield Difference(name, wanted, f"{len(value)} characters")
        elif strange := sorted(set(value) - set(digits)):
            yield Difference(name, wanted, f"other characters: {' '.join(strange)}")
    expected = case.get("expected")
    if not isinstance(expected, Mapping) or not expected:
        yield Difference(
            "expected", "an object of numbers", "missing" if expected is None else expected
        )


def _texts(case: Mapping[str, object], name: str) -> list[str]:
    return [_DIGITS[name][int(digit)] for digit in str(case[name])]


# --- our numbers in the shape of the file ---------------------------------------------------------


def _numbers(found: Contributions) -> dict[str, object]:
    """Every number a case may expect, the scopes as blocks of their own."""
    hits = dict(zip(found.names, found.numerator[0].sum(axis=0).tolist(), strict=True))
    totals = dict(zip(found.names, found.denominator[0].sum(axis=0).tolist(), strict=True))
    scopes = [name.removeprefix("aAcc@") for name in found.names if name.startswith("aAcc@")]
    return {
        **_block(hits, totals, ""),
        **{scope: _block(hits, totals, f"@{scope}") for scope in scopes},
    }


def _block(hits: Mapping[str, float], totals: Mapping[str, float], scope: str) -> dict[str, object]:
    def ratio(name: str) -> float | None:
        return hits[name + scope] / totals[name + scope] if totals[name + scope] else None

    consistency = {theirs: hits[ours + scope] for theirs, ours in _CONSISTENCY.items()}
    return {
        **{name: [hits[name + scope], totals[name + scope]] for name in _ACCURACIES},
        "consistency": {**consistency, "figures": totals[f"consistent{scope}"]},
        "code_pct_diff": ratio("pct_diff_code"),
        "code_fp_ratio": ratio("fp_ratio_code"),
        "diagnosis_rows": {theirs: hits[f"diag_{ours}{scope}"] for theirs, ours in _KINDS.items()},
        "diagnosis_groups": {
            theirs: hits[f"diag_group_{ours}{scope}"] for theirs, ours in _KINDS.items()
        },
    }


def _differences(path: str, expected: object, found: object) -> Iterator[Difference]:
    """Leaf by leaf; `path` names a place as "VD.consistency.wrong"."""
    if isinstance(expected, Mapping) and isinstance(found, Mapping):
        for name, value in expected.items():
            place = f"{path}.{name}" if path else str(name)
            if name in found:
                yield from _differences(place, value, found[name])
            else:
                yield Difference(place, value, "no such number")
    elif not _agree(expected, found):
        yield Difference(path, expected, found)


def _agree(expected: object, found: object) -> bool:
    if isinstance(expected, list) and isinstance(found, list):
        return len(expected) == len(found) and all(map(_agree, expected, found))
    if isinstance(expected, bool):
        return False
    if isinstance(expected, int | float) and isinstance(found, int | float):
        return math.isclose(expected, found, rel_tol=_TOLERANCE, abs_tol=_TOLERANCE)
    return expected is None and found is None
