"""A judge asked its fixed cases again: what is chosen, what is paid, what is compared, and who is
never asked."""

import io
from datetime import timedelta

import pytest
from django.core.management import CommandError, call_command
from django.db import IntegrityError, transaction
from django.utils import timezone

from benchmarks.management.console import readable
from benchmarks.models import Question, Reference
from benchmarks.protocols.base import JudgeCase, QuestionRow, QuestionView, Slot
from benchmarks.registry import protocol
from benchmarks.services.importing import import_release
from benchmarks.services.references import add_reference
from benchmarks.submissions.services import set_visibility, withdraw_submission
from judging import limits, money
from judging.engine.canary import (
    CASES,
    NoCanaryError,
    due_canaries,
    run_canary,
    run_due_canary,
    score_of,
)
from judging.engine.engine import judge_run
from judging.judges.base import JudgeHaltedError, JudgeUnavailableError, Reply
from judging.judges.scripted import ScriptedJudge
from judging.models import (
    CanaryCase,
    CanaryRun,
    JudgeCall,
    Judgement,
    JudgeRun,
    JudgeSpec,
    Seat,
    Spend,
)
from judging.services import ensure_spec, plan_run, request_run
from judging.tasks import run_canary as run_canary_task
from leaderboard.operations.sweeps import sweep_here
from leaderboard.pages.judge_record import canary_table
from tests.conftest import judged, submit
from tests.judging.endpoint import completion, serve

ENDPOINTS = {
    "paid": {
        "url": "http://127.0.0.1:9/v1",
        "key": "",
        "limits": {},
        "prices": {"scribe": (1.0, 2.0)},
    }
}
NOW = timedelta(0)


def reply(text: str = "right", model: str = "scribe-1") -> Reply:
    return Reply(text, model=model, prompt_tokens=100, reply_tokens=10)


@pytest.fixture(autouse=True)
def endpoints(settings):
    settings.JUDGE_ENDPOINTS = ENDPOINTS


@pytest.fixture
def spec(db) -> JudgeSpec:
    return ensure_spec(
        of=protocol("spelling"), kind="openai", endpoint="paid", model="scribe", repeats=1
    )


def asked_first(submission, spec: JudgeSpec, *script) -> JudgeRun:
    run = request_run(submission=submission, spec=spec)
    plan_run(run_id=run.pk)
    judge_run(run_id=run.pk, judge=ScriptedJudge(script or [reply()]))
    return run


@pytest.fixture
def run(submission, spec) -> JudgeRun:
    return asked_first(submission, spec)


def again(run: JudgeRun, *script) -> CanaryRun:
    return run_canary(spec=run.judge_spec, judge=ScriptedJudge(script or [reply()]))


# --- the cases ------------------------------------------------------------------------------------


@pytest.mark.slow
def test_cases_are_spread_evenly_over_the_oldest_public_run(spec, owner):
    lines = "".join(f"{i}|word{i}|word{i}\n" for i in range(1, 41)).encode()
    release = import_release(
        protocol=protocol("spelling"), stream=io.BytesIO(lines), slug="long"
    ).release
    answers = "".join(f"{i}={'' if i == 1 else f'word{i}'}\n" for i in range(1, 41)).encode()
    run = asked_first(submit(release, owner, answers), spec)
    asked_first(submit(release, owner, answers, name="Reused"), spec)
    again(run)
    cases = CanaryCase.objects.order_by("position").select_related("judgement__answer__question")
    ids = [int(case.judgement.answer.question.public_id) for case in cases]
    assert len(ids) == CASES
    assert ids[:3] == [2, 3, 5]
    assert ids[-1] == 39
    assert {case.judgement.run_id for case in cases} == {run.pk}


def test_a_private_entry_gives_no_cases(run):
    set_visibility(submission=run.submission, visibility="private")
    with pytest.raises(NoCanaryError, match="no finished public entry"):
        again(run)
    assert not JudgeCall.objects.filter(canary_case__isnull=False).exists()


def test_the_same_words_are_sent_each_time_whatever_becomes_of_the_reference(run):
    first, second = ScriptedJudge([reply()]), ScriptedJudge([reply()])
    run_canary(spec=run.judge_spec, judge=first)
    add_reference(
        question=Question.objects.get(public_id="2"), text="color", origin=Reference.Origin.HUMAN
    )
    run_canary(spec=run.judge_spec, judge=second)
    assert [r.messages for r in first.asked] == [r.messages for r in second.asked]
    assert "color" in first.asked[1].messages[0].content
    assert CanaryCase.objects.count() == 4


