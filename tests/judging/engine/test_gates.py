"""What a request passes before it leaves: rates, seats and budgets, each by itself."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from uuid import uuid4

import pytest
from django.db.models import Sum

from benchmarks.registry import protocol
from judging import limits, money
from judging.engine.gates import (
    RATE_SECONDS,
    RENEWALS_PER_SEAT,
    SEAT_SECONDS,
    BudgetGate,
    Ended,
    RateGate,
    SeatGate,
)
from judging.engine.intake import Intake, Item, call_of
from judging.engine.leases import Leases
from judging.judges.base import Reply
from judging.models import JudgeCall, Judgement, JudgeRun, Spend
from judging.queue import CallClosing, Settlement
from judging.services import ensure_spec, plan_run, request_run

State = Judgement.State
LAB = {
    "url": "http://127.0.0.1:9/v1",
    "key": "",
    "limits": {},
    "prices": {"m": (1000.0, 1000.0)},
}


@pytest.fixture
def run(submission, settings) -> JudgeRun:
    settings.JUDGE_ENDPOINTS = {"lab": LAB}
    spec = ensure_spec(of=protocol("spelling"), kind="openai", endpoint="lab", model="m", repeats=1)
    run = request_run(submission=submission, spec=spec)
    plan_run(run_id=run.pk)
    return run


def limit(settings, **rates: int) -> None:
    settings.JUDGE_ENDPOINTS = {"lab": {**LAB, "limits": rates}}


def items_of(run: JudgeRun) -> list[Item]:
    intake = Intake(run, protocol(run.judge_spec.protocol).judging, Leases(timedelta(seconds=60)))
    intake.claim(100, held=[])
    return list(intake.waiting)


def ended(item: Item, *, cost: int) -> Ended:
    settlement = Settlement(item.row.pk, item.row.fence, State.JUDGED, "right")
    closing = CallClosing(call_of(item).pk, JudgeCall.Outcome.ANSWERED, cost=cost)
    return Ended(item, Reply("right"), settlement, closing)


def used(item: Item, *, prompt: int, reply: int) -> Ended:
    said = Reply("right", prompt_tokens=prompt, reply_tokens=reply)
    return replace(ended(item, cost=0), result=said)


# --- rates --------------------------------------------------------------------------------------


def test_where_no_rate_is_set_every_call_may_leave_at_once(run):
    gate, items = RateGate(run.judge_spec), items_of(run)
    assert gate.admit(items, 1000.0) == items
    assert not gate.is_closed(1000.0)
    assert not any(item.start for item in items)


def test_calls_that_would_start_too_late_stay(run, settings):
    limit(settings, requests=60)
    gate, items = RateGate(run.judge_spec), items_of(run)
    assert gate.admit(items, 1000.0) == items[:1]
    assert gate.is_closed(1000.0 + RATE_SECONDS / 2)
    assert not gate.is_closed(1000.0 + RATE_SECONDS)


def test_a_call_reserves_its_prompt_and_the_likely_reply(run, settings):
    limit(settings, tokens=10**9)
    gate, items = RateGate(run.judge_spec), items_of(run)
    gate.admit(items, 1000.0)
    allowed = money.reply_allowance(run.judge_spec)
    assert [item.tokens for item in items] == [item.prompt_tokens + allowed for item in items]


def test_replies_teach_how_long_the_next_one_is(run, settings):
    limit(settings, tokens=10**9)
    gate, items = RateGate(run.judge_spec), items_of(run)
    gate.admit(items, 1000.0)
    for item in items[:2]:
        item.call = JudgeCall(pk=item.row.pk)
    before = gate.reply_tokens
    gate.charge([used(item, prompt=item.prompt_tokens, reply=1) for item in items[:2]])
    once = before + 0.05 * (1 - before)
    assert gate.reply_tokens == pytest.approx(once + 0.05 * (1 - once))


def test_what_calls_did_not_use_is_free_for_others(run, settings):
    limit(settings, tokens=2000)
    gate, items = RateGate(run.judge_spec), items_of(run)
    (first,) = gate.admit(items, 1000.0)
    first.call = JudgeCall(pk=first.row.pk)
    assert limits.reserve("lab", [first.tokens], within=30) == ()
    gate.charge([used(first, prompt=1, reply=1)])
    assert len(limits.reserve("lab", [first.tokens], within=30)) == 1


# --- seats --------------------------------------------------------------------------------------


def test_where_nobody_limits_them_all_calls_may_be_under_way(run, settings):
    settings.JUDGE_CONCURRENCY = 7
    seat = SeatGate("lab", uuid4())
    assert seat.first_cap == 7
    assert seat.renewed(1000.0, busy=0) is None


def test_nothing_is_under_way_before_a_seat_is_taken(run, settings):
    limit(settings, concurrent=5)
    settings.JUDGE_CONCURRENCY = 7
    seat = SeatGate("lab", uuid4())
    assert seat.first_cap == 0
    assert seat.renewed(1000.0, busy=0) == 5


def test_a_seat_is_renewed_when_due_and_follows_a_newcomer(run, settings):
    limit(settings, concurrent=6)
    settings.JUDGE_CONCURRENCY = 6
    first, second = SeatGate("lab", uuid4()), SeatGate("lab", uuid4())
    due = 1000.0 + SEAT_SECONDS / RENEWALS_PER_SEAT
    assert first.renewed(1000.0, busy=0) == 6
    assert second.renewed(1000.0, busy=0) == 0
    assert first.renewed(due - 0.1, busy=0) is None
    assert first.renewed(due, busy=0) == 3
    assert second.renewed(due, busy=0) == 3


def test_a_seat_that_is_released_is_free_for_others(run, settings):
    limit(settings, concurrent=6)
    settings.JUDGE_CONCURRENCY = 6
    first, second = SeatGate("lab", uuid4()), SeatGate("lab", uuid4())
    first.renewed(1000.0, busy=0)
    first.release()
    assert second.renewed(1000.0, busy=0) == 6


# --- budgets ------------------------------------------------------------------------------------


def reserved() -> int:
    return Spend.objects.filter(scope__startswith="submission/").aggregate(s=Sum("cost"))["s"] or 0


def opened(gate: BudgetGate, items: Sequence[Item]) -> Sequence[Item]:
    chosen, refusal = gate.open(items)
    assert not refusal
    return chosen


def test_without_a_budget_every_call_has_a_row_at_its_worst_case(run):
    items = items_of(run)
    chosen, refusal = BudgetGate(run).open(items)
    rows = dict(JudgeCall.objects.values_list("pk", "cost"))
    assert (list(chosen), refusal) == (items, "")
    assert {call_of(item).pk: item.cost for item in items} == rows
    assert reserved() == sum(rows.values())


def test_calls_beyond_the_budget_have_no_row_and_a_reason(run, settings):
    items = items_of(run)
    settings.BUDGET_SUBMISSION = (items[0].cost + items[1].cost) / money.MICRO
    chosen, refusal = BudgetGate(run).open(items)
    assert list(chosen) == items[:2]
    assert "budget" in refusal
    assert JudgeCall.objects.count() == 2
    assert all(item.call is None for item in items[2:])


def test_closing_a_call_stores_its_verdict_and_frees_what_it_did_not_cost(run):
    gate, items = BudgetGate(run), items_of(run)
    opened(gate, items)
    before = reserved()
    gate.close([ended(items[0], cost=7)])
    assert reserved() == before - items[0].cost + 7 == sum_of_ledger()
    assert Judgement.objects.get(pk=items[0].row.pk).verdict == "right"


def test_a_call_that_is_closed_twice_moves_money_once(run):
    gate, items = BudgetGate(run), items_of(run)
    opened(gate, items)
    gate.close([ended(items[0], cost=7)])
    gate.close([ended(items[0], cost=7)])
    assert reserved() == sum_of_ledger()


def test_a_number_that_another_call_has_by_now_is_left_alone(run):
    """A standby that took over without the newest rows gives their numbers out anew."""
    gate, items = BudgetGate(run), items_of(run)
    opened(gate, items[:1])
    call = JudgeCall.objects.get()
    JudgeCall.objects.update(started=call.started + timedelta(seconds=9))
    gate.close([ended(items[0], cost=7)])
    assert JudgeCall.objects.get().outcome == JudgeCall.Outcome.OPEN
    assert reserved() == sum_of_ledger()


def test_a_reply_to_a_call_that_others_closed_is_a_verdict_and_moves_no_money(run):
    gate, items = BudgetGate(run), items_of(run)
    opened(gate, items)
    before = reserved()
    JudgeCall.objects.update(outcome=JudgeCall.Outcome.UNKNOWN)
    gate.close([ended(items[0], cost=7)])
    assert Judgement.objects.get(pk=items[0].row.pk).verdict == "right"
    assert reserved() == before


def test_calls_that_never_left_cost_nothing_once_they_are_refunded(run):
    gate, items = BudgetGate(run), items_of(run)
    opened(gate, items)
    cancelled = gate.cancel(items[:2])
    gate.refund(cancelled)
    assert cancelled == items[:2]
    assert gate.cancel(items[:2]) == []
    assert set(
        JudgeCall.objects.filter(judgement__in=[item.row for item in items[:2]]).values_list(
            "outcome", "cost"
        )
    ) == {(JudgeCall.Outcome.UNSENT, 0)}
    assert reserved() == sum_of_ledger()


def test_an_item_that_was_never_sent_has_nothing_to_cancel(run):
    assert BudgetGate(run).cancel(items_of(run)) == []


def test_money_moves_on_the_day_its_call_began(run):
    """Of yesterday's call the difference is yesterday's, however late it comes back."""
    gate, items = BudgetGate(run), items_of(run)
    opened(gate, items[:1])
    call = call_of(items[0])
    day_before = call.started - timedelta(days=1)
    JudgeCall.objects.filter(pk=call.pk).update(started=day_before)
    call.started = day_before
    gate.close([ended(items[0], cost=7)])
    spent = dict(Spend.objects.filter(scope__startswith="site/").values_list("scope", "cost"))
    assert spent == {
        money.site_scope(money.day_of(day_before + timedelta(days=1))): items[0].cost,
        money.site_scope(money.day_of(day_before)): 7 - items[0].cost,
    }


def sum_of_ledger() -> int:
    total: int = JudgeCall.objects.aggregate(total=Sum("cost"))["total"]
    return total
