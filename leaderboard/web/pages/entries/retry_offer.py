"""What the owner of an entry may have asked again: the judgements of a run that ended without a
verdict."""

from collections.abc import Mapping
from dataclasses import dataclass

from django.db.models import Count

from judging.models import JudgeRun
from judging.querysets import WITHOUT_VERDICT


@dataclass(frozen=True, slots=True)
class RetryOffer:
    """Judgements without a verdict that their owner may have asked again. `states` says how many of
    each kind."""

    judge: str
    count: int
    states: str
    is_free: bool


def retry_offer(run: JudgeRun, *, is_owner: bool) -> RetryOffer | None:
    """None for everybody but the owner, where there is nothing to ask again, and for a hidden test:
    how many replies could not be read depends on what they were compared with."""
    if not (is_owner and run.submission.release.verdicts_are_public) or run.submission.withdrawn:
        return None
    found = run.judgements.order_by().values_list("state").annotate(Count("pk"))
    return offer_of(run, dict(found.filter(state__in=WITHOUT_VERDICT)))


def offer_of(run: JudgeRun, states: Mapping[str, int]) -> RetryOffer | None:
    """states: how many judgements have each; None where none of them ended without a verdict."""
    counts = [(count, state) for state, count in sorted(states.items()) if state in WITHOUT_VERDICT]
    if not counts:
        return None
    return RetryOffer(
        judge=run.judge_spec.slug,
        count=sum(count for count, _ in counts),
        states=", ".join(f"{count:,} {state}" for count, state in counts),
        is_free=run.judge_spec.is_offline,
    )
