"""The work queue in the judgements themselves: claim, renew, settle, release. Leases by database
time, fenced.

Every claim raises a row's `fence`. A worker that was frozen past its lease writes with its old
fence and changes nothing: the row belongs to whoever claimed it after. The ledger of calls is
written here too, in the same transactions.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from django.db import connection, transaction
from django.db.models import Case, Count, Exists, F, OuterRef, Q, When
from django.db.models.functions import Now

from judging.coordination import witness
from judging.coordination.clock import database_now
from judging.models import JudgeCall, Judgement, JudgeSpec
from judging.querysets import JudgementQuerySet

State = Judgement.State
MAX_ATTEMPTS = 5  # over half an hour, by JUDGE_RETRY_SECONDS; then a person knows better
MAX_UNKNOWN = 3  # each of them may have been paid for
SAME_CASE_WAIT = timedelta(seconds=2)  # twice the time assumed of a reply (services/estimates.py)
MAX_CLAIMS = 50  # from then on a row may be what kills its workers, though it was never asked about


@dataclass(frozen=True, slots=True)
class Settlement:
    """What became of one claimed judgement. `wait_seconds` only counts for the state "waiting";
    `is_free` gives the attempt back, for a call that says nothing about this judgement.
    `content_key` is what was asked."""

    pk: int
    fence: int
    state: str
    verdict: str = ""
    reason: str = ""
    raw_reply: str = ""
    finish_reason: str = ""
    reported_model: str = ""
    prompt_tokens: int | None = None
    reply_tokens: int | None = None
    latency_ms: int | None = None
    wait_seconds: float = 0.0
    is_free: bool = False
    content_key: str = ""
    reused_from: int | None = None


@dataclass(frozen=True, slots=True)
class CallClosing:
    """How a request ended; `cost` None leaves what was reserved. `reply`: the text of one without a
    verdict."""

    pk: int
    outcome: str
    error: str = ""
    request_id: str = ""
    prompt_tokens: int | None = None
    reply_tokens: int | None = None
    cost: int | None = None
    reading: str = ""
    reply: str = ""


# --- rows -----------------------------------------------------------------------------------------


def claim(
    work: JudgementQuerySet, *, limit: int, lease: timedelta, holder: UUID | None = None
) -> list[int]:
    """Up to `limit` claimable rows of `work` are leased to the caller; their primary keys.

    Two workers never get one row: PostgreSQL skips rows another claim holds, SQLite runs one claim
    at a time.
    """
    with transaction.atomic():
        rows = work.claimable().order_by("pk").select_for_update(skip_locked=True, of=("self",))
        keys = list(rows.values_list("pk", flat=True)[:limit])
        if keys:
            Judgement.objects.filter(pk__in=keys, state=State.WAITING).update(
                state=State.LEASED,
                lease_until=Now() + lease,
                holder=holder,
                fence=F("fence") + 1,
                attempts=F("attempts") + 1,
            )
    return keys


def claim_once(
    work: JudgementQuerySet, *, spec: JudgeSpec, limit: int, lease: timedelta, holder: UUID
) -> list[int]:
    """`claim`, but of rows with one content key only one is leased at a time, here or anywhere:
    the others wait a moment for its verdict, which is then theirs too. Claims of one spec happen
    one after the other."""
    with transaction.atomic():
        JudgeSpec.objects.select_for_update(no_key=True).get(pk=spec.pk)
        keys = claim(work, limit=limit, lease=lease, holder=holder)
        claimed = (
            Judgement.objects.filter(pk__in=keys).order_by("-pk").values_list("content_key", "pk")
        )
        first = dict(claimed)  # of equal ones, the first
        others = Judgement.objects.filter(
            judge_spec=spec, state=State.LEASED, content_key__in=first
        ).exclude(pk__in=keys)
        taken = set(others.values_list("content_key", flat=True))
        chosen = sorted(key for content, key in first.items() if content not in taken)
        if len(chosen) < len(keys):
            Judgement.objects.filter(pk__in=set(keys) - set(chosen)).update(
                state=State.WAITING,
                lease_until=None,
                attempts=F("attempts") - 1,
                not_before=Now() + SAME_CASE_WAIT,
                reason="the same case is being judged",
            )
    return chosen


def rekey(leased: Iterable[tuple[Judgement, str, int]]) -> None:
    """What is asked now is another case than was planned, of other texts, and says so: who looks
    for stale cases leaves it alone."""
    for row, key, texts in leased:
        Judgement.objects.filter(pk=row.pk, fence=row.fence, state=State.LEASED).update(
            content_key=key, texts=texts
        )


def renew(keys: Iterable[int], *, holder: UUID, lease: timedelta) -> None:
    """Extend the lease of those of the rows that the holder still has. Rows that it lost stay
    lost."""
    held = Judgement.objects.filter(pk__in=list(keys), state=State.LEASED, holder=holder)
    held.update(lease_until=Now() + lease)


def release(keys: Iterable[int], *, holder: UUID) -> None:
    """Make claimed rows that were never asked about wait again, with all their attempts."""
    Judgement.objects.filter(pk__in=list(keys), state=State.LEASED, holder=holder).update(
        state=State.WAITING, lease_until=None, attempts=F("attempts") - 1
    )


SETTLE = """
UPDATE judging_judgement SET state = %s, verdict = %s, reason = %s, raw_reply = %s,
    finish_reason = %s, reported_model = %s, prompt_tokens = %s, reply_tokens = %s,
    latency_ms = %s, not_before = %s, settled = %s, attempts = attempts - %s,
    content_key = COALESCE(NULLIF(%s, ''), content_key), reused_from_id = %s, lease_until = NULL
