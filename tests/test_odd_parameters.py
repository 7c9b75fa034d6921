"""Whatever stands behind the question mark of an address, the site answers: with the default and a
note, or by refusing it, and never by failing."""

from collections.abc import Iterator
from typing import Any

import pytest
from django.db import transaction
from django.http import QueryDict
from django.test import Client, override_settings

from benchmarks.models import Benchmark, FigureImage, Question, Release
from benchmarks.submissions.models import EvaluatedModel
from judging.models import JudgeSpec
from leaderboard.web.exports import EXPORTS
from tests.hidden_site import HiddenSite, build_hidden_site
from tests.routes import Route, routes

pytestmark = [
    pytest.mark.slow,  # a site that takes seconds to make, and some thousand requests
    pytest.mark.postgresql,
]
ODD = {
    "empty": "",
    "huge": "x" * 20_000,
    "a huge number": "9" * 400,
    "negative": "-1",
    "no number": "nan",
    "digits of another script": "%D9%A3",
    "NUL": "%00",
    "lines": "a%0D%0AX-Odd:%201",
    "not UTF-8": "%FF%FE%ED%A0%80",
    "quotes, markup and wildcards": "%27%25_%22%3E%3Cb%3E%3B--*",
    "the first day": "0001-01-01",
    "the last instant": "9999-12-31T23:59:59-14:00",
    "an id of nobody": "00000000-0000-0000-0000-000000000000",
}
REPEATED = 200
"""Times that a name stands in an address, each with another value."""
LISTED = "&".join(f"x{n}=1" for n in range(5000))
"""More names than any form has: Django refuses to read so many."""
AT_LEAST_READ = {
    "board": {"q", "page", "sort", "m", "as_of", "snapshot", "columns", "table", "measure"},
    "compare": {"m", "release", "judge", "page"},
    "models": {"q", "sort"},
    "question": {"release", "judge", "page"},
    "entry": {"judge", "page", "subtask", "outcome"},
    "search": {"q"},
}


@pytest.fixture(scope="module")
def built(django_db_setup, django_db_blocker, tmp_path_factory) -> Iterator[HiddenSite]:
    folder = tmp_path_factory.mktemp("odd")
    with django_db_blocker.unblock(), transaction.atomic():
        with override_settings(JUDGE_RETRY_SECONDS=[0]):
            yield build_hidden_site(folder)
        transaction.set_rollback(True)


@pytest.fixture
def addresses(built: HiddenSite, db) -> list[tuple[Route, str]]:
    """One of every address that is not the admin's, of something that everybody may see."""
    shown = built.public[0]
    spec = JudgeSpec.objects.filter(runs__submission=shown).first()
    of_release = Release.objects.get(pk=shown.release_id).slug
    known: dict[str, Any] = {
        **dict.fromkeys({name for route in routes() for name in route.parameters}, 1),
        "submission_id": shown.pk,
        "question_id": Question.objects.filter(releases=shown.release_id).first().pk,
        "image_id": FigureImage.objects.exclude(sha256="").first().pk,
        "kind": "csv",
        "section": "boards",
    }
    slugs = {"model": EvaluatedModel.objects.get(submissions=shown).slug, "judge": spec.slug}
    found = []
    for route in routes():
        if route.pattern.startswith("admin/"):
            continue
        is_release = route.name.startswith(("release", "api-release"))
        board = Benchmark.objects.get(releases=shown.release_id).slug
        slug = slugs.get(route.name.split("-")[0], of_release if is_release else board)
        kinds = EXPORTS if route.name == "board-export" else ["csv"]
        found += [(route, route.address({**known, "slug": slug, "kind": kind})) for kind in kinds]
    return found


@pytest.fixture
def read(monkeypatch) -> set[str]:
    """The names that are read of any address from now on."""
    names = set[str]()

    def noting(method: str) -> None:
        original = getattr(QueryDict, method)

        def noted(self: QueryDict, key: str, *more: Any, **named: Any) -> Any:
            names.add(str(key))
            return original(self, key, *more, **named)

        monkeypatch.setattr(QueryDict, method, noted)

    for method in ("get", "getlist", "__getitem__", "__contains__"):
        noting(method)
    return names


def status_of(client: Client, address: str, query: str) -> int:
    response = client.get(f"{address}?{query}")
    if response.streaming:
        b"".join(response)
    assert "X-Odd" not in response
    if response.status_code == 503 and response.headers.get("Retry-After", "").isdecimal():
        return 202  # evidence to come: it says when to ask again
    return int(response.status_code)


def queries(names: set[str], alone: bool) -> Iterator[tuple[str, str]]:
    """What is odd, and how an address says it. alone: whether each name is asked by itself too,
    which would hide no fault behind the refusal of another."""
    for name in sorted(names) if alone else ():
        for what, text in ODD.items():
            yield f"{name}, {what}", f"{name}={text}"
        yield f"{name}, repeated", "&".join(f"{name}={n}" for n in range(REPEATED))
    for what, text in ODD.items():
        yield f"all, {what}", "&".join(f"{name}={text[:500]}" for name in [*sorted(names), text])
    yield "no names", "&&==&=&%&%zz"
    yield "five thousand names", LISTED


def test_no_address_fails_whatever_is_asked_of_it(built, addresses, read):
    """By a visitor; what only people with an account may open, by the entry's owner."""
    failed, asked, names_of, known = [], 0, {}, list[set[str]]()
    for route, address in addresses:
        read.clear()
        client = Client(raise_request_exception=False)
        if status_of(client, address, "") in (302, 401, 404):
            client.force_login(built.owner)
        status_of(client, address, "&".join(f"{name}=1" for name in sorted(read)))
        names_of[route.name] = names = {*read}
        for what, query in queries(names, alone=names not in known):
            asked += 1
            if status_of(client, address, query) >= 500:
                failed.append(f"{route.name}: {what}")
        known.append(names)  # the next that reads the same names reads them by the same function
    assert "\n".join(failed) == ""
    assert asked > 1000
    unread = {name: least - names_of[name] for name, least in AT_LEAST_READ.items()}
    assert not any(unread.values()), f"or this test asks for nothing: {unread}"
