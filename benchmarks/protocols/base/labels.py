"""The port of `labels.py`: what a question's label says, and what another would make of it."""

from typing import Protocol

from benchmarks.protocols.base.dataset import Facts, QuestionView


class LabelError(ValueError):
    """The text is no label of this question; the message is a sentence for whoever typed it."""


class LabelsPort(Protocol):
    """Only for benchmarks whose questions have an answer that can be wrong in the dataset.

    A label is text here, as people read it; what a scorer reads is made of it.
    """

    def label(self, question: QuestionView) -> str:
        """The label as people read it, several right answers a line each; empty where the question
        has none."""

    def choices(self, question: QuestionView) -> tuple[str, ...]:
        """The labels there are; empty where any text may be one."""

    def truth(self, question: QuestionView, label: str) -> Facts:
        """The truth of the question with this label. Raises LabelError."""

    def reference(self, question: QuestionView, label: str) -> str:
        """The reference that says the same as the label; empty where the reference is a sentence of
        its own, which people have to write anew."""

    def contradiction(self, question: QuestionView, label: str, reference: str) -> str:
        """In a sentence, what the reference says that the label denies; empty where the two agree,
        and where nothing tells. Whoever corrects the label reads it, and may know better."""
