"""Judging what waits: claim a batch, ask outside any transaction, settle."""

import asyncio
import secrets
import time
from collections.abc import Callable, Sequence
from datetime import timedelta

from django.conf import settings

from benchmarks.protocols.base import JudgeCase, JudgingPort, UnreadableError
from benchmarks.registry import protocol
from judging import queue
from judging.judges import judge_for
from judging.judges.base import (
    Judge,
    JudgeHaltedError,
    JudgeRefusedError,
    JudgeRequest,
    JudgeUnavailableError,
    Reply,
)
from judging.models import JudgeCall, Judgement, JudgeRun, JudgeSpec
from judging.querysets import JudgementQuerySet
from judging.queue import MAX_ATTEMPTS, CallClosing, Settlement
from judging.selectors import cases_of, slot_from_key

State = Judgement.State
MAX_UNREADABLE = 3
OFFLINE_BATCH = 600
LEASE_MARGIN = timedelta(seconds=60)
POLL_SECONDS = 0.5


def judge_run(
    *,
    run_id: int,
    judge: Judge | None = None,
    seconds: float = 240.0,
    wait: bool = False,
    on_progress: Callable[[int], object] = lambda judged: None,
) -> int:
    """Claimable judgements of the run are settled until none is left or the time is up; how many were.

    With `wait`, judgements whose next try is not due yet are waited for.
    """
    run = JudgeRun.objects.select_related("judge_spec__prompt_set").get(pk=run_id)
    end = time.monotonic() + seconds
    total = 0
    while time.monotonic() < end:
        settled = judge_batch(run=run, judge=judge)
        total += settled
        on_progress(settled)
        if not settled:
            if not (wait and work_of(run).filter(state=State.WAITING).exists()):
                break
            time.sleep(POLL_SECONDS)
    return total


def work_of(run: JudgeRun) -> JudgementQuerySet:
    """The judgements of the run; none where its submission is withdrawn meanwhile."""
    return Judgement.objects.filter(run__in=JudgeRun.objects.standing().filter(pk=run.pk))


def judge_batch(*, run: JudgeRun, judge: Judge | None = None) -> int:
    """One claim of the run is asked and settled; how many rows it had. Asking happens outside any transaction.

    One halt pauses everything of the run that waits.
    """
    spec = run.judge_spec
    size = OFFLINE_BATCH if spec.is_offline else settings.JUDGE_CONCURRENCY
    lease = timedelta(seconds=settings.JUDGE_TIMEOUT_SECONDS) + LEASE_MARGIN
    work = work_of(run)
    keys = queue.claim(work, limit=size, lease=lease)
    if not keys:
        return 0
    leased = list(
        Judgement.objects.filter(pk__in=keys)
        .select_related(
            "answer__question__subtask__ability", "answer__question__figure", "answer__submission__release__benchmark"
        )
        .order_by("pk")
    )
    judging = protocol(spec.protocol).judging
    cases = cases_of(leased, spec)
    try:
        chosen = judge or judge_for(spec)
    except JudgeHaltedError as error:
        queue.settle([Settlement(row.pk, row.fence, State.PAUSED, reason=str(error)) for row in leased])
        queue.pause(work, reason=str(error))
        return len(leased)
    calls = queue.open_calls(leased) if chosen.makes_requests else []
    results = asyncio.run(ask_all(chosen, requests_of(cases, spec, judging), close=judge is None))
    if calls:
        queue.close_calls([closing_of(call, result) for call, (result, _) in zip(calls, results, strict=True)])
    queue.settle([settlement_of(row, *result, spec, judging) for row, result in zip(leased, results, strict=True)])
    if halts := [result for result, _ in results if isinstance(result, JudgeHaltedError)]:
        queue.pause(work, reason=str(halts[0]))
    return len(leased)


def requests_of(cases: Sequence[JudgeCase], spec: JudgeSpec, judging: JudgingPort) -> list[JudgeRequest]:
    if spec.prompt_set is None:
        return [JudgeRequest(case) for case in cases]
    texts = spec.prompt_set.texts
    return [JudgeRequest(case, judging.messages(case, texts, secrets.token_hex(6))) for case in cases]


async def ask_all(
    judge: Judge, requests: Sequence[JudgeRequest], *, close: bool
) -> list[tuple[Reply | Exception, int]]:
    """Replies or named failures in the order of `requests`, each with its milliseconds; all are asked at once."""

    async def ask(request: JudgeRequest) -> tuple[Reply | Exception, int]:
        start = time.perf_counter()
        try:
            outcome: Reply | Exception = await judge.ask(request)
        except (JudgeUnavailableError, JudgeRefusedError, JudgeHaltedError) as error:
            outcome = error
        return outcome, round((time.perf_counter() - start) * 1000)

    try:
        return list(await asyncio.gather(*(ask(request) for request in requests)))
    finally:
        if close:
            await judge.close()


def closing_of(call: JudgeCall, result: Reply | Exception) -> CallClosing:
    if isinstance(result, Reply):
        return CallClosing(
            call.pk,
            JudgeCall.Outcome.ANSWERED,
            request_id=result.request_id,
            prompt_tokens=result.prompt_tokens,
            reply_tokens=result.reply_tokens,
        )
    return CallClosing(call.pk, JudgeCall.Outcome.FAILED, error=str(result))


def settlement_of(
    row: Judgement, result: Reply | Exception, latency_ms: int, spec: JudgeSpec, judging: JudgingPort
) -> Settlement:
    """What a reply or failure makes of a judgement. Only a reply the protocol can read makes a verdict."""
    if isinstance(result, JudgeUnavailableError):
        if row.attempts >= MAX_ATTEMPTS:
            return Settlement(row.pk, row.fence, State.FAILED, reason=str(result))
        wait = result.retry_after_seconds or backoff_seconds(row.attempts)
        return Settlement(row.pk, row.fence, State.WAITING, reason=str(result), wait_seconds=wait)
    if isinstance(result, JudgeHaltedError):
        return Settlement(row.pk, row.fence, State.PAUSED, reason=str(result))
    if isinstance(result, Exception):
        return Settlement(row.pk, row.fence, State.FAILED, reason=str(result))
    state, verdict, reason = read_reply(row, result, spec, judging)
    return Settlement(
        row.pk,
        row.fence,
        state,
        verdict,
        reason,
        raw_reply=result.text,
        finish_reason=result.finish_reason,
        reported_model=result.model,
        prompt_tokens=result.prompt_tokens,
        reply_tokens=result.reply_tokens,
        latency_ms=latency_ms,
    )


def read_reply(row: Judgement, reply: Reply, spec: JudgeSpec, judging: JudgingPort) -> tuple[str, str, str]:
    """State, verdict and reason of a reply that came."""
    if reply.finish_reason in {"content_filter", "refusal"}:
        return State.REFUSED, "", "the judge refused to answer"
    if reply.finish_reason == "length":
        return State.TOO_LONG, "", "the reply was cut at the length limit"
    try:
        return State.JUDGED, judging.parse(slot_from_key(row.slot), reply.text, spec.parser), ""
    except UnreadableError as error:
        again = row.attempts < MAX_UNREADABLE and not spec.is_offline
        return State.WAITING if again else State.UNREADABLE, "", f"no verdict in the reply: {error}"


def backoff_seconds(attempts: int) -> float:
    """1, 4, 16, 64 seconds, each up to half longer so that workers do not come back together."""
    return float(4 ** (attempts - 1)) * (1 + secrets.randbelow(500) / 1000)
