"""What a reply or a failure makes of a judgement and of its call. Only a reply that can be read
makes a verdict."""

import secrets
from dataclasses import replace

from django.conf import settings

from benchmarks.protocols.base import JudgingPort, Message, UnreadableError
from judging.coordination import money
from judging.coordination.queue import MAX_ATTEMPTS, CallClosing, Settlement
from judging.judges.base import (
    JudgeHaltedError,
    JudgeRefusedError,
    JudgeRequest,
    JudgeUnavailableError,
    Reply,
)
from judging.models import JudgeCall, Judgement, JudgeSpec
from judging.selectors import slot_from_key
from judging.services.verdicts import REUSED, StoredReply

State = Judgement.State
MAX_UNREADABLE = 3  # two more tries, in other words; each is paid for
FREE_REFUSALS = 5  # as many as attempts: an endpoint that refuses for ever is left to a person too
REPEATED_CHARACTERS = (
    500  # of a reply that its judge is shown: enough to know it, little to pay for
)
FORM = "Reply again, in exactly the form asked for above and with nothing else."
BY_ITSELF = {"stop", "eos", "eos_token", "end_turn", "stop_sequence"}
# Reasons are public while replies may not be, and a judge that repeats its prompt repeats what is
# hidden. So they are fixed words: neither a reply nor a parser's message about it enters one.
NOT_READ = "no verdict could be read in the reply"
NOT_BY_ITSELF = "the reply did not end by itself"
NAMED = (Reply, JudgeUnavailableError, JudgeRefusedError, JudgeHaltedError)


def closing_of(call: JudgeCall, result: Reply | Exception | None, spec: JudgeSpec) -> CallClosing:
    """How the ledger closes the call: at what its tokens cost, at its worst case where nobody knows
    whether it was carried out, at nothing where it failed or never left, which is None."""
    if result is None:
        return CallClosing(call.pk, JudgeCall.Outcome.UNSENT, cost=0)
    if isinstance(result, Reply):
        return CallClosing(
            call.pk,
            JudgeCall.Outcome.ANSWERED,
            request_id=result.request_id,
            prompt_tokens=result.prompt_tokens,
            reply_tokens=result.reply_tokens,
            cost=money.actual(spec, result.prompt_tokens, result.reply_tokens, call.cost),
        )
    if isinstance(result, JudgeUnavailableError) and result.is_unknown:
        return CallClosing(call.pk, JudgeCall.Outcome.UNKNOWN, error=str(result), cost=call.cost)
    return CallClosing(call.pk, JudgeCall.Outcome.FAILED, error=str(result), cost=0)


READINGS = {
    State.JUDGED: JudgeCall.Reading.READ,
    State.WAITING: JudgeCall.Reading.UNREADABLE,  # and asked again
    State.UNREADABLE: JudgeCall.Reading.UNREADABLE,
    State.REFUSED: JudgeCall.Reading.REFUSED,
    State.TOO_LONG: JudgeCall.Reading.CUT,
}


def with_reading(
    closing: CallClosing, result: Reply | Exception, settlement: Settlement
) -> CallClosing:
    """The closing says what the reply was, and keeps what no verdict came of: its judgement may be
    asked again."""
    if not isinstance(result, Reply) or settlement.is_free:
        return closing
    reading = READINGS[State(settlement.state)]
    reply = "" if reading == JudgeCall.Reading.READ else result.text
    return replace(closing, reading=reading, reply=reply)


