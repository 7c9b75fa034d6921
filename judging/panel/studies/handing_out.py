"""Who looks at which items: each is given to as many raters as it wants, for a time."""

from datetime import datetime, timedelta
from uuid import UUID

from django.db.models import Count, Exists, F, OuterRef, Q, QuerySet

from benchmarks.common.lately import lasting
from judging.panel.models import Assignment, Study, StudyItem, StudyRater
from judging.panel.studies.draw import draw_key
from judging.panel.studies.plans import checks_among
from judging.panel.truths import questions_left

AT_ONCE = 20  # what a browser has before it needs the network again: ten minutes of work
LEASE = timedelta(hours=6)
"""A journey without network, with what was fetched before it. A rater who comes back later finds
the same items, unless somebody else was given them."""


def valid_items(study: Study) -> Q:
    """A filter of study items: those that raters are still asked about, without answers of
    withdrawn submissions and without questions whose label or reference was corrected
    since the draw."""
    left = Q(answer__question__in=questions_left(study))
    return Q(answer__submission__withdrawn__isnull=True) & ~left


def valid_assignments(study: Study) -> Q:
    """The filter `valid_items` for assignments."""
    left = Q(item__answer__question__in=questions_left(study))
    return Q(item__answer__submission__withdrawn__isnull=True) & ~left


def give_out(rater: StudyRater, now: datetime) -> list[Assignment]:
    """The items that the rater has and did not vote on, at least AT_ONCE where there are as many
    left, in the rater's own order. Whoever calls holds the study.

    Items come in the order of the draw, so that a study that ends early has whole items; inside of
    a batch every rater has another order, and the checks that are due are among them.
    """
    valid = valid_assignments(rater.study)
    own = rater.assignments.filter(valid, voted__isnull=True, is_released=False)
    held = list(own.order_by("turn"))
    if len(held) > AT_ONCE // 2:
        return held
    rater.assignments.filter(pk__in=[row.pk for row in held]).update(lease_until=now + LEASE)
    release_expired(rater.study_id, now)
    items = next_items(rater, min(AT_ONCE - len(held), left_of_quota(rater)))
    new = [*items, *next_checks(rater, len(items))]
    seed = rater.study.seed
    new.sort(key=lambda item: draw_key(seed, f"{rater.number}:{item.position}"))
    give(rater, new, now)
    note_total(rater)
    return list(own.order_by("turn"))


def next_items(rater: StudyRater, count: int) -> list[StudyItem]:
    seen = Assignment.objects.filter(item=OuterRef("pk"), rater=rater, is_released=False)
    free = free_items(rater).exclude(Exists(seen))
    return list(free.order_by("position")[:count])


def free_items(rater: StudyRater) -> "QuerySet[StudyItem]":
    """Those that somebody is still to look at."""
    return rater.study.items.filter(valid_items(rater.study), is_check=False, taken__lt=F("wanted"))


def has_items(rater: StudyRater, now: datetime) -> bool:
    """Whether the rater has an item to vote on, or would be given one."""
    own = rater.assignments.filter(voted__isnull=True, is_released=False)
    return own.filter(valid_assignments(rater.study)).exists() or (
        rater.study.hands_out(now)
        and left_of_quota(rater) > 0
        and (bool(next_items(rater, 1)) or expired(rater.study_id, now).exists())
    )


def left_of_quota(rater: StudyRater) -> int:
    """How many answers the rater may still be given; checks are not among them."""
    quota = rater.study.quota
    if quota is None:
        return AT_ONCE
    counts = valid_assignments(rater.study) | Q(voted__isnull=False)
    given = rater.assignments.filter(counts, is_released=False, item__is_check=False).count()
    return max(0, quota - given)


def next_checks(rater: StudyRater, coming: int) -> list[StudyItem]:
    """As many as the rater lacks of those that go with the items given so far and with those that
    come with this batch."""
    study = rater.study
    if not study.check_every:
        return []
    counts = rater.assignments.filter(is_released=False).aggregate(
        items=Count("pk", filter=Q(item__is_check=False)),
        checks=Count("pk", filter=Q(item__is_check=True)),
    )
    due = checks_among(counts["items"] + coming, study.check_every) - counts["checks"]
    if due <= 0:
        return []
    seen = Assignment.objects.filter(item=OuterRef("pk"), rater=rater)
    checks = study.items.filter(valid_items(study), is_check=True).exclude(Exists(seen))
    return list(checks.order_by("position")[:due])


def give(rater: StudyRater, items: list[StudyItem], now: datetime) -> None:
    last = rater.assignments.order_by("-turn").values_list("turn", flat=True).first() or 0
    Assignment.objects.bulk_create(
        [
            Assignment(item=item, rater=rater, turn=last + place, lease_until=now + LEASE)
            for place, item in enumerate(items, 1)
        ],
        update_conflicts=True,  # an item that was released and comes back
        unique_fields=["item", "rater"],
        update_fields=["turn", "lease_until", "is_released"],
    )
    real = [item.pk for item in items if not item.is_check]
    StudyItem.objects.filter(pk__in=real).update(taken=F("taken") + 1)


def expired(study_id: UUID, now: datetime) -> "QuerySet[Assignment]":
    """What nobody voted on in time."""
    return Assignment.objects.filter(
        ~lasting("lease_until", now, LEASE),
        voted__isnull=True,
        is_released=False,
        item__study=study_id,
    )


def release_expired(study_id: UUID, now: datetime) -> None:
    """What nobody voted on in time is to be had by others."""
    keys = list(expired(study_id, now).values_list("pk", "item_id", "item__is_check"))
    release([pk for pk, _, _ in keys], [item for _, item, is_check in keys if not is_check])


def release(assignments: list[int], items: list[int]) -> None:
    for start in range(0, len(assignments), 500):
        Assignment.objects.filter(pk__in=assignments[start : start + 500]).update(is_released=True)
    counts: dict[int, int] = {}
    for item in items:
        counts[item] = counts.get(item, 0) + 1
    for times in set(counts.values()):
        keys = [item for item, count in counts.items() if count == times]
        for start in range(0, len(keys), 500):
            StudyItem.objects.filter(pk__in=keys[start : start + 500]).update(
                taken=F("taken") - times
            )


def note_total(rater: StudyRater) -> None:
    """How many items the rater is given at most, checks included: the quota, or all there are. It
    changes only where entries are withdrawn or restored, or questions corrected: others may be
    faster, so a rater may be given fewer."""
    study = rater.study
    counts = study.items.filter(valid_items(study)).aggregate(
        items=Count("pk", filter=Q(is_check=False)), checks=Count("pk", filter=Q(is_check=True))
    )
    voted = rater.assignments.filter(
        ~valid_assignments(study), voted__isnull=False, is_released=False
    )
    items = counts["items"] + voted.filter(item__is_check=False).count()
    items = items if study.quota is None else min(items, study.quota)
    rater.total = items + min(checks_among(items, study.check_every), counts["checks"])
    StudyRater.objects.filter(pk=rater.pk).update(total=rater.total)
