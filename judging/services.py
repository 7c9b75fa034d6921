"""Deciding: make specs, ask for runs, plan them, judge what waits."""

import asyncio
import secrets
import time
import tomllib
from collections.abc import Callable, Mapping, Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models import Exists, OuterRef
from django.utils import timezone

from benchmarks.protocols.base import BenchmarkProtocol, JudgeCase, JudgingPort, UnreadableError
from benchmarks.registry import protocol
from benchmarks.selectors import protocol_of, question_view
from benchmarks.services import digest_of
from benchmarks.submissions.models import Answer, Submission
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
from judging.models import JudgeCall, JudgeRun, Judgement, JudgeSpec, PromptSet
from judging.queue import CallClosing, Settlement
from judging.selectors import build_cases, cases_of, slot_from_key

State = Judgement.State
PROMPTS = Path(__file__).parent / "prompts"
MAX_ATTEMPTS = 5
MAX_UNREADABLE = 3
OFFLINE_BATCH = 600
LEASE_MARGIN = timedelta(seconds=60)
PLACEHOLDER = "-" * 12


class UnknownJudgeError(LookupError):
    pass


# --- specs ----------------------------------------------------------------------------------------------------


def ensure_prompt_set(*, of: BenchmarkProtocol, version: str = "") -> PromptSet:
    """The prompt set of a file below judging/prompts/ is in the database afterwards. A changed file is an error."""
    version = version or of.default_prompts
    document = tomllib.loads((PROMPTS / of.slug / f"{version}.toml").read_text("utf-8"))
    digest = digest_of([of.slug, version, document["texts"]])
    found, _ = PromptSet.objects.get_or_create(
        protocol=of.slug,
        version=version,
        defaults={"texts": document["texts"], "about": document.get("about", ""), "content_hash": digest},
    )
    if found.content_hash != digest:
        raise ValueError(f"The prompts {of.slug} {version} differ from those already used; give them a new version.")
    return found


def ensure_spec(
    *,
    of: BenchmarkProtocol,
    kind: str,
    endpoint: str = "",
    model: str = "",
    parameters: Mapping[str, Any] | None = None,
    repeats: int = 0,
    parser: str = "",
) -> JudgeSpec:
    """The spec with exactly this content; its slug names kind, model and the first digits of its hash."""
    offline = kind == JudgeSpec.Kind.RULES
    prompts = None if offline else ensure_prompt_set(of=of)
    spec = JudgeSpec(
        protocol=of.slug,
        kind=kind,
        endpoint=endpoint,
        model=of.judging.RULES_VERSION if offline else model,
        parameters=dict({} if offline else (parameters or {"temperature": 0})),
        prompt_set=prompts,
        parser=parser or of.judging.PARSERS[0],
        parser_version=of.judging.PARSER_VERSION,
        repeats=1 if offline else repeats or of.judging.DEFAULT_REPEATS,
    )
    spec.content_hash = digest_of(
        [
            [spec.protocol, spec.kind, spec.endpoint, spec.model, spec.parameters],
            [spec.parser, spec.parser_version, spec.repeats, prompts.content_hash if prompts else ""],
        ]
    )
    name = "".join(c if c.isalnum() else "-" for c in f"{of.slug}-{kind}-{'' if offline else model}").strip("-")
    spec.slug = f"{name[:40].rstrip('-')}-{spec.content_hash[:6]}"
    found, _ = JudgeSpec.objects.get_or_create(
        content_hash=spec.content_hash,
        defaults={f.attname: getattr(spec, f.attname) for f in JudgeSpec._meta.concrete_fields if f.name != "id"},
    )
    return found


def find_spec(*, of: BenchmarkProtocol, name: str = "") -> JudgeSpec:
    """The spec called `name`: "rules", "openai:MODEL@ENDPOINT", or the slug of one made before."""
    name = name or settings.DEFAULT_JUDGE
    if name == JudgeSpec.Kind.RULES:
        return ensure_spec(of=of, kind=JudgeSpec.Kind.RULES)
    if name.startswith("openai:") and "@" in name:
        model, _, endpoint = name.removeprefix("openai:").rpartition("@")
        if endpoint in settings.JUDGE_ENDPOINTS:
            return ensure_spec(of=of, kind=JudgeSpec.Kind.OPENAI, endpoint=endpoint, model=model)
        known = ", ".join(sorted(settings.JUDGE_ENDPOINTS)) or "none"
        raise UnknownJudgeError(f"There is no judge endpoint {endpoint!r}. Set JUDGE_ENDPOINTS; known: {known}.")
    found = JudgeSpec.objects.filter(slug=name, protocol=of.slug).first()
    if found is None:
        raise UnknownJudgeError(f"There is no judge {name!r}: say rules, openai:MODEL@ENDPOINT or the name of a spec.")
    return found


# --- runs and plans -------------------------------------------------------------------------------------------


def request_run(*, submission: Submission, spec: JudgeSpec) -> JudgeRun:
    run, _ = JudgeRun.objects.get_or_create(submission=submission, judge_spec=spec)
    return run


def request_missing_runs() -> None:
    """Every confirmed submission that nobody has asked a judge about gets the default judge."""
    asked = JudgeRun.objects.filter(submission=OuterRef("pk"))
    waiting = Submission.objects.confirmed().standing().exclude(Exists(asked)).select_related("release__benchmark")
    for submission in waiting:
        request_run(submission=submission, spec=find_spec(of=protocol_of(submission.release)))


