"""What goes with an account, and what stays."""

import pytest
from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from django.contrib.auth.models import Group, User
from django.test import Client

from benchmarks.submissions.models import AccessToken
from benchmarks.submissions.naming.public_names import FORMER_MEMBER, set_public_name
from leaderboard.accounts.services import LastAdminError, delete_account
from tests.api_clients import session_client, token_client
from tests.conftest import judged, submit

PASSWORD = "a long enough password"


@pytest.fixture
def confirmed(owner: User) -> User:
    EmailAddress.objects.create(user=owner, email=owner.email, verified=True, primary=True)
    return owner


def leave(client: Client, password: str = PASSWORD):
    return client.post("/accounts/delete/", {"password": password})


def test_what_was_published_stays_on_its_board(spelling, confirmed, client):
    published = submit(spelling, confirmed, name="Kept")
    judged(published)
    assert leave(session_client(confirmed))["Location"] == "/"
    assert client.get(f"/entries/{published.pk}/").status_code == 200
    assert "Kept" in client.get("/boards/spelling/").content.decode()


def test_what_was_private_or_unconfirmed_is_withdrawn(spelling, confirmed):
    private = submit(spelling, confirmed, visibility="private")
    waiting = submit(spelling, confirmed, name="Waiting", confirm=False, visibility="private")
    leave(session_client(confirmed))
    for submission in (private, waiting):
        submission.refresh_from_db()
        assert submission.withdrawn


def test_nothing_names_the_person_any_more(confirmed):
    confirmed.first_name, confirmed.last_name = "Rosa", "Luxor"
    confirmed.save()
    leave(session_client(confirmed))
    confirmed.refresh_from_db()
    assert confirmed.username.startswith(FORMER_MEMBER)
    assert (confirmed.email, confirmed.first_name, confirmed.last_name) == ("", "", "")
    assert not EmailAddress.objects.exists()


def test_the_public_name_goes_from_boards_too(spelling, confirmed, client):
    set_public_name(owner=confirmed, name="Luxor Lab")
    judged(submit(spelling, confirmed))
    assert "by Luxor Lab" in client.get("/boards/spelling/").content.decode()
    leave(session_client(confirmed))
    page = client.get("/boards/spelling/").content.decode()
    assert "by a former member" in page
    assert "Luxor" not in page


def test_nobody_gets_in_any_more(confirmed):
    Authenticator.objects.create(user=confirmed, type="totp", data={"secret": "x"})
    mine, elsewhere = session_client(confirmed), session_client(confirmed)
    token = token_client(confirmed, "read")
    leave(mine)
    for client in (mine, elsewhere):
        assert client.get("/submissions/").status_code == 302
    assert token.get("/api/v1/submissions/").status_code == 401
    Client().post("/accounts/login/", {"login": "rosa@example.org", "password": PASSWORD})
    assert not AccessToken.objects.exists()
    assert not Authenticator.objects.exists()
    assert not User.objects.get().is_active


def test_rights_go_too(confirmed):
    confirmed.is_staff = True
    confirmed.save()
    confirmed.groups.add(Group.objects.create(name="some"))
    delete_account(user=confirmed)
    confirmed.refresh_from_db()
    assert not confirmed.is_staff
    assert not confirmed.groups.exists()


def test_the_address_can_sign_up_anew(confirmed):
    leave(session_client(confirmed))
    form = {"password1": "another good password", "password2": "another good password"}
    Client().post("/accounts/signup/", {"email": "rosa@example.org", **form})
    assert User.objects.filter(email="rosa@example.org").count() == 1


@pytest.mark.parametrize("password", ["", "not the password"])
def test_a_wrong_password_changes_nothing(confirmed, password):
    reply = leave(session_client(confirmed), password)
    assert reply.status_code == 422
    confirmed.refresh_from_db()
    assert confirmed.is_active
    assert confirmed.email == "rosa@example.org"


def test_the_page_says_what_stays_and_what_goes(spelling, confirmed):
    submit(spelling, confirmed, name="Public")
    submit(spelling, confirmed, name="Private 1", visibility="private")
    submit(spelling, confirmed, name="Private 2", visibility="private")
    page = session_client(confirmed).get("/accounts/delete/").content.decode()
    assert "1 published entry stays on the boards" in page
    assert "2 private submissions are withdrawn" in page
    account = session_client(confirmed).get("/accounts/").content.decode()
    assert 'href="/accounts/delete/"' in account
    assert 'href="/accounts/"' in session_client(confirmed).get("/submissions/").content.decode()


def test_the_only_admin_stays(confirmed):
    confirmed.is_staff = confirmed.is_superuser = True
    confirmed.save()
    assert (
        "only account that may do everything" in leave(session_client(confirmed)).content.decode()
    )
    with pytest.raises(LastAdminError):
        delete_account(user=confirmed)
    User.objects.create_superuser("boss", "boss@example.org", PASSWORD)
    delete_account(user=confirmed)
    assert User.objects.filter(is_superuser=True).count() == 1


def test_a_visitor_signs_in_first(client, db):
    assert client.get("/accounts/delete/")["Location"].startswith("/accounts/login/")
