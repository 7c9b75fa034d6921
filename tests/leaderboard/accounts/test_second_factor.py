"""The admin and the second factor: who is led where, and what opens it."""

import re
import time

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


# --- without a factor -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "path", ["/admin/", "/admin/auth/user/", "/admin/nowhere/", "/admin/login/"]
)
def test_staff_without_a_factor_are_led_to_set_one_up(admin, path):
    reply = signed_in(admin).get(path)
    assert (reply.status_code, reply["Location"]) == (302, "/accounts/2fa/totp/activate/")


@pytest.mark.parametrize("setting", ["", None])
@pytest.mark.parametrize("script", ["/accounts", "/accounts/2fa/", "/x"])
def test_staff_without_a_factor_say_in_vain_that_the_site_lies_elsewhere(
    admin, settings, setting, script
):
    settings.FORCE_SCRIPT_NAME = setting
    reply = signed_in(admin).get("/admin/auth/user/", SCRIPT_NAME=script)
    assert (reply.status_code, reply["Location"]) == (302, "/accounts/2fa/totp/activate/")


def test_the_page_says_why_and_shows_key_and_picture(admin):
    client = signed_in(admin)
    page = client.get("/admin/", follow=True).content.decode()
    assert "Staff need a second factor. Set one up here." in page
    client.post("/accounts/reauthenticate/", {"password": PASSWORD})
    page = client.get("/accounts/2fa/totp/activate/").content.decode()
    assert "<svg" in page
    assert "data:image" not in page
    assert "<?xml" not in page


def test_nothing_is_written_without_a_factor(admin):
    other = account("rosa")
    client = signed_in(admin)
    reply = client.post(f"/admin/auth/user/{other.pk}/delete/", {"post": "yes"})
    assert reply.status_code == 302
    assert User.objects.filter(pk=other.pk).exists()


def test_whoever_is_no_staff_is_refused_as_before(admin):
    assert signed_in(account("rosa")).get("/admin/", follow=True).status_code == 403
    assert Client().get("/admin/", follow=True).redirect_chain[-1][0].startswith("/accounts/login/")


@pytest.mark.parametrize("path", ["/", "/submissions/", "/tokens/", "/boards/spelling/"])
def test_staff_do_nothing_else_on_the_site_either(admin, path):
    assert signed_in(admin).get(path)["Location"] == "/accounts/2fa/totp/activate/"


def test_staff_without_a_factor_publish_nothing_by_the_api(admin, spelling, owner):
    private = submit(spelling, owner, visibility="private")
    client = signed_in(admin)
    for method, path in (("get", ""), ("post", "publish/")):
        reply = getattr(client, method)(f"/api/v1/submissions/{private.pk}/{path}")
        assert (reply.status_code, reply["Content-Type"]) == (403, "application/problem+json")
        assert "second factor" in reply.json()["detail"]
    assert Client().get(f"/entries/{private.pk}/").status_code == 404


def test_the_site_asks_nobody_else_for_one():
    assert signed_in(account("rosa")).get("/submissions/").status_code == 200


def test_what_everybody_gets_asks_nobody(admin):
    assert signed_in(admin).get("/health/live").status_code == 200


def test_a_setting_opens_the_admin_without(admin, settings):
    settings.STAFF_SECOND_FACTOR = False
    assert signed_in(admin).get("/admin/").status_code == 200


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
    assert "authenticator app" in other_browser.get(reply["Location"]).content.decode()
    reply = other_browser.post(reply["Location"], {"code": code_of(secret)})
    assert reply["Location"] == "/admin/auth/user/"
    assert other_browser.get("/admin/auth/user/").status_code == 200


@pytest.mark.parametrize("setting", ["", None])
def test_a_session_older_than_its_factor_says_in_vain_that_the_site_lies_elsewhere(
    settings, setting
):
    settings.FORCE_SCRIPT_NAME = setting
    user = account("rosa")
    client, older = signed_in(user), signed_in(user)
    set_up(client)
    older.post("/accounts/reauthenticate/", {"password": PASSWORD})
    reply = older.get("/accounts/2fa/recovery-codes/", SCRIPT_NAME="/x")
    assert (reply.status_code, reply.get("Location", "").partition("?")[0]) == (
        302,
        "/accounts/2fa/reauthenticate/",
    )


