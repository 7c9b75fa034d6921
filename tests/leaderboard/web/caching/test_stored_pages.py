"""Pages are stored for visitors without an account, and never shown once anything behind them has
changed."""

import gzip
import io
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from uuid import UUID

import brotli  # type: ignore[import-untyped]  # it has no types
import pytest
from django.conf import settings
from django.contrib.auth.models import User
from django.core.cache import caches
from django.db import connection, transaction
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.middleware.csrf import get_token
from django.test import Client, RequestFactory
from django.test.utils import CaptureQueriesContext, override_script_prefix

from benchmarks.models import Benchmark, Release
from benchmarks.protocols.base import Beside
from benchmarks.registry import protocols
from benchmarks.services.importing import import_release
from benchmarks.submissions.models import EvaluatedModel, Submission
from benchmarks.submissions.services import set_visibility, withdraw_submission
from judging.engine.engine import judge_run
from judging.models import Judgement
from leaderboard.models import Scoresheet
from leaderboard.results.services import score_finished_runs, score_run
from leaderboard.results.versions.code import code_version
from leaderboard.web.caching import stored_answers
from leaderboard.web.caching.encodings import encoding_for
from leaderboard.web.caching.middleware import SharedPagesMiddleware
from leaderboard.web.caching.stored_answers import StoredAnswer
from leaderboard.web.caching.version import shown_version
from tests.conftest import SPELLING, import_spelling, judged, submit
from tests.judging.panel.files import imported, ratings
from tests.judging.scripted import ScriptedJudge
from tests.overwriting import overwrite
from tests.tiny_protocol import PROTOCOL as SPELLING_PROTOCOL

PAGE = "/boards/spelling/"
DECODERS: dict[str, Callable[[bytes], bytes]] = {
    "br": brotli.decompress,
    "gzip": gzip.decompress,
    "": bytes,
}
PROTOCOL = replace(
    SPELLING_PROTOCOL,
    slug="beside",
    title="Beside",
    board=SimpleNamespace(
        BOARD=replace(
            SPELLING_PROTOCOL.board.BOARD,
            beside=(Beside("spelling", SPELLING_PROTOCOL.board.METRICS["accuracy"]),),
        ),
        METRICS=SPELLING_PROTOCOL.board.METRICS,
    ),
)


def get(client: Client, url: str = PAGE, accept: str = "gzip, deflate, br", **headers: str):
    return client.get(url, headers={"Accept-Encoding": accept, **headers})


def text_of(response) -> str:
    return DECODERS[response.get("Content-Encoding", "")](response.content).decode()


def queries_of(client: Client, url: str = PAGE, accept: str = "br") -> int:
    with CaptureQueriesContext(connection) as queries:
        get(client, url, accept)
    return len(queries)


@pytest.fixture(scope="module")
def made(module_rows) -> UUID:
    """The one public entry of the board."""
    owner = User.objects.create_user("rosa", "rosa@example.org")
    submission = submit(import_spelling(), owner)
    judged(submission)
    return submission.pk


@pytest.fixture
def entry(made, db) -> Submission:
    return Submission.objects.get(pk=made)


@pytest.fixture
def owner(entry) -> User:
    owner: User = entry.owner
    return owner


# --- how it is answered ---------------------------------------------------------------------------


def test_the_best_encoding_is_sent_that_a_visitor_bears():
    best = {
        "gzip, deflate, br, zstd": "br",
        "br;q=0.1, gzip": "br",
        "gzip, br;q=0": "gzip",
        "GZIP; q=1.0": "gzip",
        "gzip; q=0.0": "",
        "identity, *": "",
        "brotli": "",
        "": "",
    }
    assert {accept: encoding_for(accept) for accept in best} == best


