"""What a request passes before it leaves: the money of each call is reserved once and moved
once."""

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from functools import partial

import pytest
from django.db.models import Sum

from benchmarks.registry import protocol
from judging.coordination import limits, money
from judging.coordination.queue import CallClosing, Settlement
from judging.engine import faults
from judging.engine.faults import FruitlessRow
from judging.engine.gates import BudgetGate, Ended, RateGate
from judging.engine.intake import Intake, Item, call_of
from judging.engine.leases import Leases
from judging.judges.base import Reply
from judging.models import JudgeCall, Judgement, JudgeRun, Spend
from tests.judging.runs import planned
from tests.judging.threads import waiting_for_commit

LAB = {
    "url": "http://127.0.0.1:9/v1",
    "key": "",
    "limits": {},
    "prices": {"m": (1000.0, 1000.0)},
}


@pytest.fixture
def run(submission, settings) -> JudgeRun:
    settings.JUDGE_ENDPOINTS = {"lab": LAB}
    return planned(submission, endpoint="lab")


@pytest.fixture
def items(run) -> list[Item]:
    """All four, claimed."""
    intake = Intake(run, protocol("spelling").judging, Leases(timedelta(seconds=60)))
    intake.claim(100, held=[])
    return list(intake.waiting)


@pytest.fixture
def gate(run, items) -> BudgetGate:
    """All four have a row in the ledger, at their worst case."""
    gate = BudgetGate(run)
    assert gate.admit(items) == (items, "")
    rows = dict(JudgeCall.objects.values_list("pk", "cost"))
    assert rows == {call_of(item).pk: item.cost for item in items}
    return gate


def ended(item: Item, *, cost: int) -> Ended:
    settlement = Settlement(item.row.pk, item.row.fence, Judgement.State.JUDGED, "right")
    closing = CallClosing(call_of(item).pk, JudgeCall.Outcome.ANSWERED, cost=cost)
    return Ended(item, Reply("right"), settlement, closing)


def reserved() -> int:
    """What is stored as spent, which is what the ledger says."""
    rows = Spend.objects.filter(scope__startswith="submission/")
    spent: int = rows.aggregate(total=Sum("cost"))["total"] or 0
    assert spent == JudgeCall.objects.aggregate(total=Sum("cost"))["total"]
    return spent


def test_two_processes_in_doubt_open_no_more_calls_than_one(
    committed, submission, settings, monkeypatch
):
    """What each may open, it counts while the other opens none."""
    settings.JUDGE_ENDPOINTS = {"lab": LAB}
    settings.JUDGE_PROCESSES_PER_RUN = 1  # or each has its own half
    monkeypatch.setattr(faults, "FAULTS_IN_ROW", 2)
    run = planned(submission, endpoint="lab")
    counted = []

    def engine() -> tuple[list[Item], Callable[[], tuple[object, str]]]:
        leases = Leases(timedelta(seconds=60))
        intake = Intake(run, protocol("spelling").judging, leases)
        intake.claim(2, held=[])
        more = partial(FruitlessRow(run).more_allowed, under_way=0, holder=leases.holder)
        gate = BudgetGate(run)
        return list(intake.waiting), partial(gate.admit, list(intake.waiting), first=more)

    (items, admit), (_, admit_of_other) = engine(), engine()
    with waiting_for_commit(lambda: counted.append(admit_of_other())):
        assert admit() == (items, "")
    assert counted == [([], "")]


def test_calls_beyond_the_budget_have_no_row_and_a_reason(run, items, settings):
    settings.BUDGET_SUBMISSION = (items[0].cost + items[1].cost) / money.MICRO
    gate = BudgetGate(run)
    assert gate.cancel(items) == []  # none was sent
    chosen, refusal = gate.admit(items)
    assert (list(chosen), "budget" in refusal) == (items[:2], True)
    assert JudgeCall.objects.count() == 2
    assert [item.call for item in items[2:]] == [None, None]


def test_closing_a_call_stores_its_verdict_and_frees_once_what_it_did_not_cost(gate, items):
    before = reserved()
    for _ in range(2):  # after a lost connection nobody knows whether a commit had its way
        gate.store([ended(items[0], cost=7)])
        assert reserved() == before - items[0].cost + 7
    assert Judgement.objects.get(pk=items[0].row.pk).verdict == "right"


def test_a_number_that_another_call_has_by_now_is_left_alone(gate, items):
    """A standby that took over without the newest rows gives their numbers out anew."""
    call, before = call_of(items[0]), reserved()
    rows = JudgeCall.objects.filter(pk=call.pk)
    rows.update(started=call.started + timedelta(seconds=9))
    gate.store([ended(items[0], cost=7)])
    assert rows.get().outcome == JudgeCall.Outcome.OPEN
    assert reserved() == before


def test_a_reply_to_a_call_that_others_closed_is_a_verdict_and_moves_no_money(gate, items):
    before = reserved()
    JudgeCall.objects.update(outcome=JudgeCall.Outcome.UNKNOWN)
    gate.store([ended(items[0], cost=7)])
    assert Judgement.objects.get(pk=items[0].row.pk).verdict == "right"
    assert reserved() == before


def test_calls_that_never_left_cost_nothing_once_they_are_refunded(gate, items):
    cancelled = gate.cancel(items[:2])
    gate.refund(cancelled)
    assert (cancelled, gate.cancel(items[:2])) == (items[:2], [])
    rows = JudgeCall.objects.filter(judgement__in=[item.row for item in items[:2]])
    assert set(rows.values_list("outcome", "cost")) == {(JudgeCall.Outcome.UNSENT, 0)}
    assert reserved() == items[2].cost + items[3].cost


def test_money_moves_on_the_day_its_call_began(run, items):
    """Of yesterday's call the difference is yesterday's, however late it comes back."""
    gate = BudgetGate(run)
    gate.admit(items[:1])
    call = call_of(items[0])
    yesterday = call.started - timedelta(days=1)
    JudgeCall.objects.filter(pk=call.pk).update(started=yesterday)
    call.started = yesterday
    gate.store([ended(items[0], cost=7)])
    spent = dict(Spend.objects.filter(scope__startswith="site/").values_list("scope", "cost"))
    assert spent == {
        money.site_scope(money.day_of(yesterday + timedelta(days=1))): items[0].cost,
        money.site_scope(money.day_of(yesterday)): 7 - items[0].cost,
    }


def test_tokens_that_calls_did_not_use_are_free_for_others(run, items, settings):
    settings.JUDGE_ENDPOINTS = {"lab": {**LAB, "limits": {"tokens": 2000}}}
    gate = RateGate(run.judge_spec)
    (first,) = gate.admit(items, 1000.0)
    first.call = JudgeCall(pk=first.row.pk)
    allowed = money.reply_allowance(run.judge_spec)
    assert (first.tokens, gate.is_shut(1000.05)) == (first.prompt_tokens + allowed, True)
    assert limits.reserve("lab", [first.tokens], within=30) == ()
    gate.charge([replace(ended(first, cost=0), result=Reply("", prompt_tokens=1, reply_tokens=1))])
    assert len(limits.reserve("lab", [first.tokens], within=30)) == 1
    assert gate.reply_tokens == pytest.approx(allowed - 0.05 * (allowed - 1))
