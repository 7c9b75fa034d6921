"""How much of a description an answer mentions: what the score, which only looks at what is
invented, does not see."""

from collections.abc import Mapping, Sequence
from functools import partial

from benchmarks.protocols.base import ExpectedAnswer, QuestionView
from benchmarks.protocols.touchstone.words import content_words

MENTIONED = "mentioned"
LEAST_PART = 10
# People's descriptions have 39 content words or more, so that one word of them between fillers is
# not enough; an honest caption of ten words names three.
LEAST_MENTIONED = 20


def compare(
    questions: Sequence[QuestionView],
    answers: Sequence[str],
    descriptions: Sequence[str],
    references: Sequence[str],
) -> Mapping[str, Sequence[str | None]]:
    """For each answer the share of the description's content words that it has, as text; None
    without a description."""
    return {
        MENTIONED: [
            _share(content_words(answer), content_words(description))
            for answer, description in zip(answers, descriptions, strict=True)
        ]
    }


def expect(question: QuestionView, reference: str, description: str) -> ExpectedAnswer:
    """A text that is a tenth as long as the description people wrote, at least, and names a
    twentieth of it."""
    described = content_words(description)
    return ExpectedAnswer(
        description,
        least_length=len(description) // LEAST_PART,
        is_hollow=partial(mentions_little, described=described) if described else None,
    )


def mentions_little(answer: str, *, described: frozenset[str]) -> bool:
    return len(content_words(answer) & described) * LEAST_MENTIONED < len(described)


def _share(said: frozenset[str], described: frozenset[str]) -> str | None:
    return f"{len(said & described) / len(described):.6f}" if described else None
