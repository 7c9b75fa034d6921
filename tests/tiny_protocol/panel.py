from benchmarks.protocols.base import Dimension, QuestionView

NEATNESS = Dimension("neatness", "Neatness", 1, 5)
CORRECT = Dimension("correct", "Correct", 0, 1)


def dimensions(question: QuestionView) -> tuple[Dimension, ...]:
    """Every spelling is called right or wrong, and rated for its neatness where the word is
    short."""
    return (NEATNESS, CORRECT) if question.subtask == "words/short" else (CORRECT,)
