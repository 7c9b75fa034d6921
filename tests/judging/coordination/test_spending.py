"""While there is a reason to wait nothing is asked that costs, whoever would ask it; what needs no
call goes on, and what is under way is kept."""

import io
from collections.abc import Iterator

import pytest
from django.core.management import CommandError, call_command

from judging.coordination import spending
from judging.engine.canary import NoCanaryError, due_canaries, run_canary
from judging.engine.engine import judge_run
from judging.engine.references import (
    request_references,
    write_requested_references,
)
from judging.judges.base import Reply
from judging.models import JudgeCall, Judgement, JudgeRun
from leaderboard.operations.sweeps import idle_runs
from tests.judging.endpoint import completion, serve
from tests.judging.runs import planned
from tests.judging.scripted import ScriptedJudge

State = Judgement.State
WHY = "The clock of this worker is wrong. Set it."


class Reason:
    """A check that is counted; `sentence` is what it says."""

    def __init__(self) -> None:
        self.sentence, self.asked = WHY, 0

    def __call__(self) -> str:
        self.asked += 1
        return self.sentence


@pytest.fixture
def reason(monkeypatch) -> Iterator[Reason]:
    monkeypatch.setattr(spending, "checks", [])
    spending.look_again()
    found = Reason()
    spending.add_reason(found)
    yield found
    spending.look_again()


@pytest.fixture
def run(submission, settings) -> JudgeRun:
    lab = {"url": "http://127.0.0.1:9/v1", "key": "", "prices": {"m": (1.0, 1.0)}}
    settings.JUDGE_ENDPOINTS = {"lab": {**lab, "limits": {}}}
    return planned(submission, endpoint="lab")


def test_the_first_reason_is_said_and_looked_for_once_in_a_second(reason, monkeypatch):
    other = Reason()
    spending.add_reason(other)
    assert [spending.reason_to_wait() for _ in range(100)] == [WHY] * 100
    assert (reason.asked, other.asked) == (1, 0)
    reason.sentence = other.sentence = ""
    later = spending.kept[0]
    monkeypatch.setattr("judging.coordination.spending.time.monotonic", lambda: later)
    assert spending.reason_to_wait() == ""


def test_a_run_by_a_model_is_neither_queued_nor_claimed_nor_asked(run, reason):
    judge = ScriptedJudge(["right"])
    assert run.pk not in idle_runs()
    assert judge_run(run_id=run.pk, judge=judge) == 0
    assert not judge.asked
    assert not JudgeCall.objects.exists()
    assert not run.judgements.exclude(attempts=0).exists()
    run.refresh_from_db()
    assert run.paused is None  # it goes on by itself
    reason.sentence = ""
    spending.look_again()
    assert run.pk in idle_runs()
    assert judge_run(run_id=run.pk, judge=judge) > 0


def test_the_rules_cost_nothing_and_go_on(submission, reason):
    run = planned(submission, kind="rules")
    assert run.pk in idle_runs()
    assert judge_run(run_id=run.pk) > 0


def test_what_is_under_way_is_kept_and_nothing_more_is_asked(run, reason, settings):
    settings.JUDGE_CONCURRENCY = 1
    reason.sentence = ""
    waiting = run.judgements.filter(state=State.WAITING).count()
    assert waiting > 1

    class Witness(ScriptedJudge):
        async def ask(self, request):
            reason.sentence = WHY
            spending.look_again()
            return await super().ask(request)

    judge = Witness([Reply("right")])
    judge_run(run_id=run.pk, judge=judge, wait=True)
    answered = JudgeCall.objects.filter(outcome=JudgeCall.Outcome.ANSWERED)
    assert answered.count() == len(judge.asked) < waiting
    assert not JudgeCall.objects.filter(outcome=JudgeCall.Outcome.OPEN).exists()
    assert not run.judgements.filter(state=State.LEASED).exists()


def test_no_judge_is_tried_and_no_canary_asked(run, reason, settings):
    with pytest.raises(CommandError, match=WHY):
        call_command("try_judge", "openai:m@lab", stdout=io.StringIO())
    settings.CANARY_HOURS = 1.0
    assert due_canaries() == []
    with pytest.raises(NoCanaryError, match=WHY):
        run_canary(spec=run.judge_spec, judge=ScriptedJudge(["right"]))
    assert not JudgeCall.objects.exists()


def test_references_wait_and_whoever_asks_for_them_is_told(run, reason):
    release = run.submission.release
    request = request_references(
        release=release, model="m", endpoint="lab", requested_by=None, calls=9, cost=0
    )
    judge = ScriptedJudge(["a reference"])
    assert not write_requested_references(request_id=request.pk, judge=judge)
    request.refresh_from_db()
    assert request.finished is None
    assert not judge.asked


def test_the_command_says_why_nothing_is_judged(run, reason, settings):
    out = io.StringIO()
    with serve([completion("right")]) as endpoint:
        settings.JUDGE_ENDPOINTS["lab"]["url"] = endpoint.url
        with pytest.raises(SystemExit, match="1"):
            call_command("judge", str(run.submission_id), judge="openai:m@lab", stdout=out)
    assert WHY in out.getvalue()
