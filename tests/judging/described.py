"""Entries whose judges read descriptions, and descriptions that change."""

from benchmarks.models import Description, Figure, Release
from benchmarks.registry import protocol
from judging.engine.engine import judge_run
from judging.models import JudgeRun
from judging.services import ensure_spec, plan_run, request_run
from tests.conftest import submit
from tests.judging.scripted import ScriptedJudge

LINES = b"1|two|two|one.png\n2|colour|colour|one.png\n3|night|night|dark.png\n4|sea|sea\n"
"""The release of these tests; what a judge reads of its first two questions is the same figure's
description."""

ON_FIGURE = ["1", "2"]


def describe(figure: Figure, text: str, language: str = "en") -> Description:
    """The newest description of the figure, approved."""
    version = Description.objects.filter(figure=figure, language=language).count() + 1
    return Description.objects.create(
        figure=figure, version=version, text=text, language=language, state="approved"
    )


def planned(release: Release, owner, kind: str = "openai", **submission) -> JudgeRun:
    spec = ensure_spec(
        of=protocol("spelling"), kind=kind, endpoint="here", model="scripted", repeats=1
    )
    run = request_run(submission=submit(release, owner, **submission), spec=spec)
    plan_run(run_id=run.pk)
    return run


def judge(run: JudgeRun, *script) -> list[str]:
    """The questions whose answers the judge was asked about, in order; none are where rules
    judge."""
    if run.judge_spec.is_offline:
        judge_run(run_id=run.pk)
        return []
    judge = ScriptedJudge(script or ["right"])
    judge_run(run_id=run.pk, judge=judge)
    return [request.case.question.public_id for request in judge.asked]
