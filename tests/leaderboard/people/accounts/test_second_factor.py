"""The admin and the second factor: who is led where, and what opens it."""

import re
import time
from itertools import product

import pytest
from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from allauth.mfa.totp.internal.auth import format_hotp_value, hotp_value
from django.contrib.auth.models import User
from django.test import Client

from tests.conftest import submit

PASSWORD = "a long enough password"


@pytest.fixture(autouse=True)
def asked(settings, db):
    settings.STAFF_SECOND_FACTOR = True


@pytest.fixture
def admin(db) -> User:
    return account("boss", is_staff=True, is_superuser=True)


def account(name: str, **rights: bool) -> User:
    user = User.objects.create_user(name, f"{name}@example.org", PASSWORD, **rights)
    EmailAddress.objects.create(user=user, email=user.email, verified=True, primary=True)
    return user


def signed_in(user: User) -> Client:
    client = Client()
    client.post("/accounts/login/", {"login": user.email, "password": PASSWORD})
    return client


def code_of(secret: str) -> str:
    return str(format_hotp_value(hotp_value(secret, int(time.time()) // 30)))


def set_up(client: Client) -> tuple[str, str]:
    """The key, and the page that follows; allauth wants the password first."""
    client.post("/accounts/reauthenticate/", {"password": PASSWORD})
    page = client.get("/accounts/2fa/totp/activate/").content.decode()
    secret = re.search(r'<code class="wrap">(\w+)</code>', page)
    assert secret
    reply = client.post("/accounts/2fa/totp/activate/", {"code": code_of(secret[1])}, follow=True)
    return secret[1], reply.content.decode()


LED = (302, "/accounts/2fa/totp/activate/")


def led(reply) -> tuple[int, str]:
    return reply.status_code, reply.get("Location", "").partition("?")[0]


# --- without a factor -----------------------------------------------------------------------------


def test_staff_without_a_factor_are_led_to_set_one_up_wherever_they_go(admin, settings):
    client, rosa = signed_in(admin), account("rosa")
    desk = ("/admin/", "/admin/auth/user/", "/admin/nowhere/", "/admin/login/")
    for path in (*desk, "/", "/submissions/", "/tokens/", "/boards/spelling/"):
        assert led(client.get(path)) == LED, path
    # in vain they say that the site lies elsewhere
    for setting, script in product(("", None), ("/accounts", "/accounts/2fa/", "/x")):
        settings.FORCE_SCRIPT_NAME = setting
        assert led(client.get("/admin/auth/user/", SCRIPT_NAME=script)) == LED
    assert led(client.post(f"/admin/auth/user/{rosa.pk}/delete/", {"post": "yes"})) == LED
    assert User.objects.filter(pk=rosa.pk).exists()
    assert client.get("/health/live").status_code == 200
    settings.STAFF_SECOND_FACTOR = False
    assert client.get("/admin/").status_code == 200


def test_the_page_says_why_and_shows_key_and_picture(admin):
    client = signed_in(admin)
    page = client.get("/admin/", follow=True).text
    assert "Staff need a second factor. Set one up here." in page
    client.post("/accounts/reauthenticate/", {"password": PASSWORD})
    page = client.get("/accounts/2fa/totp/activate/").text
    assert [word in page for word in ("<svg", "data:image", "<?xml")] == [True, False, False]


def test_whoever_is_no_staff_is_refused_as_before_and_asked_for_none(db):
    client = signed_in(account("rosa"))
    assert client.get("/admin/", follow=True).status_code == 403
    assert client.get("/submissions/").status_code == 200
    assert Client().get("/admin/", follow=True).redirect_chain[-1][0].startswith("/accounts/login/")


def test_staff_without_a_factor_publish_nothing_by_the_api(admin, spelling, owner):
    private = submit(spelling, owner, visibility="private")
    client = signed_in(admin)
    for method, path in ((client.get, ""), (client.post, "publish/")):
        reply = method(f"/api/v1/submissions/{private.pk}/{path}")
        assert (reply.status_code, reply["Content-Type"]) == (403, "application/problem+json")
        assert "second factor" in reply.json()["detail"]
    assert Client().get(f"/entries/{private.pk}/").status_code == 404


# --- with one -------------------------------------------------------------------------------------


def test_a_factor_set_up_gives_recovery_codes_and_the_way_to_the_admin(admin):
    client = signed_in(admin)
    _, page = set_up(client)
    assert "Recovery codes" in page
    assert len(re.findall(r"^\d{8}$", page.replace("<pre", "\n<pre"), re.M)) >= 9
    assert 'href="/admin/"' in page


def test_a_session_older_than_its_factor_gives_a_code_first(admin):
    client, other_browser = signed_in(admin), signed_in(admin)
    secret, _ = set_up(client)
    reply = other_browser.get("/admin/auth/user/")
    assert reply["Location"] == "/accounts/2fa/reauthenticate/?next=%2Fadmin%2Fauth%2Fuser%2F"
    assert "authenticator app" in other_browser.get(reply["Location"]).text
    reply = other_browser.post(reply["Location"], {"code": code_of(secret)})
    assert reply["Location"] == "/admin/auth/user/"
    assert other_browser.get("/admin/auth/user/").status_code == 200


@pytest.mark.parametrize("is_staff", [True, False])
def test_a_session_older_than_its_factor_neither_reads_nor_ends_it(admin, settings, is_staff):
    user = admin if is_staff else account("rosa")
    client, older = signed_in(user), signed_in(user)
    set_up(client)
    older.post("/accounts/reauthenticate/", {"password": PASSWORD})
    asked = (302, "/accounts/2fa/reauthenticate/")
    for page in ("recovery-codes/", "recovery-codes/generate/", "totp/deactivate/", ""):
        for method in (older.get, older.post):
            assert led(method(f"/accounts/2fa/{page}")) == asked
    for settings.FORCE_SCRIPT_NAME in ("", None):
        assert led(older.get("/accounts/2fa/recovery-codes/", SCRIPT_NAME="/x")) == asked
    assert Authenticator.objects.filter(user=user, type=Authenticator.Type.TOTP).exists()


def test_a_sign_in_with_password_and_code_opens_the_admin_and_each_code_once(admin):
    secret, _ = set_up(signed_in(admin))
    code, form = code_of(secret), {"login": admin.email, "password": PASSWORD}
    for status in (200, 302):
        client = Client()
        reply = client.post("/accounts/login/?next=/admin/", form)
        assert reply["Location"].startswith("/accounts/2fa/authenticate/")
        assert client.get("/admin/").status_code == 302
        assert "code" in client.get("/accounts/2fa/authenticate/").text
        client.post("/accounts/2fa/authenticate/", {"code": code})
        assert client.get("/admin/").status_code == status


def test_turning_the_factor_off_closes_the_admin_and_its_owner_is_told(admin, mailoutbox):
    client = signed_in(admin)
    set_up(client)
    mailoutbox.clear()
    client.post("/accounts/2fa/totp/deactivate/", headers={"User-Agent": "Odd " * 100})
    assert not Authenticator.objects.exists()
    assert led(client.get("/admin/")) == LED
    (told,) = mailoutbox
    assert told.to == [admin.email]
    assert told.subject.startswith("[Assay] ")
    for sentence in (
        "Your sign-in details changed",
        "From: 127.0.0.1, Odd Odd",
        "http://testserver/accounts/password/reset/",
    ):
        assert sentence in told.body
    assert len(told.body) < 800


def test_nobody_reads_a_secret_in_the_admin(admin, settings):
    client = signed_in(admin)
    secret, _ = set_up(client)
    settings.STAFF_SECOND_FACTOR = False
    for authenticator in Authenticator.objects.all():
        page = client.get(f"/admin/mfa/authenticator/{authenticator.pk}/change/").text
        assert str(admin) in page
        assert secret not in page
        assert authenticator.data.get("seed", secret) not in page


# --- everybody's pages ----------------------------------------------------------------------------


def test_everyone_finds_its_pages_which_tell_what_is_on_and_look_like_the_site():
    client = signed_in(account("rosa"))
    assert 'href="/accounts/2fa/"' in client.get("/accounts/").text
    assert "Set it up" in client.get("/accounts/2fa/").text
    set_up(client)
    page = client.get("/accounts/2fa/").text
    assert "Turn it off" in page
    assert "10 codes left" in page
    for path in (
        "recovery-codes/",
        "recovery-codes/generate/",
        "totp/deactivate/",
        "reauthenticate/",
    ):
        page = client.get(f"/accounts/2fa/{path}").text
        assert "css/forms.css" in page
        assert not re.search(r"style=|<script(?![^>]*\bsrc=)", page)