def test_a_newer_entry_changes_no_set(run, spelling, owner):
    again(run)
    before = list(CanaryCase.objects.values_list("judgement", flat=True))
    asked_first(submit(spelling, owner, b"1=a\n2=b\n3=c\n4=d\n", name="Newer"), run.judge_spec)
    again(run)
    assert list(CanaryCase.objects.values_list("judgement", flat=True)) == before


def test_a_withdrawn_entry_is_asked_no_more_and_another_takes_its_place(run, spelling, owner):
    again(run)
    asked_first(submit(spelling, owner, b"1=a\n2=b\n3=c\n4=d\n", name="Newer"), run.judge_spec)
    withdraw_submission(submission=run.submission)
    judge = ScriptedJudge([reply()])
    found = run_canary(spec=run.judge_spec, judge=judge)
    assert {request.case.answer for request in judge.asked} == {"a", "b", "c", "d"}
    assert sorted(found.answers.values_list("case__position", flat=True)) == [4, 5, 6, 7]


def test_a_judge_whose_only_entry_is_withdrawn_is_asked_nothing(run):
    again(run)
    withdraw_submission(submission=run.submission)
    with pytest.raises(NoCanaryError, match="no finished public entry"):
        again(run)
    assert JudgeCall.objects.filter(canary_case__isnull=False).count() == 4


# --- what it finds --------------------------------------------------------------------------------


def test_verdicts_are_compared_and_never_changed(run):
    before = list(Judgement.objects.values())
    found = again(
        run, reply("right"), reply("wrong"), reply("perhaps", model="scribe-2"), reply("right")
    )
    assert (found.asked, found.same, found.unreadable) == (4, 2, 1)
    assert found.reported_model == "scribe-1, scribe-2"
    assert found.mean_difference is None
    assert not found.is_steady
    assert sorted(found.answers.values_list("verdict", "raw_reply")) == [
        ("", "perhaps"),
        ("right", "right"),
        ("right", "right"),
        ("wrong", "wrong"),
    ]
    assert list(Judgement.objects.values()) == before


def test_a_case_without_a_reply_says_nothing_of_the_judge(run):
    found = again(run, JudgeUnavailableError("HTTP 500"), reply())
    assert (found.asked, found.same, found.answers.count()) == (3, 3, 3)
    assert found.is_steady


@pytest.mark.parametrize("reason", ["length", "refusal", "content_filter"])
def test_a_reply_that_is_cut_or_refused_has_no_verdict(run, reason):
    found = again(run, Reply("right", finish_reason=reason))
    assert (found.asked, found.same, found.unreadable) == (4, 0, 4)


@pytest.mark.parametrize(
    ("slug", "slot", "verdict", "score"),
    [
        ("touchstone", Slot("answer_first", 3), "8 6.5", 6.5),
        ("touchstone_hallucination", Slot("hallucination", 2), "3", 3.0),
    ],
)
def test_scores_are_what_the_scorer_reads_from_one_verdict(slug, slot, verdict, score):
    question = QuestionView(
        "1", "basic", "basic/attr", "1.png", "1", "What?", {"categories": "basic"}, {}
    )
    assert score_of(protocol(slug), question, "x", slot, verdict) == score


@pytest.mark.parametrize(
    "slug", ["touchstone", "touchstone_hallucination", "hallusionbench", "tiny_lvlm_ehub"]
)
def test_every_scorer_reads_a_verdict_alone(slug):
    family = protocol(slug)
    with readable(family.bundled[0].dataset) as stream:
        rows = [row for row in family.dataset.read(stream) if isinstance(row, QuestionRow)]
    for row in rows:
        question = QuestionView(
            row.public_id,
            row.ability,
            row.subtask,
            row.figure,
            row.group,
            row.text,
            row.facts,
            row.truth,
        )
        for slot in family.judging.slots(question, 1):
            case = JudgeCase(slot, question, row.reference, row.description, "Yes, two.", "No.")
            verdict = family.judging.parse(
                slot, family.judging.rule(case), family.judging.PARSERS[0]
            )
            has_score = score_of(family, question, case.answer, slot, verdict) is not None
            assert has_score == slug.startswith("touchstone")


# --- what it costs --------------------------------------------------------------------------------


