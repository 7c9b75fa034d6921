"""Who has the form of a figure open. A claim takes the figure out of what others are given next; it
locks nobody out, and it ends by itself."""

from collections.abc import Iterable
from datetime import timedelta

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from benchmarks.common.lately import lasting
from benchmarks.models import Claim, Figure

Place = tuple[int, str]
"""The key of a figure, and a language."""
LASTS = timedelta(minutes=30)
"""Without a sign of life: longer than a look at other papers, shorter than lunch."""


def claim(*, figure_id: int, language: str, user: User, holds_review: bool = False) -> None:
    """The person has the form open for the next half hour: said when it is opened and with all that
    is typed. A claim that still lasts keeps the moment at which it began. `holds_review`: the text
    is being typed or reviewed, and not only looked at."""
    now = timezone.now()
    mine = Claim.objects.filter(figure=figure_id, language=language, user=user)
    held = {"holds_review": True} if holds_review else {}
    if not mine.filter(until__gt=now).update(until=now + LASTS, **held):
        Claim.objects.bulk_create(
            [
                Claim(
                    figure_id=figure_id,
                    language=language,
                    user=user,
                    since=now,
                    until=now + LASTS,
                    holds_review=holds_review,
                )
            ],
            update_conflicts=True,
            unique_fields=["figure", "language", "user"],
            update_fields=["since", "until", "holds_review"],
        )


def claims_of(*, figure_id: int, language: str, but: User | None = None) -> "QuerySet[Claim]":
    """Those that last, each with its `user`, the first come first; without those of `but`."""
    there = Claim.objects.filter(figure=figure_id, language=language)
    still = there.filter(lasting("until", timezone.now(), LASTS))
    return still.exclude(user=but).select_related("user").order_by("since", "pk")


def give_up(*, figure_id: int, language: str, user: User) -> None:
    """The form is left, or its text handed in."""
    Claim.objects.filter(figure=figure_id, language=language, user=user).delete()


def claim_first(*, places: Iterable[Place], user: User, to_review: bool = False) -> Place | None:
    """The first of these that nobody else has open, which the person has from now on; None where
    others have them all. `to_review`: who only looks at the form is in no reviewer's way. Two who
    ask at one instant get two different ones."""
    for figure_id, language in places:
        if claim_alone(figure_id=figure_id, language=language, user=user, to_review=to_review):
            return figure_id, language
    return None


@transaction.atomic
def claim_alone(*, figure_id: int, language: str, user: User, to_review: bool = False) -> bool:
    """Whether the person has it now, and alone. The row of the figure is held while it is looked
    at: SQLite lets one transaction at a time write anyway."""
    Figure.objects.select_for_update(no_key=True).filter(pk=figure_id).first()
    others = claims_of(figure_id=figure_id, language=language, but=user)
    if (others.filter(holds_review=True) if to_review else others).exists():
        return False
    claim(figure_id=figure_id, language=language, user=user, holds_review=to_review)
    return True


def delete_old_claims() -> None:
    Claim.objects.filter(until__lt=timezone.now()).delete()
