from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.db.models import F, Q, QuerySet, Value
from django.db.models.functions import Now

if TYPE_CHECKING:
    from judging import models

UNFINISHED = ("waiting", "leased", "paused")
MOVING = ("waiting", "leased")
WITHOUT_VERDICT = ("unreadable", "refused", "too long", "failed")
FOR_REVIEW = (*WITHOUT_VERDICT, "paused")
IN_REVIEW = (*FOR_REVIEW, "excluded")
ENDED_BY_SWEEPS = ("budget", "endpoint")
"""Kinds of pauses that end by themselves, once there is room again or the endpoint is open."""
LEASES = 2
"""Of JUDGE_LEASE_SECONDS is the longest lease, that of the offline rules (engine/offline.py)."""
LEFT_TO_PEOPLE = Q(paused__isnull=False) & ~Q(pause_kind__in=ENDED_BY_SWEEPS)


def lease() -> timedelta:
    return timedelta(seconds=settings.JUDGE_LEASE_SECONDS)


def any_of(*found: QuerySet[Any]) -> bool:
    """Whether any of them has a row: one query, which ends with the first row."""
    first, *others = (rows.order_by().values_list(Value(1)) for rows in found)
    return first.union(*others, all=True).exists()


class JudgementQuerySet(QuerySet["models.Judgement"]):
    def claimable(self) -> JudgementQuerySet:
        """Waiting now, and not told to wait longer. By database time: workers' clocks do not
        count."""
        due = Q(not_before__isnull=True) | Q(not_before__lte=Now())
        return self.filter(due, state="waiting", run__paused__isnull=True)

    def expired(self) -> JudgementQuerySet:
        """Their lease has run out. One that ends later than the longest can was given out before
        the clock was set back."""
        over = Q(lease_until__lt=Now()) | Q(lease_until__gt=Now() + LEASES * lease())
        return self.filter(over, state="leased")

    def unfinished(self) -> JudgementQuerySet:
        return self.filter(state__in=UNFINISHED)

    def without_verdict(self) -> JudgementQuerySet:
        """Ended without a verdict, and can be asked again: neither waiting for one nor excluded by
        a person."""
        return self.filter(state__in=WITHOUT_VERDICT)


class RunQuerySet(QuerySet["models.JudgeRun"]):
    def unplanned(self) -> RunQuerySet:
        return self.unscored().whole().filter(planned__isnull=True)

    def whole(self) -> RunQuerySet:
        """Asked for of every answer: no dry run."""
        return self.filter(dry_run__isnull=True)

    def dry_runs(self, since: Any) -> RunQuerySet:
        """Asked for of a few answers since then, and not of all of them meanwhile."""
        return self.filter(dry_run__gt=since)

    def of_size(self, *, large: bool | None) -> RunQuerySet:
        """Large ones, the others, or with None all of them."""
        return self.all() if large is None else self.filter(is_large=large)

    def not_withdrawn(self) -> RunQuerySet:
        return self.filter(submission__withdrawn__isnull=True)

    def unscored(self) -> RunQuerySet:
        """Not done with: not planned, judgements wait, or what is said is in no scoresheet yet."""
        return self.filter(unscored=1)

    def queued(self) -> RunQuerySet:
        """Not done with, and in the way of who asks later; what is paused holds nobody up. By an
        index of those that are not done with."""
        return self.unscored().whole().not_withdrawn().filter(paused__isnull=True)

    def not_left_to_people(self) -> RunQuerySet:
        """Not paused until a person resumes them or their deadline is over: no sweep ends that."""
        return self.exclude(LEFT_TO_PEOPLE)

    def raise_revision(self, **fields: Any) -> int:
        """What is said of their answers changes in this transaction, which must be under way; how
        many they are. `fields` are set with it.

        To be called before their judgements are locked or changed: whoever locks both takes the
        runs first, and of several the older first, so that two never wait for each other.
        """
        held = self.order_by("pk").select_for_update(no_key=True, of=("self",))
        keys = list(held.values_list("pk", flat=True))
        runs = self.model._default_manager.filter(pk__in=keys)
        return runs.update(revision=F("revision") + 1, unscored=1, **fields) if keys else 0

    def to_be_judged(self) -> RunQuerySet:
        """Not planned yet, or with judgements that are not settled."""
        unplanned, unsettled = Q(planned__isnull=True), Q(judgements__state__in=UNFINISHED)
        return self.filter(unplanned | unsettled).distinct()

    def resume(self) -> int:
        """Whatever paused them, they are paused no more and have all their tries before them; how
        many."""
        return self.update(
            paused=None,
            pause_kind="",
            pause_reason="",
            fruitless=0,
            failures=0,
            held_until=None,
        )

    def to_try(self) -> RunQuerySet:
        """May be planned or scored now: no worker is at it, and it is not paused because that
        failed."""
        free = Q(held_until__isnull=True) | Q(held_until__lte=Now())
        return self.filter(free).exclude(pause_kind="fault")

    def finished(self) -> RunQuerySet:
        """Planned, and no judgement waits, is leased, or is left to a person."""
        return self.filter(planned__isnull=False).exclude(judgements__state__in=UNFINISHED)

    def scorable(self) -> RunQuerySet:
        """Planned, and no judgement waits or is leased. What is left to a person shows in the
        coverage of the score, which is made anew once they have seen to it."""
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
