"""Work that waits, as tests of this room make it, and what a process of its own does in one."""

import os
from datetime import timedelta
from pathlib import Path

import pytest
from django.core.management import call_command
from django.utils import timezone

from benchmarks.registry import protocol
from benchmarks.submissions.models import Submission
from judging.engine.stopping import STOPPING
from judging.models import JudgeRun
from judging.services import ensure_spec, plan_run, request_run
from leaderboard.models import WorkerBeat

LONG_AGO = timedelta(minutes=10)
BEGUN = "TEST_HAS_BEGUN"


def planned(submission: Submission) -> JudgeRun:
    spec = ensure_spec(of=protocol("spelling"), kind="rules")
    run = request_run(submission=submission, spec=spec)
    plan_run(run_id=run.pk)
    return run


def waiting_run(submission: Submission) -> JudgeRun:
    """A planned run whose judgements wait, and wait for ten minutes already."""
    run = planned(submission)
    JudgeRun.objects.update(planned=timezone.now() - LONG_AGO)
    return run


def beat(name: str, ago: timedelta = timedelta(0)) -> None:
    WorkerBeat.objects.create(name=name, seen=timezone.now() - ago)


def said(capsys: pytest.CaptureFixture[str], command: str, *arguments: str) -> tuple[int, str]:
    """How a management command ends, and what it prints."""
    status = 0
    try:
        call_command(command, *arguments)
    except SystemExit as end:
        status = int(end.code or 0)
    return status, capsys.readouterr().out


def until_stopped() -> None:
    Path(os.environ[BEGUN]).touch()
    assert STOPPING.wait(timeout=60)