WHERE id = %s AND fence = %s AND state = 'leased'
"""


def settle(settlements: Sequence[Settlement]) -> None:
    """Store verdicts and outcomes. Rows whose lease was lost meanwhile are left unchanged."""
    if not settlements:
        return
    now = database_now()
    adapt = connection.ops.adapt_datetimefield_value
    rows = [
        (
            s.state,
            s.verdict,
            s.reason[:300],
            s.raw_reply,
            s.finish_reason[:40],
            s.reported_model[:100],
            s.prompt_tokens,
            s.reply_tokens,
            s.latency_ms,
            adapt(now + timedelta(seconds=s.wait_seconds)) if s.state == State.WAITING else None,
            None if s.state == State.WAITING else adapt(now),
            int(s.is_free),
            s.content_key,
            s.reused_from,
            s.pk,
            s.fence,
        )
        for s in settlements
    ]
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.executemany(SETTLE, rows)


def release_expired(among: JudgementQuerySet | None = None) -> int:
    """Leases that ran out, of all or of these, are waiting again; how many. The open ledger rows of
    their calls stay open: unknown.

    Rows that were claimed ahead and never asked about get their attempt back: not they cost the
    worker. A row that has cost worker after worker is paused: one that kills them must not be asked
    for ever.
    """
    expired = (Judgement.objects.all() if among is None else among).expired()
    if not expired.exists():
        return 0  # an UPDATE that finds nothing waits for SQLite's one writer all the same
    is_asked = Exists(JudgeCall.objects.filter(judgement=OuterRef("pk"), fence=OuterRef("fence")))
    needs_no_call = Exists(
        JudgeSpec.objects.filter(pk=OuterRef("judge_spec"), kind=JudgeSpec.RULES)
    )
    counts = is_asked | needs_no_call | Q(fence__gte=MAX_CLAIMS)
    expired.filter(counts, attempts__gte=MAX_ATTEMPTS).update(
        state=State.PAUSED,
        lease_until=None,
        reason=f"{MAX_ATTEMPTS} workers that held it did not come back",
    )
    return expired.update(
        state=State.WAITING,
        lease_until=None,
        reason="the worker that held it did not come back",
        attempts=Case(When(counts, then=F("attempts")), default=F("attempts") - 1),
    )


# --- the ledger -----------------------------------------------------------------------------------


def open_calls(
    leased: Sequence[Judgement], costs: Sequence[int] = (), *, started: datetime | None = None
) -> list[JudgeCall]:
    """Add and return a ledger row, at its worst-case cost, for every request that is about to be
    sent."""
    now = started or database_now()
    reserved = costs or [0] * len(leased)
    return opened(
        JudgeCall(judgement=row, fence=row.fence, started=now, cost=cost)
        for row, cost in zip(leased, reserved, strict=True)
    )


def opened(calls: Iterable[JudgeCall]) -> list[JudgeCall]:
    """Insert the ledger rows and return them. The witness notes them once they are committed; a
    note that fails is logged, and the calls are sent all the same."""
    rows = JudgeCall.objects.bulk_create(calls)
    if rows:
        transaction.on_commit(witness.note, robust=True)
    return rows


CLOSE = """
UPDATE judging_judgecall SET outcome = %s, error = %s, request_id = %s, prompt_tokens = %s,
    reply_tokens = %s, closed = %s, cost = COALESCE(%s, cost), reading = %s, reply = %s
WHERE id = %s AND outcome = 'open'
"""


def close_calls(closings: Sequence[CallClosing]) -> None:
    if not closings:
        return
    now = connection.ops.adapt_datetimefield_value(database_now())
    rows = [
        (
            c.outcome,
            c.error[:300],
            c.request_id[:100],
            c.prompt_tokens,
            c.reply_tokens,
            now,
            c.cost,
            c.reading,
            c.reply,
            c.pk,
        )
        for c in closings
    ]
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.executemany(CLOSE, rows)


def still_open(calls: Iterable[JudgeCall]) -> set[int]:
    """Those of the calls that are not closed: after a lost connection nobody knows whether a commit
    had its way. A standby that took over without the newest rows gives their numbers out anew: such
    a row has another start."""
    started = {call.pk: call.started for call in calls}
    rows = JudgeCall.objects.filter(pk__in=started, outcome=JudgeCall.Outcome.OPEN).values_list(
        "pk", "started"
    )
    return {pk for pk, moment in rows if started[pk] == moment}


def unknown_calls(keys: Sequence[int]) -> Mapping[int, int]:
    """How many calls of each judgement may have been carried out without anybody knowing; only
    those with any."""
    lost = JudgeCall.objects.filter(
        judgement__in=keys, outcome__in=[JudgeCall.Outcome.OPEN, JudgeCall.Outcome.UNKNOWN]
    )
    return dict(lost.values_list("judgement").annotate(Count("pk")))
