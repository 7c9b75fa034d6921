"""A rater's vote, and taking it back."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.db import transaction
from django.db.models import F

from benchmarks.protocols.base import Dimension
from benchmarks.selectors import question_view
from judging.coordination.clock import database_now
from judging.panel.models import Assignment, Study, StudyItem, StudyRater, Vote
from judging.panel.studies.draw import draw_key
from judging.panel.studies.errors import StudyRefusedError
from judging.panel.studies.handing_out import LEASE
from judging.panel.studies.plans import panel_of
from judging.panel.studies.votes import votes_by_item

BLOCK = 500  # items of one query; a rater may have rated thousands
MOST_MILLISECONDS = 24 * 3_600_000  # a tab that was left open tells nothing of how long it took


@dataclass(frozen=True, slots=True)
class Cast:
    """What became of a vote. `is_new`: it is stored now; otherwise it was before (the same one sent
    twice), or `is_late`: the item has another vote of this rater, which stays."""

    is_new: bool
    is_late: bool = False


@transaction.atomic
def cast_vote(
    *,
    rater: StudyRater,
    item: int,
    values: Mapping[str, int],
    key: UUID,
    milliseconds: int | None = None,
    is_as_shown: bool = False,
    now: datetime | None = None,
) -> Cast:
    """The vote is stored once, however often it is sent. `is_as_shown`: of two texts that are
    compared, the numbers are about the one that stood first. Raises StudyRefusedError where the
    study takes none, the item was never given to this rater, or the numbers are not what is
    asked."""
    now = now or database_now()
    study, rater = hold_voting(rater, now)
    assignment = given(rater, item)
    if assignment.voted:
        known = Vote.objects.filter(rater=rater, item=item, key=key, taken_back__isnull=True)
        return Cast(is_new=False, is_late=not known.exists())
    sent = Vote.objects.filter(rater=rater, key=key).first()
    if sent is not None and sent.item_id != item:
        raise StudyRefusedError("A vote on another item was sent with the same key.")
    if sent is not None:
        return Cast(is_new=False)  # taken back since, and sent again by a browser that did not know
    dimensions = asked_about(assignment.item)
    require_values(dimensions, values)
    if is_as_shown and is_turned(rater, assignment.item):
        values = {slug: -value for slug, value in values.items()}
    if milliseconds is not None:
        milliseconds = min(max(milliseconds, 0), MOST_MILLISECONDS)
    Vote.objects.bulk_create(
        Vote(
            item_id=item,
            rater=rater,
            dimension=slug,
            value=value,
            at=now,
            milliseconds=milliseconds,
            key=key,
        )
        for slug, value in values.items()
    )
    settle(study, assignment, now)
    note_disagreement(study, [assignment.item], dimensions)
    note_late(study, now)
    return Cast(is_new=True)


def hold_voting(rater: StudyRater, now: datetime) -> tuple[Study, StudyRater]:
    """Both as they are now; nobody else changes the study or votes in it until the transaction
    ends. Raises StudyRefusedError where no votes are taken, late ones included."""
    # By a query of its own, for what one that waited finds beside the row is from before the wait.
    Study.objects.select_for_update(no_key=True).only("pk").get(pk=rater.study_id)
    fresh = StudyRater.objects.select_related("study__release__benchmark").get(pk=rater.pk)
    study = fresh.study
    if not study.takes_votes(now):
        raise StudyRefusedError("This study takes no more votes.")
    if fresh.removed:
        raise StudyRefusedError("You are no rater of this study any more.")
    return study, fresh


def note_late(study: Study, now: datetime) -> None:
    """Its ratings are to be settled where the study was closed before."""
    if study.state == Study.State.CLOSED:
        Study.objects.filter(pk=study.pk, unsettled__isnull=True).update(unsettled=now)


def given(rater: StudyRater, item: int) -> Assignment:
    found = (
        Assignment.objects.filter(rater=rater, item=item)
        .select_related(
            "item__answer__question__subtask__ability", "item__answer__question__figure"
        )
        .first()
    )
    if found is None:
        raise StudyRefusedError("This item was never given to you.")
    found.item.study = rater.study
    return found


def asked_about(item: StudyItem) -> tuple[Dimension, ...]:
    """Needs the answer's question with its subtask, ability and figure."""
    return panel_of(item.study.release).dimensions(question_view(item.answer.question))


