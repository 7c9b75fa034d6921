"""Which votes of a study stand."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter
from uuid import UUID

from judging.panel.models import Study, StudyItem, Vote
from judging.panel.studies.checks import failing_raters


@dataclass(frozen=True, slots=True)
class CountedVote:
    answer: int
    question: int
    submission: UUID
    public_id: str
    rater: str
    dimension: str
    value: int


def left_out(study: Study) -> frozenset[int]:
    """Numbers of the raters whose votes do not count for failing checks."""
    return failing_raters(study) if study.failing == Study.Failing.LEFT_OUT else frozenset()


def counted_votes(study: Study, without: Collection[int]) -> list[CountedVote]:
    """What counts once the study is closed, in the order of its items: no checks, nothing taken
    back, nobody who was removed or whose number is in `without`; of an item the first raters, as
    many as the study asks, by when they voted (`that_count`).

    Votes on an entry that is withdrawn are among them: as ratings they count nowhere while it is,
    and are there when it is restored."""
    rows = (
        Vote.objects.filter(
            item__study=study,
            item__is_check=False,
            taken_back__isnull=True,
            rater__removed__isnull=True,
        )
        .exclude(rater__number__in=without)
        .order_by("item__position", "at", "rater__number", "id")
        .values_list(
            "item__answer_id",
            "item__wanted",
            "item__answer__question_id",
            "item__answer__submission_id",
            "item__answer__question__public_id",
            "rater__number",
            "dimension",
            "value",
        )
    )
    votes = []
    for (answer, wanted), of_item in groupby(rows.iterator(), key=itemgetter(0, 1)):
        votes_of_item = [row[2:] for row in of_item]
        count = that_count(
            [(row[3], row[5]) for row in votes_of_item], study.raters_per_item, wanted
        )
        raters = list(dict.fromkeys(row[3] for row in votes_of_item))[:count]
        votes += [
            CountedVote(
                answer, question, entry, public_id, file_name_of(study, rater), dimension, value
            )
            for question, entry, public_id, rater, dimension, value in votes_of_item
            if rater in raters
        ]
    return votes


def that_count(votes_of_item: Sequence[tuple[int, int]], raters: int, wanted: int) -> int:
    """How many of those who voted on an item count: one more than `raters` where these differ all,
    however many were asked. One who disagreed may have been removed since, or have said something
    else, and a vote made without network may come in late.

    said: rater and number of each vote, in the order of voting.
    """
    first = set(list(dict.fromkeys(rater for rater, _ in votes_of_item))[:raters])
    values = [value for rater, value in votes_of_item if rater in first]
    differ = len(values) == raters and len(set(values)) == raters
    return min(wanted, raters + 1) if differ else raters


def file_name_of(study: Study, number: int) -> str:
    """The rater's name in files: one that no other study has."""
    return f"study {study.code}, rater {number}"


def votes_by_item(items: Iterable[StudyItem], dimension: str) -> dict[int, list[int]]:
    """By item, the standing numbers of those who were not removed, in order of their votes."""
    rows = Vote.objects.filter(
        item__in=list(items),
        dimension=dimension,
        taken_back__isnull=True,
        rater__removed__isnull=True,
    ).order_by("at", "id")
    votes_of_item: dict[int, list[int]] = {}
    for item, value in rows.values_list("item_id", "value"):
        votes_of_item.setdefault(item, []).append(value)
    return votes_of_item
