"""Other labels of questions, with four eyes: one person proposes, another confirms."""

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone

from benchmarks.forms.typed_text import plain_text
from benchmarks.models import LabelCorrection, LabelDoubt, Question, Reference
from benchmarks.protocols.base import LabelError, LabelsPort
from benchmarks.registry import protocols
from benchmarks.selectors import question_view
from benchmarks.services.label_doubts import end_doubt
from benchmarks.services.references import add_reference, may_change

State = LabelCorrection.State


class CorrectionError(Exception):
    """Nothing was changed; the message says why."""


def labels_of(question: Question) -> LabelsPort | None:
    """None where the benchmark's questions have no label: its references are corrected instead."""
    family = protocols().get(question.benchmark.slug)
    return family.labels if family else None


def label_now(question: Question) -> str:
    """Empty for none."""
    port = labels_of(question)
    return port.label(question_view(question)) if port else ""


@transaction.atomic
def propose_label(
    *, question: Question, label: str, reference: str, reason: str, author: User, before: str
) -> LabelCorrection:
    """Another person finds the correction in the queue. `before` is the label that its author read.

    Raises CorrectionError for what is no label, changes nothing, comes after another correction or
    is of a closed release.
    """
    Question.objects.select_for_update().get(pk=question.pk)
    question = Question.objects.select_related("benchmark", "subtask__ability", "figure").get(
        pk=question.pk
    )
    port = labels_of(question)
    if port is None:
        raise CorrectionError("Questions of this benchmark have no label. Correct the reference.")
    check_open(question)
    if question.label_corrections.filter(state=State.IN_REVIEW).exists():
        raise CorrectionError("A correction of this label waits already; decide that one first.")
    view, label = question_view(question), plain_text(label)
    check_before(port.label(view), before)
    if not reason.strip():
        raise CorrectionError("Say why the label is wrong: the reason is public once confirmed.")
    try:
        truth = port.truth(view, label)
    except LabelError as error:
        raise CorrectionError(str(error)) from error
    if truth == question.current_truth:
        raise CorrectionError("This is the label that the question has.")
    return LabelCorrection.objects.create(
        question=question,
        before=before,
        label=label,
        truth=truth,
        reference=port.reference(view, label) or plain_text(reference),
        reason=plain_text(reason),
        author=author,
    )


@transaction.atomic
def confirm_label(*, correction: LabelCorrection, reviewer: User) -> LabelCorrection:
    """The question is judged and scored by the label from now on, and its reports are answered with
    the reason. What was judged is as it was: see judging/desk/label_corrections.py.

    Raises CorrectionError for its author and after another step.
    """
    question = Question.objects.select_for_update().get(pk=correction.question_id)
    correction.refresh_from_db()
    check_waits(correction)
    if correction.author_id == reviewer.pk:
        raise CorrectionError("Nobody confirms a correction of their own. Ask another reviewer.")
    check_open(question)
    if is_new_reference(correction):
        correction.made_reference = add_reference(
            question=question,
            text=correction.reference,
            origin=Reference.Origin.HUMAN,
            maker=str(correction.author)[:200],
        )
    correction.state, correction.decided_by = State.CONFIRMED, reviewer
    correction.decided = timezone.now()
    correction.save(update_fields=["made_reference", "state", "decided_by", "decided"])
    question.corrected_truth = correction.truth
    question.save(update_fields=["corrected_truth"])
    state = LabelDoubt.State.CORRECTED
    end_doubt(question=question, by=reviewer, state=state, answer=correction.reason)
    return correction


def is_new_reference(correction: LabelCorrection) -> bool:
    """Whether confirming it makes a version of the reference."""
    live = correction.question.references.order_by("-version").first()
    return bool(correction.reference) and (live is None or live.text != correction.reference)


@transaction.atomic
def send_label_back(*, correction: LabelCorrection, reviewer: User, comment: str) -> None:
    """Also by its author, who has thought better of it."""
    if not comment.strip():
        raise CorrectionError("Say why: a correction is sent back with a comment.")
    Question.objects.select_for_update().get(pk=correction.question_id)
    correction.refresh_from_db()
    check_waits(correction)
    correction.state, correction.comment = State.SENT_BACK, plain_text(comment)
    correction.decided_by, correction.decided = reviewer, timezone.now()
    correction.save(update_fields=["state", "comment", "decided_by", "decided"])


def check_open(question: Question) -> None:
    if not may_change(question):
        raise CorrectionError("Every release with this question is closed; its label stays.")


def check_before(now: str, before: str) -> None:
    if now != plain_text(before):
        raise CorrectionError(
            f"The label is “{now}” by now, and was “{before}” when you opened the page. Look again."
        )


def check_waits(correction: LabelCorrection) -> None:
    if correction.state != State.IN_REVIEW:
        raise CorrectionError(
            f"This correction is {correction.state} already, by {correction.decided_by}. Nothing"
            " changed."
        )
