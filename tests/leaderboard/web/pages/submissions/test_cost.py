"""What an owner reads of money: before confirming, while it is judged, and when a budget is used
up."""

import re

import pytest
from django.core.management import call_command
from django.db import transaction

from benchmarks.registry import protocol
from judging.coordination import money
from judging.coordination.clock import database_now
from judging.models import JudgeCall, Judgement, JudgeRun
from judging.progress import calls_of
from judging.services import ensure_spec, find_spec, pause_run, plan_run, request_run
from leaderboard.web.pages.submissions import cost as cost_page
from leaderboard.web.pages.submissions.cost import (
    NO_PRICE,
    PRICED_FREE,
    RULES_ARE_FREE,
    cost_sentence,
    print_duration,
    run_money,
)
from tests.conftest import judged, submit
from tests.overwriting import overwrite

Outcome, State = JudgeCall.Outcome, Judgement.State


@pytest.fixture(autouse=True)
def model_judge(settings):
    settings.JUDGE_ENDPOINTS = {
        "paid": {"url": "http://127.0.0.1:1", "key": "", "prices": {"scribe": (2.5, 10.0)}}
    }
    settings.DEFAULT_JUDGE = "openai:scribe@paid"


@pytest.fixture
def run(submission) -> JudgeRun:
    run = request_run(submission=submission, spec=find_spec(of=protocol("spelling")))
    plan_run(run_id=run.pk)
    return run


@pytest.fixture
def signed_in(client, owner):
    client.force_login(owner)
    return client


def read(client, submission) -> str:
    return " ".join(client.get(f"/submissions/{submission.pk}/").content.decode().split())


def call(run: JudgeRun, number: int, outcome: str, cost: int) -> None:
    row = run.judgements.order_by("pk")[number]
    JudgeCall.objects.create(
        judgement=row, fence=row.fence, started=database_now(), outcome=outcome, cost=cost
    )


# --- before ---------------------------------------------------------------------------------------


def test_the_confirmation_step_says_what_judging_will_take(signed_in, spelling, owner, settings):
    settings.BUDGET_SUBMISSION = 5.0
    page = read(signed_in, submit(spelling, owner, b"1=two\n2=\n3=night\n4=sea\n", confirm=False))
    assert "<dt>Model calls</dt> <dd>6 <span" in page
    assert "(2 judged without a model)" in page
    assert "<dt>Price</dt> <dd>about 0.0" in page
    assert "<dt>Duration</dt> <dd>about 1 s" in page
    assert "<dt>Left of the budget of this submission</dt> <dd>5.00 of 5.00" in page


def test_a_budget_that_will_not_reach_is_said_before(signed_in, spelling, owner, settings):
    settings.BUDGET_ACCOUNT_DAY = 0.000001
    page = read(signed_in, submit(spelling, owner, confirm=False))
    assert "This will probably exceed today&#x27;s budget of this account" in page


def test_without_caps_no_budget_is_spoken_of(signed_in, spelling, owner):
    assert "Left of" not in read(signed_in, submit(spelling, owner, confirm=False))


def test_of_a_budget_that_is_used_up_nothing_is_left():
    used = money.Budget("today's budget", cap=5_000_000, spent=6_000_000)
    assert used.left == 0


def test_offline_rules_are_said_to_be_free(signed_in, spelling, owner, settings):
    settings.DEFAULT_JUDGE = "rules"
    settings.BUDGET_SUBMISSION = 5.0
    page = read(signed_in, submit(spelling, owner, confirm=False))
    assert RULES_ARE_FREE in page
    assert "Left of" not in page


def test_a_model_without_a_price_is_not_said_to_cost_nothing_for_sure(
    signed_in, spelling, owner, settings
):
    settings.DEFAULT_JUDGE = "openai:other@paid"
    assert NO_PRICE in read(signed_in, submit(spelling, owner, confirm=False))


def test_with_a_budget_a_model_without_a_price_is_said_not_to_be_asked(
    signed_in, spelling, owner, settings
):
    settings.DEFAULT_JUDGE = "openai:other@paid"
    settings.BUDGET_SITE_DAY = 5.0
    page = read(signed_in, submit(spelling, owner, confirm=False))
    assert "Nothing will be judged: " in page
    assert "no price of other at paid: set JUDGE_PRICES_PAID" in page
    assert NO_PRICE not in page


def test_a_price_of_nothing_is_said_to_be_free_for_sure(signed_in, spelling, owner, settings):
    settings.JUDGE_ENDPOINTS["paid"]["prices"]["scribe"] = (0.0, 0.0)
    settings.BUDGET_SITE_DAY = 5.0
    assert PRICED_FREE in read(signed_in, submit(spelling, owner, confirm=False))


def test_a_default_judge_that_is_not_there_leaves_the_page_whole(
    signed_in, spelling, owner, settings
):
    settings.DEFAULT_JUDGE = "openai:scribe@gone"
    page = read(signed_in, submit(spelling, owner, confirm=False))
    assert "Confirm and judge" in page
    assert "<dt>Price</dt>" not in page


def test_durations_are_printed_in_the_unit_they_need():
    printed = {
        0.2: "1 s",
        7.01: "8 s",
        90: "90 s",
        91: "2 min",
        5400: "90 min",
        5401: "1.6 h",
        9000: "2.5 h",
    }
    assert {seconds: print_duration(seconds) for seconds in printed} == printed


