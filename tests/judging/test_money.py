"""Prices, estimates and budgets: what a call may cost, what is charged, and that no cap is
passed."""

from datetime import UTC, datetime, timedelta
from functools import partial

import pytest
from django.core.management import CommandError, call_command
from django.db import transaction

from benchmarks.protocols.base import Message
from benchmarks.registry import protocol
from judging import money
from judging.clock import database_now
from judging.models import JudgeCall, JudgeRun, JudgeSpec, Spend
from judging.services import ensure_spec, plan_run, request_run
from tests.conftest import submit
from tests.judging.threads import at_once

PRICED = {"paid": {"url": "http://127.0.0.1:1", "key": "", "prices": {"scribe": (2.5, 10.0)}}}


@pytest.fixture(autouse=True)
def prices(settings):
    settings.JUDGE_ENDPOINTS = PRICED


def paid_spec(**parameters) -> JudgeSpec:
    return ensure_spec(
        of=protocol("spelling"),
        kind="openai",
        endpoint="paid",
        model="scribe",
        parameters=parameters,
        repeats=1,
    )


def paid_run(submission) -> JudgeRun:
    run = request_run(submission=submission, spec=paid_spec())
    plan_run(run_id=run.pk)
    return run


@pytest.fixture
def run(submission) -> JudgeRun:
    return paid_run(submission)


def reserve(run: JudgeRun, *costs: int) -> money.Reserved:
    with transaction.atomic():
        return money.reserve(run, costs)


def spends() -> dict[str, int]:
    """Stored sums by the first word of their scope."""
    return {
        scope.partition("/")[0]: cost for scope, cost in Spend.objects.values_list("scope", "cost")
    }


# --- what a call costs ----------------------------------------------------------------------------


def test_a_spec_costs_what_its_endpoint_says_of_its_model():
    assert money.price_of(JudgeSpec(endpoint="paid", model="scribe")) == money.Price(2.5, 10.0)


@pytest.mark.parametrize(
    ("endpoint", "model"), [("", "rules"), ("paid", "another"), ("gone", "scribe")]
)
def test_what_has_no_price_is_free(endpoint, model):
    assert money.price_of(JudgeSpec(endpoint=endpoint, model=model)) == money.Price(0, 0)


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("", 8),
        ("four", 9),
        ("four and more", 12),
        ("1,234", 11),
        ("一二三四", 12),
        ("no 图", 10),
        ("🙂", 11),
    ],
)
def test_tokens_of_a_message_by_script(text, tokens):
    assert money.token_estimate([Message("user", text)]) == tokens


def test_tokens_of_messages_add_up():
    assert money.token_estimate([Message("system", "four"), Message("user", "four")]) == 18
    assert money.token_estimate([]) == 0


@pytest.mark.parametrize(
    ("parameters", "tokens"),
    [({}, 1024), ({"max_tokens": 7}, 7), ({"max_completion_tokens": 9}, 9)],
)
def test_the_longest_reply_is_that_of_the_parameters(parameters, tokens):
    assert money.reply_allowance(JudgeSpec(parameters=parameters)) == tokens


def test_the_worst_case_is_the_prompt_and_the_longest_reply():
    spec = JudgeSpec(endpoint="paid", model="scribe", parameters={"max_tokens": 100})
    assert money.worst_case(spec, 1000) == 2500 + 1000


def test_a_call_costs_its_reported_tokens_rounded_up():
    assert money.actual(JudgeSpec(endpoint="paid", model="scribe"), 101, 3, 9999) == 283


@pytest.mark.parametrize(("prompt", "reply"), [(None, 3), (3, None), (None, None)])
def test_a_call_without_reported_tokens_costs_what_was_reserved(prompt, reply):
    assert money.actual(JudgeSpec(endpoint="paid", model="scribe"), prompt, reply, 9999) == 9999


@pytest.mark.parametrize(
    ("micro", "printed"),
    [(0, "0.00"), (31_500, "0.0315"), (12_500_000, "12.50"), (-31_500, "-0.0315")],
)
def test_money_is_printed_with_the_digits_it_needs(micro, printed):
    assert money.print_money(micro) == printed


