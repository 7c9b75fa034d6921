"""Clocks that are wrong.

All processes compare times by the clock of their database. PostgreSQL has one; SQLite's is that of
whoever asks. So a worker looks, with each heartbeat, whether its own clock agrees: with that of
PostgreSQL; on SQLite with the mark that all workers push forward, and with each other's heartbeats.
One that does not says so in its row, and spends nothing until it does.

Where the database's clock was set back, or forward and back again, what was planned before is moved
by as much: a wait of two seconds is none of two hours.
"""

import logging
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from django.db import connection, transaction
from django.db.models import F, Model
from django.db.models.functions import Now
from django.utils import timezone

from benchmarks.models import Claim
from judging.coordination.clock import database_now
from judging.models import CanaryRun, Endpoint, Judgement, JudgeRun, ReferenceRequest, Seat
from leaderboard.models import (
    BoardVersion,
    ClockMark,
    DataExport,
    EvidenceArchive,
    LookAtWaits,
    OutgoingMail,
    SharedCacheRow,
    WorkerBeat,
)
from leaderboard.models.notices import Notice, WebhookDelivery
from leaderboard.operations.progress import SILENCE_SECONDS
from leaderboard.results.formatting import print_age

log = logging.getLogger(__name__)
SKEW = timedelta(seconds=30)
"""By which a clock may be off. NTP keeps hosts within a tenth of a second, and a host that is busy
may take seconds to read an answer; from half a minute on nothing sets the clock, and it goes on
drifting. Leases do not depend on it (judging/coordination/lost_leases.py); days of budgets, tokens
and the dates on pages do."""
SET_BACK = timedelta(seconds=10)
"""By which the mark may be ahead: two heartbeats. A standby that takes over is behind by less."""
PLANNED: tuple[tuple[type[Model], str], ...] = (
    (Judgement, "not_before"),
    (JudgeRun, "held_until"),
    (ReferenceRequest, "claimed_until"),
    (CanaryRun, "claimed_until"),
    (Endpoint, "held_until"),
    (Endpoint, "next_request"),
    (Endpoint, "next_tokens"),
    (Endpoint, "answered"),
    (Seat, "until"),
    (Claim, "until"),
    (BoardVersion, "next_at"),
    (LookAtWaits, "next_at"),
    (OutgoingMail, "next_try"),
    (WebhookDelivery, "next_try"),
    (Notice, "mail_at"),
    (DataExport, "begun"),
    (EvidenceArchive, "made"),
    (WorkerBeat, "seen"),
    (WorkerBeat, "swept"),
)
"""Times that are waited for. Leases of judgements are looked at as they change, and need no clock;
what says when something happened stays as it was written."""


def off_by(ahead: timedelta, reference: str) -> str:
    """A sentence without a subject; empty within SKEW."""
    if abs(ahead) <= SKEW:
        return ""
    side = "ahead of" if ahead > timedelta(0) else "behind"
    return f"is {print_age(abs(ahead).total_seconds())} {side} {reference}. Set it by NTP."


def own_clock() -> str:
    """What is wrong with the clock of this process beside that of PostgreSQL; on SQLite nothing
    can be. However late the answer comes, it was true between question and answer."""
    before = timezone.now()
    there = database_now()
    after = timezone.now()
    return off_by(max(before - there, min(after - there, timedelta(0))), "the database's")


class ClockWatch:
    """What a worker saw at its last look: the mark, and when by their clocks others were seen."""

    def __init__(self) -> None:
        self.mark: datetime | None = None
        self.beats: Mapping[str, datetime] = {}
        self.is_late = False

    def look(self, name: str) -> str:
        """What is wrong with the clock of the worker; empty where nothing is. Planned times are
        moved where the database's clock was set back: the mark stands ahead then, and nobody
        pushes it."""
        if found := own_clock():
            return found
        now = database_now()
        beats = dict(WorkerBeat.objects.exclude(name=name).values_list("name", "seen"))
        late = [now - seen for who, seen in beats.items() if self.beats.get(who, seen) < seen]
        self.beats = beats
        before, self.mark = self.mark, push_mark()
        if self.mark is None:
            found = off_by(max(late, default=timedelta(0)), "that of another worker")
            was_late, self.is_late = self.is_late, bool(found)
            return found if was_late else ""  # once, and the clock that all have jumped
        if before is None:
            return ""
        if before != self.mark:
            return off_by(now - self.mark, "that of another worker")
        move_planned()
        return ""


def push_mark() -> datetime | None:
    """The mark is at the present; where it is ahead by more than SET_BACK it stays, and is
    returned."""
    row = ClockMark.objects.filter(pk=ClockMark.ONLY)
    if row.filter(seen__lte=Now() + SET_BACK).update(seen=Now()):
        return None
    if (ahead := row.values_list("seen", flat=True).first()) is None:
        first = ClockMark(pk=ClockMark.ONLY, seen=database_now())
        ClockMark.objects.bulk_create([first], ignore_conflicts=True)
    return ahead


@transaction.atomic
def move_planned() -> None:
    """What lies ahead is nearer by as much as the clock was set back, once for all workers."""
    mark = ClockMark.objects.select_for_update().get(pk=ClockMark.ONLY)
    now = database_now()
    back = mark.seen - now
    if back <= SET_BACK:
        return
    log.warning("The database's clock was set back by %s: planned times are moved", back)
    for model, name in PLANNED:
        ahead: Any = {f"{name}__gt": now}
        model._default_manager.filter(**ahead).update(**{name: F(name) - back})
    Endpoint.objects.update(recent_tokens={})  # of a minute that is to come
    SharedCacheRow.objects.all().delete()  # limits of sign-in that would last as long
    ClockMark.objects.filter(pk=mark.pk).update(seen=now)


def workers_off() -> list[str]:
    """A sentence for each living worker whose clock is wrong. Such a clock may date the worker's
    row in the future."""
    silence = timedelta(seconds=SILENCE_SECONDS)
    lately = WorkerBeat.objects.filter(seen__range=(Now() - silence, Now() + silence))
    return list(lately.exclude(clock="").values_list("clock", flat=True))


def reason_to_wait() -> str:
    """Why this process may spend nothing: its clock is off. On SQLite all processes have that of
    one machine, and what one worker finds is so for all who see the time as it does; a command
    that runs alone sees that it is behind the mark."""
    found = [*workers_off(), mark_problem()] if connection.vendor == "sqlite" else [own_clock()]
    problem = next(filter(None, found), "")
    return f"The clock of this machine {problem}" if problem else ""


def mark_problem() -> str:
    """What is wrong with this machine's clock beside the latest time that a worker recorded; ""
    where nothing is. A worker corrects the mark after the clock was set right."""
    mark = ClockMark.objects.filter(seen__gt=Now() + SKEW).first()
    ahead = timezone.now() - mark.seen if mark else timedelta(0)
    problem = off_by(ahead, "the latest that a worker saw")
    return (
        f"{problem} If it is right, start a worker, which puts the dates right." if problem else ""
    )


def clock_problem() -> str:
    """For the health check: a sentence about the clock of this process, or else of a worker; ""
    where nothing is wrong."""
    if own := own_clock():
        return f"The clock of this process {own}"
    problem = next(iter(workers_off()), "")
    return f"A worker spends nothing: its clock {problem}" if problem else ""