@pytest.mark.parametrize("is_staff", [True, False])
def test_a_session_older_than_its_factor_neither_reads_nor_ends_it(admin, is_staff):
    user = admin if is_staff else account("rosa")
    client, older = signed_in(user), signed_in(user)
    set_up(client)
    older.post("/accounts/reauthenticate/", {"password": PASSWORD})
    for page in ("recovery-codes/", "recovery-codes/generate/", "totp/deactivate/", ""):
        for method in (older.get, older.post):
            reply = method(f"/accounts/2fa/{page}")
            assert reply["Location"].startswith("/accounts/2fa/reauthenticate/")
    assert Authenticator.objects.filter(user=user, type=Authenticator.Type.TOTP).exists()


def test_a_sign_in_with_password_and_code_opens_the_admin(admin):
    secret, _ = set_up(signed_in(admin))
    client = Client()
    reply = client.post(
        "/accounts/login/?next=/admin/", {"login": admin.email, "password": PASSWORD}
    )
    assert reply["Location"].startswith("/accounts/2fa/authenticate/")
    assert client.get("/admin/").status_code == 302
    assert "code" in client.get("/accounts/2fa/authenticate/").content.decode()
    client.post("/accounts/2fa/authenticate/", {"code": code_of(secret)})
    assert client.get("/admin/").status_code == 200


def test_a_code_works_once(admin):
    secret, _ = set_up(signed_in(admin))
    code, opened = code_of(secret), []
    for _ in range(2):
        client = Client()
        client.post("/accounts/login/", {"login": admin.email, "password": PASSWORD})
        client.post("/accounts/2fa/authenticate/", {"code": code})
        opened.append(client.get("/admin/").status_code == 200)
    assert opened == [True, False]


def test_turning_the_factor_off_closes_the_admin(admin):
    client = signed_in(admin)
    set_up(client)
    client.post("/accounts/2fa/totp/deactivate/")
    assert not Authenticator.objects.exists()
    assert client.get("/admin/")["Location"] == "/accounts/2fa/totp/activate/"


def test_nobody_reads_a_secret_in_the_admin(admin, settings):
    client = signed_in(admin)
    secret, _ = set_up(client)
    settings.STAFF_SECOND_FACTOR = False
    for authenticator in Authenticator.objects.all():
        page = client.get(f"/admin/mfa/authenticator/{authenticator.pk}/change/").content.decode()
        assert str(admin) in page
        assert secret not in page
        assert authenticator.data.get("seed", secret) not in page


# --- everybody's pages ----------------------------------------------------------------------------


def test_everyone_finds_the_page_and_it_tells_whether_a_factor_is_on():
    client = signed_in(account("rosa"))
    assert 'href="/accounts/2fa/"' in client.get("/accounts/").content.decode()
    assert "Set it up" in client.get("/accounts/2fa/").content.decode()
    set_up(client)
    page = client.get("/accounts/2fa/").content.decode()
    assert "Turn it off" in page
    assert "10 codes left" in page


@pytest.mark.parametrize(
    "path",
    [
        "/accounts/2fa/recovery-codes/",
        "/accounts/2fa/recovery-codes/generate/",
        "/accounts/2fa/totp/deactivate/",
        "/accounts/2fa/reauthenticate/",
    ],
)
def test_its_pages_look_like_the_site(path):
    client = signed_in(account("rosa"))
    set_up(client)
    page = client.get(path).content.decode()
    assert "css/form.css" in page
    assert "style=" not in page
    assert not re.search(r"<script(?![^>]*\bsrc=)", page)


def test_its_owner_is_told_by_mail_that_the_factor_was_turned_off(admin, mailoutbox):
    client = signed_in(admin)
    set_up(client)
    mailoutbox.clear()
    client.post("/accounts/2fa/totp/deactivate/", headers={"User-Agent": "Odd " * 100})
    (told,) = mailoutbox
    assert told.to == [admin.email]
    assert told.subject.startswith("[Assay] ")
    assert "The way into your account changed" in told.body
    assert "From: 127.0.0.1, Odd Odd" in told.body
    assert "http://testserver/accounts/password/reset/" in told.body
    assert len(told.body) < 800