def test_a_page_is_made_once_and_is_the_same_in_every_encoding(entry, client):
    with CaptureQueriesContext(connection) as queries:
        first = get(client)
    assert len(queries) <= 22
    plain = client.get(PAGE).content.decode()
    for accept in ("br", "gzip", ""):
        assert queries_of(client, PAGE, accept) == 1  # whether it still holds
        page = get(client, accept=accept)
        assert text_of(first) == text_of(page) == plain
        assert page.get("Content-Encoding", "") == accept
        assert int(page["Content-Length"]) == len(page.content)
        # a visitor who has the page is told so
        response = get(client, accept=accept, **{"If-None-Match": first["ETag"]})
        assert (response.status_code, response.content) == (304, b"")
        for name in ("ETag", "Vary", "Cache-Control"):
            assert response[name] == first[name]
    assert get(client, **{"If-None-Match": 'W/"other"'}).status_code == 200
    response = client.head(PAGE, headers={"Accept-Encoding": "br"})
    assert (response.status_code, response["ETag"]) == (200, first["ETag"])


def test_a_stored_page_carries_every_header_of_a_page(entry, client):
    get(client)
    response, other = get(client), client.get("/tokens/")
    kept = (
        "X-Frame-Options",
        "X-Content-Type-Options",
        "Referrer-Policy",
        "Cross-Origin-Opener-Policy",
    )
    assert [response[name] for name in kept] == [other[name] for name in kept]
    assert "img-src 'self' data:" in response["Content-Security-Policy"]
    assert "script-src 'self';" in response["Content-Security-Policy"] + ";"
    assert {"Accept-Encoding", "Cookie"} <= set(response["Vary"].split(", "))
    assert response["Cache-Control"] == "public, max-age=0, s-maxage=5, stale-while-revalidate=5"
    assert not response.cookies


# --- for whom -------------------------------------------------------------------------------------


def test_whoever_is_signed_in_gets_a_page_of_their_own_and_nobody_else_does(entry, client, owner):
    before = get(client)
    mine = Client()
    mine.force_login(owner)
    own = get(mine, **{"If-None-Match": before["ETag"]})
    assert own.status_code == 200
    assert "Sign out" in text_of(own)
    assert own["Cache-Control"] == "private, no-store"
    assert "Cookie" in own["Vary"]
    assert "ETag" not in own
    assert "Sign out" not in text_of(get(client))


def test_a_message_that_waits_is_shown_to_its_visitor_alone(entry, client, owner):
    get(client)
    leaving = Client()
    leaving.force_login(owner)
    leaving.post("/accounts/logout/")
    assert "You have signed out." in text_of(get(leaving))
    assert "You have signed out." not in text_of(get(client))
    assert "You have signed out." not in text_of(get(leaving))


def test_nothing_is_stored_while_templates_may_change(entry, client, settings):
    settings.DEBUG = True
    assert queries_of(client) == queries_of(client) > 3


def test_a_query_that_changes_the_page_is_a_page_of_its_own_and_no_other_is(entry, client):
    page = text_of(get(client))
    for query in ("?utm_source=x", "?b=1&a=2", "?_=8#x", "?Page=2", "?cnry=cnry"):
        assert queries_of(client, PAGE + query) == 1
        assert text_of(get(client, PAGE + query)) == page
    assert "cnry" not in page
    read = "?sort=accuracy", "?sort=accuracy&order=asc", "?published=off", "?release=spelling-1"
    for query in read:
        assert queries_of(client, PAGE + query) > 3
        assert queries_of(client, PAGE + query) == 1
    assert queries_of(client, f"{PAGE}?order=asc&sort=accuracy&x=y") == 1


def test_a_server_that_says_the_site_lies_elsewhere_gets_the_page_of_all(entry, client):
    page = get(client)
    for script in ("/x", "/boards/other", "/x/"):
        with CaptureQueriesContext(connection) as queries:
            response = client.get(PAGE, headers={"Accept-Encoding": "br"}, SCRIPT_NAME=script)
        assert (response.status_code, text_of(response)) == (200, text_of(page))
        assert len(queries) == 1


