"""Of a hidden test nobody learns a label: two worlds that differ in one answer the same to whoever
asks, by whatever address."""

import difflib
from collections.abc import Callable
from typing import Any

import pytest
from django.db import transaction

from judging.models import Judgement
from leaderboard.models import Scoresheet
from tests.leaderboard.hidden_world import (
    ASKED,
    LABELLED_BY_OFFICE,
    PERSONAS,
    WORDS,
    HiddenWorld,
    addresses,
    build_world,
    said_in,
    sent,
    told_by_mail,
)
from tests.routes import routes

pytestmark = pytest.mark.django_db
Said = dict[str, Any]


def in_both(look: Callable[[HiddenWorld], Said]) -> tuple[Said, Said]:
    """What is seen of each world, of which nothing stays."""
    seen = []
    for label in WORDS:
        with transaction.atomic():
            seen.append(look(build_world(label)))
            transaction.set_rollback(True)
    return seen[0], seen[1]


def differences(one: Said, other: Said) -> list[str]:
    """What is said otherwise in the other world, each with its first lines."""
    assert list(one) == list(other)
    found = []
    for key, said in one.items():
        if said != other[key]:
            before, after = (lines_of(world[key]) for world in (one, other))
            lines = list(difflib.unified_diff(before, after, lineterm="", n=0))[2:6]
            found.append(f"{key}: {' / '.join(line.strip() for line in lines)}"[:300])
    return found


def lines_of(said: Any) -> list[str]:
    whole = "\n".join(map(str, said)) if isinstance(said, tuple) else str(said)
    return whole.splitlines()


def asked_routes():
    return [route for route in routes() if not LABELLED_BY_OFFICE.match(route.pattern)]


def everything_said(persona: str) -> Callable[[HiddenWorld], Said]:
    def look(world: HiddenWorld) -> Said:
        client = world.client(persona)
        said: Said = {}
        for route in asked_routes():
            if persona.startswith("token") and not route.pattern.startswith("api/"):
                continue
            for number, address in enumerate(addresses(route, world)):
                said[f"{route.name} {number}"] = said_in(client.get(address), world)
        return said

    return look


def sent_by(*personas: str) -> Callable[[HiddenWorld], Said]:
    """What each is answered to what they send, which nobody has sent before."""

    def look(world: HiddenWorld) -> Said:
        said: Said = {}
        for persona in personas:
            with transaction.atomic():
                for name, response in sent(world, world.client(persona)):
                    said[f"{name} by {persona}"] = said_in(response, world)
                transaction.set_rollback(True)
        return said

    return look


def told(world: HiddenWorld) -> Said:
    """Mails, notices and deliveries."""
    found = told_by_mail(world)
    assert len(found) > 10
    return {f"mail {number}": one for number, one in enumerate(found)}


def verdicts_of(world: HiddenWorld) -> Said:
    rows = Judgement.objects.filter(answer__question__public_id=str(ASKED)).order_by("pk")
    sheets = Scoresheet.objects.order_by("pk").values_list("ranking", flat=True)
    return {"verdicts": [*rows.values_list("verdict", flat=True)], "scores": [*sheets]}


def test_two_worlds_differ_in_verdicts_and_in_nothing_that_anybody_is_told():
    looks = (verdicts_of, told, sent_by("owner"))

    def everything(world: HiddenWorld) -> Said:
        world.few = True
        return {name: said for look in looks for name, said in look(world).items()}

    one, other = in_both(everything)
    assert one["scores"] == other["scores"]
    assert len(set(one["scores"])) > 2
    # Or nothing else would be found.
    assert one.pop("verdicts") != other.pop("verdicts")
    assert len(one) > 30
    assert not (found := differences(one, other)), "\n".join(found)


@pytest.mark.slow
@pytest.mark.parametrize("persona", PERSONAS)
def test_two_worlds_answer_the_same_at_every_address(persona):
    one, other = in_both(everything_said(persona))
    assert len(one) > (60 if persona.startswith("token") else 200)
    assert not (found := differences(one, other)), "\n".join(found)
