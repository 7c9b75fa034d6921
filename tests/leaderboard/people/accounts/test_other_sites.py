"""Signing in by way of another site, which is a server of the test's own."""

from itertools import product
from urllib.parse import parse_qs, urlsplit

import pytest
from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from allauth.socialaccount.models import SocialAccount, SocialApp, SocialToken
from django.contrib.auth.models import User
from django.core import mail
from django.test import Client

from leaderboard.operations.files.data_exports import document_pieces
from leaderboard.people.accounts.other_sites import MOST_BYTES
from leaderboard.people.accounts.services import delete_account
from leaderboard.project.sign_in_sites import read_sign_in_sites
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


def test_where_none_is_configured_there_is_no_such_page_and_none_speaks_of_it(client, db):
    SocialApp.objects.create(provider="github", client_id="evil", secret="x")  # configures nothing
    mine = signed_in(account())
    asked = product(PAGES, (client.get, client.post, mine.get, mine.post))
    assert [path for path, method in asked if method(path).status_code != 404] == []
    for path in ("/accounts/login/", "/accounts/signup/"):
        page = client.get(path)
        assert "another site" not in page.text
        assert "form-action 'self';" in page["Content-Security-Policy"] + ";"
    assert "Other sites" not in mine.get("/accounts/").text


def test_only_those_configured_are_offered(elsewhere, settings, client):
    del settings.SOCIALACCOUNT_PROVIDERS["orcid"]
    page = client.get("/accounts/login/").text
    offered = [
        name for name in ("GitHub", "Hugging Face", "ORCID") if f"Continue with {name}" in page
    ]
    assert offered == ["GitHub", "Hugging Face"]
    assert leave(client, "orcid").status_code == 404
    assert client.post("/accounts/oidc/elsewhere/login/").status_code == 404


def test_forms_lead_to_the_sites_that_have_id_and_secret_and_no_other(capsys):
    nothing = dict.fromkeys(("GITHUB", "HUGGINGFACE", "ORCID"), ("", ""))
    assert read_sign_in_sites(nothing) == ([], {})
    origins, providers = read_sign_in_sites(nothing | {"GITHUB": KEYS})
    assert (origins, list(providers)) == (["https://github.com"], ["github"])
    with pytest.raises(SystemExit):
        read_sign_in_sites(nothing | {"GITHUB": ("id", "")})
    assert "GITHUB_CLIENT_SECRET is empty" in capsys.readouterr().err


# --- there and back -------------------------------------------------------------------------------


@pytest.mark.parametrize(("by", "uid"), [("openid", "7f"), ("github", "7")])
def test_a_new_account_has_the_address_that_the_other_site_is_sure_of(elsewhere, client, by, uid):
    """Of several the first that is confirmed there; whoever comes again is signed in."""
    elsewhere.person = GITHUB if by == "github" else OPENID
    elsewhere.emails = [
        {"email": "unsure@example.org", "primary": False, "verified": False},
        {"email": "second@example.org", "primary": False, "verified": True},
        *elsewhere.emails,
    ]
    sign_up(client, by)
    again = Client()
    assert through(again, by, "?next=https://evil.example/")["Location"] == "/submissions/"
    assert is_signed_in(client)
    assert is_signed_in(again)
    user = User.objects.get()
    assert (user.email, user.first_name, user.has_usable_password()) == (ROSA, "", False)
    assert EmailAddress.objects.values_list("email", "verified").get() == (ROSA, True)
    assert SocialAccount.objects.get().extra_data == {"name": "rosa-l"}
    assert (SocialToken.objects.count(), mail.outbox) == (0, [])
    assert f'"uid": "{uid}"' in "".join(document_pieces(user))
    delete_account(user=user)
    assert not SocialAccount.objects.exists()


@pytest.mark.parametrize(
    ("by", "person", "email"), [("orcid", ORCID, ROSA), ("openid", OPENID, "victim@example.org")]
)
def test_an_address_that_the_other_site_does_not_tell_is_confirmed_first(
    elsewhere, client, by, person, email
):
    elsewhere.person = person
    assert sign_up(client, by, email)["Location"] == "/accounts/confirm-email/"
    assert not is_signed_in(client)
    assert [message.to for message in mail.outbox] == [[email]]
    assert SocialAccount.objects.get().uid in ("0000-0002-1825-0097", "7f")


@pytest.mark.parametrize("by", ["openid", "github"])
def test_an_account_with_the_same_address_is_not_opened(elsewhere, client, by):
    owner = account()
    elsewhere.person = GITHUB if by == "github" else OPENID
    sign_up(client, by)
    assert not is_signed_in(client)
    assert (User.objects.get(), SocialAccount.objects.count()) == (owner, 0)
    assert [message.to for message in mail.outbox] == [[ROSA]]  # its owner is told