def reused(row: Judgement, key: str, earlier: StoredReply) -> Settlement:
    """The settlement with the verdict that the same case already has."""
    return Settlement(
        row.pk,
        row.fence,
        State.JUDGED,
        earlier.verdict,
        REUSED,
        raw_reply=earlier.raw_reply,
        finish_reason=earlier.finish_reason,
        reported_model=earlier.reported_model,
        content_key=key,
        reused_from=earlier.judgement,
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
    """What a reply or failure makes of a judgement. Only a reply the protocol can read makes a
    verdict.

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
    """Tried again later, five times over half an hour; then it waits for a person, and never has a
    score.

    An endpoint that answers, only not so many at once, costs no attempt, up to a few times.
    """
    if (
        error.is_limit
        and (is_answering or error.retry_after_seconds)
        and row.fence - row.attempts < FREE_REFUSALS
    ):
        wait = error.hold_seconds
        return Settlement(
            row.pk, row.fence, State.WAITING, reason=str(error), wait_seconds=wait, is_free=True
        )
    if row.attempts >= MAX_ATTEMPTS:
        return Settlement(row.pk, row.fence, State.PAUSED, reason=f"{error}, {row.attempts} times")
    wait = max(error.retry_after_seconds or 0.0, backoff_seconds(row.attempts))
    return Settlement(row.pk, row.fence, State.WAITING, reason=str(error), wait_seconds=wait)


def read_reply(
    row: Judgement, reply: Reply, spec: JudgeSpec, judging: JudgingPort
) -> tuple[str, str, str]:
    """State, verdict and reason of a reply that came. The reason holds no text of the reply."""
    if reply.finish_reason in {"content_filter", "refusal"}:
        return State.REFUSED, "", "the judge refused to answer"
    if reply.finish_reason == "length":
        return State.TOO_LONG, "", "the reply was cut at the length limit"
    reason = NOT_BY_ITSELF
    if reply.finish_reason in BY_ITSELF:
        try:
            slot = slot_from_key(row.slot)
            verdict = judging.parse(slot, reply.text, spec.parser, spec.parser_version)
            return State.JUDGED, verdict, ""
        except UnreadableError:
            reason = NOT_READ
    again = row.attempts < MAX_UNREADABLE and not spec.is_offline
    return State.WAITING if again else State.UNREADABLE, "", reason


def read_again(
    row: Judgement, key: str, earlier: StoredReply, spec: JudgeSpec, judging: JudgingPort
) -> Settlement:
    """What the spec's parser makes of the reply. One that it cannot read either was asked for often
    enough."""
    reply = Reply(earlier.raw_reply, earlier.finish_reason)
    state, verdict, reason = read_reply(row, reply, spec, judging)
    return replace(
        reused(row, key, earlier),
        state=State.UNREADABLE if state == State.WAITING else state,
        verdict=verdict,
        reason=reason or "a stored reply to the same case was read",
    )


def fault_of_reply(row: Judgement, judging: JudgingPort) -> str:
    """What the parser misses in the stored reply of a judgement; empty where it misses nothing, or
    there is none. Only for people who may read the reply: the words may repeat it."""
    if row.state != State.UNREADABLE or row.finish_reason not in BY_ITSELF:
        return ""
    return missed_in(row, row.judge_spec, judging)


def asked_again(
    request: JudgeRequest, row: Judgement, spec: JudgeSpec, judging: JudgingPort
) -> JudgeRequest:
    """The request; where the last reply could not be read, with that reply and what was wrong with
    it. A model at temperature 0 that is asked in the same words says the same again."""
    if not row.finish_reason or not request.messages:
        return request
    if not (missed := missed_in(row, spec, judging)):
        return request
    if previous := row.raw_reply.strip()[:REPEATED_CHARACTERS]:
        wish = f"No verdict can be read in that. {missed} {FORM}"
        more = (Message("assistant", previous), Message("user", wish))
        return replace(request, messages=(*request.messages, *more))
    *others, last = request.messages
    wish = f"{last.content}\n\nYour last reply to this was empty. {missed} {FORM}"
    return replace(request, messages=(*others, Message(last.role, wish)))


def missed_in(row: Judgement, spec: JudgeSpec, judging: JudgingPort) -> str:
    """What the parser misses in the reply that the row has; "" where it misses nothing."""
    if row.finish_reason not in BY_ITSELF:
        return "It did not end by itself."
    try:
        judging.parse(slot_from_key(row.slot), row.raw_reply, spec.parser, spec.parser_version)
    except UnreadableError as error:
        return str(error)
    return ""


def backoff_seconds(attempts: int) -> float:
    """The wait after so many attempts, up to half longer so that workers do not come back
    together."""
    waits = settings.JUDGE_RETRY_SECONDS
    return float(waits[min(attempts, len(waits)) - 1]) * (1 + secrets.randbelow(500) / 1000)
