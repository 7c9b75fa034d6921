"""Which entries a reader wants to see beside each other, and where they can be compared."""

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from django.db.models import Q

from benchmarks.models import Release
from benchmarks.submissions.models import EvaluatedModel, Submission
from judging.models import JudgeSpec
from leaderboard.models import BoardEdition, Scoresheet
from leaderboard.results.selectors.eras import (
    fully_shown_sheets,
    main_release_first,
)

MOST_SHEETS_OF_MODEL = 500
"""Public scoresheets of one model that are looked at, the newest: who hands in every day for a year
and by two judges has more."""
BEST = 20
"""Entries of one model in an era among which the best placed is looked for: those of the best
scores."""
COLUMNS = ("submission", "submission__model__name", "submission__release", "judge_spec", "ranking")


@dataclass(frozen=True, slots=True)
class ComparedSheet:
    """A public scoresheet of what was asked for: an entry's id or the slug of its model."""

    asked: str
    submission: UUID
    model: str
    release: int
    judge_spec: int
    ranking: float | None


@dataclass(frozen=True, slots=True)
class SharedEra:
    """An era in which something that was asked for has a scoresheet. entries: how many its stored
    board has."""

    release: Release
    judge_spec: JudgeSpec
    asked: tuple[str, ...]
    entries: int


def compared_sheets(asked: Sequence[UUID | str]) -> tuple[ComparedSheet, ...]:
    """In the order of what was asked for; of a model the newest first. None of a hidden test, where
    entries cannot be compared by more than their rounded scores."""
    found = Scoresheet.objects.filter(fully_shown_sheets()).order_by("-submission__created", "pk")
    ids = [one for one in asked if isinstance(one, UUID)]
    by_id: dict[UUID, list[ComparedSheet]] = {}
    for row in found.filter(submission__in=ids).values_list(*COLUMNS) if ids else ():
        by_id.setdefault(row[0], []).append(ComparedSheet(str(row[0]), *row))
    slugs = [one for one in asked if isinstance(one, str)]
    models = dict(EvaluatedModel.objects.filter(slug__in=slugs).values_list("slug", "pk"))
    sheets: list[ComparedSheet] = []
    for one in asked:
        if isinstance(one, UUID):
            sheets += by_id.get(one, ())
        elif one in models:
            rows = found.filter(submission__model=models[one]).values_list(*COLUMNS)
            sheets += (ComparedSheet(one, *row) for row in rows[:MOST_SHEETS_OF_MODEL])
    return tuple(sheets)


def models_of_hidden_tests(asked: Sequence[UUID | str]) -> dict[str, str]:
    """By what was asked for, the model of what has public entries in hidden tests."""
    named = Q(pk__in=[one for one in asked if isinstance(one, UUID)])
    named |= Q(model__slug__in=[one for one in asked if isinstance(one, str)])
    rows = Submission.objects.public().filter(
        named, release__disclosure=Release.Disclosure.HIDDEN_TEST
    )
    found = rows.order_by().values_list("pk", "model__slug", "model__name")
    return {str(one): name for pk, slug, name in found for one in (pk, slug) if one in asked}


def shared_eras(sheets: Sequence[ComparedSheet]) -> tuple[SharedEra, ...]:
    """Eras with most of what was asked for first; then the larger boards, the main
    releases, the newest judges."""
    asked_by_era: dict[tuple[int, int], dict[str, None]] = {}
    for sheet in sheets:
        asked_by_era.setdefault((sheet.release, sheet.judge_spec), {})[sheet.asked] = None
    releases = Release.objects.select_related("benchmark").in_bulk({era[0] for era in asked_by_era})
    specs = JudgeSpec.objects.select_related("prompt_set").in_bulk({era[1] for era in asked_by_era})
    stored = BoardEdition.objects.filter(
        release__in=releases, judge_spec__in=specs, replaced__isnull=True
    )
    rows = stored.values_list("release", "judge_spec", "entries")
    sizes = {(release, spec): size for release, spec, size in rows}
    found = [
        SharedEra(releases[era[0]], specs[era[1]], tuple(asked), sizes.get(era, 0))
        for era, asked in asked_by_era.items()
    ]

    def place(era: SharedEra) -> tuple[int, int, tuple[bool, int, float, int], int]:
        main = main_release_first(era.release)
        return -len(era.asked), -era.entries, main, -era.judge_spec.pk

    return tuple(sorted(found, key=place))


def sheets_in_era(era: SharedEra, sheets: Sequence[ComparedSheet]) -> list[ComparedSheet]:
    key = era.release.pk, era.judge_spec.pk
    return [sheet for sheet in sheets if (sheet.release, sheet.judge_spec) == key]


def best_candidates(era: SharedEra, sheets: Sequence[ComparedSheet]) -> frozenset[UUID]:
    """Of what has many entries in the era those of the highest and of the lowest scores, whichever
    of them are better."""
    found: set[UUID] = set()
    here = sheets_in_era(era, sheets)
    for asked in era.asked:
        own = [sheet for sheet in here if sheet.asked == asked]
        scored = sorted((s for s in own if s.ranking is not None), key=lambda s: s.ranking or 0.0)
        chosen = [*scored[:BEST], *scored[-BEST:]] or own[:BEST]
        found.update(sheet.submission for sheet in chosen)
    return frozenset(found)
