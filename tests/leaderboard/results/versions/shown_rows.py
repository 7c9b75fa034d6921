"""Every row that a board shows, read one by one: what triggers count must change whenever these
do."""

import hashlib
from collections.abc import Iterator
from typing import Any

from django.db.models import BinaryField, Count, JSONField, Max, Model

from benchmarks.models import Benchmark, Description, Reference, Release
from benchmarks.registry import protocol
from benchmarks.submissions.models import EvaluatedModel, RankingDecision, Submission
from judging.models import JudgeSpec
from leaderboard.models import Scoresheet
from leaderboard.results.selectors import public_sheets

NAMES = (
    "submission__owner__username",
    "submission__owner__public_name__name",
    "submission__verification__decided_by__public_name__name",
    "submission__team__public_name__name",
    "submission__team__verification__is_verified",
)
"""Who handed in and who verified; a deleted account is told by its user name."""


def board_rows(slug: str) -> Iterator[tuple[Any, ...]]:
    slugs = [slug, *(neighbour.benchmark for neighbour in protocol(slug).board.BOARD.beside)]
    yield from (
        Benchmark.objects.filter(slug__in=slugs)
        .order_by("releases")
        .values_list(*small_fields(Benchmark), *small_fields(Release, "releases__"))
    )
    yield from (
        JudgeSpec.objects.filter(protocol__in=slugs)
        .order_by("pk")
        .values_list(*small_fields(JudgeSpec))
    )
    for versions in (
        Reference.objects.filter(question__benchmark__slug__in=slugs),
        Description.objects.filter(
            figure__benchmark__slug__in=slugs, state=Description.State.APPROVED
        ),
        RankingDecision.objects.filter(submission__release__benchmark__slug__in=slugs),
    ):  # never changed and never gone, so that another number or a newer one is another text
        yield tuple(versions.aggregate(Count("pk"), Max("pk")).values())
    sheets = Scoresheet.objects.filter(
        public_sheets(), submission__release__benchmark__slug__in=slugs
    ).order_by("pk")
    yield from sheets.values_list(
        *small_fields(Scoresheet),
        *small_fields(Submission, "submission__"),
        *small_fields(EvaluatedModel, "submission__model__"),
        *NAMES,
    )


def small_fields(model: type[Model], path: str = "") -> list[str]:
    """All columns but those of values as large as they like."""
    fields = model._meta.concrete_fields
    return [
        f"{path}{field.attname}"
        for field in fields
        if not isinstance(field, JSONField | BinaryField)
    ]


def digest_of_rows(slug: str) -> str:
    return hashlib.sha256(repr(list(board_rows(slug))).encode()).hexdigest()
