import re

import pytest
from allauth.account.models import EmailAddress
from django.contrib.auth.models import User
from django.core import mail

from leaderboard.accounts.services import ensure_demo_accounts

PASSWORD = "a long enough password 7"
NEWCOMER = {"email": "new@example.org", "password1": PASSWORD, "password2": PASSWORD}


@pytest.fixture
def signed_up(client, db):
    client.post("/accounts/signup/", NEWCOMER)
    return client


def confirmation_link() -> str:
    (message,) = mail.outbox
    found = re.search(r"http://testserver(/accounts/confirm-email/\S+/)", str(message.body))
    assert found
    return found[1]


def test_a_new_account_cannot_enter_before_its_address_is_confirmed(signed_up):
    reply = signed_up.post("/accounts/login/", {"login": "new@example.org", "password": PASSWORD})
    assert reply.url == "/accounts/confirm-email/"
    assert signed_up.get("/submit/").status_code == 302


def test_looking_at_the_confirmation_link_does_not_confirm(signed_up):
    signed_up.get(confirmation_link())
    assert not EmailAddress.objects.get(email="new@example.org").verified


def test_a_confirmed_account_signs_in_and_sees_its_entries(signed_up):
    signed_up.post(confirmation_link())
    signed_up.post("/accounts/login/", {"login": "new@example.org", "password": PASSWORD})
    page = signed_up.get("/submissions/")
    assert page.status_code == 200
    assert "My entries" in page.content.decode()


def test_the_admin_refuses_an_account_that_is_not_staff(client, owner):
    client.force_login(owner)
    assert client.get("/admin/", follow=True).status_code == 403


def test_the_admin_sends_visitors_to_the_same_login(client, db):
    assert client.get("/admin/", follow=True).redirect_chain[-1][0].startswith("/accounts/login/")


def test_demo_passwords_that_nobody_was_shown_are_given_the_next_time(db):
    assert ensure_demo_accounts(later=True) == {}
    assert not any(user.has_usable_password() for user in User.objects.all())
    shown = ensure_demo_accounts()
    assert list(shown) == [
        f"{name}@assay.example" for name in ("admin", "researcher", "annotator", "reviewer")
    ]
    assert all(User.objects.get(email=e).check_password(p) for e, p in shown.items())
    assert ensure_demo_accounts() == {}
