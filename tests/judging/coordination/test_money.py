"""Prices, estimates and budgets: what a call may cost, what is charged, and that no cap is
passed."""

from datetime import UTC, datetime, timedelta
from functools import partial

import pytest
from django.core.management import CommandError, call_command
from django.db import transaction
from django.test import override_settings

from benchmarks.protocols.base import Message
from judging.coordination import money
from judging.coordination.clock import database_now
from judging.models import JudgeCall, JudgeRun, JudgeSpec, Spend
from tests.conftest import submit
from tests.judging.runs import planned, spent_on, undone
from tests.judging.threads import at_once

PRICED = {"paid": {"url": "http://127.0.0.1:1", "key": "", "prices": {"scribe": (2.5, 10.0)}}}
SPEC = JudgeSpec(endpoint="paid", model="scribe", parameters={"max_tokens": 100})
NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)
DAY = timedelta(days=1)


@pytest.fixture(autouse=True)
def prices(settings):
    settings.JUDGE_ENDPOINTS = PRICED


def paid_run(submission) -> JudgeRun:
    return planned(submission, endpoint="paid", model="scribe")


@pytest.fixture
def run(submission) -> JudgeRun:
    return paid_run(submission)


def reserve(run: JudgeRun, *costs: int, started: datetime | None = None) -> money.Reserved:
    with transaction.atomic():
        return money.reserve(run, costs, started=started)


def spends() -> dict[str, int]:
    """Stored sums by the first word of their scope."""
    rows = Spend.objects.values_list("scope", "cost")
    return {scope.partition("/")[0]: cost for scope, cost in rows}


# --- what a call costs ----------------------------------------------------------------------------


def test_a_spec_costs_what_its_endpoint_says_of_its_model_and_else_nothing():
    assert money.price_of(SPEC) == money.Price(2.5, 10.0)
    for endpoint, model in (("", "rules"), ("paid", "another"), ("gone", "scribe")):
        spec = JudgeSpec(endpoint=endpoint, model=model)
        assert money.price_of(spec) == money.Price(0, 0)


def test_tokens_of_messages_are_estimated_by_script_and_add_up():
    texts = {
        "": 8,
        "four": 9,
        "four and more": 12,
        "1,234": 11,
        "一二三四": 12,
        "no 图": 10,
        "🙂": 11,
    }
    found = {text: money.token_estimate([Message("user", text)]) for text in texts}
    assert found == texts
    assert money.token_estimate([Message("system", "four"), Message("user", "four")]) == 18
    assert money.token_estimate([]) == 0


def test_a_call_costs_its_reported_tokens_and_at_most_its_prompt_and_the_longest_reply():
    assert money.worst_case(SPEC, 1000) == 2500 + 1000
    assert money.actual(SPEC, 101, 3, 9999) == 283  # rounded up
    for prompt, reply in ((None, 3), (3, None), (None, None)):
        assert money.actual(SPEC, prompt, reply, 9999) == 9999  # as was reserved
    for parameters, tokens in (
        ({}, 1024),
        ({"max_tokens": 7}, 7),
        ({"max_completion_tokens": 9}, 9),
    ):
        assert money.reply_allowance(JudgeSpec(parameters=parameters)) == tokens


def test_money_is_printed_with_the_digits_it_needs():
    printed = {0: "0.00", 31_500: "0.0315", 12_500_000: "12.50", -31_500: "-0.0315"}
    assert {micro: money.print_money(micro) for micro in printed} == printed


# --- budgets --------------------------------------------------------------------------------------


def test_what_is_reserved_stands_under_submission_account_and_day(run, owner, settings):
    assert reserve(run, 10, 20) == money.Reserved(2, "")
    day = database_now().date()
    assert dict(Spend.objects.values_list("scope", "cost")) == {
        f"submission/{run.submission_id}": 30,
        f"account/{owner.pk}/{day}": 30,
        f"site/{day}": 30,
    }
    assert spent_on(run.submission) == 30
    settings.BUDGET_SITE_DAY = 0.00003
    assert reserve(run, 0, 0) == money.Reserved(2, "")  # free, also at the cap
    assert spends()["site"] == 30
    with transaction.atomic():
        money.reserve(run, [0, 0])
        transaction.set_rollback(True)
    assert spends() == {"submission": 30, "account": 30, "site": 30}


def test_a_submission_without_owner_is_on_nobodys_account(spelling):
    reserve(paid_run(submit(spelling, None)), 5)
    assert spends() == {"submission": 5, "site": 5}


def test_each_budget_stops_at_its_cap_and_says_so(run):
    for setting, words in (
        ("BUDGET_SUBMISSION", "the budget of this submission"),
        ("BUDGET_ACCOUNT_DAY", "today's budget of this account"),
        ("BUDGET_SITE_DAY", "today's budget of this site"),
    ):
        with undone(), override_settings(**{setting: 2.0}):
            assert reserve(run, 1_500_000, 700_000, 1) == money.Reserved(
                1, f"{words} is reached: 1.50 of 2.00 spent, a call may cost 0.7000"
            )
            assert spends() == dict.fromkeys(("submission", "account", "site"), 1_500_000)
            assert reserve(run, 500_000).count == 1  # to its last micro
            assert reserve(run, 1).count == 0


