"""Reading what people said."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple
from uuid import UUID

from django.db.models import Count

from benchmarks.models import Release
from benchmarks.protocols.base import Ratings
from benchmarks.submissions.models import Submission
from judging.panel.models import Rating, RatingFile
from judging.panel.querysets import RatingQuerySet
from judging.panel.truths import outdated_questions


def ratings_of(submission: Submission, public_ids: Sequence[str]) -> Ratings:
    """What people say of the answers, in the order of `public_ids`, those of an answer in order of
    the raters' names. Empty where nobody rated anything. Without what was said under a truth that
    was corrected since (truths.py)."""
    rows = Rating.objects.not_withdrawn().filter(answer__submission=submission)
    scores: dict[str, dict[str, list[int]]] = {}
    for row in counted_rows(submission.release, rows):
        scores.setdefault(row.dimension, {}).setdefault(row.public_id, []).append(row.score)
    return {
        dimension: [tuple(found.get(public_id, ())) for public_id in public_ids]
        for dimension, found in scores.items()
    }


def ratings_of_answers(release: Release, answers: Sequence[int]) -> Mapping[int, Ratings]:
    """By answer to questions of the release, what people say of it alone, in order of the raters'
    names; as `ratings_of` without what was said under another truth."""
    rows = Rating.objects.not_withdrawn().filter(answer__in=answers)
    scores: dict[int, dict[str, list[int]]] = {}
    for row in counted_rows(release, rows):
        scores.setdefault(row.answer, {}).setdefault(row.dimension, []).append(row.score)
    return {
        answer: {dimension: [tuple(values)] for dimension, values in found.items()}
        for answer, found in scores.items()
    }


class Row(NamedTuple):
    dimension: str
    public_id: str
    rater: str
    score: int
    answer: int
    question: int
    file: UUID


def counted_rows(release: Release, ratings: RatingQuerySet) -> list[Row]:
    """Those under the truth of today, in order of the raters' names. One query where nobody said
    anything."""
    columns = (
        "dimension",
        "answer__question__public_id",
        "rater",
        "score",
        "answer",
        "answer__question",
        "file",
    )
    rows = [Row(*row) for row in ratings.values_list(*columns)]
    if not rows:
        return []
    left = outdated_questions(release, {row.file for row in rows})
    return sorted(row for row in rows if row.question not in left[row.file])


@dataclass(frozen=True, slots=True)
class RatingCount:
    """How many ratings a file has of one submission on one dimension."""

    submission: UUID
    model: str
    dimension: str
    count: int


def rating_counts(file: RatingFile) -> tuple[RatingCount, ...]:
    rows = (
        file.ratings.values_list(
            "answer__submission", "answer__submission__model__name", "dimension"
        )
        .annotate(count=Count("pk"))
        .order_by("answer__submission__model__name", "answer__submission", "dimension")
    )
    return tuple(RatingCount(*row) for row in rows)