def plan_waiting_runs() -> list[int]:
    """Runs that had no judgements have them afterwards; the primary keys of those planned here."""
    keys = list(JudgeRun.objects.unplanned().values_list("pk", flat=True))
    return [key for key in keys if plan_run(run_id=key)]


@transaction.atomic
def plan_run(*, run_id: int) -> bool:
    """A judgement for every slot of every answer exists afterwards. False where the run was planned before.

    What needs no call is settled here: answers at the floor, and cases judged before by the same spec.
    """
    if not JudgeRun.objects.unplanned().filter(pk=run_id).update(planned=timezone.now()):
        return False
    run = JudgeRun.objects.select_related("judge_spec__prompt_set", "submission__release__benchmark").get(pk=run_id)
    judging = protocol_of(run.submission.release).judging
    answers = list(
        run.submission.answers.select_related(
            "question__subtask__ability", "question__figure", "submission__release__benchmark"
        ).order_by("pk")
    )
    judgements = plan_judgements(run, answers, judging)
    for_reuse = {j.content_key for j in judgements if j.state == State.WAITING}
    reuse_verdicts(judgements, for_reuse, run.judge_spec)
    Judgement.objects.bulk_create(judgements, batch_size=500)
    return True


def plan_judgements(run: JudgeRun, answers: Sequence[Answer], judging: JudgingPort) -> list[Judgement]:
    spec = run.judge_spec
    planned = [(a, slot) for a in answers for slot in judging.slots(question_view(a.question), spec.repeats)]
    cases = build_cases([a for a, _ in planned], [slot for _, slot in planned], spec)
    now = timezone.now()
    judgements = []
    for (answer, slot), case in zip(planned, cases, strict=True):
        judgement = Judgement(run=run, answer=answer, judge_spec=spec, slot=slot.key)
        judgement.content_key = content_key(case, spec, judging)
        if (settled := judging.settle(case)) is not None:
            judgement.state, judgement.verdict = State.JUDGED, settled.verdict
            judgement.reason, judgement.settled = settled.reason, now
        judgements.append(judgement)
    return judgements


def content_key(case: JudgeCase, spec: JudgeSpec, judging: JudgingPort) -> str:
    """Hash of exactly what is asked and of the spec: equal keys have one verdict. Delimiters, random, are left out."""
    if spec.prompt_set is not None:
        asked: object = [[m.role, m.content] for m in judging.messages(case, spec.prompt_set.texts, PLACEHOLDER)]
    else:
        truth = dict(case.question.truth)
        asked = [case.question.text, case.reference, case.description, case.answer, case.peer_answer, truth]
    return digest_of([spec.content_hash, case.slot.key, asked])


def reuse_verdicts(judgements: Sequence[Judgement], keys: set[str], spec: JudgeSpec) -> None:
    """Waiting judgements whose case was judged before take that verdict; nothing is asked or paid."""
    known: dict[str, Judgement] = {}
    ordered = sorted(keys)
    for start in range(0, len(ordered), 500):
        for earlier in Judgement.objects.filter(
            judge_spec=spec, state=State.JUDGED, content_key__in=ordered[start : start + 500]
        ):
            known.setdefault(earlier.content_key, earlier)
    now = timezone.now()
    for judgement in judgements:
        earlier_one = known.get(judgement.content_key)
        if judgement.state == State.WAITING and earlier_one is not None:
            judgement.state, judgement.verdict = State.JUDGED, earlier_one.verdict
            judgement.raw_reply, judgement.reported_model = earlier_one.raw_reply, earlier_one.reported_model
            judgement.finish_reason, judgement.reused_from = earlier_one.finish_reason, earlier_one
            judgement.reason, judgement.settled = "the same case was judged before", now


# --- judging --------------------------------------------------------------------------------------------------


def judge_run(
    *,
    run_id: int,
    judge: Judge | None = None,
    seconds: float = 240.0,
    on_progress: Callable[[int], object] = lambda judged: None,
) -> int:
    """Claimable judgements of the run are settled until none is left or the time is up; how many were."""
    run = JudgeRun.objects.select_related("judge_spec__prompt_set").get(pk=run_id)
    end = time.monotonic() + seconds
    total = 0
    while time.monotonic() < end:
        settled = judge_batch(run=run, judge=judge)
        total += settled
        on_progress(settled)
        if not settled:
            break
    return total


def judge_batch(*, run: JudgeRun, judge: Judge | None = None) -> int:
    """One claim of the run is asked and settled; how many rows it had. Asking happens outside any transaction."""
    spec = run.judge_spec
    size = OFFLINE_BATCH if spec.is_offline else settings.JUDGE_CONCURRENCY
    lease = timedelta(seconds=settings.JUDGE_TIMEOUT_SECONDS) + LEASE_MARGIN
    keys = queue.claim(Judgement.objects.filter(run=run), limit=size, lease=lease)
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
        return len(leased)
    calls = queue.open_calls(leased) if chosen.makes_requests else []
    results = asyncio.run(ask_all(chosen, requests_of(cases, spec, judging), close=judge is None))
    if calls:
        queue.close_calls([closing_of(call, result) for call, (result, _) in zip(calls, results, strict=True)])
    queue.settle(
        [settlement_of(row, *result, spec, judging) for row, result in zip(leased, results, strict=True)]
    )
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
