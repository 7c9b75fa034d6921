"""The work queue in the judgements themselves: claim, settle, pause, release. Leases by database time, fenced.

Every claim raises a row's `fence`. A worker that was frozen past its lease writes with its old fence and changes
nothing: the row belongs to whoever claimed it after.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta

from django.db import connection, transaction
from django.db.models import F
from django.db.models.functions import Now
from django.utils import timezone

from benchmarks.models import Question
from judging.models import JudgeCall, Judgement
from judging.querysets import JudgementQuerySet

State = Judgement.State
MAX_ATTEMPTS = 5


@dataclass(frozen=True, slots=True)
class Settlement:
    """What became of one claimed judgement. `wait_seconds` only counts for the state "waiting"."""

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


@dataclass(frozen=True, slots=True)
class CallClosing:
    pk: int
    outcome: str
    error: str = ""
    request_id: str = ""
    prompt_tokens: int | None = None
    reply_tokens: int | None = None


def claim(work: JudgementQuerySet, *, limit: int, lease: timedelta) -> list[int]:
    """Up to `limit` claimable rows of `work` are leased to the caller; their primary keys.

    Two workers never get one row: PostgreSQL skips rows another claim holds, SQLite runs one claim at a time.
    """
    with transaction.atomic():
        rows = work.claimable().order_by("pk").select_for_update(skip_locked=True)
        keys = list(rows.values_list("pk", flat=True)[:limit])
        Judgement.objects.filter(pk__in=keys, state=State.WAITING).update(
            state=State.LEASED, lease_until=Now() + lease, fence=F("fence") + 1, attempts=F("attempts") + 1
        )
    return keys


SETTLE = """
UPDATE judging_judgement SET state = %s, verdict = %s, reason = %s, raw_reply = %s, finish_reason = %s,
    reported_model = %s, prompt_tokens = %s, reply_tokens = %s, latency_ms = %s, not_before = %s, settled = %s,
    lease_until = NULL
WHERE id = %s AND fence = %s AND state = 'leased'
"""


def settle(settlements: Sequence[Settlement]) -> None:
    """Verdicts and outcomes are stored afterwards; those whose lease was lost meanwhile change nothing."""
    now = timezone.now()
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
            s.pk,
            s.fence,
        )
        for s in settlements
    ]
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.executemany(SETTLE, rows)


def pause(work: JudgementQuerySet, *, reason: str) -> None:
    """Nothing of `work` that waits is claimed until someone resumes its run."""
    work.filter(state=State.WAITING).update(state=State.PAUSED, not_before=None, reason=reason[:300])


def release_expired() -> None:
    """Leases that ran out are waiting again. The open ledger rows of their calls stay open: unknown.

    A row that has cost worker after worker is paused: one that kills them must not be asked for ever.
    """
    expired = Judgement.objects.all().expired()
    expired.filter(attempts__gte=MAX_ATTEMPTS).update(
        state=State.PAUSED, lease_until=None, reason=f"{MAX_ATTEMPTS} workers that held it did not come back"
    )
    expired.update(state=State.WAITING, lease_until=None, reason="the worker that held it did not come back")


def open_calls(leased: Sequence[Judgement]) -> list[JudgeCall]:
    """A committed ledger row for every request that is about to leave."""
    now = timezone.now()
    return JudgeCall.objects.bulk_create(JudgeCall(judgement=row, fence=row.fence, started=now) for row in leased)


def open_reference_calls(questions: Sequence[Question]) -> list[JudgeCall]:
    """The same for requests that ask for a reference answer."""
    now = timezone.now()
    return JudgeCall.objects.bulk_create(JudgeCall(question=question, started=now) for question in questions)


def close_calls(closings: Sequence[CallClosing]) -> None:
    now = connection.ops.adapt_datetimefield_value(timezone.now())
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.executemany(
            "UPDATE judging_judgecall SET outcome = %s, error = %s, request_id = %s, prompt_tokens = %s,"
            " reply_tokens = %s, closed = %s WHERE id = %s AND outcome = 'open'",
            [
                (c.outcome, c.error[:300], c.request_id[:100], c.prompt_tokens, c.reply_tokens, now, c.pk)
                for c in closings
            ],
        )
