"""One cache for every page and document that is the same for all who are not signed in, and a
budget for all that it does not answer."""

import copy
import hashlib
import math
import re
import time
from collections.abc import Iterator
from functools import lru_cache
from typing import TypeGuard, cast
from urllib.parse import urlencode

from django.conf import settings
from django.contrib.messages.storage.cookie import CookieStorage
from django.http import (
    FileResponse,
    HttpRequest,
    HttpResponse,
    HttpResponseBase,
    QueryDict,
    StreamingHttpResponse,
)
from django.http.request import split_domain_port
from django.template.loader import render_to_string
from django.urls import Resolver404, get_script_prefix, resolve
from django.utils.cache import get_conditional_response, patch_cache_control, patch_vary_headers
from django.utils.log import log_response

from benchmarks.api.problem_details import asks_for_documents, problem
from leaderboard.project.middleware.private_pages import Next
from leaderboard.web.caching.budgets import Budget, is_own_probe
from leaderboard.web.caching.encodings import ENCODINGS, encoding_for
from leaderboard.web.caching.routes import SHARED_PAGES, SharedPage
from leaderboard.web.caching.stored_answers import LARGEST, StoredAnswer, find, keep, once
from leaderboard.web.caching.version import shown_version

PROXY_SECONDS = 5
"""For how long a proxy may show a page without asking, and as long again while it asks: what was
withdrawn a moment ago is shown for so long at most. Badges, cards, feeds and records for other
sites keep their hour (docs/operator/health.md). A thousand readers a second then cost one
request in five."""
LONGEST_QUERY = 500
"""Letters of a query by which a page is kept; six models of a comparison have 250."""
KEPT = {"HTTP_X_FORWARDED_PROTO"}
"""What of a request's headers a page is made of, beside its own host."""
MEDIA_TYPES = (
    "*/*",
    "application/*",
    "application/json",
    "application/vnd.oai.openapi",
    "application/vnd.oai.openapi+json",
    "application/yaml",
)
"""What documents are made as, and what stands for all of it."""
OF_VIEWS = {"Authorization", "If-Match", "If-Unmodified-Since", "Range"}
"""What asks for an answer that no cache has."""


class SharedPagesMiddleware:
    """Stands above all that looks at a visitor: sessions, messages, forms."""

    def __init__(self, get_response: Next):
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        page = shared_page(request)
        neutral = neutral_request(request, page) if page else None
        if page is None or neutral is None:
            return self.own_answer(request)
        key = key_of(neutral, version := shown_version())
        encoding = encoding_for(request.headers.get("Accept-Encoding", ""))

        def make() -> StoredAnswer | HttpResponseBase:
            response = self.get_response(neutral)
            if not is_the_same_for_all(response, neutral) or shown_version() != version:
                return response
            made = stored_answer(response, encoding, page.seconds)
            keep(key, encoding, made)
            return made

        found: StoredAnswer | HttpResponseBase | None = find(key, encoding)
        if found is None:
            # Leases, compressing and storing take as long as many a page: all is charged, and who
            # has nothing left is refused before.
            budget = Budget(request)
            if seconds := budget.wait_seconds():
                return too_many(request, math.ceil(seconds))
            with budget.charged():
                found = once(key, lambda: find(key, encoding), make)
        if not isinstance(found, StoredAnswer):
            return found
        response = HttpResponse(found.content, headers=dict(found.headers))
        response["Content-Length"] = str(len(found.content))
        return (
            get_conditional_response(request, etag=response["ETag"], response=response) or response
        )

    def own_answer(self, request: HttpRequest) -> HttpResponseBase:
        """Made for this request alone."""
        return (
            self.get_response(request) if is_own_probe(request) else self.charged(request, request)
        )

    def charged(self, request: HttpRequest, asked: HttpRequest) -> HttpResponseBase:
        """What is answered to `asked`, at the expense of who sent the request."""
        budget = Budget(request)
        if seconds := budget.wait_seconds():
            return too_many(request, math.ceil(seconds))
        with budget.charged():
            response = self.get_response(asked)
        budget.remember(asked)
        is_file = isinstance(response, FileResponse)
        if isinstance(response, StreamingHttpResponse) and not (is_file or response.is_async):
            pieces = cast(Iterator[bytes], response.streaming_content)
            response.streaming_content = budget.charged_pieces(pieces)
        return response


def shared_page(request: HttpRequest) -> SharedPage | None:
    """The page that the request asks for, where anybody may be shown the same."""
    if request.method not in ("GET", "HEAD") or settings.DEBUG or not settings.SHARED_PAGES:
        return None
    personal = (settings.SESSION_COOKIE_NAME, CookieStorage.cookie_name)
    if not request.COOKIES.keys().isdisjoint(personal) or not OF_VIEWS.isdisjoint(request.headers):
        return None
    try:
        name = resolve(request.path_info).view_name
    except Resolver404:
        return None
    return SHARED_PAGES.get(name)


