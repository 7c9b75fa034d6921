"""How a study stands: for staff, who alone see names. Agreement is counted elsewhere, of the
ratings that closing makes."""

from collections.abc import Mapping
from dataclasses import dataclass

from django.db.models import Count, F, Q, Sum

from judging.panel.models import Assignment, Study, StudyRater, Vote
from judging.panel.studies.handing_out import stands
from judging.panel.truths import questions_left


@dataclass(frozen=True, slots=True)
class RaterLine:
    """`checks`: attention checks that were answered, `passed` those with an answer that somebody
    attentive may give. `seconds`: the mean over the rater's votes that tell; None where none
    does."""

    rater: StudyRater
    voted: int
    checks: int
    passed: int
    seconds: float | None


@dataclass(frozen=True, slots=True)
class Standing:
    """Of the answers that people are asked about: those of withdrawn entries are counted apart,
    with the votes that they have, and so are those whose label or reference was corrected since
    they were drawn."""

    items: int
    complete: int
    votes: int
    wanted: int
    raters: tuple[RaterLine, ...]
    withdrawn_items: int
    withdrawn_votes: int
    corrected_items: int
    corrected_votes: int


def standing_of(study: Study) -> Standing:
    items = study.items.filter(is_check=False)
    left, standing = questions_left(study), stands(study)
    is_withdrawn = Q(answer__submission__withdrawn__isnull=False)
    sums = items.aggregate(
        count=Count("pk", filter=standing),
        votes=Sum("wanted", filter=standing),
        withdrawn=Count("pk", filter=is_withdrawn),
        corrected=Count("pk", filter=~standing & ~is_withdrawn),
    )
    voted = (
        Assignment.objects.filter(
            item__study=study,
            item__is_check=False,
            voted__isnull=False,
            rater__removed__isnull=True,
        )
        .order_by()
        .values("item")
        .annotate(votes=Count("pk"))
    )
    rows = [
        (votes, wanted, bool(withdrawn), question in left)
        for votes, wanted, withdrawn, question in voted.values_list(
            "votes",
            "item__wanted",
            "item__answer__submission__withdrawn",
            "item__answer__question",
        )
    ]
    counts = [(votes, wanted) for votes, wanted, *apart in rows if not any(apart)]
    return Standing(
        items=sums["count"],
        complete=sum(votes >= wanted for votes, wanted in counts),
        votes=sum(votes for votes, _ in counts),
        wanted=sums["votes"] or 0,
        raters=rater_lines(study),
        withdrawn_items=sums["withdrawn"],
        withdrawn_votes=sum(votes for votes, _, withdrawn, _ in rows if withdrawn),
        corrected_items=sums["corrected"],
        corrected_votes=sum(votes for votes, _, withdrawn, is_left in rows if is_left > withdrawn),
    )


def rater_lines(study: Study) -> tuple[RaterLine, ...]:
    """Three queries, whatever the number of raters."""
    voted: Mapping[int, int] = dict(
        Assignment.objects.filter(rater__study=study, voted__isnull=False, item__is_check=False)
        .order_by()
        .values_list("rater")
        .annotate(Count("pk"))
    )
    checks: dict[int, list[bool]] = {}
    said = Vote.objects.filter(
        rater__study=study,
        taken_back__isnull=True,
        item__is_check=True,
        dimension=F("item__check_dimension"),
    )
    for rater, value, passed_by in said.values_list("rater", "value", "item__passed_by"):
        checks.setdefault(rater, []).append(str(value) in passed_by.split(","))
    took = {
        rater: total / count / 1000
        for rater, total, count in Vote.objects.filter(
            rater__study=study, milliseconds__isnull=False
        )
        .order_by()
        .values("rater")
        .annotate(total=Sum("milliseconds"), count=Count("milliseconds"))
        .values_list("rater", "total", "count")
    }
    return tuple(
        RaterLine(
            rater=rater,
            voted=voted.get(rater.pk, 0),
            checks=len(checks.get(rater.pk, [])),
            passed=sum(checks.get(rater.pk, [])),
            seconds=took.get(rater.pk),
        )
        for rater in study.raters.select_related("account")
    )
