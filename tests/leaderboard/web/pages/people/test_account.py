"""What goes with an account, and what stays."""

import pytest
from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from django.contrib.auth.models import Group, User
from django.test import Client

from benchmarks.submissions.models import AccessToken
from benchmarks.submissions.naming.public_names import FORMER_MEMBER, set_public_name
from leaderboard.people.accounts.services import LastAdminError, delete_account
from tests.api_clients import session_client, token_client
from tests.conftest import judged, submit

PASSWORD = "a long enough password"


def leave(client: Client, password: str = PASSWORD):
    return client.post("/accounts/delete/", {"password": password})


def test_what_was_published_stays_on_its_board(spelling, owner, client):
    published = submit(spelling, owner, name="Kept")
    judged(published)
    assert leave(session_client(owner))["Location"] == "/"
    assert client.get(f"/entries/{published.pk}/").status_code == 200
    assert "Kept" in client.get("/boards/spelling/").content.decode()


def test_what_was_private_or_unconfirmed_is_withdrawn(spelling, owner):
    private = submit(spelling, owner, visibility="private")
    waiting = submit(spelling, owner, name="Waiting", confirm=False, visibility="private")
    leave(session_client(owner))
    for submission in (private, waiting):
        submission.refresh_from_db()
        assert submission.withdrawn


def test_nothing_names_the_person_any_more(owner):
    owner.first_name, owner.last_name = "Rosa", "Luxor"
    owner.save()
    leave(session_client(owner))
    owner.refresh_from_db()
    assert owner.username.startswith(FORMER_MEMBER)
    assert (owner.email, owner.first_name, owner.last_name) == ("", "", "")
    assert not EmailAddress.objects.exists()


def test_the_public_name_goes_from_boards_too(spelling, owner, client):
    set_public_name(owner=owner, name="Luxor Lab")
    judged(submit(spelling, owner))
    assert "by Luxor Lab" in client.get("/boards/spelling/").content.decode()
    leave(session_client(owner))
    page = client.get("/boards/spelling/").content.decode()
    assert "by a former member" in page
    assert "Luxor" not in page


def test_nobody_gets_in_any_more(owner):
    Authenticator.objects.create(user=owner, type="totp", data={"secret": "x"})
    mine, elsewhere = session_client(owner), session_client(owner)
    token = token_client(owner, "read")
    leave(mine)
    for client in (mine, elsewhere):
        assert client.get("/submissions/").status_code == 302
    assert token.get("/api/v1/submissions/").status_code == 401
    Client().post("/accounts/login/", {"login": "rosa@example.org", "password": PASSWORD})
    assert not AccessToken.objects.exists()
    assert not Authenticator.objects.exists()
    assert not User.objects.get().is_active


def test_rights_go_too(owner):
    owner.is_staff = True
    owner.save()
    owner.groups.add(Group.objects.create(name="some"))
    delete_account(user=owner)
    owner.refresh_from_db()
    assert not owner.is_staff
    assert not owner.groups.exists()


def test_the_address_can_sign_up_anew(owner):
    leave(session_client(owner))
    form = {"password1": "another good password", "password2": "another good password"}
    Client().post("/accounts/signup/", {"email": "rosa@example.org", **form})
    assert User.objects.filter(email="rosa@example.org").count() == 1


@pytest.mark.parametrize("password", ["", "not the password"])
def test_a_wrong_password_changes_nothing(owner, password):
    reply = leave(session_client(owner), password)
    assert reply.status_code == 422
    owner.refresh_from_db()
    assert owner.is_active
    assert owner.email == "rosa@example.org"


def test_the_page_says_what_stays_and_what_goes(spelling, owner):
    submit(spelling, owner, name="Public")
    submit(spelling, owner, name="Private 1", visibility="private")
    submit(spelling, owner, name="Private 2", visibility="private")
    page = session_client(owner).get("/accounts/delete/").content.decode()
    assert "1 published entry stays on the boards" in page
    assert "2 private submissions are withdrawn" in page
    account = session_client(owner).get("/accounts/").content.decode()
    assert 'href="/accounts/delete/"' in account
    assert 'href="/accounts/"' in session_client(owner).get("/submissions/").content.decode()


def test_the_only_admin_stays(owner):
    owner.is_staff = owner.is_superuser = True
    owner.save()
    assert "only account with full rights" in leave(session_client(owner)).content.decode()
    with pytest.raises(LastAdminError):
        delete_account(user=owner)
    User.objects.create_superuser("boss", "boss@example.org", PASSWORD)
    delete_account(user=owner)
    assert User.objects.filter(is_superuser=True).count() == 1


def test_a_visitor_signs_in_first(client, db):
    assert client.get("/accounts/delete/")["Location"].startswith("/accounts/login/")