def own_host(request: HttpRequest) -> str | None:
    """The host and the port of the address, in their one spelling; None where the port is not ours.
    Pages tell their own address, and are kept by it: hosts are a short list, and ports and
    spellings are not."""
    host, port = split_domain_port(request.get_host())
    if port in ("", "443" if request.is_secure() else "80"):
        return host
    return f"{host}:{port}" if port == request.get_port() else None


def neutral_request(request: HttpRequest, page: SharedPage) -> HttpRequest | None:
    """The request as if nobody in particular had sent it: without cookies, headers, address
    and parameters that the page does not read. None where that might be another page."""
    query = known_query(request.GET, page)
    accept = known_accept(request) if asks_for_documents(request) else ""
    host = own_host(request)
    if query is None or accept is None or host is None:
        return None
    of_a_visitor = ("HTTP_", "REMOTE_", "SSL_")
    meta = {
        name: value
        for name, value in request.META.items()
        if name in KEPT or not name.startswith(of_a_visitor)
    }
    meta |= {"REQUEST_METHOD": "GET", "QUERY_STRING": query, "REMOTE_ADDR": "", "HTTP_HOST": host}
    if accept:
        meta["HTTP_ACCEPT"] = accept
    neutral = copy.copy(request)
    for name in ("headers", "GET", "COOKIES"):  # what Django has worked out of the old ones
        neutral.__dict__.pop(name, None)
    neutral.method, neutral.META, neutral.GET = "GET", meta, QueryDict(query)
    neutral.environ = meta  # type: ignore[attr-defined]  # a WSGIRequest's, whose cookies it holds
    return neutral


def known_query(query: QueryDict, page: SharedPage) -> str | None:
    """Its parameters that the page reads, by name; None where they are too many letters."""
    known = (
        query.lists()
        if page.parameters is None
        else ((name, query.getlist(name)) for name in page.parameters if name in query)
    )
    text = urlencode(sorted(known), doseq=True)
    return text if len(text) <= LONGEST_QUERY else None


def known_accept(request: HttpRequest) -> str | None:
    """Which of MEDIA_TYPES are accepted, in their order; empty where the request does not say, and
    None where no more is sure."""
    parts = [part.strip() for part in request.headers.get("Accept", "").lower().split(",")]
    named = {kind.strip(): values for kind, _, values in (part.partition(";") for part in parts)}
    found = [kind for kind in MEDIA_TYPES if kind in named]
    is_plain = all(re.fullmatch(r"(q=[0-9.]*)?", named[kind].strip()) for kind in found)
    return ", ".join(found) if is_plain and (found or named.keys() == {""}) else None


def key_of(neutral: HttpRequest, version: str) -> str:
    """Another one for each page."""
    parts = (
        neutral.scheme,
        neutral.get_host(),
        get_script_prefix(),
        neutral.path,
        neutral.META["QUERY_STRING"],
        neutral.headers.get("Accept", ""),
        version,
    )
    return hashlib.sha256(repr(parts).encode()).hexdigest()


def is_the_same_for_all(
    response: HttpResponseBase, neutral: HttpRequest
) -> TypeGuard[HttpResponse]:
    """Whether it is a page, small enough to be kept, that holds nothing of a session or a form."""
    is_personal = response.cookies or "CSRF_COOKIE" in neutral.META
    return bool(
        isinstance(response, HttpResponse)
        and response.status_code == 200
        and not is_personal
        and len(response.content) <= LARGEST
        and "no-store" not in response.get("Cache-Control", "")
    )


def stored_answer(response: HttpResponse, encoding: str, seconds: int) -> StoredAnswer:
    """Compressed, with a name for its content and what proxies are told of it."""
    if "public" not in response.get("Cache-Control", ""):
        del response["Cache-Control"]
        patch_cache_control(
            response,
            public=True,
            max_age=0,
            s_maxage=PROXY_SECONDS,
            stale_while_revalidate=PROXY_SECONDS,
        )
    patch_vary_headers(response, ("Accept", "Accept-Encoding", "Authorization", "Cookie"))
    if "ETag" not in response:
        # weak: each encoding sends other bytes by this name
        response["ETag"] = f'W/"{hashlib.sha256(response.content).hexdigest()}"'
    if encoding:
        response["Content-Encoding"] = encoding
    del response["Content-Length"]
    content = ENCODINGS[encoding].compress(response.content)
    return StoredAnswer(tuple(response.items()), content, time.time() + seconds)


@lru_cache(
    maxsize=128
)  # a sentence for each number of seconds: a refusal must cost next to nothing
def refusal_page(sentence: str) -> str:
    return render_to_string("429.html", {"sentence": sentence})


def too_many(request: HttpRequest, seconds: int) -> HttpResponse:
    sentence = (
        "Requests from your account or network address have used up the computing time that one "
        f"visitor gets. Try again in {seconds} seconds."
    )
    if asks_for_documents(request):
        response: HttpResponse = problem(429, sentence)
    else:
        response = HttpResponse(refusal_page(sentence), status=429)
    response["Retry-After"] = str(seconds)
    patch_cache_control(response, private=True, no_store=True)
    log_response(
        "Too many requests: %s", request.path, response=response, request=request, level="info"
    )
    return response
