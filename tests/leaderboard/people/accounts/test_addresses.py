"""The addresses of an account: only what can be done is offered, and it is done."""

import re

import pytest
from allauth.account.models import EmailAddress
from django.test import Client
from django.urls import reverse

from tests.api_clients import session_client

PAGE = "/accounts/email/"


@pytest.fixture
def client(owner) -> Client:
    return session_client(owner)


def actions_of(client: Client, address: str) -> list[str]:
    rows = re.findall(r"<tr>.*?</tr>", client.get(PAGE).text, re.DOTALL)
    (row,) = (one for one in rows if f'value="{address}"' in one)
    return re.findall(r'name="action_(\w+)"', row)


def test_another_address_is_added_confirmed_and_made_the_first(client, owner, mailoutbox):
    client.post(PAGE, {"email": "new@example.org", "action_add": ""})
    assert "new@example.org" in mailoutbox[0].to
    assert actions_of(client, "new@example.org") == ["send", "remove"]
    assert actions_of(client, owner.email) == []
    EmailAddress.objects.filter(email="new@example.org").update(verified=True)
    assert actions_of(client, "new@example.org") == ["primary", "remove"]
    client.post(PAGE, {"email": "new@example.org", "action_primary": ""})
    assert actions_of(client, "new@example.org") == []
    client.post(PAGE, {"email": owner.email, "action_remove": ""})
    assert [row.email for row in EmailAddress.objects.all()] == ["new@example.org"]


def test_the_page_leads_back_and_refuses_what_is_no_address(client):
    page = client.post(PAGE, {"email": "nobody", "action_add": ""}).text
    assert f'<a href="{reverse("account")}">Account</a>' in page
    assert "Enter a valid email address" in page
    assert 'value="nobody"' in page
