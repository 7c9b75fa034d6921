"""The label of a question: whether yes or no is right."""

import re

from benchmarks.protocols.answer_texts.yes_no import read_yes_no
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


def contradiction(question: QuestionView, label: str, reference: str) -> str:
    said = _asserted_label(question.text, reference)
    if said in ("", label):
        return ""
    how = "" if read_yes_no(reference) == said else ": it repeats what was asked as a statement"
    return f"The reference for it reads as “{said}”{how}."


# --- what a reference says ------------------------------------------------------------------------

_WORD = re.compile(r"[^\W_]+|[<>=≤≥]")
_ENDING = re.compile(r"(?<=...)(?:ing|ed|es|s|e)$")
_LITTLE_WORD = re.compile(
    "i|is|are|was|were|do|does|did|has|have|had|a|an|the|of|in|on|at|to|by|it|this|that|there"
    "|according|image|map|chart|table|provided"
)
_DENIALS = frozenset(("not", "no", "never", "instead"))
_NUMBERS = {
    word: str(number)
    for number, word in enumerate(
        ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
    )
}


def _asserted_label(question: str, reference: str) -> str:
    """ "yes", "no", or "" where nothing tells.

    Judging reads references more carefully (judging.py); a warning may be wrong now and then. Of
    the full file's 1,129 rows it reads 648, and seven of these against their label.
    """
    reading, restates = read_yes_no(reference), _restates(reference, question)
    if reading != "uncertain":
        return "" if restates and reading == "no" else reading
    is_denied = not _DENIALS.isdisjoint(_WORD.findall(reference.casefold()))
    return "yes" if restates and not is_denied else ""


def _restates(reference: str, question: str) -> bool:
    """Whether the question's words stand in the reference in their order, whatever their endings,
    numbers in figures or letters."""
    asked, said = _stems(question), iter(_stems(reference))
    return bool(asked) and all(word in said for word in asked)


def _stems(text: str) -> list[str]:
    words = (word for word in _WORD.findall(text.casefold()) if not _LITTLE_WORD.fullmatch(word))
    return [_ENDING.sub("", _NUMBERS.get(word, word)) for word in words]
