"""How many tokens there may be, who sees them, and what ends them."""

import io

import pytest
from django.contrib.auth.hashers import PBKDF2PasswordHasher, check_password
from django.contrib.auth.models import Permission, User
from django.core.management import call_command
from django.test import Client
from django.utils import timezone

from benchmarks.submissions.models import AccessToken
from benchmarks.submissions.tokens import (
    TOKENS_PER_PERSON,
    TooManyTokensError,
    create_token,
    revoke_token,
)
from tests.api_clients import session_client, token_client

PASSWORD, NEW_PASSWORD = "a long enough password", "another long enough password"


def works(client: Client) -> bool:
    return client.get("/api/v1/submissions/").status_code == 200


# --- how many -------------------------------------------------------------------------------------


def test_a_person_has_at_most_twenty_valid_tokens_and_is_told_so(owner, stranger):
    full = [
        create_token(owner=owner, name=f"place {number}", scope="read").token
        for number in range(TOKENS_PER_PERSON)
    ]
    with pytest.raises(TooManyTokensError):
        create_token(owner=owner, name="one more", scope="read")
    assert create_token(owner=stranger, name="first", scope="read")
    reply = session_client(owner).post("/tokens/", {"name": "one more", "scope": "read"})
    assert reply.status_code == 422
    assert "You have 20 tokens" in reply.content.decode()
    assert owner.access_tokens.count() == TOKENS_PER_PERSON
    revoke_token(owner=owner, token_id=full[0].pk)
    assert create_token(owner=owner, name="one more", scope="read")
    AccessToken.objects.filter(pk=full[1].pk).update(expires=timezone.now())
    assert create_token(owner=owner, name="and another", scope="read")


# --- a new password -------------------------------------------------------------------------------


def by_form(user: User) -> None:
    session_client(user).post(
        "/accounts/password/change/",
        {"oldpassword": PASSWORD, "password1": NEW_PASSWORD, "password2": NEW_PASSWORD},
    )


def in_the_admin(user: User) -> None:
    admin = User.objects.create_superuser("boss", "boss@example.org", PASSWORD)
    session_client(admin).post(
        f"/admin/auth/user/{user.pk}/password/",
        {"password1": NEW_PASSWORD, "password2": NEW_PASSWORD, "usable_password": "true"},
    )


def in_code(user: User) -> None:
    user.set_password(NEW_PASSWORD)
    user.save(update_fields=["password"])


@pytest.mark.parametrize("change", [by_form, in_the_admin, in_code])
def test_tokens_end_with_the_password(owner, stranger, change):
    mine, foreign = token_client(owner, "read"), token_client(stranger, "read")
    assert works(mine)
    change(owner)
    owner.refresh_from_db()
    assert owner.check_password(NEW_PASSWORD)
    assert not works(mine)
    assert works(foreign)
    assert not AccessToken.objects.filter(owner=owner, revoked=None).exists()


def test_new_passwords_of_the_demo_end_its_tokens(db):
    call_command("passwords", stdout=io.StringIO())
    client = token_client(User.objects.get(username="researcher"), "read")
    call_command("passwords", stdout=io.StringIO())
    assert not works(client)


def test_the_same_password_with_a_newer_hash_ends_nothing(owner, settings):
    client = token_client(owner, "read")
    before = owner.password
    settings.PASSWORD_HASHERS = [
        f"{__name__}.FewRounds",
        "django.contrib.auth.hashers.MD5PasswordHasher",
    ]
    assert owner.check_password(PASSWORD)
    owner.refresh_from_db()
    assert owner.password != before
    assert check_password(PASSWORD, owner.password)
    assert works(client)


class FewRounds(PBKDF2PasswordHasher):
    iterations = 1


# --- the admin ------------------------------------------------------------------------------------


def staff() -> Client:
    user = User.objects.create_user("staff", "staff@example.org", PASSWORD, is_staff=True)
    return session_client(user)


def test_staff_see_tokens_but_no_digest_and_revoke_them_if_they_may(owner):
    token = create_token(owner=owner, name="laptop", scope="submit").token
    place = "/admin/submissions/accesstoken/"
    chosen = {"action": "revoke", "_selected_action": token.pk}
    sure = {"confirmed": "yes", "reason": "Its owner lost the laptop."}
    client, user = staff(), User.objects.get(username="staff")
    assert client.get(place).status_code == 403
    for permission in ("view_accesstoken", "change_accesstoken"):
        user.user_permissions.add(Permission.objects.get(codename=permission))
        for path in ("", f"{token.pk}/change/"):
            page = client.get(f"{place}{path}").content.decode()
            assert token.prefix in page
            assert "laptop" in page
            assert token.digest not in page
        client.post(place, chosen)
        token.refresh_from_db()
        assert token.revoked is None
        client.post(place, {**chosen, **sure})
        token.refresh_from_db()
        assert bool(token.revoked) == (permission == "change_accesstoken")
