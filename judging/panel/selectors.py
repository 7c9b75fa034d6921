"""Reading what people said."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from django.db.models import Count

from benchmarks.protocols.base import Ratings
from benchmarks.submissions.models import Submission
from judging.panel.models import Rating, RatingFile


def ratings_of(submission: Submission, public_ids: Sequence[str]) -> Ratings:
    """What people say of the answers, in the order of `public_ids`, those of an answer in order of
    the raters' names. Empty where nobody rated anything."""
    rows = Rating.objects.not_withdrawn().filter(answer__submission=submission)
    scores: dict[str, dict[str, list[int]]] = {}
    for dimension, public_id, _, score in sorted(
        rows.values_list("dimension", "answer__question__public_id", "rater", "score")
    ):
        scores.setdefault(dimension, {}).setdefault(public_id, []).append(score)
    return {
        dimension: [tuple(found.get(public_id, ())) for public_id in public_ids]
        for dimension, found in scores.items()
    }


def ratings_of_answers(answers: Sequence[int]) -> Mapping[int, Ratings]:
    """By answer, what people say of it alone, in order of the raters' names."""
    rows = Rating.objects.not_withdrawn().filter(answer__in=answers)
    scores: dict[int, dict[str, list[int]]] = {}
    for answer, dimension, _, score in sorted(
        rows.values_list("answer", "dimension", "rater", "score")
    ):
        scores.setdefault(answer, {}).setdefault(dimension, []).append(score)
    return {
        answer: {dimension: [tuple(said)] for dimension, said in found.items()}
        for answer, found in scores.items()
    }


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
