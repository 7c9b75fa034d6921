"""Which questions look as if their label were wrong: a row each, from readers' reports and from
what boards say of them."""

from collections.abc import Iterable
from dataclasses import dataclass

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone

from benchmarks.models import LabelDoubt, Question, QuestionReport
from benchmarks.services.proposals import ProposalError
from benchmarks.services.question_reports import answer_report

State = LabelDoubt.State
COLUMNS = ("suspicion", "share", "entries")


@dataclass(frozen=True, slots=True)
class Suspect:
    """A question by its key; the rest is as LabelDoubt has it."""

    question: int
    suspicion: float
    share: float
    entries: int


def doubt_by_statistics(suspects: Iterable[Suspect]) -> int:
    """Staff find these questions in the queue; how many were not in it. What was decided by people
    stays decided: a board knows nothing that they did not."""
    wanted = {suspect.question: suspect for suspect in suspects}
    rows = LabelDoubt.objects.filter(question__in=wanted)
    known = {row.question_id: row for row in rows}
    new = [one for key, one in wanted.items() if key not in known]
    LabelDoubt.objects.bulk_create(
        (
            LabelDoubt(
                question_id=one.question,
                suspicion=one.suspicion,
                share=one.share,
                entries=one.entries,
            )
            for one in new
        ),
        ignore_conflicts=True,
    )
    moved = [row for row in known.values() if row.state == State.OPEN]
    for row in moved:
        for name in COLUMNS:
            setattr(row, name, getattr(wanted[row.question_id], name))
    LabelDoubt.objects.bulk_update(moved, COLUMNS)
    return len(new)


@transaction.atomic
def end_doubt(*, question: Question, by: User, state: State, answer: str) -> int:
    """The question is in the queue no more; each open report of it has this answer, confirmed where
    the label was corrected. How many there were."""
    confirmed, unfounded = QuestionReport.State.CONFIRMED, QuestionReport.State.NO_PROBLEM
    outcome = confirmed if state == State.CORRECTED else unfounded
    row, _ = LabelDoubt.objects.select_for_update().get_or_create(question=question)
    reports = list(QuestionReport.objects.filter(question=question, state="open"))
    for report in reports:
        answer_report(report=report, state=outcome, answer=answer, by=by)
    row.state, row.decided, row.decided_by = state, timezone.now(), by
    row.save(update_fields=["state", "decided", "decided_by"])
    return len(reports)


@transaction.atomic
def dismiss_doubt(*, question: Question, by: User, answer: str) -> int:
    """Ends a doubt about a label that is right. Raises ProposalError without an answer,
    while a correction of it waits, and where nobody doubts it (any more)."""
    if not answer.strip():
        raise ProposalError("Say why the label is right: who reported it reads the answer.")
    if question.label_corrections.filter(state="in review").exists():
        raise ProposalError("A correction of this label waits. Confirm it or send it back first.")
    doubt = LabelDoubt.objects.select_for_update().filter(question=question).first()
    if doubt is None or doubt.state != State.OPEN:
        by_whom = f": {doubt.decided_by} decided about it" if doubt and doubt.decided_by else ""
        raise ProposalError(
            f"No one doubts this label any more{by_whom}. Your answer was not sent."
        )
    return end_doubt(question=question, by=by, state=State.NO_PROBLEM, answer=answer.strip())
