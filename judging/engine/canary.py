"""The canary: a few cases that a judge is asked again and again, so that it shows when an endpoint
serves another one.

Never touches a verdict. Its calls stand in the ledger, keep the endpoint's limits and are charged
to the site alone.
"""

import logging
import secrets
import time
from collections.abc import Sequence
from datetime import timedelta
from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.db.models.functions import Now

from benchmarks.protocols.base import (
    BenchmarkProtocol,
    Message,
    QuestionView,
    Slot,
    UnreadableError,
)
from benchmarks.registry import protocol
from benchmarks.selectors import question_view
from benchmarks.submissions.models import Submission
from judging.coordination import limits, money
from judging.coordination.clock import database_now
from judging.coordination.spending import reason_to_wait
from judging.engine.site_calls import NotPaidError, SiteCall, ask, close_calls, open_calls
from judging.judges import judge_for
from judging.judges.base import Judge, JudgeHaltedError, JudgeRequest, Reply
from judging.models import (
    CanaryAnswer,
    CanaryCase,
    CanaryRun,
    Endpoint,
    JudgeCall,
    Judgement,
    JudgeRun,
    JudgeSpec,
)
from judging.querysets import JudgementQuerySet, RunQuerySet
from judging.selectors import cases_of, slot_from_key
from judging.services.verdicts import content_key

log = logging.getLogger(__name__)
CASES = 20  # where one verdict in ten became another, 88 of 100 canaries see it (1 - 0.9^20)
AT_ONCE = 8  # beside the runs of the site, which must not wait for a canary
CLAIM = timedelta(minutes=10)  # of a canary by one worker: longer than it may wait, and be asked
IN_USE = timedelta(days=30)  # a judge nobody asked for longer is asked nothing more by itself
PATIENCE_SECONDS = 45.0  # the sweep of a site without a broker waits so long, and for the last call
ASKED_FOR = (
    "judgement__answer__question__subtask__ability",
    "judgement__answer__question__figure",
    "judgement__answer__submission__release__benchmark",
)


class NoCanaryError(Exception):
    """The judge cannot be asked its canary now; the message says why."""


def due_canaries() -> list[JudgeSpec]:
    """Model judges in use whose canary is too long ago, whose endpoint takes calls, and which have
    public entries to choose cases from; none while nothing may be spent."""
    specs = list(specs_with_due_canary())
    if not specs or reason_to_wait():
        return []
    return [spec for spec in specs if public_runs().filter(judge_spec=spec).exists()]


def specs_with_due_canary() -> QuerySet[JudgeSpec]:
    """Those whose canary is too long ago. Entries are looked at only for these: a judge that was
    asked in time costs no look at what it judged."""
    if not settings.CANARY_HOURS:
        return JudgeSpec.objects.none()
    recent = Now() - timedelta(hours=settings.CANARY_HOURS)
    closed = Endpoint.objects.filter(Q(halted__isnull=False) | Q(held_until__gt=Now()))
    specs = JudgeSpec.objects.filter(
        prompt_set__isnull=False, endpoint__in=settings.JUDGE_ENDPOINTS
    )
    return specs.filter(
        Exists(JudgeRun.objects.filter(judge_spec=OuterRef("pk"), planned__gte=Now() - IN_USE)),
        ~Exists(CanaryRun.objects.filter(judge_spec=OuterRef("pk"), started__gte=recent)),
    ).exclude(endpoint__in=closed.values("alias"))


def run_due_canary(*, spec_id: int, judge: Judge | None = None) -> bool:
    """The spec's canary was asked, unless it is not due any more or cannot be asked now; whether it
    was."""
    spec = next((spec for spec in due_canaries() if spec.pk == spec_id), None)
    if spec is None:
        return False
    try:
        run_canary(spec=spec, judge=judge)
    except NoCanaryError as error:
        log.warning("The canary of %s is skipped this time: %s", spec, error)
        return False
    return True


def run_canary(*, spec: JudgeSpec, judge: Judge | None = None) -> CanaryRun:
    """The judge was asked every case of its canary once more, now. Raises NoCanaryError."""
    refuse_closed(spec)
    run = claim_run(spec)
    try:
        chosen = judge or judge_for(spec)
        cases = ensure_cases(spec)
        calls = open_cases(cases, spec)
        ask(
            calls,
            chosen,
            at_once=AT_ONCE,
            closes_judge=judge is None,
            endpoint=spec.endpoint,
            seconds=PATIENCE_SECONDS,
        )
        store_outcomes(run, cases, calls, spec)
    except JudgeHaltedError as error:
        raise NoCanaryError(str(error)) from None
    finally:
        CanaryRun.objects.filter(pk=run.pk, started=run.started).update(claimed_until=None)
    run.refresh_from_db()
    return run


