"""What one visitor's pages may take of a processor."""

from types import SimpleNamespace

import pytest
from django.core.cache import caches
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.test import Client, RequestFactory
from django.utils.functional import SimpleLazyObject

from leaderboard.web.caching import budgets, middleware
from leaderboard.web.caching.budgets import SECONDS
from leaderboard.web.caching.middleware import SharedPagesMiddleware
from tests.api_clients import session_client, token_client

SEARCH = "/compare/?m="


class Clock(SimpleNamespace):
    """Time as it passes for everybody, and as a thread works."""

    now, worked = 1_000.0, 0.0

    def monotonic(self) -> float:
        return self.now

    def thread_time(self) -> float:
        return self.worked


@pytest.fixture
def clock(monkeypatch, settings) -> Clock:
    settings.VISITOR_SHARE = 0.1
    clock = Clock()
    monkeypatch.setattr(budgets, "time", clock)
    return clock


@pytest.fixture
def spend(clock, settings):
    """Asks for something that takes so many seconds of a processor; the status of the answer."""

    def ask(seconds: float, address: str = "192.0.2.1", path: str = "/nothing/", **headers: str):
        def work(request: HttpRequest) -> HttpResponse:
            clock.worked += seconds
            return HttpResponse(b"made")

        request = RequestFactory().get(path, headers=headers, REMOTE_ADDR=address)
        return SharedPagesMiddleware(work)(request)

    return ask


def test_who_has_used_the_time_up_waits_until_there_is_some(spend, clock):
    assert spend(SECONDS + 1).status_code == 200
    refused = spend(0)
    assert (refused.status_code, refused["Retry-After"]) == (429, "10")
    assert refused["Cache-Control"] == "private, no-store"
    clock.now += 9
    assert spend(0).status_code == 429
    clock.now += 1.1
    assert spend(0).status_code == 200


def test_a_rest_saves_up_no_more_than_the_whole(spend, clock):
    spend(0.1)
    clock.now += 1_000_000
    assert spend(SECONDS + 1).status_code == 200
    assert spend(0)["Retry-After"] == "10"


def test_every_ipv4_address_and_every_ipv6_network_has_its_own_time(spend):
    spend(SECONDS + 1)
    spend(SECONDS + 1, "2001:db8::1")
    others = ("192.0.2.2", "192.0.2.1", "2001:db8:0:1::1", "2001:db8::ffff:2")
    assert [spend(0, other).status_code for other in others] == [200, 429, 200, 429]


def test_ipv4_addresses_told_as_ipv6_are_different_visitors(spend):
    spend(SECONDS + 1, "::ffff:192.0.2.1")
    others = ("192.0.2.1", "::ffff:192.0.2.2", "::1")
    assert [spend(0, other).status_code for other in others] == [429, 200, 200]
    assert spend(0, "::ffff:192.0.2.1", "/health/live").status_code == 429


def test_who_comes_past_a_proxy_is_answered(spend, settings):
    settings.ALLAUTH_TRUSTED_PROXY_COUNT = 2
    assert spend(0, **{"X-Forwarded-For": "192.0.2.9"}).status_code == 200


def test_what_it_takes_to_store_a_page_counts_too(db, spend, clock, monkeypatch):
    def work(*_: object) -> None:
        clock.worked += SECONDS + 1

    monkeypatch.setattr(middleware, "keep", work)
    assert spend(0, path="/models/?q=one").status_code == 200
    assert spend(0, path="/models/?q=two").status_code == 429


def test_who_is_refused_takes_no_lease(db, spend, monkeypatch):
    spend(SECONDS + 1)
    taken: list[object] = []
    monkeypatch.setattr(middleware, "once", lambda *given: taken.append(given))
    assert spend(0, path="/models/?q=one").status_code == 429
    assert not taken


def test_behind_a_proxy_the_address_it_tells_counts(spend, settings):
    settings.ALLAUTH_TRUSTED_PROXY_COUNT = 1
    spend(SECONDS + 1, **{"X-Forwarded-For": "192.0.2.9, 192.0.2.7"})
    assert spend(0, **{"X-Forwarded-For": "192.0.2.10, 192.0.2.7"}).status_code == 429
    assert spend(0, **{"X-Forwarded-For": "192.0.2.7, 192.0.2.8"}).status_code == 200


def test_what_is_kept_is_shown_to_who_has_no_time_left(db, spend):
    assert spend(SECONDS + 1, path="/models/").status_code == 200
    assert spend(0, path="/models/").status_code == 200
    assert spend(0, path="/models/?q=other").status_code == 429


def test_a_hundred_queries_are_ended_by_the_time_they_take(db, spend, clock):
    answers = [spend(0.2, path=f"/search/?q={number}").status_code for number in range(100)]
    assert answers.count(200) * 0.2 <= SECONDS + 0.2
    assert answers.count(429) > 70


def test_invented_credentials_are_no_new_visitors(db, spend, settings):
    spend(SECONDS + 1)
    for number in range(3):
        assert spend(0, Authorization=f"Bearer {number}").status_code == 429
        assert spend(0, Cookie=f"{settings.SESSION_COOKIE_NAME}={number}").status_code == 429


@pytest.mark.parametrize("client_of", [session_client, lambda user: token_client(user, "read")])
def test_an_account_has_a_time_of_its_own_wherever_it_reads(db, clock, owner, client_of):
    """Also where it is seen first from an address that is used up."""
    client = client_of(owner)
    caches["budgets"].set("address/127.0.0.1", (-1.0, clock.now), 60)
    for _ in range(2):
        assert client.get("/api/v1/submissions/").status_code == 200
    caches["budgets"].set(f"account/{owner.pk}", (-1.0, clock.now), 60)
    refused = client.get("/api/v1/submissions/")
    assert (refused.status_code, refused["Content-Type"]) == (429, "application/problem+json")
    assert refused["Retry-After"] == "10"


def test_nobody_is_looked_for_where_no_view_did(clock, settings):
    looked_for: list[HttpRequest] = []

    def view(request: HttpRequest) -> HttpResponse:
        request.__dict__["user"] = SimpleLazyObject(lambda: looked_for.append(request))
        return HttpResponse()

    headers = {"Cookie": f"{settings.SESSION_COOKIE_NAME}=x"}
    request = RequestFactory().get("/nothing/", headers=headers)
    assert SharedPagesMiddleware(view)(request).status_code == 200
    assert not looked_for


def test_what_is_written_while_it_is_sent_counts_too(clock):
    def pieces():
        for _ in range(3):
            clock.worked += SECONDS / 2
            yield b"x"

    request = RequestFactory().get("/nothing/", REMOTE_ADDR="192.0.2.1")
    response = SharedPagesMiddleware(lambda _: StreamingHttpResponse(pieces()))(request)
    assert b"".join(response) == b"xxx"
    again = SharedPagesMiddleware(lambda _: HttpResponse())(request)
    assert again.status_code == 429


def test_probes_of_this_machine_are_always_answered(db, spend):
    spend(SECONDS + 1, "127.0.0.1")
    assert spend(0, "127.0.0.1", "/health/live").status_code == 200
    assert spend(0, "127.0.0.1").status_code == 429


def test_no_share_is_no_limit(spend, settings):
    settings.VISITOR_SHARE = 0.0
    spend(SECONDS * 100)
    assert spend(0).status_code == 200


def test_the_refusal_is_a_page_in_our_words(db, clock):
    caches["budgets"].set("address/127.0.0.1", (-1.0, clock.now), 60)
    page = Client().get("/nowhere/")
    assert page.status_code == 429
    assert "Try again in 10 seconds." in page.text
    assert "Too many requests" in page.text
