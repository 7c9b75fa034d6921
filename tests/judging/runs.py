"""Runs of a small submission by a judge, and what became of their judgements."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.db import transaction

from benchmarks.registry import protocol
from benchmarks.submissions.models import Submission
from judging.coordination.money import budgets_of
from judging.engine.engine import judge_run
from judging.judges.base import Judge
from judging.models import Endpoint, JudgeRun
from judging.services import ensure_spec, plan_run, request_run
from tests.conftest import import_spelling, submit

MODEL: dict[str, Any] = {"kind": "openai", "endpoint": "none", "model": "m", "repeats": 1}


def planned(submission: Submission, **spec: Any) -> JudgeRun:
    """By a model that is asked once about each of the four answers, unless told otherwise."""
    of = protocol(submission.release.benchmark.slug)
    chosen = spec if spec.get("kind") == "rules" else {**MODEL, **spec}
    run = request_run(submission=submission, spec=ensure_spec(of=of, **chosen))
    plan_run(run_id=run.pk)
    return run


def new_run() -> JudgeRun:
    """For a fixture of a module: of a release of its own."""
    return planned(submit(import_spelling(), None))


def found(run: JudgeRun, *fields: str) -> set[tuple[object, ...]]:
    """What its judgements hold in these columns: each once, however many hold it."""
    return set(run.judgements.values_list(*fields))


def states(run: JudgeRun) -> set[str]:
    return set(run.judgements.values_list("state", flat=True))


def spent_on(submission: Submission) -> int:
    """Micro, calls of unknown outcome at their worst case."""
    return budgets_of(submission)[0].spent


def pause_of(run: JudgeRun) -> tuple[str, str]:
    run.refresh_from_db()
    return run.pause_kind, run.pause_reason


def again(run: JudgeRun, judge: Judge, times: int) -> None:
    """As often as told, without the waits between; what was noted of the endpoint is forgotten."""
    for _ in range(times):
        Endpoint.objects.all().delete()
        run.judgements.update(not_before=None)
        judge_run(run_id=run.pk, judge=judge)


@contextmanager
def undone() -> Iterator[None]:
    """The database as it was before, so that one world serves many stories."""
    with transaction.atomic():
        yield
        transaction.set_rollback(True)
