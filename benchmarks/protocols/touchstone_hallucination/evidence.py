"""What is exported of an answer so that others compute its scores: how long it is, and how much of
the description it mentions."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from benchmarks.protocols.base import Evidence, QuestionView, Ratings, Tells
from benchmarks.protocols.base.anchoring import said_of
from benchmarks.protocols.runs import Verdicts
from benchmarks.protocols.touchstone_hallucination.comparing import MENTIONED
from benchmarks.protocols.touchstone_hallucination.panel import HALLUCINATION


def readings(
    questions: Sequence[QuestionView], answers: Sequence[str], verdicts: Verdicts, ratings: Ratings
) -> Sequence[Mapping[str, object]]:
    """`length` is in characters, `words` between blanks, `mentioned` a share as text, or None.
    `people`: sum and number of their ratings, absent without any."""
    shares = verdicts.get(MENTIONED, [None] * len(answers))
    rated = said_of(ratings, HALLUCINATION.slug, len(answers))
    return [
        {
            "length": len(answer),
            "words": len(answer.split()),
            MENTIONED: share,
            **({"people": [sum(scores), len(scores)]} if scores else {}),
        }
        for answer, share, scores in zip(answers, shares, rated, strict=True)
    ]


EVIDENCE = Evidence(
    Path(__file__).with_name("recount.py"),
    readings,
    tells={MENTIONED: Tells("description", ("mentions",))},
)
