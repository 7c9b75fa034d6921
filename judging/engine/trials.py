"""Trying a judge: a few cases of a release are asked, so that its replies are seen before a run is
paid.

No answer of anybody is sent: every other case holds the question's reference as its answer, the
rest a reference that belongs to another question. The calls stand in the ledger and are charged to
the site; nothing else is stored.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass

from django.db import transaction

from benchmarks.models import Question, Release
from benchmarks.protocols.base import JudgeCase, JudgingPort, UnreadableError
from benchmarks.selectors import protocol_of
from judging import money, queue
from judging.clock import database_now
from judging.engine.intake import request_of
from judging.engine.outcomes import BY_ITSELF, close_site_calls, closing_of
from judging.judges import judge_for
from judging.judges.base import (
    Judge,
    JudgeHaltedError,
    JudgeRefusedError,
    JudgeRequest,
    JudgeUnavailableError,
    Reply,
)
from judging.models import JudgeCall, JudgeSpec
from judging.services.samples import choose_samples
from judging.spending import reason_to_wait


class TrialRefusedError(Exception):
    """Nothing was asked; the message says why."""


@dataclass(frozen=True, slots=True)
class Trial:
    """One case: what was asked about, what came back, and what was read. `cost` in micro; `fault`
    is empty where there is a verdict. `is_right`: the answer was the question's own reference."""

    question: str
    slot: str
    is_right: bool
    reply: str
    verdict: str
    fault: str
    cost: int


@dataclass(frozen=True, slots=True)
class Case:
    question: Question
    case: JudgeCase
    is_right: bool
    request: JudgeRequest


def try_judge(*, spec: JudgeSpec, release: Release, judge: Judge | None = None) -> list[Trial]:
    """Up to CASES cases were asked, one after the other, also where the endpoint is halted:
    somebody wants to know whether it works. Raises TrialRefusedError."""
    if spec.is_offline or spec.prompt_set is None:
        raise TrialRefusedError(
            "The rules are no model: they say the same every time, for nothing."
        )
    if reason := money.lacks_price(spec):
        raise TrialRefusedError(f"Nothing was asked: {reason}.")
    if reason := reason_to_wait():
        raise TrialRefusedError(f"Nothing was asked. {reason}")
    cases = choose_cases(release, spec)
    if not cases:
        raise TrialRefusedError(f"{release} has no question with a reference to ask about.")
    try:
        chosen = judge or judge_for(spec)
    except JudgeHaltedError as error:
        raise TrialRefusedError(str(error)) from None
    calls = open_calls(cases, spec)
    results = asyncio.run(ask_in_turn(cases, spec, chosen, closes_judge=judge is None))
    closings = [closing_of(call, result, spec) for call, result in zip(calls, results, strict=True)]
    close_site_calls(calls, closings)
    judging = protocol_of(release).judging
    return [
        trial(case, result, spec, judging, call.cost if done.cost is None else done.cost)
        for case, result, call, done in zip(cases, results, calls, closings, strict=True)
        if result is not None
    ]


# --- what is asked --------------------------------------------------------------------------------


def choose_cases(release: Release, spec: JudgeSpec) -> list[Case]:
    judging = protocol_of(release).judging
    return [
        Case(one.question, one.case, one.is_right, request_of(one.case, spec, judging))
        for one in choose_samples(release, spec)
    ]


# --- asking, and the ledger -----------------------------------------------------------------------


def open_calls(cases: Sequence[Case], spec: JudgeSpec) -> list[JudgeCall]:
    costs = [money.worst_case(spec, money.token_estimate(case.request.messages)) for case in cases]
    with transaction.atomic():
        started = database_now()
        reserved = money.reserve_for_site(costs, started=started)
        if reserved.count < len(costs):
            raise TrialRefusedError(f"Nothing was asked: {reserved.reason}.")
        questions = [case.question for case in cases]
        return queue.open_trial_calls(spec, questions, costs, started=started)


async def ask_in_turn(
    cases: Sequence[Case], spec: JudgeSpec, judge: Judge, *, closes_judge: bool
) -> list[Reply | Exception | None]:
    """None for those that were not asked any more, after a failure that the next one would meet
    too."""
    results: list[Reply | Exception | None] = []
    try:
        for case in cases:
            if any(isinstance(result, JudgeHaltedError) for result in results):
                results.append(None)
                continue
            try:
                results.append(await judge.ask(case.request))
            except (JudgeUnavailableError, JudgeRefusedError, JudgeHaltedError) as error:
                results.append(error)
    finally:
        if closes_judge:
            await judge.close()
    return results


def trial(
    case: Case, result: Reply | Exception, spec: JudgeSpec, judging: JudgingPort, cost: int
) -> Trial:
    reply, verdict, fault = "", "", ""
    if isinstance(result, Reply):
        reply = result.text
        try:
            verdict = verdict_of(case, result, spec, judging)
        except UnreadableError as error:
            fault = str(error)
    else:
        fault = str(result)
    slot, name = case.case.slot.key, case.question.public_id
    return Trial(name, slot, case.is_right, reply, verdict, fault, cost)


def verdict_of(case: Case, reply: Reply, spec: JudgeSpec, judging: JudgingPort) -> str:
    if reply.finish_reason not in BY_ITSELF:
        raise UnreadableError(f"The reply did not end by itself ({reply.finish_reason[:40]}).")
    return judging.parse(case.case.slot, reply.text, spec.parser, spec.parser_version)