# --- budgets --------------------------------------------------------------------------------------


def test_without_caps_everything_is_reserved_and_written(run):
    assert reserve(run, 10, 20) == money.Reserved(2, "")
    assert spends() == {"submission": 30, "account": 30, "site": 30}
    assert money.spent_on(run.submission) == 30


def test_scopes_name_submission_account_and_day(run, owner):
    reserve(run, 1)
    day = database_now().date()
    assert set(Spend.objects.values_list("scope", flat=True)) == {
        f"submission/{run.submission_id}",
        f"account/{owner.pk}/{day}",
        f"site/{day}",
    }


def test_free_calls_write_nothing_even_at_the_cap(run, settings):
    settings.BUDGET_SITE_DAY = 0.00001
    reserve(run, 10)
    assert reserve(run, 0, 0) == money.Reserved(2, "")
    assert spends()["site"] == 10


def test_a_submission_without_owner_is_on_nobodys_account(spelling):
    run = paid_run(submit(spelling, None))
    reserve(run, 5)
    assert spends() == {"submission": 5, "site": 5}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("setting", "words"),
    [
        ("BUDGET_SUBMISSION", "the budget of this submission"),
        ("BUDGET_ACCOUNT_DAY", "today's budget of this account"),
        ("BUDGET_SITE_DAY", "today's budget of this site"),
    ],
)
def test_each_budget_stops_at_its_cap_and_says_so(run, settings, setting, words):
    setattr(settings, setting, 0.000025)
    found = reserve(run, 10, 10, 10)
    assert found.count == 2
    assert words in found.reason
    assert spends() == {"submission": 20, "account": 20, "site": 20}


def test_the_reason_tells_what_is_spent_and_the_cap(run, settings):
    settings.BUDGET_SUBMISSION = 2.0
    assert reserve(run, 1_500_000, 700_000).reason == (
        "the budget of this submission is reached: 1.50 of 2.00 spent, a call may cost 0.7000"
    )


def test_a_budget_is_used_to_its_last_micro(run, settings):
    settings.BUDGET_SUBMISSION = 0.00003
    assert reserve(run, 10, 20) == money.Reserved(2, "")
    assert reserve(run, 1).count == 0
    assert spends()["submission"] == 30


def test_an_account_s_budget_spans_its_submissions_and_no_others(
    spelling, owner, stranger, settings
):
    settings.BUDGET_ACCOUNT_DAY = 0.00002
    first, second = (paid_run(submit(spelling, owner, name=name)) for name in ("A", "B"))
    assert reserve(first, 15).count == 1
    assert reserve(second, 15).count == 0
    assert reserve(paid_run(submit(spelling, stranger)), 15).count == 1


def test_yesterdays_spending_leaves_todays_budget_alone(run, settings):
    settings.BUDGET_SITE_DAY = settings.BUDGET_ACCOUNT_DAY = 0.00002
    with transaction.atomic():
        money.reserve(run, [20], started=database_now() - timedelta(days=1))
    assert reserve(run, 20).count == 1


def test_a_correction_moves_the_day_the_calls_started(run):
    yesterday = database_now() - timedelta(days=1)
    with transaction.atomic():
        money.reserve(run, [100], started=yesterday)
        money.correct(run, -60, yesterday)
    assert set(Spend.objects.values_list("cost", flat=True)) == {40}
    assert Spend.objects.filter(scope=f"site/{yesterday.date()}").exists()


def test_a_correction_by_nothing_touches_nothing(run, django_assert_num_queries):
    now = database_now()
    with django_assert_num_queries(0):
        money.correct(run, 0, now)


def test_room_is_what_every_budget_allows(run, settings):
    settings.BUDGET_SUBMISSION = 0.00003
    reserve(run, 20)
    assert money.has_room(run, 10)
    assert not money.has_room(run, 11)
    settings.BUDGET_SUBMISSION = 0.0
    assert money.has_room(run, 10**9)


def test_a_rolled_back_reservation_is_not_spent(run):
    with transaction.atomic():
        money.reserve(run, [10])
        transaction.set_rollback(True)
    assert not Spend.objects.exists()


