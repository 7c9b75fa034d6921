"""Judging by rules of this project: batch by batch, without ledger, limits and threads."""

import asyncio
import time
from collections.abc import Callable, Sequence
from datetime import timedelta
from uuid import UUID, uuid4

from django.conf import settings
from django.db.models import Prefetch

from benchmarks.protocols.base import JudgeCase
from benchmarks.registry import protocol
from benchmarks.submissions.models import Answer
from judging.coordination import queue
from judging.engine.outcomes import settlement_of
from judging.engine.stopping import STOPPING
from judging.judges.base import (
    Judge,
    JudgeHaltedError,
    JudgeRefusedError,
    JudgeRequest,
    JudgeUnavailableError,
    Reply,
)
from judging.models import Judgement, JudgeRun, JudgeSpec
from judging.querysets import JudgementQuerySet
from judging.selectors import cases_and_texts_of
from judging.services.verdicts import content_key, pin_leased

OFFLINE_BATCH = 600  # keys of one statement; SQLite takes 999 for certain
SLICES_PER_LEASE = 12  # 5 s of the usual minute: a host ten times as busy is still in time


def judge_offline(
    run: JudgeRun, judge: Judge, seconds: float, on_progress: Callable[[int], object]
) -> int:
    """Settle claimable judgements of the run by offline rules for up to `seconds`; returns how
    many were settled."""
    lease = timedelta(seconds=settings.JUDGE_LEASE_SECONDS) * 2
    end, total, holder = time.monotonic() + seconds, 0, uuid4()

    def is_stopping() -> bool:
        return time.monotonic() >= end or STOPPING.is_set()

    while not is_stopping():
        keys = queue.claim(work_of(run), limit=OFFLINE_BATCH, lease=lease, holder=holder)
        if not keys:
            break
        rows = leased_rows(run, keys)
        left = list(zip(rows, asked_today(rows, run.judge_spec), strict=True))
        while left:
            done = settle_slice(run, judge, left, lease / SLICES_PER_LEASE)
            total += done
            on_progress(done)
            left = still_held(left[done:], holder=holder, lease=lease)
            if is_stopping():
                queue.release([row.pk for row, _ in left], holder=holder)
                break
    return total


def asked_today(rows: Sequence[Judgement], spec: JudgeSpec) -> list[JudgeCase]:
    """The case of each row by today's texts, which it names afterwards: it may have been planned by
    others."""
    pairs = cases_and_texts_of(rows, spec)
    judging = protocol(spec.protocol).judging
    pin_leased(
        (row, content_key(case, spec, judging), texts)
        for row, (case, texts) in zip(rows, pairs, strict=True)
        if row.texts is None or row.texts.key != texts.key
    )
    return [case for case, _ in pairs]


def settle_slice(
    run: JudgeRun, judge: Judge, work: Sequence[tuple[Judgement, JudgeCase]], limit: timedelta
) -> int:
    """The first of `work` are judged and stored, at least one and for about as long as `limit`; how
    many were.

    Long texts take seconds each: what is read is stored before the lease of the rest can run out.
    """
    spec, judging = run.judge_spec, protocol(run.judge_spec.protocol).judging
    end = time.monotonic() + limit.total_seconds()

    async def judged() -> list[queue.Settlement]:
        found = []
        for row, case in work:
            result = await ask(judge, JudgeRequest(case))
            found.append(settlement_of(row, *result, spec, judging))
            if time.monotonic() >= end:
                break
        return found

    settlements = asyncio.run(judged())
    queue.settle(settlements)
    return len(settlements)


def still_held(
    work: Sequence[tuple[Judgement, JudgeCase]], *, holder: UUID, lease: timedelta
) -> list[tuple[Judgement, JudgeCase]]:
    """What of `work` nobody else has claimed meanwhile; its lease begins anew."""
    if not work:
        return []
    keys = [row.pk for row, _ in work]
    queue.renew(keys, holder=holder, lease=lease)
    mine = Judgement.objects.filter(pk__in=keys, state=Judgement.State.LEASED, holder=holder)
    kept = set(mine.values_list("pk", flat=True))
    return [(row, case) for row, case in work if row.pk in kept]


async def ask(judge: Judge, request: JudgeRequest) -> tuple[Reply | Exception, int]:
    """The reply or the named failure, with its milliseconds."""
    start = time.perf_counter()
    try:
        outcome: Reply | Exception = await judge.ask(request)
    except (JudgeUnavailableError, JudgeRefusedError, JudgeHaltedError) as error:
        outcome = error
    return outcome, round((time.perf_counter() - start) * 1000)


def work_of(run: JudgeRun) -> JudgementQuerySet:
    """The judgements of the run; none where its submission has been withdrawn."""
    return Judgement.objects.filter(run__in=JudgeRun.objects.not_withdrawn().filter(pk=run.pk))


def leased_rows(run: JudgeRun, keys: Sequence[int]) -> list[Judgement]:
    """The rows with what a case is made of; the submission is that of the run, not read again.

    Answers by a query of their own: of tables that PostgreSQL last counted when they were empty,
    one join of all tries every question with every answer and every key, which took half an hour
    for 3,000 of them.
    """
    answers = Answer.objects.select_related("question__subtask__ability", "question__figure")
    rows = list(
        Judgement.objects.filter(pk__in=keys)
        .select_related("texts")
        .prefetch_related(Prefetch("answer", answers))
        .order_by("pk")
    )
    for row in rows:
        row.answer.submission = run.submission
    return rows
