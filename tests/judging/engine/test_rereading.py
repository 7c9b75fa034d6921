"""A new version of a parser reads stored replies again for nothing, and strands no run that is
under way."""

import io

import pytest

from benchmarks.registry import protocol
from benchmarks.services.importing import import_release
from benchmarks.submissions.models import Submission
from benchmarks.submissions.samples.floor import ensure_baselines
from judging.engine.engine import judge_run
from judging.judges.base import Reply
from judging.models import JudgeCall, Judgement, JudgeRun, JudgeSpec
from judging.services import ensure_spec, plan_run, request_run, resume_run, retry_judgements
from judging.services.estimates import estimate_run
from tests.judging.scripted import ScriptedJudge

State = Judgement.State
FAMILY = protocol("hallusionbench")
NOW, BEFORE = FAMILY.judging.PARSER_VERSIONS[:2]
THOUGHT = Reply(
    "<think>They agree.</think>\ncorrect"
)  # read by today's version, not by the one before


@pytest.fixture
def submission(db) -> Submission:
    stream = io.BytesIO(FAMILY.bundled[0].dataset.read_bytes())
    release = import_release(protocol=FAMILY, stream=stream, slug="without-pictures").release
    return ensure_baselines(release=release)[0]


def spec_of(version: str) -> JudgeSpec:
    spec = ensure_spec(of=FAMILY, kind="openai", endpoint="none", model="m", repeats=1)
    if version != NOW:
        found = JudgeSpec.objects.filter(parser_version=version).first()
        spec.pk, spec.parser_version = (found.pk if found else None), version
        spec.slug, spec.content_hash = f"before-{version}", version * 64
        spec.save()
    return spec


def run_by(submission: Submission, version: str) -> JudgeRun:
    run = request_run(submission=submission, spec=spec_of(version))
    plan_run(run_id=run.pk)
    return run


def judge_on(run: JudgeRun, judge: ScriptedJudge) -> None:
    while run.judgements.filter(state=State.WAITING).exists():
        resume_run(run=run)
        judge_run(run_id=run.pk, judge=judge, wait=True)


def asked_of(run: JudgeRun) -> int:
    return JudgeCall.objects.filter(judgement__run=run).exclude(outcome="unsent").count()


@pytest.mark.slow
def test_stored_replies_are_read_by_the_new_version_and_nothing_is_asked(submission):
    old = run_by(submission, BEFORE)
    waiting = old.judgements.filter(state=State.WAITING).count()
    judge_on(old, ScriptedJudge(["correct", THOUGHT]))
    unread = old.judgements.filter(state=State.UNREADABLE).count()
    assert 0 < unread < waiting
    new = run_by(submission, NOW)
    assert estimate_run(submission, new.judge_spec).calls == 0
    judge = ScriptedJudge(["incorrect"])
    judge_on(new, judge)
    assert (judge.asked, asked_of(new)) == ([], 0)
    assert not new.judgements.filter(state=State.UNREADABLE).exists()
    taken = new.judgements.exclude(reused_from=None)
    assert taken.count() == waiting
    sources = set(taken.values_list("reused_from__judge_spec", flat=True))
    assert old.judge_spec_id in sources  # equal cases take it from the first of them
    assert sources <= {old.judge_spec_id, new.judge_spec_id}
    assert old.judgements.filter(state=State.UNREADABLE).count() == unread


@pytest.mark.slow
def test_what_the_new_version_cannot_read_either_is_not_paid_for_again(submission):
    old = run_by(submission, BEFORE)
    judge_on(old, ScriptedJudge(["I cannot say."]))
    new = run_by(submission, NOW)
    judge_on(new, ScriptedJudge(["correct"]))
    assert asked_of(new) == 0
    unread = list(new.judgements.filter(state=State.UNREADABLE).values_list("pk", flat=True))
    assert len(unread) == old.judgements.filter(state=State.UNREADABLE).count() > 0
    retry_judgements(keys=unread[:1], by=None)
    judge_on(new, ScriptedJudge(["correct"]))
    assert asked_of(new) == 1


@pytest.mark.slow
def test_a_run_that_is_half_done_goes_on_by_the_version_it_began_with(submission):
    run = run_by(submission, BEFORE)
    half = ScriptedJudge(["correct"])
    rows = list(run.judgements.filter(state=State.WAITING).values_list("pk", flat=True))
    Judgement.objects.filter(pk__in=rows[::2]).update(state=State.PAUSED)
    judge_run(run_id=run.pk, judge=half)
    resume_run(run=run)
    judge_on(run, ScriptedJudge([THOUGHT, "correct"]))
    run.refresh_from_db()
    assert (run.pause_kind, run.judge_spec.parser_version) == ("", BEFORE)
    assert not run.judgements.exclude(state__in=[State.JUDGED, State.UNREADABLE]).exists()


@pytest.mark.slow
def test_another_prompt_or_parameter_is_asked_anew(submission):
    old = run_by(submission, BEFORE)
    judge_on(old, ScriptedJudge(["correct"]))
    seeded = ensure_spec(
        of=FAMILY, kind="openai", endpoint="none", model="m", repeats=1, parameters={"seed": 1}
    )
    run = request_run(submission=submission, spec=seeded)
    plan_run(run_id=run.pk)
    judge = ScriptedJudge(["correct"])
    judge_on(run, judge)
    assert len(judge.asked) == asked_of(run) > 0
