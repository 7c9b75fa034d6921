"""Claims: who has a form open, until when, and that two who ask for the next figure at one instant
get different ones."""

from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.utils import timezone

from benchmarks.models import Claim, Figure
from benchmarks.services.claims import (
    LASTS,
    Place,
    claim,
    claim_first,
    claims_of,
    delete_old_claims,
    give_up,
)
from tests.judging.threads import at_once

LINES = "".join(f"{n}|word|word|figure{n}.png\n" for n in range(6)).encode()


@pytest.fixture
def figures(load) -> list[Figure]:
    load(LINES, slug="spelling-1")
    return list(Figure.objects.order_by("pk"))


def of(figure: Figure) -> dict[str, Any]:
    return {"figure_id": figure.pk, "language": "en"}


def who(figure: Figure, but: User | None = None) -> list[str]:
    return [found.user.username for found in claims_of(**of(figure), but=but)]


def later(by: timedelta) -> None:
    """As if this long had passed."""
    for found in Claim.objects.all():
        found.since, found.until = found.since - by, found.until - by
        found.save()


def test_several_may_have_one_form_open_and_nobody_sees_themselves(figures, owner, stranger):
    """Who leaves gives up their claim alone."""
    claim(**of(figures[0]), user=stranger)
    claim(**of(figures[0]), user=owner)
    assert who(figures[0]) == ["sam", "rosa"]
    assert who(figures[0], but=owner) == ["sam"]
    assert who(figures[1]) == []
    assert not claims_of(figure_id=figures[0].pk, language="zh").exists()
    give_up(**of(figures[0]), user=owner)
    assert who(figures[0]) == ["sam"]


def test_a_sign_of_life_prolongs_a_claim_which_ends_without_one_and_begins_anew(
    figures, owner, stranger
):
    claim(**of(figures[0]), user=owner)
    later(LASTS - timedelta(minutes=1))
    before = Claim.objects.get()
    claim(**of(figures[0]), user=owner)
    after = Claim.objects.get()
    assert after.since == before.since
    assert after.until > before.until + timedelta(minutes=20)
    later(LASTS + timedelta(minutes=1))
    assert who(figures[0]) == []
    begun = timezone.now()
    claim(**of(figures[0]), user=owner)
    assert who(figures[0]) == ["rosa"]
    assert Claim.objects.get().since >= begun
    later(LASTS + timedelta(minutes=1))
    claim(**of(figures[0]), user=stranger)
    delete_old_claims()
    assert Claim.objects.get().user == stranger


def test_the_first_that_nobody_else_has_open_is_claimed(figures, owner, stranger):
    places = [(figure.pk, "en") for figure in figures[:2]]
    claim(**of(figures[0]), user=stranger)
    assert claim_first(places=places, user=stranger) == places[0]
    assert claim_first(places=places, user=owner) == places[1]
    assert claim_first(places=places[:1], user=owner) is None
    assert who(figures[0]) == ["sam"]


def test_all_who_ask_for_the_next_at_one_instant_get_different_figures(committed, load):
    load(LINES, slug="spelling-1")
    places = [(figure.pk, "en") for figure in Figure.objects.order_by("pk")]
    people = [User.objects.create_user(f"person{n}") for n in range(4)]
    given: list[Place | None] = []

    def next_of(user: User):
        return lambda: given.append(claim_first(places=places, user=user))

    at_once(*(next_of(user) for user in people))
    assert sorted(place for place in given if place) == places[:4]
