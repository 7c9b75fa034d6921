"""What judging a submission will take, told before anything is spent. Nothing is written and nobody
is asked."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from django.conf import settings
from django.db.models import Avg, QuerySet

from benchmarks.models import Release
from benchmarks.protocols.base import JudgeCase, JudgingPort, Slot
from benchmarks.selectors import protocol_of, question_view
from benchmarks.submissions.models import Answer, Submission
from judging.coordination import money
from judging.coordination.limits import limits_of
from judging.coordination.money import Budget
from judging.models import JudgeCall, Judgement, JudgeSpec
from judging.querysets import UNFINISHED
from judging.selectors import build_cases, slots_of
from judging.services.rereading import earlier_readers, replies_known
from judging.services.samples import CASES, choose_samples, every_sample
from judging.services.verdicts import content_key, verdicts_known

PLACEHOLDER_DELIMITER = "0123456789ab"  # as long as the delimiters of real calls
SAMPLE = 1000  # newest replies: their mean is right to 3 % where they scatter by their size
READ_WITH_ANSWERS = (
    "question__subtask__ability",
    "question__figure",
    "submission__release__benchmark",
)
DEFAULT_LATENCY_SECONDS = 1.0  # of a judge that was never asked
SAMPLE_PROMPTS = 20  # newest: what the estimate makes of prompts of one kind differs little
SHARE_OF_ALLOWANCE = 3  # of it: what an unknown judge replies is far below what it may


@dataclass(frozen=True, slots=True)
class Estimate:
    """`judgements` of a submission by a spec: `ended` before in this run, `plain` without a call,
    `reused` from the same case judged before, and the `calls` that are left; the sum of these.

    Tokens are of these calls: of their real prompts, and of replies as long as those of this spec
    were so far, or a third of what is allowed. `cost` in micro. `refusal`: which budgets will not
    reach; empty where they all do. `is_priced`: the settings have a price of the model, also one of
    nothing. `halt`: why nothing will be asked at all.
    """

    judgements: int
    ended: int
    plain: int
    reused: int
    calls: int
    prompt_tokens: int
    reply_tokens: int
    cost: int
    seconds: float
    budgets: tuple[Budget, ...]
    refusal: str
    halt: str
    is_offline: bool
    is_priced: bool


def estimate_run(submission: Submission, spec: JudgeSpec) -> Estimate:
    """The estimate of a run, by a few queries for any number of answers. Attempts that fail and are
    asked again come on top."""
    answers = submission.answers.select_related(*READ_WITH_ANSWERS).order_by("pk")
    return estimate_answers(submission, list(answers), spec)


def estimate_answers(
    submission: Submission, answers: Sequence[Answer], spec: JudgeSpec
) -> Estimate:
    """`estimate_run` for answers that need not be stored, nor their submission."""
    judging = protocol_of(submission.release).judging
    planned = slots_of(answers, spec, judging)
    cases = cases_not_ended(planned, submission, spec)
    to_judge = [case for case in cases if judging.plain_verdict(case) is None]
    unknown = cases_not_known(to_judge, spec, judging)
    asked = [] if spec.is_offline else unknown
    usage = usage_of(asked, spec, judging)
    tokens, cost = usage.prompt_tokens + usage.reply_tokens, usage.cost
    budgets = tuple(money.budgets_of(submission))
    return Estimate(
        judgements=len(planned),
        ended=len(planned) - len(cases),
        plain=len(cases) - len(to_judge) + len(unknown) - len(asked),
        reused=len(to_judge) - len(unknown),
        calls=len(asked),
        prompt_tokens=usage.prompt_tokens,
        reply_tokens=usage.reply_tokens,
        cost=cost,
        seconds=duration(spec, len(asked), tokens, usage.latency_seconds),
        budgets=budgets,
        refusal=" and ".join(budget.title for budget in budgets if not budget.allows(cost)),
        halt=money.lacks_price(spec) if asked else "",
        is_offline=spec.is_offline,
        is_priced=spec.model in settings.JUDGE_ENDPOINTS.get(spec.endpoint, {}).get("prices", {}),
    )


def cases_not_ended(
    planned: Sequence[tuple[Answer, Slot]], submission: Submission, spec: JudgeSpec
) -> list[JudgeCase]:
    """All of them, unless this spec has begun with the submission."""
    existing = Judgement.objects.filter(run__submission=submission, judge_spec=spec)
    ended = set(existing.exclude(state__in=UNFINISHED).values_list("answer_id", "slot"))
    left = [(answer, slot) for answer, slot in planned if (answer.pk, slot.key) not in ended]
    return [case for case, _ in build_cases(left, spec)]


def cases_not_known(
    cases: Sequence[JudgeCase], spec: JudgeSpec, judging: JudgingPort
) -> list[JudgeCase]:
    """Cases that this spec has not judged before, whoever's they were, and has no stored reply to
    read for; of equal ones the first, which is asked about for all."""
    by_key = {content_key(case, spec, judging): case for case in reversed(cases)}
    known = verdicts_known(set(by_key))
    left = [case for key, case in reversed(by_key.items()) if key not in known]
    replies = replies_known(left, earlier_readers(spec), judging)
    return [case for case, reply in zip(left, replies, strict=True) if reply is None]


@dataclass(frozen=True, slots=True)
class Usage:
    """What calls take, `cost` in micro. `latency_seconds`: of one."""

    prompt_tokens: int
    reply_tokens: int
    cost: int
    latency_seconds: float


def usage_of(cases: Sequence[JudgeCase], spec: JudgeSpec, judging: JudgingPort) -> Usage:
    """Of asking about these cases: the one foresight of what a judge will cost."""
    latency_seconds, reply_length = measured(spec)
    estimate = tokens_of_prompts(cases, spec, judging)
    prompt_tokens = round(estimate * share_reported(spec)) if estimate else 0
    reply_tokens = round(len(cases) * reply_length)
    cost = money.cost_of(money.price_of(spec), prompt_tokens, reply_tokens)
    return Usage(prompt_tokens, reply_tokens, cost, latency_seconds)


def usage_of_release(release: Release, spec: JudgeSpec) -> tuple[int, Usage]:
    """How many calls a submission to the release takes, and what they take: one with the answers of
    the newest there, or with the references as answers where there is none."""
    judging = protocol_of(release).judging
    submissions = Submission.objects.confirmed().filter(release=release)
    newest = submissions.exclude(origin=Submission.Origin.BASELINE).order_by("-created", "pk")
    if submission := newest.first():
        answers = submission.answers.select_related(*READ_WITH_ANSWERS).order_by("pk")
        planned = slots_of(list(answers), spec, judging)
        cases = [case for case, _ in build_cases(planned, spec)]
    else:
        cases = [sample.case for sample in every_sample(release, spec)]
    asked = {
        content_key(case, spec, judging): case
        for case in cases
        if judging.plain_verdict(case) is None
    }
    return len(asked), usage_of([*asked.values()], spec, judging)


def tokens_of_prompts(cases: Sequence[JudgeCase], spec: JudgeSpec, judging: JudgingPort) -> int:
    if spec.prompt_set is None:
        return 0
    texts = spec.prompt_set.texts
    return sum(
        money.token_estimate(judging.messages(case, texts, PLACEHOLDER_DELIMITER)) for case in cases
    )


def measured(spec: JudgeSpec) -> tuple[float, float]:
    """Seconds and reply tokens of a call: means over replies to this spec, also where it was only
    tried, or what is assumed before there are any."""
    replies = Judgement.objects.filter(
        judge_spec=spec, reply_tokens__isnull=False, latency_ms__isnull=False
    )
    means = replies[:SAMPLE].aggregate(latency=Avg("latency_ms"), tokens=Avg("reply_tokens"))
    latency, tokens = means["latency"], means["tokens"]
    if tokens is None:
        tokens = trial_calls(spec).aggregate(tokens=Avg("reply_tokens"))["tokens"]
    assumed = money.reply_allowance(spec) / SHARE_OF_ALLOWANCE
    return (
        DEFAULT_LATENCY_SECONDS if latency is None else float(latency) / 1000,
        assumed if tokens is None else float(tokens),
    )


def trial_calls(spec: JudgeSpec) -> QuerySet[JudgeCall]:
    """Those of trials of this judge whose tokens the endpoint reported."""
    return spec.trial_calls.filter(
        judgement=None,
        outcome=JudgeCall.Outcome.ANSWERED,
        prompt_tokens__isnull=False,
        reply_tokens__isnull=False,
    )


def share_reported(spec: JudgeSpec) -> float:
    """Prompt tokens that the endpoint reported, by those that `money.token_estimate` has for the
    same prompts, which leans upward by as much as a quarter. 1 before anything is known."""
    rows = list(
        Judgement.objects.filter(judge_spec=spec, prompt_tokens__isnull=False, latency_ms__gt=0)
        .select_related(
            "answer__question__subtask__ability",
            "answer__question__figure",
            "answer__submission__release__benchmark",
        )
        .order_by("-pk")[:SAMPLE_PROMPTS]
    )
    estimate = reported = 0
    for row in rows:
        judging = protocol_of(row.answer.submission.release).judging
        view = question_view(row.answer.question)
        slot = next((s for s in judging.slots(view, spec.repeats) if s.key == row.slot), None)
        if slot is not None:
            cases = [case for case, _ in build_cases([(row.answer, slot)], spec)]
            estimate += tokens_of_prompts(cases, spec, judging)
            reported += row.prompt_tokens or 0
    if not estimate:
        estimate, reported = tokens_of_trial(spec)
    return reported / estimate if estimate else 1.0


def tokens_of_trial(spec: JudgeSpec) -> tuple[int, int]:
    """Estimated and reported prompt tokens of the last trial, whose cases are chosen in the same
    way each time."""
    calls = {
        call.question_id: call.prompt_tokens or 0
        for call in trial_calls(spec).order_by("-pk")[:CASES]
    }
    releases = Release.objects.filter(questions__in=calls).distinct().select_related("benchmark")
    for release in releases if calls else ():
        judging = protocol_of(release).judging
        samples = choose_samples(release, spec)
        if {sample.question.pk for sample in samples} == calls.keys():
            cases = [sample.case for sample in samples]
            return tokens_of_prompts(cases, spec, judging), sum(calls.values())
    return 0, 0


def duration(spec: JudgeSpec, calls: int, tokens: int, latency_seconds: float) -> float:
    """Seconds for one worker process that has the endpoint to itself: its rates, or as many calls
    at once as may be."""
    limits = limits_of(spec.endpoint)
    at_once = min(limits.get("concurrent", settings.JUDGE_CONCURRENCY), settings.JUDGE_CONCURRENCY)
    by_requests = calls * 60 / limits["requests"] if "requests" in limits else 0.0
    by_tokens = tokens * 60 / limits["tokens"] if "tokens" in limits else 0.0
    return max(by_requests, by_tokens, math.ceil(calls / at_once) * latency_seconds)
