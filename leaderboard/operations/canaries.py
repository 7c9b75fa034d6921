"""What a canary run shows to be wrong with its judge."""

from collections.abc import Iterator

from judging.models import CanaryCase, CanaryRun


def first_models(spec: int) -> set[str]:
    """Models that the endpoint reported with the first verdicts of the canary's cases."""
    names = (
        CanaryCase.objects.filter(judge_spec=spec)
        .order_by()
        .values_list("judgement__reported_model", flat=True)
    )
    return set(names.distinct()) - {""}


def canary_faults(run: CanaryRun, known: set[str]) -> Iterator[str]:
    """What is no longer as it was. An endpoint that reports no model says nothing of it."""
    if not run.is_steady:
        yield f"under {CanaryRun.STEADY_SHARE:.0%} of the verdicts were the same".replace("%", " %")
    if known and run.reported_model and not set(run.reported_model.split(", ")) <= known:
        yield "the endpoint reported another model"
