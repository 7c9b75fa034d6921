"""What a rater is shown: the next items, their texts in the rater's own order, and nothing that
names a model."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db import transaction

from benchmarks.models import Question
from benchmarks.protocols.base import Dimension, PanelPort
from benchmarks.selectors import question_view
from judging.panel.models import Assignment, StudyRater
from judging.panel.studies.errors import StudyRefusedError
from judging.panel.studies.handing_out import AT_ONCE, give_out, valid_assignments
from judging.panel.studies.plans import panel_of
from judging.panel.studies.voting import answer_is_first, hold_voting

ITEM_ROWS = "item__answer__question__subtask__ability", "item__answer__question__figure"


@dataclass(frozen=True, slots=True)
class AskedItem:
    """`texts`: the answer, or the two that are compared. `truth` is what is true, where the rater
    needs to know; empty otherwise."""

    pk: int
    question: Question
    texts: tuple[str, ...]
    truth: str
    dimensions: tuple[Dimension, ...]


def items_given(rater: StudyRater) -> list[AskedItem]:
    """What the rater has and did not vote on, the next first; at most a batch and its check.
    Reads only. Needs the study with its release and benchmark."""
    rows = (
        rater.assignments.filter(
            valid_assignments(rater.study), voted__isnull=True, is_released=False
        )
        .select_related(*ITEM_ROWS)
        .order_by("turn")[: AT_ONCE + 1]
    )
    panel = panel_of(rater.study.release)
    return [asked_item(panel, rater, row) for row in rows]


def items_gone(rater: StudyRater) -> list[int]:
    """Items that a browser may have fetched and is to ask about no more: their entry was withdrawn
    since, or their label or reference corrected. A handful, for a rater has AT_ONCE at most."""
    valid = valid_assignments(rater.study)
    gone = rater.assignments.filter(~valid, voted__isnull=True, is_released=False)
    return list(gone.order_by("turn").values_list("item", flat=True)[: AT_ONCE + 1])


@transaction.atomic
def more_items(rater: StudyRater, now: datetime) -> list[AskedItem]:
    """The items to rate, after more were given out where few were left; a study that ended gives
    out none. Raises StudyRefusedError, also where the rater did not agree to the study's text
    yet."""
    study, held = hold_voting(rater, now)
    if study.consent and not held.consented:
        raise StudyRefusedError("Agree to what the page says first.")
    if study.hands_out(now):
        give_out(held, now)
    return items_given(held)


def agree(rater: StudyRater, version: str, now: datetime) -> None:
    """The rater agreed to this version of the study's text, once. Raises StudyRefusedError for
    another one: then it was not read."""
    if version != rater.study.consent_version:
        raise StudyRefusedError("Read what the page says, and agree to it first.")
    first = StudyRater.objects.filter(pk=rater.pk, consented__isnull=True)
    first.update(consented=now, consent_version=version)


def asked_item(panel: PanelPort, rater: StudyRater, row: Assignment) -> AskedItem:
    item = row.item
    view = question_view(item.answer.question)
    sight = panel.sight(view)
    texts: tuple[str, ...] = (item.shown_answer,)
    if sight.compares:
        texts = (item.shown_answer, item.shown_reference)
        if not answer_is_first(rater, item):
            texts = texts[::-1]
    return AskedItem(
        pk=item.pk,
        question=item.answer.question,
        texts=texts,
        truth=item.shown_reference if sight.shows_reference else "",
        dimensions=panel.dimensions(view),
    )


def progress_of(rater: StudyRater) -> tuple[int, int]:
    """How many items the rater is done with, and how many there are for them."""
    done = rater.assignments.filter(voted__isnull=False).count()
    return done, max(rater.total, done)


def choices_of(dimension: Dimension, *, compares: bool) -> Sequence[tuple[int, str]]:
    """Numbers and words in the order of the keys 1, 2, 3; those of a scale from its lowest."""
    if compares:
        return ((1, "The first is better"), (0, "Equally good"), (-1, "The second is better"))
    if dimension.words:
        scale = range(dimension.high, dimension.low - 1, -1)
        found = [(value, dimension.word(value).capitalize()) for value in scale]
        if dimension.unclear is not None:
            found.append((dimension.unclear, "Unclear"))
        return tuple(found)
    return tuple((value, str(value)) for value in dimension.values)
