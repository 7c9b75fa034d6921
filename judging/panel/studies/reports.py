"""How a study stands: for staff, who alone see names. Agreement is counted elsewhere, of the
ratings that closing makes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from django.db.models import Count, Max, Q, Sum

from judging.panel.models import Assignment, RaterDevice, Study, StudyRater, Vote
from judging.panel.studies.checks import Checked, checks_by_rater
from judging.panel.studies.handing_out import valid_assignments, valid_items
from judging.panel.truths import questions_left

SETTLED_AFTER = timedelta(days=1)
"""After the time for late votes: a worker that was away for a night makes the report of them all
the same."""


@dataclass(frozen=True, slots=True)
class RaterLine:
    """`seconds`: the mean over the rater's votes that tell; None where none does."""

    rater: StudyRater
    voted: int
    checked: Checked
    seconds: float | None

    @property
    def fails(self) -> bool:
        return self.checked.fails(self.rater.study.least_passed)


@dataclass(frozen=True, slots=True)
class StudyProgress:
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
    out: "Out"
    late_votes: int


@dataclass(frozen=True, slots=True)
class Out:
    """Answers that raters were given and on which no vote of theirs came: how many, with how many
    raters, on how many browsers at most, and when the last of these was given some."""

    answers: int
    raters: int
    devices: int
    seen: datetime | None


def out_of(study: Study) -> Out:
    """What was given to others since is among them: a vote made before is taken all the same."""
    given = Assignment.objects.filter(
        valid_assignments(study),
        item__study=study,
        item__is_check=False,
        voted__isnull=True,
        rater__removed__isnull=True,
    )
    counts = given.aggregate(answers=Count("pk"), raters=Count("rater", distinct=True))
    devices = RaterDevice.objects.filter(rater__in=given.order_by().values("rater"))
    found = devices.aggregate(devices=Count("pk"), seen=Max("seen"))
    return Out(**counts, **found)


def late_votes_of(study: Study) -> int:
    """Answers on which a vote stands that came after the study was closed."""
    if study.closed is None:
        return 0
    late = Assignment.objects.filter(item__study=study, item__is_check=False, rater__removed=None)
    return late.filter(voted__gt=study.closed).count()


def beside_ratings(now: datetime) -> Mapping[UUID, Sequence[int]]:
    """By closed study, numbers of which one is another whenever a rater withdraws, and for as long
    as late votes come whenever a vote on an attention check does: what is said of checks changes
    then, though the ratings may not. Two queries."""
    closed = StudyRater.objects.filter(study__state=Study.State.CLOSED)
    withdrew = closed.filter(withdrew__isnull=False).order_by().values_list("study")
    late = Vote.objects.filter(
        item__is_check=True,
        item__study__state=Study.State.CLOSED,
        item__study__late_until__gt=now - SETTLED_AFTER,
    )
    checks = late.order_by().values_list("item__study").annotate(Count("pk"), Count("taken_back"))
    found: dict[UUID, list[int]] = {}
    for study, *counts in [*withdrew.annotate(Count("pk")), *checks]:
        found.setdefault(study, []).extend(counts)
    return found


def study_progress(study: Study) -> StudyProgress:
    items = study.items.filter(is_check=False)
    left, valid = questions_left(study), valid_items(study)
    is_withdrawn = Q(answer__submission__withdrawn__isnull=False)
    sums = items.aggregate(
        count=Count("pk", filter=valid),
        votes=Sum("wanted", filter=valid),
        withdrawn=Count("pk", filter=is_withdrawn),
        corrected=Count("pk", filter=~valid & ~is_withdrawn),
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
    return StudyProgress(
        items=sums["count"],
        complete=sum(votes >= wanted for votes, wanted in counts),
        votes=sum(votes for votes, _ in counts),
        wanted=sums["votes"] or 0,
        raters=rater_lines(study),
        withdrawn_items=sums["withdrawn"],
        withdrawn_votes=sum(votes for votes, _, withdrawn, _ in rows if withdrawn),
        corrected_items=sums["corrected"],
        corrected_votes=sum(votes for votes, _, withdrawn, is_left in rows if is_left > withdrawn),
        out=out_of(study),
        late_votes=late_votes_of(study),
    )


def rater_lines(study: Study) -> tuple[RaterLine, ...]:
    """Three queries, whatever the number of raters."""
    voted: Mapping[int, int] = dict(
        Assignment.objects.filter(rater__study=study, voted__isnull=False, item__is_check=False)
        .order_by()
        .values_list("rater")
        .annotate(Count("pk"))
    )
    checks = checks_by_rater(study)
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
            checked=checks.get(rater.number, Checked(0, 0)),
            seconds=took.get(rater.pk),
        )
        for rater in study.raters.select_related("account", "study")
    )
