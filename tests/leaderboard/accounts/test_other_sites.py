"""Signing in by way of another site, which is a server of the test's own."""

import re
from urllib.parse import parse_qs, urlsplit

import pytest
from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from allauth.socialaccount.models import SocialAccount, SocialApp, SocialToken
from django.contrib.auth.models import User
from django.core import mail
from django.test import Client

from leaderboard.accounts.other_sites import MOST_BYTES
from leaderboard.accounts.services import delete_account
from leaderboard.operations.data_exports import document_pieces
from leaderboard.sign_in_sites import read_sign_in_sites
from tests.other_site import KEYS, LOGINS, OPENID, ROSA, come_back, leave, through

PASSWORD = "a long enough password"
GITHUB = {"id": 7, "login": "rosa-l", "name": "Rosa Luxor", "bio": "told nobody here"}
ORCID = {
    "orcid-identifier": {"path": "0000-0002-1825-0097"},
    "person": {"name": {"given-names": {"value": "Rosa"}}},
}
NO_ANSWERS = {
    "page": b"<html>",
    "list": b"[]",
    "nothing": b"{}",
    "nobody": b'{"sub": null}',
    "endless": b"x" * (MOST_BYTES + 1),
}
PAGES = [
    "/accounts/other-sites/",
    "/accounts/other-sites/new/",
    "/accounts/other-sites/cancelled/",
    "/accounts/other-sites/failed/",
    *LOGINS.values(),
    *(f"{login}callback/?code=1&state=1" for login in LOGINS.values()),
]


def sign_up(client: Client, by: str = "openid", email: str = ROSA):
    assert through(client, by)["Location"] == "/accounts/other-sites/new/"
    return client.post("/accounts/other-sites/new/", {"email": email})


def account(email: str = ROSA) -> User:
    user = User.objects.create_user(email, email, PASSWORD)
    EmailAddress.objects.create(user=user, email=email, verified=True, primary=True)
    return user


def signed_in(user: User) -> Client:
    client = Client()
    client.post("/accounts/login/", {"login": user.email, "password": PASSWORD})
    client.post("/accounts/reauthenticate/", {"password": PASSWORD})
    return client


def connect(client: Client, by: str = "openid"):
    return through(client, by, "?process=connect")


def is_signed_in(client: Client) -> bool:
    return "_auth_user_id" in client.session


# --- what is configured ---------------------------------------------------------------------------


@pytest.mark.parametrize("path", PAGES)
def test_where_none_is_configured_there_is_no_such_page(path, db):
    for client in (Client(), signed_in(account())):
        assert client.get(path).status_code == 404
        assert client.post(path).status_code == 404


@pytest.mark.parametrize("path", ["/accounts/login/", "/accounts/signup/"])
def test_where_none_is_configured_no_page_speaks_of_it(path, client, db):
    assert "another site" not in client.get(path).content.decode()
    assert "form-action 'self';" in client.get(path)["Content-Security-Policy"] + ";"
    assert "Other sites" not in signed_in(account()).get("/accounts/").content.decode()


def test_only_those_configured_are_offered(elsewhere, settings, client):
    del settings.SOCIALACCOUNT_PROVIDERS["orcid"]
    page = client.get("/accounts/login/").content.decode()
    assert "Continue with GitHub" in page
    assert "Continue with Hugging Face" in page
    assert "ORCID" not in page
    assert leave(client, "orcid").status_code == 404
    assert client.post("/accounts/oidc/elsewhere/login/").status_code == 404


def test_rows_of_the_database_configure_nothing(db, client, settings):
    SocialApp.objects.create(provider="github", client_id="evil", secret="x")
    assert leave(client, "github").status_code == 404


def test_id_and_secret_go_together(capsys):
    none = ("", "")
    with pytest.raises(SystemExit):
        read_sign_in_sites({"GITHUB": ("id", ""), "HUGGINGFACE": none, "ORCID": none})
    assert "GITHUB_CLIENT_SECRET is empty" in capsys.readouterr().err


def test_forms_lead_to_the_sites_that_are_configured_and_no_other():
    none = ("", "")
    origins, providers = read_sign_in_sites({"GITHUB": KEYS, "HUGGINGFACE": none, "ORCID": none})
    assert (origins, list(providers)) == (["https://github.com"], ["github"])
    assert read_sign_in_sites({"GITHUB": none, "HUGGINGFACE": none, "ORCID": none}) == ([], {})


