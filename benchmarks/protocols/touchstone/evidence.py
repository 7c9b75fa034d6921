"""What is exported of an answer so that others compute its scores: its length, and that of its
reference."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from benchmarks.protocols.base import Evidence, QuestionView, Ratings, Tells
from benchmarks.protocols.runs import Verdicts
from benchmarks.protocols.touchstone.comparing import REFERENCE_LENGTH

NEED_REFERENCES = ("length_slope", "length_edge", "length_controlled")


def readings(
    questions: Sequence[QuestionView], answers: Sequence[str], verdicts: Verdicts, ratings: Ratings
) -> Sequence[Mapping[str, object]]:
    """In characters: `length` a number, `reference_length` as text, or None."""
    lengths = verdicts.get(REFERENCE_LENGTH, [None] * len(answers))
    return [
        {"length": len(answer), REFERENCE_LENGTH: length}
        for answer, length in zip(answers, lengths, strict=True)
    ]


EVIDENCE = Evidence(
    Path(__file__).with_name("recount.py"),
    readings,
    tells={REFERENCE_LENGTH: Tells("reference", NEED_REFERENCES)},
)