def test_calls_are_in_the_ledger_and_charged_to_the_site_alone(run):
    before = {s.scope: s.cost for s in Spend.objects.all()}
    again(run)
    after = {s.scope: s.cost for s in Spend.objects.all()}
    rose = {
        scope.partition("/")[0]: after[scope] - before[scope]
        for scope in after
        if after[scope] != before[scope]
    }
    assert rose == {"site": 4 * 120}
    calls = JudgeCall.objects.filter(canary_case__isnull=False)
    assert list(calls.values_list("outcome", "cost")) == [("answered", 120)] * 4
    assert money.spend_drift() == []


@pytest.mark.parametrize(
    "failure",
    [
        JudgeUnavailableError("cut", is_unknown=True),
        JudgeUnavailableError("HTTP 500"),
        JudgeHaltedError("HTTP 404"),
    ],
)
def test_stored_sums_follow_the_ledger_whatever_fails(run, failure):
    again(run, reply(), failure, reply("?"))
    assert not JudgeCall.objects.filter(outcome="open").exists()
    assert money.spend_drift() == []


def test_a_used_up_budget_of_the_site_stops_it_before_a_call(run, settings):
    settings.BUDGET_SITE_DAY = 0.001
    with pytest.raises(NoCanaryError, match="budget of this site is reached"):
        again(run)
    assert not JudgeCall.objects.filter(canary_case__isnull=False).exists()
    assert money.spend_drift() == []
    settings.BUDGET_SITE_DAY = 0
    assert again(run).asked == 4


def test_the_ledger_command_names_its_endpoint(run, capsys):
    again(run)
    call_command("ledger")
    shown = capsys.readouterr().out
    assert "paid" in shown
    assert "(references)" not in shown


def test_a_call_has_exactly_one_purpose(run):
    again(run)
    case, row = CanaryCase.objects.first(), run.judgements.first()
    for purposes in ({}, {"judgement": row, "canary_case": case}):
        with pytest.raises(IntegrityError), transaction.atomic():
            JudgeCall.objects.create(started=timezone.now(), **purposes)


# --- when it is not asked -------------------------------------------------------------------------


def test_the_offline_rules_have_no_canary(submission):
    with pytest.raises(NoCanaryError, match="the same every time"):
        again(judged(submission))


@pytest.mark.parametrize(
    "close", [limits.halt, lambda alias, reason: limits.hold(alias, seconds=60, reason=reason)]
)
def test_a_closed_endpoint_is_not_asked(run, close):
    close("paid", reason="HTTP 401")
    judge = ScriptedJudge([reply()])
    with pytest.raises(NoCanaryError, match="HTTP 401"):
        run_canary(spec=run.judge_spec, judge=judge)
    assert judge.asked == []


def test_a_key_that_is_refused_halts_the_endpoint_for_all(run):
    found = again(run, JudgeHaltedError("HTTP 401", is_endpoint_wide=True))
    assert found.asked == 0
    assert limits.endpoint_status("paid").halt_reason == "HTTP 401"


def test_overload_holds_the_endpoint_for_all(run):
    again(run, JudgeUnavailableError("HTTP 429", 30.0, is_limit=True))
    assert limits.endpoint_status("paid").held_seconds > 20


def test_only_what_the_rates_let_go_in_time_is_asked(run, settings):
    settings.JUDGE_ENDPOINTS = {
        "paid": {**ENDPOINTS["paid"], "limits": {"requests": 1, "concurrent": 1}}
    }
    judge = ScriptedJudge([reply()])
    found = run_canary(spec=run.judge_spec, judge=judge)
    assert found.asked == len(judge.asked) == 1
    assert not Seat.objects.exists()


def test_a_worker_at_it_keeps_others_away_until_it_does_not_come_back(run):
    held = CanaryRun.objects.create(
        judge_spec=run.judge_spec,
        started=timezone.now(),
        claimed_until=timezone.now() + timedelta(minutes=5),
    )
    with pytest.raises(NoCanaryError, match="Another worker"):
        again(run)
    CanaryRun.objects.update(claimed_until=timezone.now() - timedelta(minutes=5))
    assert again(run).pk == held.pk


# --- the schedule ---------------------------------------------------------------------------------


def test_no_canary_is_due_unless_a_schedule_is_set(run, settings):
    assert list(due_canaries()) == []
    settings.CANARY_HOURS = 24.0
    assert list(due_canaries()) == [run.judge_spec]


def test_a_canary_is_due_again_after_its_hours(run, settings):
    settings.CANARY_HOURS = 24.0
    again(run)
    assert list(due_canaries()) == []
    CanaryRun.objects.update(started=timezone.now() - timedelta(hours=25))
    assert list(due_canaries()) == [run.judge_spec]