# --- during ---------------------------------------------------------------------------------------


def test_what_was_spent_tells_what_it_will_cost_in_all(run):
    """Eight judgements; two are paid, one call is under way and its worst case reserved: six more
    at the mean."""
    overwrite(
        run.judgements.filter(pk=run.judgements.order_by("pk")[2].pk),
        state=State.LEASED,
        lease_until=database_now(),
    )
    for number, outcome, cost in (
        (0, Outcome.ANSWERED, 1_000_000),
        (1, Outcome.ANSWERED, 3_000_000),
        (2, "open", 9_000_000),
    ):
        call(run, number, outcome, cost)
    assert cost_sentence(run_money(calls_of(run), 6)) == "13.00 spent so far, about 16.00 in all."


def test_of_a_model_without_a_price_no_sum_is_told(run):
    call(run, 0, Outcome.ANSWERED, 0)
    assert cost_sentence(run_money(calls_of(run), 6)) == "Nothing spent so far."


def test_unknown_outcomes_are_counted_also_those_of_lost_workers(run):
    call(run, 0, Outcome.UNKNOWN, 2_000_000)
    call(run, 1, Outcome.OPEN, 1_000_000)
    assert cost_sentence(run_money(calls_of(run), 8)).startswith(
        "3.00 spent so far. 2 calls got no reply and may have been billed"
    )


def test_a_run_that_has_not_begun_has_spent_nothing(run):
    assert cost_sentence(run_money(calls_of(run), 8)) == "Nothing spent so far."


def test_the_progress_page_says_what_was_spent(signed_in, run):
    call(run, 0, Outcome.ANSWERED, 2_000_000)
    assert "2.00 spent so far" in read(signed_in, run.submission)


def test_a_run_by_rules_says_that_it_is_free(signed_in, submission):
    judged(submission)
    assert RULES_ARE_FREE in read(signed_in, submission)


def test_a_used_up_budget_says_so_and_what_ends_it(signed_in, run, settings):
    settings.BUDGET_SUBMISSION = 0.5
    with transaction.atomic():
        reason = money.reserve(run, [700_000]).reason
    pause_run(run=run, kind=JudgeRun.Pause.BUDGET, reason=reason)
    page = read(signed_in, run.submission)
    assert (
        "Paused: the budget of this submission is reached: 0.00 of 0.5000 spent, a call may "
        "cost 0.7000."
    ) in page
    assert "until the operators raise it" in page
    assert "hx-get" not in page
    assert "paused" in signed_in.get("/submissions/").content.decode()


def test_strangers_read_nothing_of_what_it_cost(client, stranger, run):
    call(run, 0, Outcome.ANSWERED, 2_000_000)
    client.force_login(stranger)
    assert client.get(f"/submissions/{run.submission.pk}/").status_code == 404


# --- in the terminal ------------------------------------------------------------------------------


def test_estimates_are_made_one_at_a_time(spelling, owner, signed_in, monkeypatch):
    """Eight looks at a draft of 20 MB held every thread of a web process."""
    draft = submit(spelling, owner, confirm=False)
    assert "<dt>Model calls</dt>" in read(signed_in, draft)
    monkeypatch.setattr(cost_page, "WAIT_SECONDS", 0)
    with cost_page.ESTIMATING:
        assert "<dt>Model calls</dt>" not in read(signed_in, draft)
    assert "<dt>Model calls</dt>" in read(signed_in, draft)


def test_an_estimate_that_took_long_is_made_once(spelling, owner, signed_in, monkeypatch):
    draft = submit(spelling, owner, confirm=False)
    monkeypatch.setattr(cost_page, "LONG_SECONDS", -1)
    first = read(signed_in, draft)
    with cost_page.ESTIMATING:
        assert "<dt>Model calls</dt>" in read(signed_in, draft)
    assert "<dt>Model calls</dt>" in first


def test_the_command_estimates_and_judges_nothing(submission, capsys, settings):
    settings.BUDGET_SITE_DAY = 0.000001
    call_command("judge", str(submission.pk), estimate=True)
    told = capsys.readouterr().out
    assert "Speller: 8 judgements by spelling-openai-scribe" in told
    assert "today's budget of this site will not reach" in told
    assert not JudgeRun.objects.exists()


def test_the_command_says_that_a_model_without_a_price_is_not_asked(submission, capsys, settings):
    settings.BUDGET_SITE_DAY = 5.0
    call_command("judge", str(submission.pk), estimate=True, judge="openai:other@paid")
    assert re.search(
        r"price     Nothing will be judged: .*no price of other at paid", capsys.readouterr().out
    )


def test_the_command_estimates_also_what_is_not_confirmed(spelling, owner, capsys):
    submission = submit(spelling, owner, confirm=False)
    call_command("judge", str(submission.pk), estimate=True, judge="rules")
    assert RULES_ARE_FREE in capsys.readouterr().out


def test_the_command_counts_what_another_repeat_reuses(run, submission, capsys):
    run.judgements.update(state=State.JUDGED, verdict="right")
    call_command("judge", str(submission.pk), estimate=True)
    assert "calls     0 (8 ended before)" in capsys.readouterr().out
    assert ensure_spec(of=protocol("spelling"), kind="rules").is_offline
