"""A judge asked its fixed cases again: what is chosen, what is paid, what is compared, and who is
never asked."""

from datetime import timedelta

import pytest
from django.core.management import CommandError, call_command
from django.db import IntegrityError, transaction
from django.test import override_settings
from django.utils import timezone

from benchmarks.management.console import readable
from benchmarks.models import Question, Reference, Release
from benchmarks.protocols.base import JudgeCase, QuestionRow, QuestionView, Slot
from benchmarks.registry import protocol
from benchmarks.services.references import add_reference
from benchmarks.submissions.services import set_visibility, withdraw_submission
from judging.coordination import limits, money
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
from judging.models import CanaryCase, CanaryRun, JudgeCall, Judgement, JudgeRun, Seat, Spend
from judging.tasks import run_canary as run_canary_task
from leaderboard.operations.sweeps import sweep_here
from leaderboard.web.pages.judges.record import canary_table
from tests.conftest import ANSWERS, import_spelling, import_words, judged, submit
from tests.judging.endpoint import completion, serve
from tests.judging.runs import planned, undone
from tests.judging.scripted import ScriptedJudge

ENDPOINTS = {
    "paid": {
        "url": "http://127.0.0.1:9/v1",
        "key": "",
        "limits": {},
        "prices": {"scribe": (1.0, 2.0)},
    }
}
NEWER = b"1=a\n2=b\n3=c\n4=d\n"
DAY = timedelta(hours=25)  # after which a canary of every 24 hours is due


def reply(text: str = "right", model: str = "scribe-1") -> Reply:
    return Reply(text, model=model, prompt_tokens=100, reply_tokens=10)


def judged_first(release: Release, content: bytes = ANSWERS, name: str = "Speller") -> JudgeRun:
    run = planned(submit(release, None, content, name), endpoint="paid", model="scribe")
    judge_run(run_id=run.pk, judge=ScriptedJudge([reply()]))
    return run


@pytest.fixture(scope="module")
def world(module_rows) -> int:
    with override_settings(JUDGE_ENDPOINTS=ENDPOINTS):
        return judged_first(import_spelling()).pk


@pytest.fixture
def run(world, db, settings) -> JudgeRun:
    settings.JUDGE_ENDPOINTS = ENDPOINTS
    return JudgeRun.objects.get(pk=world)


@pytest.fixture
def release(run) -> Release:
    found: Release = run.submission.release
    return found


def again(run: JudgeRun, *script) -> CanaryRun:
    return run_canary(spec=run.judge_spec, judge=ScriptedJudge(script or [reply()]))


def refused(run: JudgeRun, why: str) -> None:
    """Nothing is asked, and nothing stands in the ledger."""
    before, judge = JudgeCall.objects.count(), ScriptedJudge([reply()])
    with pytest.raises(NoCanaryError, match=why):
        run_canary(spec=run.judge_spec, judge=judge)
    assert (judge.asked, JudgeCall.objects.count()) == ([], before)
    assert money.spend_drift() == []


# --- the cases ------------------------------------------------------------------------------------


def test_cases_are_spread_evenly_over_the_oldest_public_run(run):
    words = import_words(range(1, 41), slug="long")
    JudgeRun.objects.filter(pk=run.pk).update(created=timezone.now())
    answers = "".join(f"{i}={'' if i == 1 else f'word{i}'}\n" for i in range(1, 41)).encode()
    withdraw_submission(submission=run.submission)
    oldest = judged_first(words, answers)
    judged_first(words, answers, name="Reused")
    again(oldest)
    cases = CanaryCase.objects.order_by("position").select_related("judgement__answer__question")
    ids = [int(case.judgement.answer.question.public_id) for case in cases]
    assert (len(ids), ids[:3], ids[-1]) == (CASES, [2, 3, 5], 39)
    assert {case.judgement.run_id for case in cases} == {oldest.pk}


def test_the_same_words_are_sent_each_time_whatever_is_newer(run, release):
    first, second = ScriptedJudge([reply()]), ScriptedJudge([reply()])
    run_canary(spec=run.judge_spec, judge=first)
    before = list(CanaryCase.objects.values_list("judgement", flat=True))
    add_reference(
        question=Question.objects.get(public_id="2"), text="color", origin=Reference.Origin.HUMAN
    )
    judged_first(release, NEWER, name="Newer")
    run_canary(spec=run.judge_spec, judge=second)
    assert [r.messages for r in first.asked] == [r.messages for r in second.asked]
    assert "color" in first.asked[1].messages[0].content
    assert list(CanaryCase.objects.values_list("judgement", flat=True)) == before
    assert len(before) == 4