def refuse_closed(spec: JudgeSpec) -> None:
    if not spec.endpoint or spec.prompt_set_id is None:
        raise NoCanaryError(f"{spec} is no model behind an endpoint: it is the same every time.")
    if reason := reason_to_wait():
        raise NoCanaryError(f"Nothing was asked. {reason}")
    endpoint = limits.endpoint_status(spec.endpoint)
    if endpoint.halt_reason:
        raise NoCanaryError(f"The endpoint {spec.endpoint!r} is halted: {endpoint.halt_reason}.")
    if endpoint.held_seconds:
        raise NoCanaryError(f"The endpoint {spec.endpoint!r} is held: {endpoint.hold_reason}.")


def claim_run(spec: JudgeSpec) -> CanaryRun:
    """A run that is ours alone: a new one, or one that another worker did not bring to its end."""
    now = database_now()
    run, _ = CanaryRun.objects.get_or_create(
        judge_spec=spec, finished__isnull=True, defaults={"started": now}
    )
    if (
        not CanaryRun.objects.claimable()
        .filter(pk=run.pk)
        .update(claimed_until=now + CLAIM, started=now)
    ):
        raise NoCanaryError(f"Another worker is asking {spec} its canary.")
    run.refresh_from_db()
    return run


# --- the cases ------------------------------------------------------------------------------------


def ensure_cases(spec: JudgeSpec) -> list[CanaryCase]:
    """The cases of the spec in order, chosen now if there are none; empty where there is nothing to
    choose from.

    What its owner withdrew is sent to nobody any more: others are then chosen, in places after
    those.
    """
    made = CanaryCase.objects.filter(judge_spec=spec)
    cases = made.filter(judgement__run__submission__withdrawn__isnull=True)
    if not cases.exists():
        CanaryCase.objects.bulk_create(
            choose_cases(spec, start=made.count()), ignore_conflicts=True
        )
    return list(cases.select_related(*ASKED_FOR).order_by("position"))


