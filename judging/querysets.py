from __future__ import annotations

from typing import TYPE_CHECKING

from django.db.models import Q, QuerySet
from django.db.models.functions import Now

if TYPE_CHECKING:
    from judging import models

UNFINISHED = ("waiting", "leased", "paused")
MOVING = ("waiting", "leased")
WITHOUT_VERDICT = ("unreadable", "refused", "too long", "failed")
FOR_REVIEW = (*WITHOUT_VERDICT, "paused")
IN_REVIEW = (*FOR_REVIEW, "excluded")


class JudgementQuerySet(QuerySet["models.Judgement"]):
    def claimable(self) -> JudgementQuerySet:
        """Waiting now, and not told to wait longer. By database time: workers' clocks do not count."""
        due = Q(not_before__isnull=True) | Q(not_before__lte=Now())
        return self.filter(due, state="waiting", run__paused__isnull=True)

    def expired(self) -> JudgementQuerySet:
        """Leased by a worker that did not come back."""
        return self.filter(state="leased", lease_until__lt=Now())

    def unfinished(self) -> JudgementQuerySet:
        return self.filter(state__in=UNFINISHED)

    def without_verdict(self) -> JudgementQuerySet:
        """Ended without a verdict, and can be asked again: neither waiting for one nor excluded by a person."""
        return self.filter(state__in=WITHOUT_VERDICT)


class RunQuerySet(QuerySet["models.JudgeRun"]):
    def unplanned(self) -> RunQuerySet:
        return self.filter(planned__isnull=True)

    def standing(self) -> RunQuerySet:
        return self.filter(submission__withdrawn__isnull=True)

    def to_be_judged(self) -> RunQuerySet:
        """Not planned yet, or with judgements that are not settled."""
        unplanned, unsettled = Q(planned__isnull=True), Q(judgements__state__in=UNFINISHED)
        return self.filter(unplanned | unsettled).distinct()

    def resume(self) -> int:
        """Whatever paused them, they are paused no more and have all their tries before them; how many."""
        return self.update(
            paused=None,
            pause_kind="",
            pause_reason="",
            fruitless=0,
            failures=0,
            held_until=None,
        )

    def to_try(self) -> RunQuerySet:
        """May be planned or scored now: no worker is at it, and it is not paused because that failed."""
        free = Q(held_until__isnull=True) | Q(held_until__lte=Now())
        return self.filter(free).exclude(pause_kind="fault")

    def finished(self) -> RunQuerySet:
        """Planned, and no judgement waits, is leased, or is left to a person."""
        return self.filter(planned__isnull=False).exclude(judgements__state__in=UNFINISHED)

    def scorable(self) -> RunQuerySet:
        """Planned, and no judgement waits or is leased. What is left to a person shows in the coverage of the score,
        which is made anew once they have seen to it."""
        return self.filter(planned__isnull=False).exclude(judgements__state__in=MOVING)


class ReferenceRequestQuerySet(QuerySet["models.ReferenceRequest"]):
    def claimable(self) -> ReferenceRequestQuerySet:
        """Not finished, and held by no worker that may still be at it."""
        return self.filter(
            Q(claimed_until__isnull=True) | Q(claimed_until__lt=Now()), finished__isnull=True
        )


class CanaryRunQuerySet(QuerySet["models.CanaryRun"]):
    def claimable(self) -> CanaryRunQuerySet:
        """Not finished, and held by no worker that may still be at it."""
        return self.filter(
            Q(claimed_until__isnull=True) | Q(claimed_until__lt=Now()), finished__isnull=True
        )