def test_only_public_entries_are_asked_about_and_another_takes_a_withdrawn_ones_place(run, release):
    with undone():
        set_visibility(submission=run.submission, visibility="private")
        refused(run, "no finished public entry")
    again(run)
    withdraw_submission(submission=run.submission)
    refused(run, "no finished public entry")
    judged_first(release, NEWER, name="Newer")
    judge = ScriptedJudge([reply()])
    found = run_canary(spec=run.judge_spec, judge=judge)
    assert {request.case.answer for request in judge.asked} == {"a", "b", "c", "d"}
    assert sorted(found.answers.values_list("case__position", flat=True)) == [4, 5, 6, 7]


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


def test_a_case_without_a_reply_says_nothing_and_one_cut_or_refused_has_no_verdict(run):
    found = again(run, JudgeUnavailableError("HTTP 500"), reply())
    assert (found.asked, found.same, found.answers.count()) == (3, 3, 3)
    assert found.is_steady
    found = again(run, *(Reply("right", why) for why in ("length", "refusal", "content_filter")))
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
    judging = family.judging
    with readable(family.bundled[0].dataset) as stream:
        rows = [row for row in family.dataset.read(stream) if isinstance(row, QuestionRow)]
    for row in rows:
        named = (row.public_id, row.ability, row.subtask, row.figure, row.group, row.text)
        question = QuestionView(*named, row.facts, row.truth)
        for slot in judging.slots(question, 1):
            case = JudgeCase(slot, question, row.reference, row.description, "Yes, two.", "No.")
            verdict = judging.parse(slot, judging.rule(case), judging.PARSERS[0])
            has_score = score_of(family, question, case.answer, slot, verdict) is not None
            assert has_score == slug.startswith("touchstone")


# --- what it costs --------------------------------------------------------------------------------


def test_calls_are_in_the_ledger_and_charged_to_the_site_alone(run, capsys):
    before = dict(Spend.objects.values_list("scope", "cost"))
    again(run)
    after = dict(Spend.objects.values_list("scope", "cost"))
    rose = {scope: after[scope] - before[scope] for scope in before if after[scope] > before[scope]}
    assert [(scope.partition("/")[0], micro) for scope, micro in rose.items()] == [("site", 480)]
    calls = JudgeCall.objects.filter(canary_case__isnull=False)
    assert list(calls.values_list("outcome", "cost")) == [("answered", 120)] * 4
    assert (money.spend_drift(), after.keys()) == ([], before.keys())
    call_command("ledger")
    shown = capsys.readouterr().out
    assert ("paid" in shown, "(references)" in shown) == (True, False)
    case, row = CanaryCase.objects.first(), run.judgements.first()
    for purposes in ({}, {"judgement": row, "canary_case": case}):  # of which a call has one
        with pytest.raises(IntegrityError), transaction.atomic():
            JudgeCall.objects.create(started=timezone.now(), **purposes)


def test_stored_sums_follow_the_ledger_whatever_fails(run):
    for failure in (
        JudgeUnavailableError("cut", is_unknown=True),
        JudgeUnavailableError("HTTP 500"),
        JudgeHaltedError("HTTP 404"),
    ):
        again(run, reply(), failure, reply("?"))
        assert not JudgeCall.objects.filter(outcome="open").exists()
        assert money.spend_drift() == []


# --- when it is not asked -------------------------------------------------------------------------


def test_the_rules_a_budget_that_is_used_up_and_a_closed_endpoint_have_no_canary(run, settings):
    refused(judged(run.submission), "the same every time")
    settings.BUDGET_SITE_DAY = 0.001
    refused(run, "budget of this site is reached")
    settings.BUDGET_SITE_DAY = 0
    limits.hold("paid", seconds=60, reason="HTTP 429")
    refused(run, "HTTP 429")
    limits.halt("paid", reason="HTTP 401")
    refused(run, "HTTP 401")
    limits.reopen("paid")
    assert again(run).asked == 4


def test_a_key_that_is_refused_halts_the_endpoint_for_all_and_overload_holds_it(run):
    again(run, JudgeUnavailableError("HTTP 429", 30.0, is_limit=True))
    assert limits.endpoint_status("paid").held_seconds > 20
    limits.reopen("paid")
    assert again(run, JudgeHaltedError("HTTP 401", is_endpoint_wide=True)).asked == 0
    assert limits.endpoint_status("paid").halt_reason == "HTTP 401"


