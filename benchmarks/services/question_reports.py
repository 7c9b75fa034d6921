"""Reports of what is wrong with a question: taken from people, answered by staff."""

from datetime import datetime, timedelta

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone

from benchmarks.common.lately import lately
from benchmarks.models import LabelDoubt, Question, QuestionReport, QuestionReportChange

MOST_CHARACTERS = 1_000
"""Of a report: a page lists twenty of them."""
MOST_A_DAY = 10
"""Of one person: more than that staff hear about in one letter."""
DAY = timedelta(hours=24)
State = QuestionReport.State


class ReportRefusedError(Exception):
    """Why a report is not taken now, as its writer reads it."""


@transaction.atomic
def report_question(
    *, question: Question, reporter: User, category: str, text: str
) -> QuestionReport:
    """Staff find the report in the admin. Raises ReportRefusedError for a second open one of the
    same person, and beyond MOST_A_DAY."""
    # Until the transaction ends nobody else counts this person's reports.
    User.objects.select_for_update(no_key=True).only("pk").get(pk=reporter.pk)
    mine = QuestionReport.objects.filter(reporter=reporter)
    if mine.filter(question=question, state=State.OPEN).exists():
        raise ReportRefusedError(
            "You have reported this question already, and the report is not answered yet."
        )
    if mine.filter(lately("created", timezone.now(), DAY)).count() >= MOST_A_DAY:
        raise ReportRefusedError(
            f"It takes {MOST_A_DAY} reports of yours within 24 hours. Send the next one tomorrow."
        )
    doubt_by_report(question)
    return QuestionReport.objects.create(
        question=question, reporter=reporter, category=category, text=text
    )


def doubt_by_report(question: Question) -> None:
    """Staff find the question in the queue, also where it was looked at before."""
    state = LabelDoubt.State.OPEN
    LabelDoubt.objects.get_or_create(question=question)
    decided = LabelDoubt.objects.filter(question=question).exclude(state=state)
    decided.update(state=state, opened=timezone.now(), decided=None, decided_by=None)


def end_doubt_of_reports(question: Question, by: User) -> None:
    """Once its last report is answered, a question that no board suspects is in the queue no
    more."""
    if QuestionReport.objects.filter(question=question, state=State.OPEN).exists():
        return
    doubts = LabelDoubt.objects.filter(question=question, suspicion=None)
    doubts.filter(state=LabelDoubt.State.OPEN).update(
        state=LabelDoubt.State.NO_PROBLEM, decided=timezone.now(), decided_by=by
    )


def others_open(report: QuestionReport) -> bool:
    """Whether the same person has another open report of the question."""
    same = QuestionReport.objects.filter(
        question=report.question_id, reporter=report.reporter_id, state=State.OPEN
    )
    return report.reporter_id is not None and same.exclude(pk=report.pk).exists()


@transaction.atomic
def answer_report(
    *, report: QuestionReport, state: str, answer: str, by: User, why: str = ""
) -> None:
    """The report is confirmed or not a problem, with an answer, or open again and without one; what
    it was before is kept with who changed it, when, and why. Saying the same again changes
    nothing."""
    is_open, now = state == State.OPEN, timezone.now()
    answer = "" if is_open else answer
    before = QuestionReport.objects.select_for_update().get(pk=report.pk)
    if (before.state, before.answer) == (state, answer):
        return
    QuestionReport.objects.filter(pk=report.pk).update(
        state=state,
        answer=answer,
        answered=None if is_open else now,
        answered_by=None if is_open else by,
    )
    kept = QuestionReportChange.objects.filter(report=report)
    if before.answered and not kept.exists():  # answered before changes were kept
        add_change(report, before.state, before.answer, before.answered_by, before.answered)
    add_change(report, state, answer, by, now, why)
    if is_open:
        doubt_by_report(before.question)
    else:
        end_doubt_of_reports(before.question, by)


def add_change(
    report: QuestionReport, state: str, answer: str, by: User | None, at: datetime, why: str = ""
) -> None:
    QuestionReportChange.objects.create(
        report=report, state=state, answer=answer, by=by, at=at, why=why
    )
