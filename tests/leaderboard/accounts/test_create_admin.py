"""The first admin of a site: without mail, and never with somebody else's password."""

import pytest
from allauth.account.models import EmailAddress
from django.contrib.auth.models import User
from django.core import mail
from django.core.management import CommandError, call_command

from leaderboard.accounts.services import ensure_admin

EMAIL = "ada@example.org"


def create(capsys, *arguments: str) -> str:
    call_command("create_admin", *arguments)
    said: str = capsys.readouterr().out
    return said


def may_sign_in(client, email: str, password: str) -> bool:
    client.post("/accounts/login/", {"login": email, "password": password})
    return "_auth_user_id" in client.session


def test_a_site_without_mail_has_an_admin_who_signs_in(client, db, capsys):
    said = create(capsys, EMAIL)
    password = said.partition("Password: ")[2].split()[0]
    assert may_sign_in(client, EMAIL, password)
    user = User.objects.get()
    assert (user.is_staff, user.is_superuser, user.email) == (True, True, EMAIL)
    assert EmailAddress.objects.get(user=user).verified
    assert mail.outbox == []


def test_saying_it_twice_changes_nothing(db, capsys):
    create(capsys, EMAIL)
    before = User.objects.values().get()
    assert "Password: " not in create(capsys, EMAIL.upper())
    assert User.objects.values().get() == before
    assert EmailAddress.objects.count() == 1


def test_a_lost_password_can_be_replaced(client, db, capsys):
    ensure_admin(email=EMAIL)
    said = create(capsys, EMAIL, "--reset-password")
    assert may_sign_in(client, EMAIL, said.partition("Password: ")[2].split()[0])


def test_an_account_with_a_confirmed_address_keeps_its_password(client, owner, capsys):
    assert "Password: " not in create(capsys, owner.email)
    owner.refresh_from_db()
    assert owner.is_superuser
    assert may_sign_in(client, owner.email, "a long enough password")


def test_whoever_signed_up_under_the_address_before_is_no_admin(client, owner, capsys):
    EmailAddress.objects.update(verified=False)
    assert "Password: " in create(capsys, owner.email)
    assert not may_sign_in(client, owner.email, "a long enough password")
    assert EmailAddress.objects.get().verified


def test_an_address_that_somebody_else_only_claims_does_not_make_them_admin(owner, capsys):
    EmailAddress.objects.create(user=owner, email=EMAIL, verified=False)
    create(capsys, EMAIL)
    owner.refresh_from_db()
    assert not owner.is_staff
    assert User.objects.get(email=EMAIL).is_superuser


@pytest.mark.parametrize("email", ["", "ada", "ada@", "ada@example.org\nBcc: x@example.org"])
def test_what_is_no_address_is_refused(db, email):
    with pytest.raises(CommandError, match="is no e-mail address"):
        call_command("create_admin", email)
    assert not User.objects.exists()
