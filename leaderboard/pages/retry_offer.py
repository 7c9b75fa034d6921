"""What the owner of an entry may have asked again: the judgements of a run that ended without a
verdict."""

from dataclasses import dataclass

from django.db.models import Count

from judging.models import JudgeRun


@dataclass(frozen=True, slots=True)
class RetryOffer:
    """Judgements without a verdict that their owner may have asked again. `states` says how many of
    each kind."""

    judge: str
    count: int
    states: str
    is_free: bool


def retry_offer(run: JudgeRun, *, is_owner: bool) -> RetryOffer | None:
    """None for everybody but the owner, and where there is nothing to ask again."""
    if not is_owner or run.submission.withdrawn:
        return None
    found = (
        run.judgements.all()
        .without_verdict()
        .order_by("state")
        .values_list("state")
        .annotate(Count("pk"))
    )
    counts = list(found)
    if not counts:
        return None
    return RetryOffer(
        judge=run.judge_spec.slug,
        count=sum(count for _, count in counts),
        states=", ".join(f"{count:,} {state}" for state, count in counts),
        is_free=run.judge_spec.is_offline,
    )
