"""Runs: ask for one, plan its judgements, reuse what was decided before."""

from collections.abc import Sequence
from datetime import datetime

from django.db import transaction
from django.db.models import Exists, OuterRef
from django.db.models.functions import Now

from benchmarks.protocols.base import JudgeCase, JudgingPort
from benchmarks.registry import protocol
from benchmarks.selectors import protocol_of, question_view
from benchmarks.services import digest_of
from benchmarks.submissions.models import Answer, Submission
from judging import limits, money
from judging.clock import database_now
from judging.models import Judgement, JudgeRun, JudgeSpec
from judging.selectors import build_cases, cases_of
from judging.services.specs import find_spec

State = Judgement.State
PLACEHOLDER = "\x00"  # in no text: uploads and datasets with it are refused


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
    keys = list(JudgeRun.objects.unplanned().standing().values_list("pk", flat=True))
    return [key for key in keys if plan_run(run_id=key)]


@transaction.atomic
def plan_run(*, run_id: int) -> bool:
    """A judgement for every slot of every answer exists afterwards. False where the run was planned before.

    What needs no call is settled here: answers at the floor, and cases judged before by the same spec.
    """
    if not JudgeRun.objects.unplanned().filter(pk=run_id).update(planned=database_now()):
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
    reuse_verdicts(judgements, for_reuse)
    Judgement.objects.bulk_create(judgements, batch_size=500)
    return True


def plan_judgements(run: JudgeRun, answers: Sequence[Answer], judging: JudgingPort) -> list[Judgement]:
    spec = run.judge_spec
    planned = [(a, slot) for a in answers for slot in judging.slots(question_view(a.question), spec.repeats)]
    cases = build_cases([a for a, _ in planned], [slot for _, slot in planned], spec)
    now = database_now()
    judgements = []
    for (answer, slot), case in zip(planned, cases, strict=True):
        judgement = Judgement(run=run, answer=answer, judge_spec=spec, slot=slot.key)
        judgement.content_key = content_key(case, spec, judging)
        settle_at_floor(judgement, case, judging, now)
        judgements.append(judgement)
    return judgements


def settle_at_floor(judgement: Judgement, case: JudgeCase, judging: JudgingPort, now: datetime) -> None:
    """A case that needs no call has its verdict; others stay as they are. Nothing is saved."""
    if (settled := judging.settle(case)) is not None:
        judgement.state, judgement.verdict = State.JUDGED, settled.verdict
        judgement.reason, judgement.settled = settled.reason, now


def content_key(case: JudgeCase, spec: JudgeSpec, judging: JudgingPort) -> str:
    """Hash of exactly what is asked and of the spec: equal keys have one verdict. Delimiters, random, are left out."""
    if spec.prompt_set is not None:
        asked: object = [[m.role, m.content] for m in judging.messages(case, spec.prompt_set.texts, PLACEHOLDER)]
    else:
        truth = dict(case.question.truth)
        asked = [case.question.text, case.reference, case.description, case.answer, case.peer_answer, truth]
    return digest_of([spec.content_hash, case.slot.key, asked])


def verdicts_known(keys: set[str]) -> dict[str, Judgement]:
    """A judgement with a verdict by content key, for the keys that have one. A key names its spec: filtering by spec as
    well would have SQLite read all that the spec ever judged."""
    known: dict[str, Judgement] = {}
    ordered = sorted(keys)
    for start in range(0, len(ordered), 500):
        for earlier in Judgement.objects.filter(state=State.JUDGED, content_key__in=ordered[start : start + 500]):
            known.setdefault(earlier.content_key, earlier)
    return known


def reuse_verdicts(judgements: Sequence[Judgement], keys: set[str]) -> None:
    """Waiting judgements whose case was judged before take that verdict; nothing is asked or paid."""
    known = verdicts_known(keys)
    now = database_now()
    for judgement in judgements:
        earlier_one = known.get(judgement.content_key)
        if judgement.state == State.WAITING and earlier_one is not None:
            judgement.state, judgement.verdict = State.JUDGED, earlier_one.verdict
            judgement.raw_reply, judgement.reported_model = earlier_one.raw_reply, earlier_one.reported_model
            judgement.finish_reason, judgement.reused_from = earlier_one.finish_reason, earlier_one
            judgement.reason, judgement.settled = "the same case was judged before", now


def pause_run(*, run: JudgeRun, kind: JudgeRun.Pause, reason: str) -> None:
    """Nothing of the run is claimed until it is resumed. A run that is paused already keeps its first reason."""
    JudgeRun.objects.filter(pk=run.pk, paused__isnull=True).update(
        paused=Now(), pause_kind=kind, pause_reason=reason[:300]
    )


def end_pauses() -> None:
    """Runs paused by a budget that has room again, or by an endpoint that is open again, go on."""
    paused = JudgeRun.objects.standing().filter(paused__isnull=False)
    for run in paused.filter(pause_kind__in=[JudgeRun.Pause.BUDGET, JudgeRun.Pause.ENDPOINT]).select_related(
        "judge_spec__prompt_set", "submission"
    ):
        if run.pause_kind == JudgeRun.Pause.BUDGET:
            is_over = not money.lacks_price(run.judge_spec) and money.has_room(run, next_cost(run))
        else:
            is_over = not limits.standing(run.judge_spec.endpoint).halt_reason
        if is_over:
            end_pause(run=run)


def next_cost(run: JudgeRun) -> int:
    """What the next call of the run may cost; 0 where none waits."""
    row = (
        run.judgements.filter(state=State.WAITING)
        .select_related("answer__question__subtask__ability", "answer__question__figure", "answer__submission__release")
        .order_by("pk")
        .first()
    )
    if row is None or run.judge_spec.prompt_set is None:
        return 0
    (case,) = cases_of([row], run.judge_spec)
    messages = protocol(run.judge_spec.protocol).judging.messages(case, run.judge_spec.prompt_set.texts, PLACEHOLDER)
    return money.worst_case(run.judge_spec, money.token_estimate(messages))


def end_pause(*, run: JudgeRun) -> None:
    JudgeRun.objects.filter(pk=run.pk).go_on()


@transaction.atomic
def resume_run(*, run: JudgeRun) -> int:
    """The run goes on, and judgements of it that were paused wait again with all their attempts; how many these are."""
    end_pause(run=run)
    return run.judgements.filter(state=State.PAUSED).update(state=State.WAITING, reason="", not_before=None, attempts=0)
