"""How long the references are: what tells, beside the verdicts, how much of a score is length."""

from collections.abc import Mapping, Sequence

from benchmarks.protocols.base import QuestionView

REFERENCE_LENGTH = "reference_length"


def compare(
    questions: Sequence[QuestionView],
    answers: Sequence[str],
    descriptions: Sequence[str],
    references: Sequence[str],
) -> Mapping[str, Sequence[str | None]]:
    """The characters of each question's reference, as text; None without one."""
    return {REFERENCE_LENGTH: [f"{len(text)}" if text else None for text in references]}