def test_a_host_spelled_otherwise_is_the_same_page(entry, client):
    address = f"{PAGE}?sort=accuracy"
    first = text_of(get(client, address, Host="LoCaLhost"))
    assert "http://localhost/boards/spelling/" in first
    assert "LoCaLhost" not in first
    for host in ("localhost", "localhost.", "localhost:80", "LOCALHOST.:80"):
        with CaptureQueriesContext(connection) as queries:
            assert text_of(get(client, address, Host=host)) == first
        assert len(queries) == 1


def test_a_site_with_a_certificate_has_one_page_with_and_without_its_port(db, settings):
    settings.ALLOWED_HOSTS = ["site.example"]
    shown = [
        SharedPagesMiddleware(saying(host.encode()))(
            RequestFactory().get("/models/", secure=True, headers={"Host": host})
        )
        for host in ("site.example", "SITE.example:443", "site.example:80")
    ]
    assert [text_of(page) for page in shown] == ["site.example", "site.example", "site.example:80"]


def test_what_there_is_no_end_of_is_not_stored(entry, client):
    too_long = f"{PAGE}?q={'x' * 600}"
    for url in (too_long, "/boards/nothing/", "/nowhere/", f"{PAGE}?judge=nobody"):
        status = 400 if url == too_long else 404
        assert [get(client, url).status_code for _ in range(2)] == [status, status]
        assert not list(Path(settings.VAR_DIR, "pages").glob("*"))


# --- what changes it ------------------------------------------------------------------------------


def scored_anew(entry: Submission) -> None:
    run = entry.runs.get()
    overwrite(run.judgements.filter(answer__question__public_id="1"), verdict="wrong")
    score_run(run=run)


def rated(entry: Submission) -> None:
    imported(ratings(entry, "1,ann,neatness,4"))
    assert score_finished_runs() == 1


def judged_again(entry: Submission) -> None:
    """As after a description that made judgements stale: they wait, are judged, and the sweep
    scores their run."""
    run = entry.runs.get()
    overwrite(run.judgements, state=Judgement.State.WAITING, verdict="", content_key="another case")
    judge_run(run_id=run.pk, judge=ScriptedJudge(["wrong"], makes_requests=False))
    assert score_finished_runs() == 1


CHANGES: dict[str, tuple[Callable[[Submission], object], str, str]] = {
    "publish": (lambda entry: judged(submit(entry.release, None, name="Another")), "", "Another"),
    "make private": (
        lambda entry: set_visibility(submission=entry, visibility="private"),
        "Speller",
        "",
    ),
    "withdraw": (lambda entry: withdraw_submission(submission=entry), "Speller", ""),
    "score anew": (scored_anew, ">75.00<", ">50.00<"),
    "import ratings": (rated, "", ""),
    "judge again": (judged_again, ">75.00<", ">0.00<"),
    "rename the model": (
        lambda entry: EvaluatedModel.objects.update(name="Renamed"),
        "Speller",
        "Renamed",
    ),
    "name an organisation": (
        lambda entry: EvaluatedModel.objects.update(organisation="A lab"),
        "",
        "",
    ),
    "open the weights": (lambda entry: EvaluatedModel.objects.update(is_open_weights=True), "", ""),
    "call it a sample": (lambda entry: Submission.objects.update(origin="sample"), "", ""),
    "freeze the release": (lambda entry: Release.objects.update(state="frozen"), "", ""),
    "rename the release": (lambda entry: Release.objects.update(title="Renamed"), "", ""),
    "rename the benchmark": (lambda entry: Benchmark.objects.update(title="Renamed"), "", ""),
    "count otherwise": (lambda entry: Scoresheet.objects.update(unreadable=3), "", ""),
}
"""What is done, what is gone from the page afterwards, and what has come."""


