"""Trying a judge: a few cases of a release are asked, so that its replies are seen before a run is
paid.

No answer of anybody is sent: every other case holds the question's reference as its answer, the
rest a reference that belongs to another question. The calls stand in the ledger and are charged to
the site; nothing else is stored.
"""

from dataclasses import dataclass

from benchmarks.models import Release
from benchmarks.protocols.base import JudgingPort, UnreadableError
from benchmarks.selectors import protocol_of
from judging.coordination import money
from judging.coordination.spending import reason_to_wait
from judging.engine.intake import request_of
from judging.engine.outcomes import BY_ITSELF
from judging.engine.site_calls import NotPaidError, SiteCall, ask, close_calls, open_calls
from judging.judges import judge_for
from judging.judges.base import Judge, JudgeHaltedError, Reply
from judging.models import JudgeCall, JudgeSpec
from judging.services.samples import Sample, choose_samples


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
    judging = protocol_of(release).judging
    samples = choose_samples(release, spec)
    if not samples:
        raise TrialRefusedError(f"{release} has no question with a reference to ask about.")
    calls = [
        SiteCall(
            JudgeCall(judge_spec=spec, question=sample.question),
            request_of(sample.case, spec, judging),
        )
        for sample in samples
    ]
    try:
        chosen = judge or judge_for(spec)
        open_calls(calls, spec)
    except JudgeHaltedError as error:
        raise TrialRefusedError(str(error)) from None
    except NotPaidError as error:
        raise TrialRefusedError(f"Nothing was asked: {error}.") from None
    ask(calls, chosen, at_once=1, closes_judge=judge is None)
    close_calls(calls, spec)
    return [
        trial(sample, call.result, spec, judging, call.row.cost)
        for sample, call in zip(samples, calls, strict=True)
        if call.result is not None
    ]


def trial(
    sample: Sample, result: Reply | Exception, spec: JudgeSpec, judging: JudgingPort, cost: int
) -> Trial:
    reply, verdict, fault = "", "", ""
    if isinstance(result, Reply):
        reply = result.text
        try:
            verdict = verdict_of(sample, result, spec, judging)
        except UnreadableError as error:
            fault = str(error)
    else:
        fault = str(result)
    slot, name = sample.case.slot.key, sample.question.public_id
    return Trial(name, slot, sample.is_right, reply, verdict, fault, cost)


def verdict_of(sample: Sample, reply: Reply, spec: JudgeSpec, judging: JudgingPort) -> str:
    if reply.finish_reason not in BY_ITSELF:
        raise UnreadableError(f"The reply did not end by itself ({reply.finish_reason[:40]}).")
    return judging.parse(sample.case.slot, reply.text, spec.parser, spec.parser_version)