def test_an_account_s_budget_spans_its_submissions_and_no_others(
    spelling, owner, stranger, settings
):
    settings.BUDGET_ACCOUNT_DAY = 0.00002
    first, second = (paid_run(submit(spelling, owner, name=name)) for name in ("A", "B"))
    other = paid_run(submit(spelling, stranger))
    assert [reserve(run, 15).count for run in (first, second, other)] == [1, 0, 1]


def test_each_day_has_a_budget_of_its_own_and_what_its_calls_cost_in_the_end(run, settings):
    settings.BUDGET_SITE_DAY = settings.BUDGET_ACCOUNT_DAY = 0.00002
    today = database_now()
    reserve(run, 20, started=today - DAY)
    assert reserve(run, 20).count == 1
    with transaction.atomic():
        money.correct(run, -15, today - DAY)
        money.correct(run, 0, today)
    sites = dict(Spend.objects.filter(scope__startswith="site/").values_list("scope", "cost"))
    assert sites == {f"site/{(today - DAY).date()}": 5, f"site/{today.date()}": 20}
    assert spent_on(run.submission) == 25


def test_room_is_what_every_budget_allows(run, settings):
    settings.BUDGET_SUBMISSION = 0.00003
    reserve(run, 20)
    assert (money.has_room(run, 10), money.has_room(run, 11)) == (True, False)
    settings.BUDGET_SUBMISSION = 0.0
    assert money.has_room(run, 10**9)


def reserve_often(run: JudgeRun, cost: int, allowed: list[int]) -> None:
    for _ in range(20):
        allowed.append(reserve(run, cost, cost).count)


def test_accounts_and_workers_at_once_never_pass_a_cap(
    committed, spelling, owner, stranger, settings
):
    settings.BUDGET_SITE_DAY, settings.BUDGET_SUBMISSION = 0.00105, 0.001
    allowed: list[int] = []
    runs = [paid_run(submit(spelling, who)) for who in (owner, stranger)]
    at_once(*(partial(reserve_often, run, 50, allowed) for run in runs))
    assert (sum(allowed), spends()["site"]) == (21, 1050)
    settings.BUDGET_SITE_DAY, run, allowed = 0.0, paid_run(submit(spelling, owner, name="B")), []
    at_once(*[partial(reserve_often, run, 70, allowed)] * 2)
    assert (sum(allowed), spent_on(run.submission)) == (14, 980)


@pytest.mark.slow
def test_yesterday_is_corrected_while_today_is_reserved_and_nobody_waits_in_a_circle(
    committed, run
):
    today = database_now()
    reserve(run, 1000, started=today - DAY)

    def correct() -> None:
        for _ in range(20):
            with transaction.atomic():
                money.correct(run, -10, today - DAY)
                money.correct(run, 5, today)

    at_once(correct, correct, partial(reserve_often, run, 3, []))
    assert spent_on(run.submission) == 1000 - 400 + 200 + 120


# --- the ledger is the truth ----------------------------------------------------------------------


def call(run: JudgeRun, cost: int, started: datetime, outcome: str = "answered") -> None:
    """A ledger row and its charge, as the engine writes them."""
    reserve(run, cost, started=started)
    JudgeCall.objects.create(
        judgement=run.judgements.first(), started=started, outcome=outcome, cost=cost
    )


def test_sums_that_do_not_follow_the_ledger_are_named(run, spelling, capsys):
    for days in (0, 0, 1):
        call(run, 7_000_000, NOON - days * DAY)
    call(paid_run(submit(spelling, None, name="Nobody's")), 5, NOON)
    assert money.spend_drift() == []
    Spend.objects.filter(scope="site/2026-11-20").update(cost=8_000_000)
    assert money.spend_drift() == ["site/2026-11-20: 8.00 is stored, the ledger says 7.00"]
    Spend.objects.filter(scope="site/2026-11-20").delete()
    with pytest.raises(CommandError, match=r"the ledger says 7\.00") as refused:
        call_command("ledger")
    assert refused.value.returncode == 1


def test_calls_without_a_stored_sum_are_drift(run):
    at = datetime(2026, 11, 21, 23, 59, tzinfo=UTC)
    JudgeCall.objects.create(judgement=run.judgements.first(), started=at, cost=5)
    assert [line.partition(":")[0] for line in money.spend_drift()] == [
        f"account/{run.submission.owner_id}/2026-11-21",
        "site/2026-11-21",
        f"submission/{run.submission_id}",
    ]


def test_the_ledger_command_prints_totals_and_unknown_ones_apart(run, capsys):
    call_command("ledger")
    assert "Calls: none" in capsys.readouterr().out
    call(run, 7_000_000, NOON)
    call(run, 2_000_000, NOON, JudgeCall.Outcome.UNKNOWN)
    call_command("ledger")
    lines = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert ["2026-11-21", "paid", "answered", "1", "0", "0", "7.00"] in lines
    assert ["2026-11-21", "paid", "unknown", "1", "0", "0", "2.00"] in lines
    call(run, 3_000_000, NOON - DAY)
    call_command("ledger", days=1)
    latest = capsys.readouterr().out
    assert "2026-11-21" in latest
    assert "2026-11-20" not in latest
    call_command("ledger")
    assert "2026-11-20" in capsys.readouterr().out