def test_after_a_change_nobody_gets_the_page_from_before(entry, client, subtests):
    for name, (change, gone, come) in CHANGES.items():
        with subtests.test(name), transaction.atomic():
            before = get(client)
            change(entry)
            after = get(client, **{"If-None-Match": before["ETag"]})
            assert after.status_code == 200
            assert after["ETag"] != before["ETag"]
            assert text_of(after) == text_of(get(client)) == client.get(PAGE).content.decode()
            assert (gone in text_of(before), come in text_of(after)) == (True, True)
            assert not gone or gone not in text_of(after)
            assert not come or come not in text_of(before)
            transaction.set_rollback(True)


def test_a_board_changes_with_the_one_beside_it(entry, owner, settings):
    settings.PROTOCOLS = [*settings.PROTOCOLS, __name__]
    protocols.cache_clear()
    try:
        import_release(protocol=PROTOCOL, stream=io.BytesIO(SPELLING), slug="beside-1")
        before = shown_version()
        judged(submit(entry.release, owner))
        assert shown_version() != before
    finally:
        protocols.cache_clear()


def test_code_is_another_version_by_content_and_by_name(tmp_path: Path):
    (tmp_path / "a.html").write_text("one")
    (tmp_path / "a.pyc").write_text("one")
    first = code_version([tmp_path])
    (tmp_path / "a.pyc").write_text("two")
    assert code_version([tmp_path, tmp_path / "missing"]) == first
    (tmp_path / "a.html").write_text("two")
    second = code_version([tmp_path])
    (tmp_path / "a.html").rename(tmp_path / "b.html")
    assert len({first, second, code_version([tmp_path])}) == 3


# --- what must not be stored ----------------------------------------------------------------------


def answered(make: Callable[[HttpRequest], HttpResponse], **headers: str) -> HttpResponseBase:
    request = RequestFactory().get("/", headers={"Accept-Encoding": "br", **headers})
    return SharedPagesMiddleware(make)(request)


def saying(text: bytes) -> Callable[[HttpRequest], HttpResponse]:
    return lambda request: HttpResponse(text)


def test_a_page_that_changed_while_it_was_made_is_sent_and_not_stored(entry):
    def torn(request: HttpRequest) -> HttpResponse:
        EvaluatedModel.objects.update(name="Meanwhile")
        return HttpResponse(b"half new")

    assert b"".join(answered(torn)) == b"half new"
    assert text_of(answered(saying(b"anew"))) == "anew"
    assert text_of(answered(saying(b"later"))) == "anew"


def with_cookie(request: HttpRequest) -> HttpResponse:
    response = HttpResponse(b"own")
    response.set_cookie("x", "y")
    return response


def with_token(request: HttpRequest) -> HttpResponse:
    return HttpResponse(get_token(request))


def not_to_be_stored(request: HttpRequest) -> HttpResponse:
    return HttpResponse(b"own", headers={"Cache-Control": "private, no-store"})


PERSONAL = {
    "cookie": with_cookie,
    "token of a form": with_token,
    "no-store": not_to_be_stored,
    "refused": lambda request: HttpResponse(b"own", status=400),
    "too large": lambda request: HttpResponse(bytes(stored_answers.LARGEST + 1)),
}


def test_what_is_not_the_same_for_all_is_not_stored(db, subtests):
    for kind, make in PERSONAL.items():
        with subtests.test(kind):
            caches["pages"].clear()
            answered(make)
            assert text_of(answered(saying(b"anew"))) == "anew"


def test_a_page_is_made_of_nothing_that_tells_of_its_visitor(db):
    seen: list[HttpRequest] = []

    def make(request: HttpRequest) -> HttpResponse:
        seen.append(request)
        return HttpResponse(b"x")

    headers = {"Cookie": "csrftoken=cnry", "Referer": "cnry", "User-Agent": "cnry"}
    answered(make, **headers, **{"Accept-Language": "cnry", "HX-Request": "true"})
    (request,) = seen
    assert "cnry" not in repr([request.META, request.COOKIES, request.headers])
    assert not request.COOKIES
    assert request.META["REMOTE_ADDR"] == ""
    assert dict(request.headers).keys() == {"Host"} or not request.headers


