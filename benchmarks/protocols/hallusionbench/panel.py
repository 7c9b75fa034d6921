"""What people are asked: is the answer correct, by the scheme of the judge (docs/hallusionbench.md;
the official code labels 0 incorrect, 1 correct, 2 unclear)."""

from collections.abc import Mapping, Sequence

from benchmarks.protocols.base import AttentionCheck, Dimension, QuestionView, Sight
from benchmarks.protocols.runs import most_frequent, runs_of_answer

CORRECT = Dimension(
    "correct",
    "Correct",
    0,
    1,
    asks="Is the answer correct?",
    words=("incorrect", "correct"),
    unclear=2,
    level="nominal",
)
_NUMBER_OF_VERDICT = {"incorrect": 0, "correct": 1, "unclear": CORRECT.unclear}

INSTRUCTIONS = """\
Read the question and the sentence that says what is true, look at the picture where there is one, \
then read the answer.

"Correct": the answer says what the true sentence says, in whatever words. "Incorrect": it says \
something else. "Unclear": it does not commit itself, or speaks of something else.

Judge the answer by its words. What the model may have meant does not count, and neither does a \
wrong reason for a right answer."""
ANSWERS_NOTHING = "The weather was mild that day, and the train left on time."


def dimensions(question: QuestionView) -> tuple[Dimension, ...]:
    return (CORRECT,)


def sight(question: QuestionView) -> Sight:
    """Some truths cannot be seen: lengths in an illusion, or what a chart said before it was
    changed."""
    return Sight(shows_reference=True)


def check(
    question: QuestionView, reference: str, others: Sequence[str], number: int
) -> AttentionCheck | None:
    """The true sentence as the answer, and in turn a sentence about nothing that was asked. An
    answer to another question will not do: half of all say "yes"."""
    if number % 2 == 0:
        if not reference:
            return None
        return AttentionCheck(reference, CORRECT.slug, (1,), "the true sentence itself")
    return AttentionCheck(ANSWERS_NOTHING, CORRECT.slug, (0, 2), "a sentence beside the point")


def judge_says(dimension: str, verdicts: Mapping[str, str | None]) -> int | None:
    """What it says most often, "unclear" like any other word."""
    if dimension != CORRECT.slug:
        return None
    said = most_frequent([verdict for (verdict,) in runs_of_answer(verdicts, ["correctness"])])
    return None if said is None else _NUMBER_OF_VERDICT[said]
