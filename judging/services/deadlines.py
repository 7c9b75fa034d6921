"""Nothing waits for ever: what nobody resumed, finished or confirmed in time ends with a reason and without a score."""

from datetime import timedelta

from django.conf import settings
from django.db import transaction
from django.db.models.functions import Now

from benchmarks.submissions.models import Submission
from benchmarks.submissions.services import withdraw_submission
from judging.models import Judgement, JudgeRun, ReferenceRequest
from judging.querysets import JudgementQuerySet
from judging.services.runs import end_pause

State = Judgement.State
UNCONFIRMED = timedelta(days=7)  # it holds its owner's place for so long; a week has a weekend


def expire_overdue() -> None:
    """What was paused for JUDGE_DEADLINE_DAYS has failed afterwards, references asked for as long ago are asked for no
    more, and submissions that their owner did not confirm within a week are withdrawn."""
    deadline = timedelta(days=settings.JUDGE_DEADLINE_DAYS)
    fail_paused_judgements(deadline)
    for run in JudgeRun.objects.standing().filter(paused__lt=Now() - deadline):
        fail_paused_run(run)
    ReferenceRequest.objects.filter(finished__isnull=True, created__lt=Now() - deadline).update(
        finished=Now(), outcome=f"not finished within {settings.JUDGE_DEADLINE_DAYS} days"
    )
    for submission in Submission.objects.standing().filter(
        confirmed__isnull=True, created__lt=Now() - UNCONFIRMED
    ):
        withdraw_submission(submission=submission)


def fail_paused_judgements(deadline: timedelta) -> None:
    """A judgement that was paused without a time, as one that cost its workers, has its time from now on."""
    paused = Judgement.objects.filter(state=State.PAUSED)
    fail(paused.filter(settled__lt=Now() - deadline))
    paused.filter(settled__isnull=True).update(settled=Now())


@transaction.atomic
def fail_paused_run(run: JudgeRun) -> None:
    """Whatever paused it. The pause is over, so that a person can have the judgements asked again; what a worker holds
    just now is its own to settle."""
    fail(run.judgements.filter(state__in=[State.WAITING, State.PAUSED]))
    end_pause(run=run)


def fail(work: JudgementQuerySet) -> None:
    reason = f"nobody resumed it within {settings.JUDGE_DEADLINE_DAYS} days"
    work.update(state=State.FAILED, reason=reason, settled=Now(), not_before=None)
