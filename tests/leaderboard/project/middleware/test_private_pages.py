"""What was made for one person is kept by no cache; what everybody sees may be."""

from django.test import Client

from tests.api_clients import session_client, token_client
from tests.conftest import judged, submit

OF_ONE = (
    *("/", "/boards/spelling/", "/submissions/", "/submit/", "/tokens/", "/status/", "/nowhere/"),
    *("/api/v1/submissions/", "/accounts/email/"),
)


def cache_control(client: Client, path: str) -> str:
    return client.get(path).get("Cache-Control", "")


def test_what_one_person_gets_is_kept_by_no_cache(spelling, owner):
    submission = submit(spelling, owner, visibility="private")
    judged(submission)
    mine = session_client(owner)
    assert cache_control(mine, f"/entries/{submission.pk}/") == "private, no-store"
    by_token = ("/api/v1/submissions/", f"/api/v1/submissions/{submission.pk}/", "/api/v1/boards/")
    for client, paths in ((mine, OF_ONE), (token_client(owner, "read"), by_token)):
        for path in paths:
            words = {word.strip() for word in cache_control(client, path).split(",")}
            assert {"private", "no-store"} <= words - {"public"} == words, path
    assert "public" in cache_control(mine, "/favicon.ico")  # which looks at no session


def test_what_everybody_gets_may_be_kept(submission, client, settings):
    settings.SHARED_PAGES = True
    judged(submission)
    assert "private" not in cache_control(client, f"/entries/{submission.pk}/")
    for_proxies = "public, max-age=0, s-maxage=5, stale-while-revalidate=5"
    assert cache_control(client, "/boards/spelling/") == for_proxies
    assert "public" in cache_control(client, "/status/")


def test_every_page_takes_what_it_does_not_need_from_scripts(client, db):
    for path in ("/", "/nowhere/", "/api/v1/boards/", "/health/live"):
        assert "camera=()" in client.get(path)["Permissions-Policy"]
