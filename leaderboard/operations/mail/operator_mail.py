"""What the people who run the site are told by mail: judging that waits for them, once for each
time it does."""

import logging
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.core.cache import cache
from django.core.mail import mail_admins
from django.db import transaction
from django.db.models import (
    CharField,
    Count,
    DateTimeField,
    Exists,
    ExpressionWrapper,
    Max,
    OuterRef,
    QuerySet,
    Subquery,
    Value,
)
from django.db.models.functions import Cast, Concat, Now

from judging.models import CanaryRun, Endpoint, Judgement, JudgeRun, JudgeSpec
from judging.querysets import JudgementQuerySet, RunQuerySet, any_of
from leaderboard.models import OperatorNotice
from leaderboard.operations.canaries import canary_faults, first_models
from leaderboard.operations.progress import progress_fault
from leaderboard.operations.redaction import publishable

log = logging.getLogger(__name__)
Pause = JudgeRun.Pause
PAUSES = {
    Pause.BUDGET: "by a budget",
    Pause.ENDPOINT: "for its endpoint",
    Pause.JUDGE: "for its judge",
    Pause.FAULT: "because it fails",
}
RETRY_SECONDS = 60  # after a mail that could not even be left in the outbox
NO_MAIL = "operators-could-not-be-told"
CANARY_LASTS = timedelta(days=30)  # a judge that is in use was asked since
SAME_MOMENT = timedelta(milliseconds=2)
LINES = 50  # a mail somebody reads; the status page counts the rest


@dataclass(frozen=True, slots=True)
class Event:
    """`since` tells one time from the next of the same subject; None where nothing does."""

    subject: str
    since: datetime | None
    sentence: str


def tell_operators() -> int:
    """ADMINS have one mail in the outbox with what they were not told of before; of how many
    events.

    The mail and that they were told are written in one transaction. What could not be left in the
    outbox is logged, and tried again by the first sweep a minute later.
    """
    if not settings.ADMINS:
        return 0
    fault = progress_fault()
    if not fault and not any_of(*signs_of_events()):
        return 0
    known = {notice.subject: notice for notice in OperatorNotice.objects.all()}
    events = {event.subject: event for event in current_events(fault)}
    forget_over(known, events)
    new = [event for subject, event in sorted(events.items()) if is_new(known.get(subject), event)]
    if not new or cache.get(NO_MAIL):
        return 0
    try:
        with transaction.atomic():
            if new := [event for event in new if note(event)]:
                send(new)
    except Exception:  # whatever is wrong with the mail, judging goes on
        log.warning("Operators could not be told of %d events by mail", len(new), exc_info=True)
        cache.set(NO_MAIL, True, RETRY_SECONDS)
        return 0
    return len(new)


# --- what there is to tell ------------------------------------------------------------------------


def signs_of_events() -> tuple[QuerySet[Any], ...]:
    """One queryset for each kind of event. Where all are empty, the only event that can be
    reported is stuck work, and no reported event has ended."""
    if not settings.ADMINS:
        return ()
    return (
        OperatorNotice.objects.all(),
        halted_endpoints(),
        paused_runs(),
        parked_judgements(),
        CanaryRun.objects.filter(started__gte=Now() - CANARY_LASTS),
    )


def unreported_events() -> tuple[QuerySet[Any], ...]:
    """The querysets of events that operators have not been notified of. Events that depend on time
    or on replies of canaries are looked for less often (sweeps.look_again)."""
    if not settings.ADMINS:
        return ()
    return (
        halted_endpoints().filter(~noticed("endpoint/", "alias", since="halted")),
        paused_runs().filter(~noticed("run/", "pk", since="paused")),
        parked_judgements().filter(~noticed("parked/", "run")),
    )


def noticed(kind: str, key: str, *, since: str = "") -> Exists:
    """Whether operators have a notice of the event; with `since`, a field of the event, one that
    is as new."""
    subject = Concat(Value(kind), Cast(OuterRef(key), CharField()))
    notices = OperatorNotice.objects.filter(subject=subject)
    if since:
        # SQLite compares moments as texts, and its own have fewer digits than Django's.
        moment = ExpressionWrapper(OuterRef(since) - SAME_MOMENT, output_field=DateTimeField())
        notices = notices.filter(since__gte=moment)
    return Exists(notices)


def halted_endpoints() -> "QuerySet[Endpoint]":
    return Endpoint.objects.filter(halted__isnull=False, is_paused_by_person=False)


def paused_runs() -> RunQuerySet:
    return JudgeRun.objects.not_withdrawn().filter(paused__isnull=False, pause_kind__in=PAUSES)


def parked_judgements() -> JudgementQuerySet:
    """Judgements that are left to a person."""
    parked = Judgement.objects.filter(state=Judgement.State.PAUSED)
    return parked.filter(run__submission__withdrawn__isnull=True)


