from collections.abc import Mapping, Sequence

from benchmarks.protocols.base import AttentionCheck, Dimension, QuestionView, Sight
from benchmarks.protocols.runs import most_frequent, runs_of_answer

NEATNESS = Dimension("neatness", "Neatness", 1, 5, ends=("untidy", "neat"))
CORRECT = Dimension(
    "correct",
    "Correct",
    0,
    1,
    asks="Is it spelled right?",
    words=("incorrect", "correct"),
    unclear=2,
    level="nominal",
)
INSTRUCTIONS = "Read the word, then how it is spelled."


def dimensions(question: QuestionView) -> tuple[Dimension, ...]:
    """Every spelling is called right or wrong, and rated for its neatness where the word is
    short."""
    return (NEATNESS, CORRECT) if question.subtask == "words/short" else (CORRECT,)


def sight(question: QuestionView) -> Sight:
    return Sight(shows_reference=True)


def check(
    question: QuestionView, reference: str, others: Sequence[str], number: int
) -> AttentionCheck | None:
    return AttentionCheck(reference, CORRECT.slug, (1,), "the spelling itself")


def judge_says(dimension: str, verdicts: Mapping[str, str | None]) -> int | None:
    if dimension != CORRECT.slug:
        return None
    said = most_frequent([verdict for (verdict,) in runs_of_answer(verdicts, ["spelled"])])
    return None if said is None else int(said == "right")
