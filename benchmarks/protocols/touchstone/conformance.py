"""Cases of fixed round scores, and whether our scoring finds in them the means the official script
prints.

A case is {"rows": [{"id", "category", "rounds": [{"ref", "model", "error"}, …]}], "expected":
{"overall": {"gpt4-ha": 822.0, "M": 541.3}, "<category>": {…}}}; the model's key is any other than
"gpt4-ha". It speaks of no questions.
"""

import math
from collections.abc import Iterator, Mapping, Sequence

from benchmarks.protocols.base import ConformanceCheck, Difference, QuestionView
from benchmarks.protocols.touchstone.judging import ROUNDS, score_text
from benchmarks.protocols.touchstone.scoring import contributions
from benchmarks.protocols.touchstone.taxonomy import ABILITIES, folded

_REFERENCE = "gpt4-ha"
_TOLERANCE = 1e-6


def check(case: Mapping[str, object], questions: Sequence[QuestionView]) -> Sequence[Difference]:
    """Every expected mean our scoring computes differently, or what makes the case unusable."""
    rows, expected = case.get("rows"), case.get("expected")
    if not isinstance(rows, list) or not isinstance(expected, Mapping) or not expected:
        return (
            Difference(
                "case", "rows and expected means", "something is missing or of another form"
            ),
        )
    try:
        views = [_view(row) for row in rows]
        verdicts = {
            f"{name}.1": [_verdict(row, place) for row in rows] for place, name in enumerate(ROUNDS)
        }
    except (AttributeError, IndexError, KeyError, TypeError, ValueError) as error:
        return (
            Difference(
                "rows", "id, category and two rounds each", f"{type(error).__name__}: {error}"
            ),
        )
    found = contributions(views, [""] * len(views), verdicts)
    totals, numbers = found.numerator[0].sum(axis=0), found.denominator[0].sum(axis=0)
    means = {name: totals[i] / numbers[i] for i, name in enumerate(found.names) if numbers[i]}
    return tuple(_differences(expected, means))


CONFORMANCE: Mapping[str, ConformanceCheck] = {"": check}


def _view(row: Mapping[str, str]) -> QuestionView:
    slugs = [ABILITIES[folded(name)] for name in row["category"].split(",")]
    key = str(row["id"])
    return QuestionView(key, slugs[0], "", key, key, "", {"categories": ",".join(slugs)}, {})


def _verdict(row: Mapping[str, Sequence[Mapping[str, float]]], place: int) -> str | None:
    one = row["rounds"][place]
    return None if one["error"] else f"{score_text(one['ref'])} {score_text(one['model'])}"


def _differences(
    expected: Mapping[str, object], means: Mapping[str, float]
) -> Iterator[Difference]:
    for name, values in expected.items():
        scope = "" if name == "overall" else f"@{ABILITIES.get(folded(name), name)}"
        if not isinstance(values, Mapping):
            yield Difference(name, "an object of means", values)
            continue
        for side, value in values.items():
            found = means.get(f"reference{scope}" if side == _REFERENCE else f"overall{scope}")
            if not _agree(value, found):
                yield Difference(
                    f"{name}/{side}", value, "no such mean" if found is None else found
                )


def _agree(expected: object, found: float | None) -> bool:
    if found is None or isinstance(expected, bool) or not isinstance(expected, int | float):
        return False
    return math.isclose(expected, found, rel_tol=0, abs_tol=_TOLERANCE)