def test_a_way_back_that_does_not_fit_is_refused(elsewhere, client):
    """The code is bound to the browser that left."""
    assert come_back(Client(), leave(client)).status_code == 401
    changes: tuple[dict[str, str], ...] = (
        {"state": "x"},
        {"state": ""},
        {"code": ""},
        {"code": "x"},
    )
    for by, changed in product(LOGINS, changes):
        page = come_back(client, leave(client, by), by, **changed)
        assert (page.status_code, is_signed_in(client)) == (401, False)
        assert "Not signed in" in page.text
    assert not User.objects.exists()
    gone, already = leave(client), len(elsewhere.asked)
    assert parse_qs(urlsplit(gone["Location"]).query)["code_challenge_method"] == ["S256"]
    come_back(client, gone)
    assert "code_verifier" in elsewhere.asked[already]


def test_who_says_no_over_there_is_told_so(elsewhere, client):
    page = come_back(client, leave(client), code="", error="access_denied")
    assert page["Location"] == "/accounts/other-sites/cancelled/"
    assert "nothing was changed here" in client.get(page["Location"]).text


def test_an_answer_that_is_none_and_a_site_that_is_away_become_pages(elsewhere, client, settings):
    for by, raw in product(LOGINS, NO_ANSWERS.values()):
        elsewhere.raw = None
        gone = leave(client, by)
        elsewhere.raw = raw
        page = come_back(client, gone, by)
        assert page.status_code in (401, 502), (by, raw[:20])
        assert "Not signed in" in page.text
    app = settings.SOCIALACCOUNT_PROVIDERS["openid_connect"]["APPS"][0]
    app["settings"]["server_url"] = "http://127.0.0.1:9"
    assert leave(client).status_code == 502


def test_a_link_leads_nowhere_alone_and_changes_nothing_of_what_is_asked(elsewhere, client):
    page = client.get(LOGINS["github"])
    assert (page.status_code, "Go to GitHub" in page.text) == (200, True)
    assert Client(enforce_csrf_checks=True).post(LOGINS["github"]).status_code == 403
    gone = leave(client, "github", "?scope=repo&auth_params=redirect_uri%3Dhttps%3A%2F%2Fevil.org")
    query = parse_qs(urlsplit(gone["Location"]).query)
    assert query["scope"] == ["user:email"]
    assert query["redirect_uri"] == ["http://testserver/accounts/github/login/callback/"]


# --- connecting -----------------------------------------------------------------------------------


def test_an_account_is_connected_opened_that_way_and_disconnected(elsewhere, settings):
    owner, others, again = account(), "/accounts/other-sites/", Client()
    client = signed_in(owner)
    assert connect(client)["Location"] == others
    assert "rosa-l" in client.get(others).text
    assert "1 connected" in client.get("/accounts/").text
    through(again)
    assert again.session["_auth_user_id"] == str(owner.pk)
    factor = Authenticator.objects.create(
        user=owner, type="totp", data={"secret": "JBSWY3DPEHPK3PXP"}
    )
    asked = Client()
    assert through(asked)["Location"].startswith("/accounts/2fa/authenticate/")
    assert not is_signed_in(asked)
    factor.delete()
    offered = settings.SOCIALACCOUNT_PROVIDERS.pop("openid_connect")  # the site offers it no more
    assert client.get(others).status_code == 200
    assert "0 connected" in client.get("/accounts/").text
    settings.SOCIALACCOUNT_PROVIDERS["openid_connect"] = offered
    client.post(others, {"account": SocialAccount.objects.get().pk})
    assert not SocialAccount.objects.exists()


def test_connecting_asks_for_the_password_again(elsewhere):
    client = Client()
    client.post("/accounts/login/", {"login": account().email, "password": PASSWORD})
    session = client.session
    for record in session["account_authentication_methods"]:
        record["at"] -= 3600
    session.save()
    assert connect(client)["Location"].startswith("/accounts/reauthenticate/")
    assert not SocialAccount.objects.exists()


def test_what_opens_another_account_is_neither_connected_nor_ended(elsewhere, client):
    sign_up(client)
    other = signed_in(account("other@example.org"))
    connect(other)
    assert "is already connected to another account" in other.get("/accounts/other-sites/").text
    other.post("/accounts/other-sites/", {"account": SocialAccount.objects.get().pk})
    assert SocialAccount.objects.get().user.email == ROSA


def test_the_only_way_in_is_not_ended_and_pages_say_to_choose_a_password(elsewhere, client):
    sign_up(client)
    row = SocialAccount.objects.get()
    SocialAccount.objects.create(user=row.user, provider="of-no-setting", uid="1")
    assert (
        "Choose a password first" in client.post("/accounts/other-sites/", {"account": row.pk}).text
    )
    assert "Choose one" in client.get("/accounts/").text
    assert "choose one first" in client.get("/accounts/delete/").text
    assert SocialAccount.objects.count() == 2