def test_an_address_of_another_kind_is_another_page(db, settings):
    settings.ALLOWED_HOSTS = ["*"]
    factory = RequestFactory()

    def page(text: bytes, **how: Any) -> str:
        response = SharedPagesMiddleware(saying(text))(factory.get("/models/", **how))
        return b"".join(response).decode()

    assert page(b"first") == page(b"second") == "first"
    assert page(b"another", headers={"Host": "other.example"}) == "another"
    assert page(b"another", secure=True) == "another"
    assert page(b"another", query_params={"page": "2"}) == "another"
    for host in ("a.example:8000", "b.example:8000"):
        own = {"SERVER_PORT": "8000", "headers": {"Host": host}}
        assert page(host.encode(), **own) == page(b"of another host", **own) == host
    assert page(b"usual port", headers={"Host": "a.example"}) == "usual port"
    with override_script_prefix("/assay/"):
        assert page(b"below a folder") == "below a folder"
    # a port that is not ours is not stored
    for text in ("one", "two"):
        assert page(text.encode(), headers={"Host": "testserver:81"}) == text


def test_a_damaged_file_is_a_page_that_is_made_anew(db, settings):
    answered(saying(b"first"))
    for file in Path(settings.VAR_DIR, "pages").iterdir():
        file.write_bytes(file.read_bytes()[:-20])
    assert text_of(answered(saying(b"anew"))) == "anew"


def test_a_page_is_sent_even_where_none_can_be_stored(db, settings, tmp_path: Path):
    (tmp_path / "file").touch()
    pages = {**settings.CACHES["pages"], "LOCATION": tmp_path / "file" / "below"}
    settings.CACHES = {**settings.CACHES, "pages": pages}
    assert text_of(answered(saying(b"a page"))) == "a page"


def test_a_page_is_kept_no_longer_for_being_read_in_another_encoding(db, monkeypatch):
    kept: list[StoredAnswer] = []
    keep = stored_answers.keep

    def keep_and_note(key: str, encoding: str, answer: StoredAnswer) -> None:
        kept.append(answer)
        keep(key, encoding, answer)

    monkeypatch.setattr(stored_answers, "keep", keep_and_note)
    answered(saying(b"first"))
    answered(saying(b"x"), **{"Accept-Encoding": "gzip"})
    answered(saying(b"x"), **{"Accept-Encoding": ""})
    assert len(kept) == 2
    assert len({answer.until for answer in kept}) == 1


# --- made once for many ---------------------------------------------------------------------------


def test_whoever_waited_in_vain_makes_the_page(db, monkeypatch):
    monkeypatch.setattr(stored_answers, "WAIT_SECONDS", 0.05)
    monkeypatch.setattr(stored_answers, "take", lambda lease: False)
    assert text_of(answered(saying(b"own"))) == "own"


# --- everything else is compressed on its way -----------------------------------------------------


@pytest.mark.slow
def test_other_pages_and_documents_are_compressed(entry, client):
    for url in ("/", f"{PAGE}export.json", f"/entries/{entry.pk}/", "/api/v1/boards/spelling/"):
        response = get(client, url, accept="gzip")
        assert (response.status_code, response["Content-Encoding"]) == (200, "gzip")
        assert "Accept-Encoding" in response["Vary"]
        assert gzip.decompress(response.getvalue())[:1] in (b"\n", b"<", b"{")


def test_a_compressed_answer_of_the_api_is_known_again(entry, client):
    etag = get(client, "/api/v1/boards/spelling/", accept="gzip")["ETag"]
    assert get(client, "/api/v1/boards/spelling/", **{"If-None-Match": etag}).status_code == 304


def test_files_are_left_as_they_are(entry, client, owner):
    client.force_login(owner)
    response = get(client, f"/submissions/{entry.pk}/file/", accept="gzip")
    assert response.streaming
    assert "Content-Encoding" not in response
    assert b"".join(response)
