"""Where somebody is signed in, and how they sign out elsewhere."""

import pytest
from allauth.account.models import EmailAddress
from allauth.usersessions.models import UserSession
from django.test import Client

SIGN_IN = {"login": "rosa@example.org", "password": "a long enough password"}


@pytest.fixture
def confirmed(owner):
    EmailAddress.objects.create(user=owner, email=owner.email, verified=True, primary=True)
    return owner


def signed_in(browser: str) -> Client:
    client = Client(HTTP_USER_AGENT=browser)
    assert client.post("/accounts/login/", SIGN_IN).status_code == 302
    return client


def test_each_browser_is_listed_and_the_others_are_signed_out(confirmed):
    phone, desk = signed_in("Phone <b>1</b>"), signed_in("Desk")
    page = desk.get("/accounts/sessions/").content.decode()
    assert "Phone &lt;b&gt;1" in page
    assert page.count("this one") == 1
    assert "2 signed in" in desk.get("/accounts/").content.decode()
    assert desk.post("/accounts/sessions/").status_code == 302
    assert phone.get("/accounts/").status_code == 302
    assert desk.get("/accounts/").status_code == 200
    assert UserSession.objects.count() == 1
