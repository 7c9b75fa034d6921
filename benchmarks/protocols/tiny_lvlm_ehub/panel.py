"""What people are asked: five ratings of an embodied plan, and of every other answer whether it is
right."""

from benchmarks.protocols.base import Dimension, QuestionView
from benchmarks.protocols.tiny_lvlm_ehub.suite import EMBODIED

LOWEST, HIGHEST = 1, 5

RATED: tuple[Dimension, ...] = tuple(
    Dimension(title.lower().replace(" ", "-"), title, LOWEST, HIGHEST)
    for title in (
        "Object recognition",
        "Spatial relationship",
        "Conciseness",
        "Reasonability",
        "Executability",
    )
)
CORRECT = Dimension("correct", "Correct", 0, 1)


def dimensions(question: QuestionView) -> tuple[Dimension, ...]:
    return RATED if question.ability == EMBODIED else (CORRECT,)
