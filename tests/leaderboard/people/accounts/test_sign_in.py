"""Whose wrong passwords lock whom out, what a sign-up tells, and which passwords are taken.

The tests' settings have no limits; here they are those of the project.
"""

import re
from datetime import timedelta
from http.cookies import SimpleCookie

import pytest
from allauth.account.models import EmailAddress
from django.contrib.auth.hashers import MD5PasswordHasher
from django.contrib.auth.models import User
from django.core import mail
from django.core.cache import cache
from django.db import connection, transaction
from django.test import Client
from django.utils import timezone

from leaderboard import settings as project
from leaderboard.models import SharedCacheRow
from leaderboard.people.accounts.sign_in import COOKIE
from leaderboard.results.services import forget_expired

PASSWORD = "a long enough password 7"
NEW_PASSWORD = "another long enough password"
OWNER, OTHER = "rosa@example.org", "sam@example.org"
GUESSES = 12
TOO_MANY = "Too many failed login attempts"


@pytest.fixture(autouse=True)
def limits(settings, db):
    settings.ACCOUNT_RATE_LIMITS = project.ACCOUNT_RATE_LIMITS


@pytest.fixture
def behind_a_proxy(settings):
    settings.ALLAUTH_TRUSTED_PROXY_COUNT = 1


@pytest.fixture
def few_guesses(settings):
    """Guesses from everywhere that end the sooner, or the test would take a hundred pages."""
    settings.ACCOUNT_RATE_LIMITS = project.ACCOUNT_RATE_LIMITS | {
        "login_failed_everywhere": f"{GUESSES}/h/key"
    }


@pytest.fixture
def accounts(db) -> list[User]:
    return [account(OWNER), account(OTHER)]


def account(address: str) -> User:
    user = User.objects.create_user(address.partition("@")[0], address, PASSWORD)
    EmailAddress.objects.create(user=user, email=address, verified=True, primary=True)
    return user


def sign_in(
    client: Client, login: str = OWNER, password: str = PASSWORD, **headers: str
) -> tuple[bool, str]:
    """Whether it worked, and the page."""
    reply = client.post("/accounts/login/", {"login": login, "password": password}, headers=headers)
    return reply.status_code == 302, reply.text


def is_locked(login: str = OWNER, **headers: str) -> bool:
    """For the right password, in a browser that nobody knows."""
    worked, page = sign_in(Client(), login, **headers)
    assert worked is (TOO_MANY not in page)
    return not worked


def fail(times: int, login: str = OWNER, **headers: str) -> str:
    page = ""
    for _ in range(times):
        worked, page = sign_in(Client(), login, "not the password", **headers)
        assert not worked
    return page


def from_address(last: int) -> dict[str, str]:
    """As a proxy writes it that was reached from this address, by a visitor who claims another."""
    return {"X-Forwarded-For": f"203.0.113.9, 198.51.100.{last}"}


# --- who is locked out ----------------------------------------------------------------------------


def test_an_account_is_locked_for_the_address_that_failed_and_for_no_other(
    accounts, behind_a_proxy
):
    assert TOO_MANY in fail(6, **from_address(1))
    assert is_locked(**from_address(1))
    assert not is_locked(OTHER, **from_address(1))
    assert TOO_MANY in fail(6, **from_address(1))
    assert not is_locked(**from_address(2))
    assert not is_locked(OTHER, **from_address(3))


def test_an_address_that_guesses_over_many_accounts_is_locked(accounts, behind_a_proxy):
    for number in range(10):
        fail(1, f"person{number}@example.org", **from_address(1))
    assert [is_locked(**from_address(number)) for number in (1, 2)] == [True, False]


def test_what_a_visitor_writes_about_addresses_is_not_believed(accounts, settings):
    """Without a proxy no header is."""
    for settings.ALLAUTH_TRUSTED_PROXY_COUNT, login in ((1, OWNER), (0, OTHER)):
        for number in range(12):
            claimed = {"X-Forwarded-For": f"203.0.113.{number}, 198.51.100.1"}
            page = fail(1, login, **claimed)
        assert TOO_MANY in page


@pytest.mark.slow
def test_guessing_from_many_addresses_ends(accounts, behind_a_proxy, few_guesses):
    for number in range(GUESSES):
        fail(1, **from_address(number))
    assert is_locked(**from_address(200))


def test_its_owner_gets_in_from_a_known_browser_meanwhile(accounts, behind_a_proxy, few_guesses):
    known = known_browser(**from_address(1))
    for number in range(GUESSES):
        fail(1, **from_address(number))
    fail(9, **from_address(1))
    assert sign_in(known, **from_address(1))[0]


def known_browser(**headers: str) -> Client:
    """In which the owner was signed in."""
    client = Client()
    assert sign_in(client, **headers)[0]
    client.post("/accounts/logout/")
    return client


