"""The label of a question: its correct answers, any of which will do."""

import json

from benchmarks.protocols.base import Facts, LabelError, QuestionView

from .dataset import MAX_REFERENCES, references_of
from .suite import POPE, find_dataset
from .word_matching import normalise

_YES_NO = ("yes", "no")


def label(question: QuestionView) -> str:
    """Empty for a plan that people rate."""
    return "\n".join(references_of(question))


def choices(question: QuestionView) -> tuple[str, ...]:
    dataset = find_dataset(question.subtask)
    return _YES_NO if dataset is not None and dataset.group == POPE else ()


def truth(question: QuestionView, label: str) -> Facts:
    answers = _answers(label)
    if not answers:
        raise LabelError("Write at least one correct answer.")
    if len(answers) > MAX_REFERENCES:
        raise LabelError(
            f"A question has at most {MAX_REFERENCES} correct answers; these are {len(answers):,}."
        )
    for answer in answers:
        if not normalise(answer):
            raise LabelError(
                f"Of the correct answer “{answer}” word matching leaves nothing: it would match any"
                " answer."
            )
    if (allowed := choices(question)) and not set(answers) <= set(allowed):
        raise LabelError("The label of a question here is yes or no.")
    return {**question.truth, "references": json.dumps(answers, ensure_ascii=False)}


def reference(question: QuestionView, label: str) -> str:
    """The reference that the importer writes."""
    return "; ".join(_answers(label))


def contradiction(question: QuestionView, label: str, reference: str) -> str:
    """None: the reference is made of the label."""
    return ""


def _answers(label: str) -> list[str]:
    """A line each, in their order, each once."""
    lines = (line.strip() for line in label.splitlines())
    return list(dict.fromkeys(line for line in lines if line))
