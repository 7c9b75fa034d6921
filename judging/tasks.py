"""Thin Celery entry points. Losing one of these messages delays work until a sweep and loses
nothing."""

from celery import shared_task

from benchmarks.wake import wake
from judging.engine import canary, engine, references


@shared_task(name="judging.judge_run")
def judge_run(run_id: int) -> None:
    engine.judge_run(run_id=run_id)
    wake()


@shared_task(name="judging.write_references")
def write_references(request_id: int) -> None:
    references.write_requested_references(request_id=request_id)


@shared_task(name="judging.run_canary")
def run_canary(spec_id: int) -> None:
    canary.run_due_canary(spec_id=spec_id)