# --- there and back -------------------------------------------------------------------------------


@pytest.mark.parametrize("by", ["openid", "github"])
def test_a_new_account_has_the_address_that_the_other_site_is_sure_of(elsewhere, client, by):
    elsewhere.person = GITHUB if by == "github" else OPENID
    assert sign_up(client, by).status_code == 302
    assert is_signed_in(client)
    user = User.objects.get()
    assert (user.email, user.first_name, user.has_usable_password()) == (ROSA, "", False)
    assert EmailAddress.objects.get().verified
    assert SocialAccount.objects.get().extra_data == {"name": "rosa-l"}
    assert not SocialToken.objects.exists()
    assert mail.outbox == []


def test_orcid_tells_no_address_so_it_is_asked_for_and_confirmed(elsewhere, client):
    elsewhere.person = ORCID
    assert sign_up(client, "orcid")["Location"] == "/accounts/confirm-email/"
    assert not is_signed_in(client)
    assert [message.to for message in mail.outbox] == [[ROSA]]
    assert SocialAccount.objects.get().uid == "0000-0002-1825-0097"


def test_another_address_than_the_told_one_is_confirmed_first(elsewhere, client):
    sign_up(client, email="victim@example.org")
    assert not is_signed_in(client)
    assert [message.to for message in mail.outbox] == [["victim@example.org"]]


def test_of_several_addresses_the_first_that_is_confirmed_there_is_kept(elsewhere, client):
    elsewhere.person = GITHUB
    elsewhere.emails = [
        {"email": "unsure@example.org", "primary": False, "verified": False},
        {"email": "second@example.org", "primary": False, "verified": True},
        *elsewhere.emails,
    ]
    sign_up(client, "github")
    assert [row.email for row in EmailAddress.objects.all()] == [ROSA]


def test_who_comes_again_is_signed_in(elsewhere, client):
    sign_up(client)
    again = Client()
    assert through(again)["Location"] == "/submissions/"
    assert is_signed_in(again)
    assert User.objects.count() == 1


@pytest.mark.parametrize("by", ["openid", "github"])
def test_an_account_with_the_same_address_is_not_opened(elsewhere, client, by):
    owner = account()
    elsewhere.person = GITHUB if by == "github" else OPENID
    sign_up(client, by)
    assert not is_signed_in(client)
    assert User.objects.get() == owner
    assert not SocialAccount.objects.exists()
    assert [message.to for message in mail.outbox] == [[ROSA]]  # its owner is told


def test_a_second_factor_is_asked_for_as_ever(elsewhere):
    owner = account()
    connect(signed_in(owner))
    Authenticator.objects.create(user=owner, type="totp", data={"secret": "JBSWY3DPEHPK3PXP"})
    client = Client()
    assert through(client)["Location"].startswith("/accounts/2fa/authenticate/")
    assert not is_signed_in(client)


def test_the_code_is_bound_to_this_browser(elsewhere, client):
    gone = leave(client)
    query = parse_qs(urlsplit(gone["Location"]).query)
    assert query["code_challenge_method"] == ["S256"]
    come_back(client, gone)
    assert "code_verifier" in elsewhere.asked[0]


@pytest.mark.parametrize("changed", [{"state": "x"}, {"state": ""}, {"code": ""}, {"code": "x"}])
@pytest.mark.parametrize("by", sorted(LOGINS))
def test_a_way_back_that_does_not_fit_is_refused(elsewhere, client, by, changed):
    page = come_back(client, leave(client, by), by, **changed)
    assert (page.status_code, is_signed_in(client)) == (401, False)
    assert "Not signed in" in page.content.decode()
    assert not User.objects.exists()


def test_another_browser_cannot_go_back(elsewhere, client):
    page = come_back(Client(), leave(client))
    assert page.status_code == 401


def test_who_says_no_over_there_is_told_so(elsewhere, client):
    page = come_back(client, leave(client), code="", error="access_denied")
    assert page["Location"] == "/accounts/other-sites/cancelled/"
    assert "nothing was changed here" in client.get(page["Location"]).content.decode()


@pytest.mark.parametrize("raw", NO_ANSWERS.values(), ids=NO_ANSWERS)
@pytest.mark.parametrize("by", sorted(LOGINS))
def test_an_answer_that_is_none_becomes_a_page(elsewhere, client, by, raw):
    gone = leave(client, by)
    elsewhere.raw = raw
    page = come_back(client, gone, by)
    assert page.status_code in (401, 502)
    assert "Not signed in" in page.content.decode()


