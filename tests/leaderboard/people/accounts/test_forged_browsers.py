"""Who guesses passwords is no known browser: not by a cookie of another key, nor by one that is
older than browsers keep it."""

from http.cookies import SimpleCookie

import pytest
from django.contrib.auth.models import User
from django.core import signing
from django.test import RequestFactory

from leaderboard.people.accounts.sign_in import (
    COOKIE,
    COOKIE_DAYS,
    COOKIE_SALT,
    browser_mark,
    known_browser,
)
from tests.forging import forged, signed_before
from tests.leaderboard.people.accounts.test_sign_in import OWNER, account

DAY = 86_400


@pytest.fixture
def mark(db):
    """What the cookie of a browser holds."""
    return signing.loads(browser_mark(account(OWNER)), salt=COOKIE_SALT)


def known(cookie: str) -> str:
    request = RequestFactory().get("/")
    request.COOKIES = {COOKIE: SimpleCookie({COOKIE: cookie})[COOKIE].value}
    return known_browser(request, OWNER)


def test_a_browser_is_known_by_a_cookie_of_this_site(mark):
    assert known(signed_before(mark, COOKIE_SALT, (COOKIE_DAYS - 1) * DAY)) == mark[1]


def test_a_cookie_that_another_key_signed_names_no_browser(mark):
    assert known(forged(mark, COOKIE_SALT)) == ""


def test_a_cookie_that_is_too_old_names_no_browser(mark):
    assert known(signed_before(mark, COOKIE_SALT, (COOKIE_DAYS + 1) * DAY)) == ""


def test_a_browser_is_unknown_after_the_password_was_changed(mark):
    user = User.objects.get(email=OWNER)
    user.set_password("another long enough password")
    user.save()
    assert known(signing.dumps(mark, salt=COOKIE_SALT)) == ""
