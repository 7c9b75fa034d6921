"""Staff ask somebody to describe certain figures."""

from collections.abc import Collection

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from benchmarks.models import Assignment
from benchmarks.services.claims import Place

MOST_CHARACTERS = 200
AT_ONCE = 500  # rows of one statement; each has six values, and SQLite takes 32,766
PEOPLE_OFFERED = 200  # a list of more is no list to choose from


def assignable() -> "QuerySet[User]":
    """Who can be asked: whoever may write descriptions in the admin, by name."""
    writers = User.objects.with_perm(
        "benchmarks.change_description", backend="django.contrib.auth.backends.ModelBackend"
    )
    return writers.filter(is_active=True, is_staff=True).order_by("username")


@transaction.atomic
def assign(*, places: Collection[Place], user: User, by: User, note: str = "") -> None:
    """These are the person's, whoever was asked before."""
    now, note = timezone.now(), note[:MOST_CHARACTERS]
    Assignment.objects.bulk_create(
        (
            Assignment(figure_id=figure, language=language, user=user, by=by, note=note, at=now)
            for figure, language in places
        ),
        batch_size=AT_ONCE,
        update_conflicts=True,
        unique_fields=["figure", "language"],
        update_fields=["user", "by", "note", "at"],
    )


@transaction.atomic
def take_back(*, places: Collection[Place]) -> None:
    """Nobody in particular is asked any more."""
    by_language: dict[str, list[int]] = {}
    for figure, language in places:
        by_language.setdefault(language, []).append(figure)
    for language, figures in by_language.items():
        for start in range(0, len(figures), AT_ONCE):
            part = figures[start : start + AT_ONCE]
            Assignment.objects.filter(language=language, figure__in=part).delete()
