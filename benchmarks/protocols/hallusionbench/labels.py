"""The label of a question: whether yes or no is right."""

from benchmarks.protocols.base import Facts, LabelError, QuestionView

_CHOICES = ("yes", "no")
_GT_ANSWERS = {"yes": 1, "no": 0}


def label(question: QuestionView) -> str:
    found = question.truth.get("gt_answer")
    return next((word for word, code in _GT_ANSWERS.items() if code == found), "")


def choices(question: QuestionView) -> tuple[str, ...]:
    return _CHOICES


def truth(question: QuestionView, label: str) -> Facts:
    if label not in _GT_ANSWERS:
        raise LabelError("The label of a question here is yes or no.")
    return {**question.truth, "gt_answer": _GT_ANSWERS[label]}


def reference(question: QuestionView, label: str) -> str:
    """None: a judge reads a sentence about the picture, and yes or no is not it."""
    return ""