def test_another_site_that_is_away_becomes_a_page(elsewhere, client, settings):
    app = settings.SOCIALACCOUNT_PROVIDERS["openid_connect"]["APPS"][0]
    app["settings"]["server_url"] = "http://127.0.0.1:9"
    assert leave(client).status_code == 502


def test_a_link_changes_nothing_of_what_the_other_site_is_asked(elsewhere, client):
    gone = leave(client, "github", "?scope=repo&auth_params=redirect_uri%3Dhttps%3A%2F%2Fevil.org")
    query = parse_qs(urlsplit(gone["Location"]).query)
    assert query["scope"] == ["user:email"]
    assert query["redirect_uri"] == ["http://testserver/accounts/github/login/callback/"]


def test_a_link_alone_leads_nowhere(elsewhere, client):
    page = client.get(LOGINS["github"])
    assert page.status_code == 200
    assert "Go to GitHub" in page.content.decode()
    assert Client(enforce_csrf_checks=True).post(LOGINS["github"]).status_code == 403


def test_people_are_led_back_within_the_site_only(elsewhere, client):
    sign_up(client)
    client.logout()
    gone = leave(client, query="?next=https://evil.example/")
    assert come_back(client, gone)["Location"] == "/submissions/"


# --- connecting -----------------------------------------------------------------------------------


def test_an_account_is_connected_and_opened_that_way(elsewhere):
    owner = account()
    client = signed_in(owner)
    assert connect(client)["Location"] == "/accounts/other-sites/"
    assert "rosa-l" in client.get("/accounts/other-sites/").content.decode()
    assert "1 connected" in client.get("/accounts/").content.decode()
    again = Client()
    through(again)
    assert again.session["_auth_user_id"] == str(owner.pk)


def test_connecting_asks_for_the_password_again(elsewhere):
    client = Client()
    client.post("/accounts/login/", {"login": account().email, "password": PASSWORD})
    session = client.session
    for record in session["account_authentication_methods"]:
        record["at"] -= 3600
    session.save()
    assert connect(client)["Location"].startswith("/accounts/reauthenticate/")
    assert not SocialAccount.objects.exists()


def test_what_opens_another_account_is_not_connected(elsewhere, client):
    sign_up(client)
    other = signed_in(account("other@example.org"))
    connect(other)
    assert SocialAccount.objects.get().user.email == ROSA
    assert "opens another account" in other.get("/accounts/other-sites/").content.decode()


def test_a_connection_beside_a_password_is_ended(elsewhere):
    client = signed_in(account())
    connect(client)
    row = SocialAccount.objects.get()
    assert client.post("/accounts/other-sites/", {"account": row.pk}).status_code == 302
    assert not SocialAccount.objects.exists()


def test_the_only_way_in_is_not_ended(elsewhere, settings, client):
    sign_up(client)
    row = SocialAccount.objects.get()
    SocialAccount.objects.create(user=row.user, provider="of-no-setting", uid="1")
    page = client.post("/accounts/other-sites/", {"account": row.pk})
    assert "Choose a password first" in page.content.decode()
    assert "Choose one" in client.get("/accounts/").content.decode()
    assert SocialAccount.objects.count() == 2


def test_nobody_ends_a_connection_of_somebody_else(elsewhere, client):
    sign_up(client)
    row = SocialAccount.objects.get()
    other = signed_in(account("other@example.org"))
    other.post("/accounts/other-sites/", {"account": row.pk})
    assert SocialAccount.objects.exists()


def test_a_connection_to_a_site_that_is_offered_no_more_breaks_no_page(elsewhere, settings):
    owner = account()
    client = signed_in(owner)
    connect(client)
    del settings.SOCIALACCOUNT_PROVIDERS["openid_connect"]
    assert client.get("/accounts/other-sites/").status_code == 200
    assert "0 connected" in client.get("/accounts/").content.decode()


def test_without_a_password_deleting_says_to_choose_one(elsewhere, client):
    sign_up(client)
    assert re.search("choose one first", client.get("/accounts/delete/").content.decode())


def test_connections_are_of_a_persons_data_and_go_with_the_account(elsewhere, client):
    sign_up(client)
    user = User.objects.get()
    assert '"uid": "7f"' in "".join(document_pieces(user))
    delete_account(user=user)
    assert not SocialAccount.objects.exists()