def is_turned(rater: StudyRater, item: StudyItem) -> bool:
    sight = panel_of(item.study.release).sight(question_view(item.answer.question))
    return sight.compares and not answer_is_first(rater, item)


def answer_is_first(rater: StudyRater, item: StudyItem) -> bool:
    """Which of two texts stands first is drawn anew for every rater and item."""
    key = draw_key(rater.study.seed, f"{rater.number}:{item.position}:order")
    return key[0] % 2 == 0


def require_values(dimensions: tuple[Dimension, ...], values: Mapping[str, int]) -> None:
    asked = {dimension.slug: dimension for dimension in dimensions}
    if asked.keys() != values.keys():
        raise StudyRefusedError("Say something on every line.")
    for slug, value in values.items():
        if value not in asked[slug].values:
            raise StudyRefusedError(f"{value} is no answer to: {asked[slug].asks}")


def settle(study: Study, assignment: Assignment, now: datetime) -> None:
    """Who votes after the lease ended has the item again: nothing that was done is lost."""
    was_released = assignment.is_released
    Assignment.objects.filter(pk=assignment.pk).update(voted=now, is_released=False)
    if was_released and not assignment.item.is_check:
        StudyItem.objects.filter(pk=assignment.item_id).update(taken=F("taken") + 1)


def note_disagreement(
    study: Study, items: Sequence[StudyItem], dimensions: tuple[Dimension, ...]
) -> None:
    """One rater more is wanted where all that are differ, and the numbers are words: three of a
    scale from 0 to 10 differ easily. It is taken back with the vote that made it so, unless
    somebody has the item already."""
    first, usual = dimensions[0], study.raters_per_item
    items = [item for item in items if not item.is_check]
    if not items or len(dimensions) != 1 or not first.words or usual < 3:
        return
    votes = votes_by_item(items, first.slug)
    more, fewer = [], []
    for item in items:
        early = votes.get(item.pk, [])[:usual]
        differ = len(early) == usual and len(set(early)) == usual
        if differ and item.wanted == usual:
            more.append(item.pk)
        elif not differ and item.wanted > usual:
            fewer.append(item.pk)
    if more:
        StudyItem.objects.filter(pk__in=more).update(wanted=usual + 1)
    if fewer:
        unclaimed = StudyItem.objects.filter(pk__in=fewer, taken__lt=F("wanted"))
        unclaimed.update(wanted=usual)


def note_disagreements(study: Study, items: Sequence[int]) -> None:
    """Notes disagreements of many items, once a rater of theirs is heard no more or again: without
    it a study would close without the vote that its others lack, or ask for one that never
    counts."""
    asked: tuple[Dimension, ...] = ()
    rows = StudyItem.objects.select_related(
        "answer__question__subtask__ability", "answer__question__figure"
    )
    for start in range(0, len(items), BLOCK):
        found = list(rows.filter(pk__in=items[start : start + BLOCK]))
        if found and not asked:
            found[0].study = study
            asked = asked_about(found[0])  # of a study every item is asked the same
        note_disagreement(study, found, asked)


@transaction.atomic
def take_back(
    *, rater: StudyRater, key: UUID | None = None, now: datetime | None = None
) -> int | None:
    """The rater's last standing vote is taken back, or the one with this key, and its item is to be
    looked at again; its primary key, or None where there is none. Raises StudyRefusedError."""
    now = now or database_now()
    study, rater = hold_voting(rater, now)
    own = Assignment.objects.filter(rater=rater, voted__isnull=False)
    if key is not None:
        votes = Vote.objects.filter(rater=rater, key=key, taken_back__isnull=True)
        own = own.filter(item__in=votes.values("item"))
    last = own.order_by("-voted", "-turn").first()
    if last is None:
        return None
    Vote.objects.filter(rater=rater, item=last.item_id, taken_back__isnull=True).update(
        taken_back=now
    )
    Assignment.objects.filter(pk=last.pk).update(voted=None, lease_until=now + LEASE)
    item = given(rater, last.item_id).item
    note_disagreement(study, [item], asked_about(item))
    note_late(study, now)
    return item.pk
