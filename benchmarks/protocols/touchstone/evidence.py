"""What is exported of an answer so that others compute its scores: its length, and that of its
reference."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from benchmarks.protocols.base import Evidence, QuestionView, Ratings, Tells
from benchmarks.protocols.base.anchoring import most_said, said_of
from benchmarks.protocols.runs import Verdicts
from benchmarks.protocols.touchstone.comparing import REFERENCE_LENGTH
from benchmarks.protocols.touchstone.panel import COMPARISON

NEED_REFERENCES = ("length_slope", "length_edge", "length_controlled")


def readings(
    questions: Sequence[QuestionView], answers: Sequence[str], verdicts: Verdicts, ratings: Ratings
) -> Sequence[Mapping[str, object]]:
    """In characters: `length` a number, `reference_length` as text, or None. `people`: -1, 0 or 1
    as most raters vote, absent without them."""
    lengths = verdicts.get(REFERENCE_LENGTH, [None] * len(answers))
    votes = [most_said(scores) for scores in said_of(ratings, COMPARISON.slug, len(answers))]
    return [
        {
            "length": len(answer),
            REFERENCE_LENGTH: length,
            **({} if most is None else {"people": most}),
        }
        for answer, length, most in zip(answers, lengths, votes, strict=True)
    ]


EVIDENCE = Evidence(
    Path(__file__).with_name("recount.py"),
    readings,
    tells={REFERENCE_LENGTH: Tells("reference", NEED_REFERENCES)},
)