def reserve_often(run: JudgeRun, cost: int, allowed: list[int]) -> None:
    for _ in range(20):
        allowed.append(reserve(run, cost, cost).count)


def test_two_accounts_at_the_site_s_cap_never_pass_it(
    committed, spelling, owner, stranger, settings
):
    settings.BUDGET_SITE_DAY = 0.00105
    allowed: list[int] = []
    runs = [paid_run(submit(spelling, who)) for who in (owner, stranger)]
    at_once(*(partial(reserve_often, run, 50, allowed) for run in runs))
    assert sum(allowed) == 21
    assert spends()["site"] == 1050


def test_two_workers_on_one_run_never_pass_its_cap(committed, run, settings):
    settings.BUDGET_SUBMISSION = 0.001
    allowed: list[int] = []
    at_once(*[partial(reserve_often, run, 70, allowed)] * 2)
    assert sum(allowed) == 14
    assert money.spent_on(run.submission) == 980


@pytest.mark.slow
def test_yesterday_is_corrected_while_today_is_reserved_and_nobody_waits_in_a_circle(
    committed, run
):
    today = database_now()
    yesterday = today - timedelta(days=1)
    with transaction.atomic():
        money.reserve(run, [1000], started=yesterday)

    def correct() -> None:
        for _ in range(20):
            with transaction.atomic():
                money.correct(run, -10, yesterday)
                money.correct(run, 5, today)

    at_once(correct, correct, partial(reserve_often, run, 3, []))
    assert money.spent_on(run.submission) == 1000 - 400 + 200 + 120


# --- the ledger is the truth ----------------------------------------------------------------------


def call(
    run: JudgeRun, cost: int, started: datetime, outcome: str = JudgeCall.Outcome.ANSWERED
) -> None:
    """A ledger row and its charge, as the engine writes them."""
    with transaction.atomic():
        money.reserve(run, [cost], started=started)
        JudgeCall.objects.create(
            judgement=run.judgements.first(), started=started, outcome=outcome, cost=cost
        )


def test_sums_that_follow_the_ledger_do_not_drift(run, spelling):
    today = database_now()
    for days in (0, 0, 1):
        call(run, 7, today - timedelta(days=days))
    call(paid_run(submit(spelling, None, name="Nobody's")), 5, today)
    assert money.spend_drift() == []


def test_a_sum_that_does_not_follow_the_ledger_is_named(run):
    call(run, 7_000_000, datetime(2026, 11, 21, 12, tzinfo=UTC))
    Spend.objects.filter(scope="site/2026-11-21").update(cost=8_000_000)
    assert money.spend_drift() == ["site/2026-11-21: 8.00 is stored, the ledger says 7.00"]


def test_calls_without_a_stored_sum_are_drift(run):
    at = datetime(2026, 11, 21, 23, 59, tzinfo=UTC)
    JudgeCall.objects.create(judgement=run.judgements.first(), started=at, cost=5)
    assert [line.partition(":")[0] for line in money.spend_drift()] == [
        f"account/{run.submission.owner_id}/2026-11-21",
        "site/2026-11-21",
        f"submission/{run.submission_id}",
    ]


def test_the_ledger_command_prints_totals_and_unknown_ones_apart(run, capsys):
    at = datetime(2026, 11, 21, 12, tzinfo=UTC)
    call(run, 7_000_000, at)
    call(run, 2_000_000, at, JudgeCall.Outcome.UNKNOWN)
    call_command("ledger")
    lines = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert ["2026-11-21", "paid", "answered", "1", "0", "0", "7.00"] in lines
    assert ["2026-11-21", "paid", "unknown", "1", "0", "0", "2.00"] in lines


def test_the_ledger_command_fails_where_sums_drift(run, capsys):
    call(run, 7_000_000, datetime(2026, 11, 21, 12, tzinfo=UTC))
    Spend.objects.filter(scope="site/2026-11-21").delete()
    with pytest.raises(CommandError, match=r"the ledger says 7\.00") as refused:
        call_command("ledger")
    assert refused.value.returncode == 1


def test_an_empty_ledger_says_so(db, capsys):
    call_command("ledger")
    assert "Calls: none" in capsys.readouterr().out
