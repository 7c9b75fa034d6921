"""Whatever happens to workers, and in whatever order: every answer ends with one verdict, and no verdict changes."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import timedelta

import pytest
from django.db import transaction
from django.utils import timezone
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from benchmarks.registry import protocol
from judging import queue
from judging.judges.scripted import ScriptedJudge
from judging.models import Judgement, JudgeRun
from judging.queue import Settlement
from judging.services import ensure_spec, judge_run, pause_run, plan_run, request_run, resume_run

State = Judgement.State
HOUR = timedelta(hours=1)
EVENTS = ["claim", "answer", "fail", "vanish", "sweep", "halt", "resume"]


@pytest.fixture
def run(submission) -> JudgeRun:
    spec = ensure_spec(of=protocol("spelling"), kind="openai", endpoint="none", model="m", repeats=1)
    run = request_run(submission=submission, spec=spec)
    plan_run(run_id=run.pk)
    return run


@contextmanager
def undone() -> Iterator[None]:
    with transaction.atomic():
        yield
        transaction.set_rollback(True)


@dataclass
class Story:
    """A run, and the claims that workers believe they hold, the oldest first."""

    run: JudgeRun
    held: list[Judgement] = field(default_factory=list)

    def happen(self, event: str) -> None:
        if event == "claim":
            keys = queue.claim(self.run.judgements.all(), limit=2, lease=HOUR)
            self.held += Judgement.objects.filter(pk__in=keys)
        elif event == "answer":
            self.settle(State.JUDGED, "right")
        elif event == "fail":
            self.settle(State.WAITING, "")
        elif event == "vanish":
            self.run.judgements.filter(state=State.LEASED).update(lease_until=timezone.now() - HOUR)
        elif event == "sweep":
            queue.release_expired()
        elif event == "halt":
            pause_run(run=self.run, kind=JudgeRun.Pause.PERSON, reason="no key")
        else:
            resume_run(run=self.run)

    def settle(self, state: str, verdict: str) -> None:
        if self.held:
            row = self.held.pop(0)
            queue.settle([Settlement(row.pk, row.fence, state, verdict)])

    def verdicts(self) -> dict[int, str]:
        return dict(self.run.judgements.filter(state=State.JUDGED).values_list("pk", "verdict"))


@given(st.lists(st.sampled_from(EVENTS), max_size=20))
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_every_answer_ends_with_one_verdict_that_never_changes(run, events):
    with undone():
        story = Story(run)
        for event in events:
            before = story.verdicts()
            story.happen(event)
            assert before.items() <= story.verdicts().items()
        early = story.verdicts()
        for event in ("vanish", "sweep", "resume"):
            story.happen(event)
        judge_run(run_id=run.pk, judge=ScriptedJudge(["wrong"]))
        assert story.verdicts() == {pk: early.get(pk, "wrong") for pk in run.judgements.values_list("pk", flat=True)}


@given(st.lists(st.sampled_from(EVENTS), max_size=20))
@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_late_workers_change_nothing_once_all_is_judged(run, events):
    with undone():
        story = Story(run)
        for event in [*events, "vanish", "sweep", "resume"]:
            story.happen(event)
        judge_run(run_id=run.pk, judge=ScriptedJudge(["wrong"]))
        before = list(run.judgements.order_by("pk").values())
        while story.held:
            story.settle(State.JUDGED, "right")
        assert list(run.judgements.order_by("pk").values()) == before
