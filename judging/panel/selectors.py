"""Reading what people said."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from django.db.models import Count

from benchmarks.submissions.models import Submission
from judging.panel.models import Rating, RatingFile


def ratings_of(submission: Submission, public_ids: Sequence[str]) -> Mapping[str, list[str | None]]:
    """Scores by dimension, in the order of `public_ids`: those of a question's answer with blanks between them, in
    order of the raters' names, None where nobody rated it. Empty where nobody rated anything."""
    rows = Rating.objects.standing().filter(answer__submission=submission)
    scores: dict[str, dict[str, list[str]]] = {}
    for dimension, public_id, _, score in sorted(
        rows.values_list("dimension", "answer__question__public_id", "rater", "score")
    ):
        scores.setdefault(dimension, {}).setdefault(public_id, []).append(str(score))
    return {
        dimension: [
            " ".join(found[public_id]) if public_id in found else None for public_id in public_ids
        ]
        for dimension, found in scores.items()
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
