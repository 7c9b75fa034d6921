"""What the people who run the site are told by mail: judging that waits for them, once for each time it does."""

import logging
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.conf import settings
from django.core.mail import get_connection, mail_admins
from django.db import transaction
from django.db.models.functions import Now

from judging.clock import database_now
from judging.models import Endpoint, JudgeRun
from leaderboard.models import OperatorNotice
from leaderboard.progress import PATIENCE_SECONDS, age, read_progress, signs_of_work
from leaderboard.status_page import publishable

log = logging.getLogger(__name__)
Pause = JudgeRun.Pause
PAUSES = {
    Pause.BUDGET: "by a budget",
    Pause.ENDPOINT: "for its endpoint",
    Pause.JUDGE: "for its judge",
}
RETRY = timedelta(minutes=1)
MAIL_SECONDS = 5.0
LINES = 50


@dataclass(frozen=True, slots=True)
class Event:
    """`since` tells one time from the next of the same subject; None where nothing does."""

    subject: str
    since: datetime | None
    sentence: str


def tell_operators() -> int:
    """ADMINS were sent one mail with what they were not told of before; of how many events.

    A mail server that is away costs MAIL_SECONDS, is logged, and is tried again by the first sweep a minute later.
    """
    if not settings.ADMINS:
        return 0
    known = {notice.subject: notice for notice in OperatorNotice.objects.all()}
    events = {event.subject: event for event in current_events()}
    forget_over(known, events)
    chosen = claim(known, events)
    if not chosen:
        return 0
    try:
        send(chosen)
    except Exception:  # whatever is wrong with the mail, judging goes on
        log.warning("Operators could not be told of %d events by mail", len(chosen), exc_info=True)
        return 0
    OperatorNotice.objects.filter(subject__in=[event.subject for event in chosen]).update(told=Now())
    return len(chosen)


# --- what there is to tell --------------------------------------------------------------------------------------


def current_events() -> Iterator[Event]:
    for row in Endpoint.objects.filter(halted__isnull=False):
        why = f"The judge endpoint {row.alias} is halted: {publishable(row.halt_reason)}."
        yield Event(f"endpoint/{row.alias}", row.halted, f"{why} manage.py endpoints --reopen {row.alias} opens it.")
    paused = JudgeRun.objects.standing().filter(paused__isnull=False, pause_kind__in=PAUSES)
    for run in paused.select_related("judge_spec", "submission__model", "submission__release"):
        yield Event(f"run/{run.pk}", run.paused, pause_sentence(run))
    if fault := progress_fault():
        yield Event("progress", None, f"{fault} manage.py check_progress says whether that is still so.")


def pause_sentence(run: JudgeRun) -> str:
    of = f"{run.submission.model.name} on {run.submission.release.slug} by {run.judge_spec.slug}"
    how = PAUSES[Pause(run.pause_kind)]
    return f"The run of {of} is paused {how}: {publishable(run.pause_reason)}. Submission {run.submission_id}."


def progress_fault() -> str:
    """That of check_progress. Where work was just done there is none, and the oldest work is not looked for."""
    newest = max(signs_of_work(), default=None)
    if newest and age(newest, database_now()) <= PATIENCE_SECONDS:
        return ""
    return read_progress().fault()


# --- once -------------------------------------------------------------------------------------------------------


def forget_over(known: Mapping[str, OperatorNotice], events: Mapping[str, Event]) -> None:
    """What is over is told again when it comes again. `known` was read first: what came meanwhile stays."""
    if over := [notice.pk for subject, notice in known.items() if subject not in events]:
        OperatorNotice.objects.filter(pk__in=over).delete()


def claim(known: Mapping[str, OperatorNotice], events: Mapping[str, Event]) -> list[Event]:
    """Events that are ours to tell: no other worker tells them now. Nothing is written where there is none."""
    now = database_now()
    if not any(is_due(known.get(subject), event, now) for subject, event in events.items()):
        return []
    with transaction.atomic():
        unseen = [OperatorNotice(subject=e.subject, since=e.since) for e in events.values()]
        OperatorNotice.objects.bulk_create(unseen, ignore_conflicts=True)
        rows = OperatorNotice.objects.filter(subject__in=events).order_by("pk").select_for_update()
        due = [row for row in rows if is_due(row, events[row.subject], now)]
        for row in due:
            row.since, row.told, row.next_try = events[row.subject].since, None, now + RETRY
        OperatorNotice.objects.bulk_update(due, ["since", "told", "next_try"])
    return [events[row.subject] for row in due]


def is_due(notice: OperatorNotice | None, event: Event, now: datetime) -> bool:
    if notice is None or notice.since != event.since:
        return True
    return notice.told is None and (notice.next_try is None or notice.next_try <= now)


def send(events: Sequence[Event]) -> None:
    lines = [" ".join(event.sentence.split()) for event in events]
    more = [f"… and {len(lines) - LINES} more; /status/ counts them."] if len(lines) > LINES else []
    subject = lines[0][:150] if len(lines) == 1 else f"{len(lines)} things keep judging from going on"
    text = "\n\n".join([*lines[:LINES], *more, "Each is told once. /status/ shows what waits now."])
    mail_admins(subject, text, connection=get_connection(timeout=MAIL_SECONDS))
