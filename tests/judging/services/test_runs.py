"""What a run asks for, and what it takes from runs before it."""

from benchmarks.registry import protocol
from benchmarks.submissions.services import withdraw_submission
from judging.engine.engine import judge_run
from judging.models import Judgement, JudgeRun, JudgeSpec
from judging.selectors import planned_calls, references_read, run_counts, verdicts_of
from judging.services import (
    ensure_spec,
    plan_run,
    plan_waiting_runs,
    request_missing_runs,
    request_run,
    resume_run,
)
from tests.conftest import submit
from tests.judging.scripted import ScriptedJudge
from tests.overwriting import overwrite

State = Judgement.State


def spec_of(model: str = "m", repeats: int = 1) -> JudgeSpec:
    return ensure_spec(
        of=protocol("spelling"), kind="openai", endpoint="none", model=model, repeats=repeats
    )


def planned(submission, spec: JudgeSpec | None = None) -> JudgeRun:
    run = request_run(submission=submission, spec=spec or spec_of())
    plan_run(run_id=run.pk)
    return run


# --- asking for a run -----------------------------------------------------------------------------


def test_a_confirmed_submission_gets_the_default_judge_once_and_none_beside_another(
    submission, spelling, owner
):
    request_missing_runs()
    request_missing_runs()
    assert JudgeRun.objects.get().judge_spec.kind == "rules"
    second = submit(spelling, owner, name="Second")
    first = request_run(submission=second, spec=spec_of())
    assert request_run(submission=second, spec=spec_of()) == first
    assert request_run(submission=second, spec=spec_of("another")) != first
    submit(spelling, owner, confirm=False)
    withdraw_submission(submission=submit(spelling, owner))
    request_missing_runs()
    assert JudgeRun.objects.count() == 3


# --- planning -------------------------------------------------------------------------------------


def test_a_plan_has_a_judgement_with_a_key_of_its_own_for_every_answer_and_repeat(submission):
    run = request_run(submission=submission, spec=spec_of(repeats=3))
    counts = run_counts(run)
    assert (counts.asked, counts.percent_done) == (0, 0)
    assert (plan_waiting_runs(), plan_waiting_runs()) == ([run.pk], [])
    rows = run.judgements.values_list("answer", "slot", "content_key")
    slots = {"spelled.1", "spelled.2", "spelled.3"}
    assert len(rows) == len({key for *_, key in rows}) == 4 * 3
    assert {slot for _, slot, _ in rows} == slots
    assert resume_run(run=run) == 0  # it is not paused


def test_the_run_of_a_withdrawn_submission_is_not_planned(submission):
    request_run(submission=submission, spec=spec_of())
    withdraw_submission(submission=submission)
    assert plan_waiting_runs() == []


def test_the_owner_is_told_how_many_calls_are_planned(submission, settings):
    settings.DEFAULT_JUDGE = "rules"
    assert planned_calls(submission) == 4
    settings.DEFAULT_JUDGE = "openai:m@none"
    assert planned_calls(submission) == 4 * 2


# --- reusing verdicts -----------------------------------------------------------------------------


def test_only_changed_answers_are_asked_for_again_and_only_by_another_judge(
    submission, spelling, owner
):
    judge_run(run_id=planned(submission).pk, judge=ScriptedJudge(["right"]))
    changed = submit(spelling, owner, b"1=two\n2=colour\n3=night\n4=sea\n", name="Second")
    second = planned(changed)
    judge = ScriptedJudge(["wrong"])
    judge_run(run_id=second.pk, judge=judge)
    assert [request.case.answer for request in judge.asked] == ["colour"]
    row = second.judgements.order_by("answer__question__public_id").first()
    assert (row.verdict, row.raw_reply) == ("right", "right")
    assert row.reason == (
        "a stored verdict for the same question and answer was used again; nothing was asked or "
        "paid"
    )
    assert row.reused_from.run.submission == submission
    other = planned(changed, spec_of("another"))
    assert set(other.judgements.values_list("state", flat=True)) == {State.WAITING}


def test_what_was_unreadable_is_not_reused(submission, spelling, owner):
    run = planned(submission)
    run.judgements.update(state=State.UNREADABLE)
    twin = planned(submit(spelling, owner, name="Twin"))
    assert set(twin.judgements.values_list("state", flat=True)) == {State.WAITING}


# --- counting -------------------------------------------------------------------------------------


def test_every_state_is_counted_once(submission):
    run = planned(submission)
    for state in State:
        verdict = "right" if state == State.JUDGED else ""
        overwrite(run.judgements, state=state, verdict=verdict, lease_until="2030-01-01T00:00Z")
        counts = run_counts(run)
        parts = (counts.judged, counts.unreadable, counts.failed, counts.excluded, counts.open)
        assert (sorted(parts), counts.asked) == ([0, 0, 0, 0, 4], 4), state


def test_a_run_is_finished_when_nothing_is_open_and_tells_its_verdicts_in_the_order_asked_for(
    submission,
):
    run = planned(submission)
    assert (run_counts(run).open > 0, run_counts(run).percent_done) == (True, 0)
    judge_run(run_id=run.pk, judge=ScriptedJudge(["right", "hm", "wrong", "right", "hm"]))
    assert (run_counts(run).open, run_counts(run).percent_done) == (0, 100)
    assert verdicts_of(run, ["4", "3", "2", "1"]) == {
        "spelled.1": ["right", "wrong", None, "right"]
    }


def test_where_no_verdict_tells_its_reference_it_is_todays(submission):
    run = planned(submission)
    (first, *_) = submission.answers.order_by("question__public_id").select_related("question")
    first.question.references.create(version=2, text="newer", origin="human")
    read = references_read(run)
    assert (len(read), read[first.pk]) == (4, "newer")