def test_a_judge_out_of_use_or_behind_a_closed_endpoint_is_not_due(run, settings):
    settings.CANARY_HOURS = 24.0
    limits.halt("paid", reason="HTTP 401")
    assert list(due_canaries()) == []
    limits.reopen("paid")
    JudgeRun.objects.update(planned=timezone.now() - timedelta(days=31))
    assert list(due_canaries()) == []


def test_what_keeps_a_due_canary_from_being_asked_is_logged_once(run, settings, caplog):
    settings.CANARY_HOURS, settings.BUDGET_SITE_DAY = 24.0, 0.001
    for _ in range(2):
        assert not run_due_canary(spec_id=run.judge_spec_id, judge=ScriptedJudge([reply()]))
    (line,) = [
        record.getMessage() for record in caplog.records if record.name == "judging.engine.canary"
    ]
    assert line.startswith(
        f"The canary of {run.judge_spec.slug} is skipped this time: The canary is not paid for"
    )


def test_a_second_delivery_asks_nothing(run, settings):
    settings.CANARY_HOURS = 24.0
    assert run_due_canary(spec_id=run.judge_spec_id, judge=ScriptedJudge([reply()]))
    judge = ScriptedJudge([reply()])
    assert not run_due_canary(spec_id=run.judge_spec_id, judge=judge)
    assert judge.asked == []


@pytest.mark.slow
def test_the_task_and_the_sweep_ask_a_real_endpoint(run, settings):
    settings.CANARY_HOURS = 24.0
    with serve([completion("right"), completion("wrong")]) as endpoint:
        settings.JUDGE_ENDPOINTS = {"paid": {**ENDPOINTS["paid"], "url": endpoint.url}}
        run_canary_task(run.judge_spec_id)
        CanaryRun.objects.update(started=timezone.now() - timedelta(hours=25))
        sweep_here(grace=NOW)
        sweep_here(grace=NOW)
    assert len(endpoint.asked) == 8
    second, first = CanaryRun.objects.all()
    assert (first.asked, first.same, second.same) == (4, 1, 0)
    assert first.reported_model == "scribe-1"
    assert money.spend_drift() == []


# --- the command ----------------------------------------------------------------------------------


def test_the_command_asks_now_and_prints_what_was_found(run, settings, capsys):
    with serve([completion("right")]) as endpoint:
        settings.JUDGE_ENDPOINTS = {"paid": {**ENDPOINTS["paid"], "url": endpoint.url}}
        call_command("canary", run.judge_spec.slug)
    assert (
        "4 of 4 verdicts the same, 0 unreadable · the endpoint reports scribe-1"
        in capsys.readouterr().out
    )


def test_the_command_refuses_what_cannot_be_asked(submission):
    for name in ("nobody", judged(submission).judge_spec.slug):
        with pytest.raises(CommandError) as refused:
            call_command("canary", name)
        assert refused.value.returncode == 2


# --- the card -------------------------------------------------------------------------------------


def card(client, run: JudgeRun) -> str:
    return str(client.get(f"/judges/{run.judge_spec.slug}/").content, "utf-8")


def test_a_judge_never_asked_again_shows_nothing_of_it(run, client):
    assert "Whether it is still the same" not in card(client, run)


def test_a_steady_judge_has_its_table_and_no_warning(run, client):
    again(run)
    shown = card(client, run)
    assert "4 of 4" in shown
    assert "may no longer be the one it was" not in shown


def test_a_judge_that_decides_otherwise_is_marked(run, client):
    again(run, reply("wrong"), reply())
    shown = card(client, run)
    assert "may no longer be the one it was" in shown
    assert "under 90 % of the verdicts were the same" in shown


def test_a_judge_that_reports_another_model_is_marked_until_it_is_itself_again(run):
    again(run, reply(model="scribe-2"))
    assert canary_table(run.judge_spec).fault == "the endpoint reported another model"
    again(run, JudgeUnavailableError("HTTP 500"))
    assert canary_table(run.judge_spec).fault == "the endpoint reported another model"
    again(run)
    assert canary_table(run.judge_spec).fault == ""


@pytest.mark.slow
def test_ten_lines_in_two_queries(run, django_assert_num_queries):
    for _ in range(11):
        again(run)
    with django_assert_num_queries(2):
        assert len(canary_table(run.judge_spec).lines) == 10
