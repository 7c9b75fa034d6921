"""Endpoints that someone opens again."""

from django.db import transaction

from judging import limits
from judging.models import JudgeRun

Pause = JudgeRun.Pause


@transaction.atomic
def reopen_endpoint(*, alias: str) -> int:
    """Neither halted nor held, and the runs there that were paused for it or for their judge go on; how many.

    An unknown model pauses its runs and halts no endpoint, but whoever sets it right says so in the same way.
    """
    resumed = limits.reopen(alias)
    for_judge = JudgeRun.objects.filter(pause_kind=Pause.JUDGE, judge_spec__endpoint=alias)
    return resumed + for_judge.update(paused=None, pause_kind=Pause.NONE, pause_reason="")