def choose_cases(spec: JudgeSpec, *, start: int) -> list[CanaryCase]:
    """Spread evenly over the oldest public run, of what would be asked in the same words today."""
    judging = protocol(spec.protocol).judging
    run = public_runs().finished().filter(judge_spec=spec).order_by("created", "pk").first()
    if run is None or spec.prompt_set is None:
        return []
    rows = list(
        replied(run)
        .filter(attempts=1)  # at a later one it may have been told what was wrong with its reply
        .select_related(*(path.removeprefix("judgement__") for path in ASKED_FOR))
        .order_by("pk")
    )
    asked = [
        (row, case)
        for row, case in zip(rows, cases_of(rows, spec), strict=True)
        if content_key(case, spec, judging) == row.content_key
    ]
    count = min(CASES, len(asked))
    chosen = [asked[i * len(asked) // count] for i in range(count)]
    return [
        CanaryCase(
            judge_spec=spec,
            judgement=row,
            position=position,
            messages=[[m.role, m.content] for m in messages],
        )
        for position, (row, case) in enumerate(chosen, start)
        if (messages := judging.messages(case, spec.prompt_set.texts, secrets.token_hex(6)))
    ]


def public_runs() -> RunQuerySet:
    """Runs of public entries that have replies. Baselines are left out: their answers are all of a
    kind."""
    shown = Submission.objects.public().exclude(origin=Submission.Origin.BASELINE)
    has_replies = Exists(replied(OuterRef("pk")))
    return JudgeRun.objects.filter(has_replies, submission__in=shown)


def replied(run: JudgeRun | OuterRef) -> JudgementQuerySet:
    """Judgements of the run with a verdict that a reply was read for: neither at the floor nor
    reused."""
    return Judgement.objects.filter(
        run=run, state=Judgement.State.JUDGED, reused_from__isnull=True, latency_ms__isnull=False
    )


# --- asking ---------------------------------------------------------------------------------------


def open_cases(cases: Sequence[CanaryCase], spec: JudgeSpec) -> list[SiteCall]:
    """The first cases that the endpoint's rates let go in time, each with a ledger row. Raises
    NoCanaryError."""
    if not cases:
        raise NoCanaryError(
            f"{spec} has no finished public entry whose cases could be asked again."
        )
    calls = [
        SiteCall(JudgeCall(canary_case=case), request, tokens=tokens_of(case, request, spec))
        for case, request in zip(cases, requests_of(cases, spec), strict=True)
    ]
    delays = limits.reserve(spec.endpoint, [call.tokens for call in calls], within=PATIENCE_SECONDS)
    if not delays:
        raise NoCanaryError(f"The limits of the endpoint {spec.endpoint!r} leave no room now.")
    now = time.monotonic()
    for call, delay in zip(calls, delays, strict=False):
        call.start = now + delay
    reserved = calls[: len(delays)]
    try:
        open_calls(reserved, spec)
    except NotPaidError as error:
        raise NoCanaryError(f"The canary is not paid for: {error}.") from None
    return reserved


def tokens_of(case: CanaryCase, request: JudgeRequest, spec: JudgeSpec) -> int:
    reply = case.judgement.reply_tokens or money.reply_allowance(spec)
    return money.token_estimate(request.messages) + reply


def requests_of(cases: Sequence[CanaryCase], spec: JudgeSpec) -> list[JudgeRequest]:
    asked = cases_of([case.judgement for case in cases], spec)
    return [
        JudgeRequest(what, tuple(Message(role, content) for role, content in case.messages))
        for what, case in zip(asked, cases, strict=True)
    ]


# --- what came back -------------------------------------------------------------------------------


def store_outcomes(
    run: CanaryRun, cases: Sequence[CanaryCase], calls: Sequence[SiteCall], spec: JudgeSpec
) -> None:
    """Ledger, answers and figures of the run are stored together. A run that another worker took
    over stays its."""
    replies = [
        (case, call.result)
        for case, call in zip(cases, calls, strict=False)
        if isinstance(call.result, Reply)
    ]
    answers = [
        CanaryAnswer(
            run=run, case=case, verdict=verdict_in(reply, case, spec), raw_reply=reply.text
        )
        for case, reply in replies
    ]
    with transaction.atomic():
        close_calls(calls, spec)
        mine = CanaryRun.objects.filter(pk=run.pk, started=run.started, finished__isnull=True)
        if mine.update(
            finished=Now(), **figures_of(answers, [reply for _, reply in replies], spec)
        ):
            CanaryAnswer.objects.bulk_create(answers)


def verdict_in(reply: Reply, case: CanaryCase, spec: JudgeSpec) -> str:
    """The verdict that the reply holds; "" where none can be read."""
    if reply.finish_reason in {"content_filter", "refusal", "length"}:
        return ""
    try:
        return protocol(spec.protocol).judging.parse(
            slot_from_key(case.judgement.slot), reply.text, spec.parser, spec.parser_version
        )
    except UnreadableError:
        return ""


def figures_of(
    answers: Sequence[CanaryAnswer], replies: Sequence[Reply], spec: JudgeSpec
) -> dict[str, Any]:
    """The figures of a run, by field."""
    differences = [found for answer in answers if (found := difference(answer, spec)) is not None]
    return {
        "asked": len(answers),
        "same": sum(answer.verdict == answer.case.judgement.verdict for answer in answers),
        "unreadable": sum(not answer.verdict for answer in answers),
        "mean_difference": sum(differences) / len(differences) if differences else None,
        "reported_model": ", ".join(sorted({reply.model for reply in replies} - {""}))[:300],
    }


def difference(answer: CanaryAnswer, spec: JudgeSpec) -> float | None:
    """Score now less score then; None where a verdict is missing or no number."""
    first = answer.case.judgement
    if not answer.verdict:
        return None
    family, question, slot = (
        protocol(spec.protocol),
        question_view(first.answer.question),
        slot_from_key(first.slot),
    )
    now, then = (
        score_of(family, question, first.answer.text, slot, v)
        for v in (answer.verdict, first.verdict)
    )
    return None if now is None or then is None else now - then


def score_of(
    family: BenchmarkProtocol, question: QuestionView, answer: str, slot: Slot, verdict: str
) -> float | None:
    """What the scorer reads from a verdict as if it were the answer's only one; None: verdicts are
    no numbers."""
    (row,) = family.scoring.explain([question], [answer], {Slot(slot.name).key: [verdict]})
    return row.score
