"""A text is kept for whoever's ticket the form holds: one of this site, of the last days."""

import pytest
from django.core import signing
from django.test import Client

from benchmarks.forms.unsaved import SALT, TICKET_SECONDS, ticket_for
from benchmarks.models import UnsavedText
from tests.forging import forged, signed_before
from tests.judging.room import place


@pytest.fixture
def address(figure) -> str:
    return place(figure)


@pytest.fixture
def ticket(people, address):
    return signing.loads(ticket_for(user=people["annotator"], path=address, title="x"), salt=SALT)


def kept(address: str, ticket: str) -> bool:
    Client().post(address, {"text": "A small boat.", "base_version": 0, "ticket": ticket})
    return UnsavedText.objects.exists()


def test_a_ticket_that_another_key_signed_keeps_nothing(address, ticket):
    assert not kept(address, forged(ticket, SALT))


def test_a_ticket_keeps_texts_until_they_would_be_deleted(address, ticket):
    assert not kept(address, signed_before(ticket, SALT, TICKET_SECONDS + 60))
    assert kept(address, signed_before(ticket, SALT, TICKET_SECONDS - 60))
