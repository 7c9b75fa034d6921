"""What was made for one person is kept by no cache; what everybody sees may be."""

import pytest
from django.test import Client

from tests.api_clients import session_client, token_client
from tests.conftest import judged, submit

KEPT_BY_NOBODY = ("private", "no-store")


def cache_control(client: Client, path: str) -> str:
    return client.get(path).get("Cache-Control", "")


@pytest.fixture
def private_entry(spelling, owner) -> str:
    submission = submit(spelling, owner, visibility="private")
    judged(submission)
    return f"/entries/{submission.pk}/"


def test_a_private_entry_is_kept_by_no_cache(owner, private_entry):
    response = session_client(owner).get(private_entry)
    assert response.status_code == 200
    assert response["Cache-Control"] == "private, no-store"


@pytest.mark.parametrize(
    "path",
    [
        "/",
        "/boards/spelling/",
        "/submissions/",
        "/submit/",
        "/tokens/",
        "/status/",
        "/nowhere/",
        "/api/v1/submissions/",
        "/accounts/email/",
    ],
)
def test_what_a_signed_in_person_gets_is_kept_by_no_cache(owner, spelling, path):
    found = cache_control(session_client(owner), path)
    assert all(word in found for word in KEPT_BY_NOBODY)
    assert "public" not in found


def test_what_a_token_gets_is_kept_by_no_cache(owner, submission):
    client = token_client(owner, "read")
    for path in (
        "/api/v1/submissions/",
        f"/api/v1/submissions/{submission.pk}/",
        "/api/v1/boards/",
    ):
        assert all(word in cache_control(client, path) for word in KEPT_BY_NOBODY)


def test_what_everybody_gets_may_be_kept(submission, client, settings):
    settings.SHARED_PAGES = True
    judged(submission)
    assert "private" not in cache_control(client, f"/entries/{submission.pk}/")
    for_proxies = "public, max-age=0, s-maxage=5, stale-while-revalidate=5"
    assert cache_control(client, "/boards/spelling/") == for_proxies
    assert "public" in cache_control(client, "/status/")


def test_what_looks_at_no_session_may_be_kept_for_anybody(owner):
    assert "public" in cache_control(session_client(owner), "/favicon.ico")


def test_every_page_takes_what_it_does_not_need_from_scripts(client, db):
    for path in ("/", "/nowhere/", "/api/v1/boards/", "/health/live"):
        assert "camera=()" in client.get(path)["Permissions-Policy"]