def current_events(fault: str) -> Iterator[Event]:
    """`fault`: of progress, as a sentence; empty where there is none."""
    for row in halted_endpoints():
        why = f"The judge endpoint {row.alias} is halted: {publishable(row.halt_reason)}."
        yield Event(
            f"endpoint/{row.alias}",
            row.halted,
            f"{why} manage.py endpoints --reopen {row.alias} opens it.",
        )
    by_person = Endpoint.objects.filter(is_paused_by_person=True).values("alias")
    known = paused_runs().exclude(pause_kind=Pause.ENDPOINT, judge_spec__endpoint__in=by_person)
    for run in known.select_related("judge_spec", "submission__model", "submission__release"):
        yield Event(f"run/{run.pk}", run.paused, pause_sentence(run))
    yield from parked_events()
    yield from canary_events()
    if fault:
        yield Event(
            "progress", None, f"{fault} manage.py check_progress says whether that is still so."
        )


def parked_events() -> Iterator[Event]:
    """Judgements that are left to a person, by run, told once while there are any."""
    by_run = parked_judgements().order_by("run").values_list("run")
    parked = by_run.annotate(Count("pk"), Max("reason"))
    found = {run: (count, reason) for run, count, reason in parked}
    runs = JudgeRun.objects.filter(pk__in=found)
    for run in runs.select_related("judge_spec", "submission__model", "submission__release"):
        count, reason = found[run.pk]
        rows = "1 judgement waits" if count == 1 else f"{count:,} judgements wait"
        yield Event(
            f"parked/{run.pk}",
            None,
            f"{rows} for a person in the run of {name_of(run)}: {publishable(reason)}. Resume the "
            "run in the admin to have them asked again, or exclude them under Judgements for "
            "review. The entry is scored without them, with its coverage. Submission "
            f"{run.submission_id}.",
        )


def canary_events() -> Iterator[Event]:
    """Judges that do not say what they said before, by their newest canary."""
    newest = CanaryRun.objects.filter(
        judge_spec=OuterRef("pk"), finished__isnull=False, asked__gt=0
    )
    specs = JudgeSpec.objects.filter(Exists(newest)).annotate(
        canary=Subquery(newest.order_by("-started", "-pk").values("pk")[:1])
    )
    of = dict(specs.values_list("canary", "slug"))
    for run in CanaryRun.objects.filter(pk__in=of, started__gte=Now() - CANARY_LASTS):
        if faults := " and ".join(canary_faults(run, first_models(run.judge_spec_id))):
            sentence = (
                f"The judge {of[run.pk]} has changed: in its canary {faults}. "
                f"/judges/{of[run.pk]}/ shows it."
            )
            yield Event(f"canary/{run.judge_spec_id}", run.started, sentence)


def name_of(run: JudgeRun) -> str:
    return f"{run.submission.model.name} on {run.submission.release.slug} by {run.judge_spec.slug}"


def pause_sentence(run: JudgeRun) -> str:
    of = name_of(run)
    how = PAUSES[Pause(run.pause_kind)]
    why = publishable(run.pause_reason)
    return (
        f"The run of {of} is paused {how}: {why}. {advice_for(run)} Submission {run.submission_id}."
    )


def advice_for(run: JudgeRun) -> str:
    if run.pause_kind != Pause.JUDGE or not run.judge_spec.endpoint:
        return ""
    reopen = f"manage.py endpoints --reopen {run.judge_spec.endpoint}"
    return f"Once the cause is gone, Resume in the admin or {reopen} lets it go on."


# --- once -----------------------------------------------------------------------------------------


def forget_over(known: Mapping[str, OperatorNotice], events: Mapping[str, Event]) -> None:
    """Delete notices of events that have ended, so that they are reported again when they return.
    `known` was read before `events`: later notices are kept."""
    if over := [notice.pk for subject, notice in known.items() if subject not in events]:
        OperatorNotice.objects.filter(pk__in=over).delete()


def is_new(notice: OperatorNotice | None, event: Event) -> bool:
    return notice is None or notice.since != event.since


def note(event: Event) -> bool:
    """Store the notice of an event; False where another worker stored it first."""
    notice, is_first = OperatorNotice.objects.get_or_create(
        subject=event.subject, defaults={"since": event.since}
    )
    earlier = OperatorNotice.objects.filter(pk=notice.pk).exclude(since=event.since)
    return is_first or bool(earlier.update(since=event.since))


def send(events: Sequence[Event]) -> None:
    lines = [" ".join(event.sentence.split()) for event in events]
    more = [f"… and {len(lines) - LINES} more; /status/ counts them."] if len(lines) > LINES else []
    subject = (
        lines[0][:150] if len(lines) == 1 else f"{len(lines)} things keep judging from going on"
    )
    text = "\n\n".join([*lines[:LINES], *more, "Each is told once. /status/ shows what waits now."])
    mail_admins(subject, text)