def test_only_what_the_rates_let_go_in_time_is_asked(run, settings):
    settings.JUDGE_ENDPOINTS = {
        "paid": {**ENDPOINTS["paid"], "limits": {"requests": 1, "concurrent": 1}}
    }
    judge = ScriptedJudge([reply()])
    found = run_canary(spec=run.judge_spec, judge=judge)
    assert found.asked == len(judge.asked) == 1
    assert not Seat.objects.exists()


def test_a_worker_at_it_keeps_others_away_until_it_does_not_come_back(run):
    soon = timezone.now() + timedelta(minutes=5)
    held = CanaryRun.objects.create(
        judge_spec=run.judge_spec, started=timezone.now(), claimed_until=soon
    )
    refused(run, "Another worker")
    CanaryRun.objects.update(claimed_until=timezone.now() - timedelta(minutes=5))
    assert again(run).pk == held.pk


# --- the schedule ---------------------------------------------------------------------------------


def test_a_canary_is_due_after_its_hours_where_a_schedule_is_set_and_the_judge_in_use(
    run, settings
):
    assert due_canaries() == []
    settings.CANARY_HOURS = 24.0
    assert due_canaries() == [run.judge_spec]
    limits.halt("paid", reason="HTTP 401")
    assert due_canaries() == []
    limits.reopen("paid")
    judge = ScriptedJudge([reply()])
    delivered = [run_due_canary(spec_id=run.judge_spec_id, judge=judge) for _ in range(2)]
    assert (delivered, len(judge.asked), due_canaries()) == ([True, False], 4, [])
    CanaryRun.objects.update(started=timezone.now() - DAY)
    assert due_canaries() == [run.judge_spec]
    JudgeRun.objects.update(planned=timezone.now() - timedelta(days=31))
    assert due_canaries() == []


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


def test_task_sweep_and_command_ask_a_real_endpoint(run, settings, capsys):
    settings.CANARY_HOURS = 24.0
    with serve([completion("right"), completion("wrong")]) as endpoint:
        settings.JUDGE_ENDPOINTS = {"paid": {**ENDPOINTS["paid"], "url": endpoint.url}}
        run_canary_task(run.judge_spec_id)
        CanaryRun.objects.update(started=timezone.now() - DAY)
        for _ in range(2):
            sweep_here(grace=timedelta(0))
        call_command("canary", run.judge_spec.slug)
    assert len(endpoint.asked) == 12
    third, second, first = CanaryRun.objects.all()
    assert (first.asked, first.same, second.same, third.same) == (4, 1, 0, 0)
    assert first.reported_model == "scribe-1"
    assert money.spend_drift() == []
    said = "0 of 4 verdicts the same, 0 unreadable · the endpoint reports scribe-1"
    assert said in capsys.readouterr().out


def test_the_command_refuses_what_cannot_be_asked(run):
    for name in ("nobody", judged(run.submission).judge_spec.slug):
        with pytest.raises(CommandError) as refusal:
            call_command("canary", name)
        assert refusal.value.returncode == 2


# --- the card -------------------------------------------------------------------------------------


def test_the_card_of_a_judge_shows_whether_it_is_still_the_same(run, client):
    def shown() -> str:
        return str(client.get(f"/judges/{run.judge_spec.slug}/").content, "utf-8")

    changed = "may have changed"
    assert "Is it still the same?" not in shown()
    again(run)
    assert "4 of 4" in (steady := shown())
    assert changed not in steady
    again(run, reply("wrong"), reply())
    assert changed in (marked := shown())
    assert "under 90 % of the verdicts were the same" in marked


def test_a_judge_that_reports_another_model_is_marked_until_it_is_itself_again(run):
    faults = []
    for said in (reply(model="scribe-2"), JudgeUnavailableError("HTTP 500"), reply()):
        again(run, said)
        faults.append(canary_table(run.judge_spec)["fault"])
    assert faults == ["the endpoint reported another model"] * 2 + [""]


@pytest.mark.slow
def test_ten_lines_in_two_queries(run, django_assert_num_queries):
    for _ in range(11):
        again(run)
    with django_assert_num_queries(2):
        assert len(canary_table(run.judge_spec)["lines"]) == 10
