"""The first admin of a site: without mail, and never with somebody else's password."""

import pytest
from allauth.account.models import EmailAddress
from django.contrib.auth.models import User
from django.core import mail
from django.core.management import CommandError, call_command

EMAIL = "ada@example.org"


def create(capsys, *arguments: str) -> str:
    call_command("create_admin", *arguments)
    said: str = capsys.readouterr().out
    return said


def may_sign_in(client, email: str, password: str) -> bool:
    client.post("/accounts/login/", {"login": email, "password": password})
    return "_auth_user_id" in client.session


def password_in(said: str) -> str:
    return said.partition("Password: ")[2].split()[0]


def test_a_site_without_mail_has_an_admin_who_signs_in_and_stays(client, db, capsys):
    password = password_in(create(capsys, EMAIL))
    assert may_sign_in(client, EMAIL, password)
    user = User.objects.get()
    assert (user.is_staff, user.is_superuser, user.email) == (True, True, EMAIL)
    assert EmailAddress.objects.values_list("user", "verified").get() == (user.pk, True)
    assert mail.outbox == []
    before = User.objects.values().get()
    assert "Password: " not in create(capsys, EMAIL.upper())
    assert User.objects.values().get() == before
    assert EmailAddress.objects.count() == 1
    password = password_in(create(capsys, EMAIL, "--reset-password"))
    client.logout()
    assert may_sign_in(client, EMAIL, password)


@pytest.mark.parametrize("is_confirmed", [True, False])
def test_who_had_the_address_is_the_admin_where_it_was_confirmed(
    client, owner, capsys, is_confirmed
):
    EmailAddress.objects.update(verified=is_confirmed)
    assert ("Password: " not in create(capsys, owner.email)) is is_confirmed
    assert may_sign_in(client, owner.email, "a long enough password") is is_confirmed
    assert EmailAddress.objects.get().verified
    assert User.objects.get().is_superuser


def test_an_address_that_somebody_else_only_claims_does_not_make_them_admin(owner, capsys):
    EmailAddress.objects.create(user=owner, email=EMAIL, verified=False)
    create(capsys, EMAIL)
    owner.refresh_from_db()
    assert not owner.is_staff
    assert User.objects.get(email=EMAIL).is_superuser


def test_what_is_no_address_is_refused(db):
    for email in ("", "ada", "ada@", "ada@example.org\nBcc: x@example.org"):
        with pytest.raises(CommandError, match="is no e-mail address"):
            call_command("create_admin", email)
    assert not User.objects.exists()