def test_a_known_browser_guesses_no_more_than_any_other(accounts):
    known = known_browser()
    for _ in range(10):
        sign_in(known, OWNER, "not the password")
    worked, page = sign_in(known)
    assert (worked, TOO_MANY in page) == (False, True)


def test_a_browser_is_known_to_its_account_alone_and_until_the_password_changes(accounts):
    known = known_browser()
    fail(5, OTHER)
    assert not sign_in(known, OTHER)[0]
    accounts[0].set_password(NEW_PASSWORD)
    accounts[0].save()
    fail(5)
    assert not sign_in(known, OWNER, NEW_PASSWORD)[0]
    for forged in ("", "x", "WzEsMl0:1:x", "é"):
        known.cookies = SimpleCookie({COOKIE: forged})
        assert not sign_in(known, OWNER, NEW_PASSWORD)[0]


def test_a_new_password_by_mail_opens_the_account_again(accounts):
    assert TOO_MANY in fail(6)
    client = Client()
    client.post("/accounts/password/reset/", {"email": OWNER})
    link = re.search(r"http://testserver(/\S+)", str(mail.outbox[-1].body))
    assert link
    form = client.get(link[1])["Location"]
    client.post(form, {"password1": NEW_PASSWORD, "password2": NEW_PASSWORD})
    assert sign_in(Client(), OWNER, NEW_PASSWORD)[0]


# --- where limits live ----------------------------------------------------------------------------


def test_limits_are_rows_that_every_process_sees_and_that_go_once_they_ended(accounts):
    fail(5)
    cache.close()
    assert SharedCacheRow.objects.filter(cache_key__contains="login_failed").count() == 3
    kept = SharedCacheRow.objects.count()
    ended = timezone.now() - timedelta(seconds=1)  # the database tells it, by a clock of its own
    SharedCacheRow.objects.create(cache_key="old", value="", expires=ended)
    assert forget_expired() == 1
    assert SharedCacheRow.objects.count() == kept
    SharedCacheRow.objects.all().delete()
    assert not is_locked()


def test_without_its_cache_nobody_signs_in_and_the_page_says_so(accounts, caplog):
    point = transaction.savepoint()
    with connection.cursor() as cursor:
        cursor.execute("ALTER TABLE shared_cache RENAME TO shared_cache_away")
    client = Client(raise_request_exception=False)
    reply = client.post("/accounts/login/", {"login": OWNER, "password": PASSWORD})
    transaction.savepoint_rollback(point)
    assert reply.status_code >= 500
    assert "_auth_user_id" not in client.session
    assert "shared_cache" in caplog.text


# --- what a sign-up tells -------------------------------------------------------------------------


class CountingHasher(MD5PasswordHasher):
    hashed = 0

    def encode(self, password: str, salt: str) -> str:
        CountingHasher.hashed += 1
        return str(super().encode(password, salt))


def hashes(path: str, form: dict[str, str]) -> tuple[int, int, str]:
    before = CountingHasher.hashed
    reply = Client().post(path, form)
    return CountingHasher.hashed - before, reply.status_code, reply.get("Location", "")


@pytest.fixture
def counting(settings):
    settings.PASSWORD_HASHERS = [f"{__name__}.CountingHasher"]


def test_a_known_address_takes_as_much_as_an_unknown_one(accounts, counting):
    form = {"password1": NEW_PASSWORD, "password2": NEW_PASSWORD}
    known = hashes("/accounts/signup/", {"email": OWNER, **form})
    assert known == hashes("/accounts/signup/", {"email": "new@example.org", **form})
    assert known[0] == 1
    wrong = {"password": "not the password"}
    known = hashes("/accounts/login/", {"login": OWNER, **wrong})
    assert known == hashes("/accounts/login/", {"login": "x@example.org", **wrong})


# --- passwords ------------------------------------------------------------------------------------


UNSEEN = (
    *(" " * 12, "\u00a0\u2003 \u3000" * 4, "\u200b" * 12, "\u0301" * 12, "ab" * 8),
    "\u3164\u115f\u1160\uffa0\u2800" * 3,
)
UNTYPED = ("a long\u0000 password", "a long\x1b[0m password")


def test_a_password_that_nobody_sees_or_types_is_refused_and_any_script_is_taken(client, db):
    def sign_up(password: str) -> str:
        form = {"email": "new@example.org", "password1": password, "password2": password}
        return str(client.post("/accounts/signup/", form).text)

    for password in UNSEEN:
        assert "different characters besides blanks" in sign_up(password), ascii(password)
    for password in UNTYPED:
        assert re.search("control character|Null characters", sign_up(password)), ascii(password)
    assert not User.objects.exists()
    sign_up("правильная 馬 電池")
    assert User.objects.get().check_password("правильная 馬 電池")
