"""A submission with as many answers as a test needs, all of them different, and its run by a model
judge."""

import io

from benchmarks.models import Release
from benchmarks.registry import protocol
from benchmarks.services.importing import import_release
from judging.models import JudgeRun
from judging.services import ensure_spec, plan_run, request_run
from tests.conftest import submit


def crowd_release(answers: int) -> Release:
    rows = "".join(f"{n}|word {n}|word {n}\n" for n in range(1, answers + 1))
    return import_release(
        protocol=protocol("spelling"), stream=io.BytesIO(rows.encode()), slug=f"crowd-{answers}"
    ).release


def crowd_run(release: Release, *, name: str = "Crowd", model: str = "m") -> JudgeRun:
    """Answers differ from name to name, so that no run finds another's verdicts."""
    rows = "".join(f"{n}={name} {n}\n" for n in range(1, release.question_count + 1))
    submission = submit(release, None, rows.encode(), name=name)
    spec = ensure_spec(
        of=protocol("spelling"), kind="openai", endpoint="none", model=model, repeats=1
    )
    run = request_run(submission=submission, spec=spec)
    plan_run(run_id=run.pk)
    return run
