"""What people are asked: five ratings of an embodied plan, and of every other answer whether it is
right."""

from collections.abc import Mapping, Sequence

from benchmarks.protocols.base import AttentionCheck, Dimension, QuestionView, Sight
from benchmarks.protocols.runs import most_frequent, runs_of_answer
from benchmarks.protocols.tiny_lvlm_ehub.judging import BUG, SCORE_KEYS, vote
from benchmarks.protocols.tiny_lvlm_ehub.suite import EMBODIED

LOWEST, HIGHEST = 1, 5

RATED: tuple[Dimension, ...] = tuple(
    Dimension(
        title.lower().replace(" ", "-"),
        title,
        LOWEST,
        HIGHEST,
        asks,
        ends=("very poor", "very good"),
    )
    for title, asks in (
        ("Object recognition", "Does the plan name the things that are there?"),
        ("Spatial relationship", "Does it know where they are in relation to one another?"),
        ("Conciseness", "Is it free of steps and words that are not needed?"),
        ("Reasonability", "Does the order of its steps make sense?"),
        ("Executability", "Could somebody carry it out as it stands?"),
    )
)
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
INSTRUCTIONS = """\
Look at the picture, read the question, then the answer.

If you are asked whether an answer is correct: it is correct if it says the same as the given \
truth, in whatever words. "Unclear": one cannot tell what the answer says.

Where you are asked to rate a plan, rate each of the five by itself, from 1, very poor, to 5, very \
good. A plan may be short and clear and still name things that are not there."""
ANSWERS_NOTHING = "The weather was mild that day, and the train left on time."
POOR = (1, 2)


def dimensions(question: QuestionView) -> tuple[Dimension, ...]:
    return RATED if question.ability == EMBODIED else (CORRECT,)


def sight(question: QuestionView) -> Sight:
    """A plan has no reference: the official file has a placeholder there."""
    return Sight(shows_reference=question.ability != EMBODIED)


def check(
    question: QuestionView, reference: str, others: Sequence[str], number: int
) -> AttentionCheck | None:
    about = "a sentence beside the point"
    if question.ability == EMBODIED:
        return AttentionCheck(ANSWERS_NOTHING, RATED[-1].slug, POOR, about)
    if number % 2 == 0 and reference:
        return AttentionCheck(reference, CORRECT.slug, (1,), "the given truth itself")
    return AttentionCheck(ANSWERS_NOTHING, CORRECT.slug, (0, 2), about)


def judge_says(dimension: str, verdicts: Mapping[str, str | None]) -> int | None:
    """What its five labels vote, of several runs the most frequent vote. Nothing where unreadable
    labels win."""
    if dimension != CORRECT.slug:
        return None
    said = most_frequent([vote(labels) for labels in runs_of_answer(verdicts, tuple(SCORE_KEYS))])
    return None if said is None or said == BUG else int(said)
