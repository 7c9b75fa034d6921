"""What a reply or a failure makes of a judgement and of its call. Only a reply that can be read makes a verdict."""

import secrets

from django.conf import settings

from benchmarks.protocols.base import JudgingPort, UnreadableError
from judging.judges.base import JudgeHaltedError, JudgeRefusedError, JudgeUnavailableError, Reply
from judging.models import JudgeCall, Judgement, JudgeSpec
from judging.queue import MAX_ATTEMPTS, CallClosing, Settlement
from judging.selectors import slot_from_key

State = Judgement.State
MAX_UNREADABLE = 3
FREE_REFUSALS = 5
BY_ITSELF = {"stop", "eos", "eos_token", "end_turn", "stop_sequence"}
NAMED = (Reply, JudgeUnavailableError, JudgeRefusedError, JudgeHaltedError)


def is_unknown(result: Reply | Exception) -> bool:
    return isinstance(result, JudgeUnavailableError) and result.is_unknown


def closing_of(call: int, result: Reply | Exception, cost: int | None = None) -> CallClosing:
    if isinstance(result, Reply):
        return CallClosing(
            call,
            JudgeCall.Outcome.ANSWERED,
            request_id=result.request_id,
            prompt_tokens=result.prompt_tokens,
            reply_tokens=result.reply_tokens,
            cost=cost,
        )
    outcome = JudgeCall.Outcome.UNKNOWN if is_unknown(result) else JudgeCall.Outcome.FAILED
    return CallClosing(call, outcome, error=str(result), cost=cost)


def reused(row: Judgement, key: str, earlier: Judgement) -> Settlement:
    """The verdict another judgement got for the same case meanwhile."""
    return Settlement(
        row.pk,
        row.fence,
        State.JUDGED,
        earlier.verdict,
        "the same case was judged before",
        raw_reply=earlier.raw_reply,
        finish_reason=earlier.finish_reason,
        reported_model=earlier.reported_model,
        content_key=key,
        reused_from=earlier.pk,
        is_free=True,
    )


def settlement_of(
    row: Judgement,
    result: Reply | Exception,
    latency_ms: int,
    spec: JudgeSpec,
    judging: JudgingPort,
    key: str = "",
    *,
    is_answering: bool = False,
) -> Settlement:
    """What a reply or failure makes of a judgement. Only a reply the protocol can read makes a verdict.

    `is_answering`: the endpoint has answered other requests just before.
    """
    if isinstance(result, JudgeUnavailableError):
        return unavailable(row, result, is_answering=is_answering)
    if isinstance(result, JudgeHaltedError):
        return Settlement(row.pk, row.fence, State.WAITING, reason=str(result), is_free=True)
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
        content_key=key,
    )


def unavailable(row: Judgement, error: JudgeUnavailableError, *, is_answering: bool) -> Settlement:
    """Tried again later, five times over half an hour; then it waits for a person, and never has a score.

    An endpoint that answers, only not so many at once, costs no attempt, up to a few times.
    """
    if error.is_limit and (is_answering or error.retry_after_seconds) and row.fence - row.attempts < FREE_REFUSALS:
        wait = error.hold_seconds
        return Settlement(row.pk, row.fence, State.WAITING, reason=str(error), wait_seconds=wait, is_free=True)
    if row.attempts >= MAX_ATTEMPTS:
        return Settlement(row.pk, row.fence, State.PAUSED, reason=f"{error}, {row.attempts} times")
    wait = max(error.retry_after_seconds or 0.0, backoff_seconds(row.attempts))
    return Settlement(row.pk, row.fence, State.WAITING, reason=str(error), wait_seconds=wait)


def read_reply(row: Judgement, reply: Reply, spec: JudgeSpec, judging: JudgingPort) -> tuple[str, str, str]:
    """State, verdict and reason of a reply that came."""
    if reply.finish_reason in {"content_filter", "refusal"}:
        return State.REFUSED, "", "the judge refused to answer"
    if reply.finish_reason == "length":
        return State.TOO_LONG, "", "the reply was cut at the length limit"
    try:
        if reply.finish_reason not in BY_ITSELF:
            raise UnreadableError(f"it did not end by itself (finish reason {reply.finish_reason[:40]!r})")
        return State.JUDGED, judging.parse(slot_from_key(row.slot), reply.text, spec.parser), ""
    except UnreadableError as error:
        again = row.attempts < MAX_UNREADABLE and not spec.is_offline
        return State.WAITING if again else State.UNREADABLE, "", f"no verdict in the reply: {error}"


def backoff_seconds(attempts: int) -> float:
    """The wait after so many attempts, up to half longer so that workers do not come back together."""
    waits = settings.JUDGE_RETRY_SECONDS
    return float(waits[min(attempts, len(waits)) - 1]) * (1 + secrets.randbelow(500) / 1000)
