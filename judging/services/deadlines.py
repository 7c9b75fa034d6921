"""Nothing waits for ever: what nobody resumed, finished or confirmed in time ends with a reason and
without a score."""

from datetime import timedelta

from django.conf import settings
from django.db import transaction
from django.db.models.functions import Now

from benchmarks.submissions.models import Submission
from benchmarks.submissions.querysets import SubmissionQuerySet
from benchmarks.submissions.services import withdraw_submission
from judging.models import Judgement, JudgeRun, ReferenceRequest
from judging.querysets import JudgementQuerySet, ReferenceRequestQuerySet, RunQuerySet, any_of
from judging.services.runs import end_pause

State = Judgement.State
UNCONFIRMED = timedelta(days=7)  # it holds its owner's place for so long; a week has a weekend


def overdue() -> tuple[
    JudgementQuerySet, JudgementQuerySet, RunQuerySet, ReferenceRequestQuerySet, SubmissionQuerySet
]:
    """Parked judgements whose time is over, those without a time, paused runs, requests for
    references, and submissions that nobody confirmed."""
    deadline = timedelta(days=settings.JUDGE_DEADLINE_DAYS)
    paused = Judgement.objects.filter(state=State.PAUSED)
    return (
        paused.filter(settled__lt=Now() - deadline),
        paused.filter(settled__isnull=True),
        JudgeRun.objects.not_withdrawn().filter(paused__lt=Now() - deadline),
        ReferenceRequest.objects.filter(finished__isnull=True, created__lt=Now() - deadline),
        unconfirmed_too_long(),
    )


def expire_overdue() -> None:
    """What was paused for JUDGE_DEADLINE_DAYS has failed afterwards, references asked for as long
    ago are asked for no more, and submissions that their owner did not confirm within a week are
    withdrawn."""
    found = overdue()
    if not any_of(*found):
        return
    judgements, untimed, runs, references, submissions = found
    fail_paused_judgements(judgements)
    # One that was paused without a time, as one that cost its workers, has its time from now on.
    untimed.update(settled=Now())
    for run in runs:
        fail_paused_run(run)
    references.update(
        finished=Now(), outcome=f"not finished within {settings.JUDGE_DEADLINE_DAYS} days"
    )
    for submission in submissions:
        withdraw_submission(submission=submission)


def unconfirmed_too_long() -> SubmissionQuerySet:
    return Submission.objects.unfinished().filter(
        confirmed__isnull=True, created__lt=Now() - UNCONFIRMED
    )


@transaction.atomic
def fail_paused_judgements(overdue: JudgementQuerySet) -> None:
    rows = list(overdue.values_list("pk", "run"))
    JudgeRun.objects.filter(pk__in={run for _, run in rows}).raise_revision()
    fail(Judgement.objects.filter(pk__in=[pk for pk, _ in rows], state=State.PAUSED))


@transaction.atomic
def fail_paused_run(run: JudgeRun) -> None:
    """Whatever paused it. The pause is over, so that a person can have the judgements asked again;
    what a worker holds just now is its own to settle."""
    JudgeRun.objects.filter(pk=run.pk).raise_revision()
    end_pause(run=run)
    fail(run.judgements.filter(state__in=[State.WAITING, State.PAUSED]))


def fail(work: JudgementQuerySet) -> None:
    reason = f"nobody resumed it within {settings.JUDGE_DEADLINE_DAYS} days"
    work.update(state=State.FAILED, reason=reason, settled=Now(), not_before=None)
