"""Other labels of questions, with four eyes: one person proposes, another confirms."""

from django.contrib.auth.models import User
from django.db import transaction

from benchmarks.forms.typed_text import plain_text
from benchmarks.models import LabelCorrection, Question, Reference
from benchmarks.protocols.base import LabelError, LabelsPort
from benchmarks.registry import protocols
from benchmarks.selectors import question_view
from benchmarks.services.proposals import ProposalError
from benchmarks.services.references import check_base, check_open, live_reference

State = LabelCorrection.State


class ContradictionError(ProposalError):
    """The reference that would stand beside the label denies it, as far as the benchmark can tell.
    Whoever proposes the label may know better."""


def labels_of(question: Question) -> LabelsPort | None:
    """None where the benchmark's questions have no label: its references are corrected instead."""
    family = protocols().get(question.benchmark.slug)
    return family.labels if family else None


def current_label(question: Question) -> str:
    """Empty for none."""
    port = labels_of(question)
    return port.label(question_view(question)) if port else ""


@transaction.atomic
def propose_label(
    *,
    question: Question,
    label: str,
    reference: str,
    reason: str,
    author: User,
    before: str,
    base: int | None = None,
    in_spite: str = "",
) -> LabelCorrection:
    """Another person finds the correction in the queue. `before` is the label that its author read,
    `base` the version of the reference, 0 for none; it is not looked at without. A reference that
    is live already is no part of the correction.

    Raises ProposalError for what is no label, changes nothing, comes after another correction or
    another reference, or is of a closed release; and ContradictionError where the reference beside
    it denies the label, unless its author read that and proposes it `in_spite` of it.
    """
    Question.objects.select_for_update().get(pk=question.pk)
    question = Question.objects.select_related("benchmark", "subtask__ability", "figure").get(
        pk=question.pk
    )
    port = labels_of(question)
    if port is None:
        raise ProposalError("Questions of this benchmark have no label. Correct the reference.")
    check_open(question)
    if question.label_corrections.filter(state=State.IN_REVIEW).exists():
        raise ProposalError("A correction of this label waits already; decide that one first.")
    view, label = question_view(question), plain_text(label)
    check_before(port.label(view), before)
    if base is not None:
        check_base(question, base)
    live = live_reference(question)
    if not reason.strip():
        raise ProposalError("Say why the label is wrong: the reason is public once confirmed.")
    try:
        truth = port.truth(view, label)
    except LabelError as error:
        raise ProposalError(str(error)) from error
    if truth == question.current_truth:
        raise ProposalError("This is the label that the question has.")
    new_reference = changed_reference(live, port.reference(view, label) or plain_text(reference))
    denied = port.contradiction(view, label, new_reference or (live.text if live else ""))
    if denied and denied != in_spite:
        raise ContradictionError(denied)
    return LabelCorrection.objects.create(
        question=question,
        before=before,
        label=label,
        truth=truth,
        reference=new_reference,
        reason=plain_text(reason),
        author=author,
    )


def reference_beside(correction: LabelCorrection) -> str:
    """The reference that answers are compared with once the label is confirmed."""
    if correction.reference:
        return str(correction.reference)
    live = live_reference(correction.question)
    return live.text if live else ""


def contradiction_in(correction: LabelCorrection) -> str:
    """In a sentence, what the reference beside the label says against it; empty for nothing."""
    port = labels_of(correction.question)
    if port is None:
        return ""
    view = question_view(correction.question)
    return port.contradiction(view, correction.label, reference_beside(correction))


def is_new_reference(correction: LabelCorrection) -> bool:
    """Whether confirming it makes a version of the reference."""
    live = live_reference(correction.question)
    return bool(correction.reference) and (live is None or live.text != correction.reference)


def changed_reference(live: Reference | None, text: str) -> str:
    """Empty where it is the live one: a form has it filled in for whoever corrects the label
    alone, and what goes live until somebody confirms that is to stay."""
    return "" if live is not None and live.text == text else text


def check_before(now: str, before: str) -> None:
    if now != plain_text(before):
        raise ProposalError(
            f"The label is “{now}” by now, and was “{before}” when you opened the page. Look again."
        )
