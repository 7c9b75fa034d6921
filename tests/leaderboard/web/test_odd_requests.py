"""Whatever stands in a path, a query, a form, a document or a header, the site answers: it finds
nothing, refuses it or takes it, and never fails.

Each request is made as a visitor, as somebody with an entry, and as staff who may do everything;
what it changed is undone.
"""

import io
import json
from itertools import cycle, product
from typing import Any, NamedTuple
from urllib.parse import quote_from_bytes

import pytest
from django.apps import apps
from django.contrib.auth.models import User
from django.db import transaction
from django.test import Client
from django.urls import reverse
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from benchmarks.models import Description, Figure, FigureImage
from benchmarks.registry import protocol
from benchmarks.services.importing import import_release
from benchmarks.submissions.models import EvaluatedModel
from benchmarks.submissions.teams.services import found_team
from judging.models import JudgeSpec
from leaderboard.results.boards.editions import refresh_boards
from leaderboard.web.evidence.archive import make_evidence_archives
from tests.benchmarks.pictures import picture
from tests.conftest import confirmed, judged, submit
from tests.routes import Route, routes

ODD = {
    "NUL": "\x00",
    "a lone surrogate": "\ud800",
    "a long text": "x" * 5_000,
    "from right to left": "\u202e\u05d0\u0661",
    "lines": "a\r\nX-Odd: 1",
    "not a number": "NaN",
    "without end": "-Infinity",
    "negative": "-1",
    "nought": "0",
    "beyond 64 bits": "9223372036854775808",
    "beyond all digits": "9" * 5_000,
    "beyond floats": "1e400",
    "digits of another script": "\u0663",
    "before all days": "0000-00-00",
    "the first day": "0001-01-01T00:00:00+14:00",
    "the last day": "9999-12-31T23:59:59-14:00",
    "after all days": "99999-01-01",
    "no address of a file": "../..//%2e%2e/\\",
    "an attribute": "__class__",
    "a document": '{"a": [NaN, "\\ud800"]}',
    "a deep document": "[" * 3_000,
    "quotes, markup and wildcards": "'%\"><b>;--*_{{x}}",
    "an escape of the admin": "_5F_",
    "an id of nobody": "ffffffff-ffff-ffff-ffff-ffffffffffff",
    "nothing": "",
}
HEADERS = (
    *("Host", "Referer", "Accept", "Accept-Language", "Accept-Encoding", "Authorization"),
    *("Cookie", "Idempotency-Key", "If-None-Match", "If-Modified-Since", "Range", "Origin"),
    *("Last-Event-ID", "X-Forwarded-For", "X-Forwarded-Proto", "X-CSRFToken", "HX-Request"),
    *("HX-Current-URL", "HX-Target", "User-Agent"),
)
NAMES = (
    *(
        "q",
        "page",
        "sort",
        "next",
        "m",
        "judge",
        "release",
        "as_of",
        "snapshot",
        "columns",
        "limit",
    ),
    *("cursor", "code", "state", "url", "name", "reason", "do", "text", "licence_url", "events"),
    *("base_version", "clean", "login", "email", "kind", "file", "ticket", "o", "_to_field"),
)
"""Read by something of every room; tests/test_odd_parameters.py asks for all that is read."""


CHARSETS = ("idna", "utf-16", "hex", "undefined", "nowhere")


def as_sent(text: str) -> str:
    """In a path or a query: every byte of it escaped that must be."""
    return quote_from_bytes(text.encode("utf-8", "surrogatepass"), safe="/")


class World(NamedTuple):
    """people: by what they may. known: what stands for a parameter of an address."""

    people: dict[str, User | None]
    known: dict[str, Any]


@pytest.fixture(scope="module")
def made(module_rows, tmp_path_factory) -> World:
    folder = tmp_path_factory.mktemp("pictures")
    (folder / "one.png").write_bytes(picture())
    owner = confirmed(User.objects.create_user("rosa", "rosa@example.org"))
    release = import_release(
        protocol=protocol("spelling"),
        stream=io.BytesIO(b"1|two|two|one.png\n2|colour|colour|one.png\n3|night|night\n"),
        images=folder,
        slug="spelling-1",
    ).release
    entry = judged(submit(release, owner, b"1=two\n2=color\n3=night\n"))
    refresh_boards()
    make_evidence_archives()  # or its address says, rightly, that it is not made yet: 503
    figure = Figure.objects.get()
    staff = confirmed(User.objects.create_superuser("staff", "staff@example.org"))
    Description.objects.create(figure=figure, version=1, state="draft", text="A", author=staff)
    team = found_team(name="Lab", by=owner)
    names = {name for route in routes() for name in route.parameters}
    known = {
        **dict.fromkeys(names, 1),
        "submission_id": entry.pk,
        "question_id": release.questions.first().pk,
        "image_id": FigureImage.objects.first().pk,
        "figure_id": figure.pk,
        "team_id": team.pk,
        "study_id": "00000000-0000-0000-0000-000000000000",
        "file_id": "00000000-0000-0000-0000-000000000000",
        "refused_id": "00000000-0000-0000-0000-000000000000",
        "kind": "csv",
        "section": "boards",
        "language": "en",
        "app_label": "judging",
        "uidb36": "1",
    }
    return World({"visitor": None, "owner": owner, "staff": staff}, known)


@pytest.fixture
def world(made: World, db) -> World:
    return made


def address_of(route: Route, known: dict[str, Any]) -> str:
    """Of something that there is."""
    row = row_of(route)
    slug = {
        "model": EvaluatedModel.objects.first(),
        "judge": JudgeSpec.objects.first(),
    }.get(route.name.split("-")[0])
    is_release = route.name.startswith(("release", "api-release"))
    named = slug.slug if slug else "spelling-1" if is_release else "spelling"
    return route.address({**known, "slug": named, **({"object_id": row} if row else {})})


def row_of(route: Route) -> Any:
    """The key of a row that an address of the admin is of."""
    parts = route.pattern.split("/")
    if parts[0] != "admin" or "<path:object_id>" not in parts or parts[1] == "r":
        return None
    row = apps.get_model(parts[1], parts[2])._default_manager.first()
    return row.pk if row else None


def status_of(client: Client, method: str, address: str, **more: Any) -> int:
    """What it changed is undone; a stream is read to its end."""
    with transaction.atomic():
        response = client.generic(method, address, **more)
        if response.streaming:
            b"".join(response)
        transaction.set_rollback(True)
    assert "X-Odd" not in response
    return int(response.status_code)


def visitor(user: User | None) -> Client:
    client = Client(raise_request_exception=False)
    if user is not None:
        client.force_login(user)
    return client


def in_paths(world: World, route: Route) -> list[str]:
    """Its address with each of its parameters odd, by turns."""
    known = {name: world.known.get(name, "x") for name in route.parameters} | {"slug": "spelling"}
    return [
        route.address({**known, name: as_sent(text[:2_000])})
        for name in route.parameters
        for text in ODD.values()
        if text
    ]


@pytest.mark.slow
@pytest.mark.postgresql
@pytest.mark.parametrize("persona", ["visitor", "owner", "staff"])
def test_no_path_fails_whatever_stands_in_it(world, persona):
    client, failed, asked = visitor(world.people[persona]), [], 0
    for route in routes():
        for address in in_paths(world, route):
            if route.pattern.startswith("admin/") != (persona == "staff"):
                continue  # staff ask for the admin alone: there are minutes of requests
            asked += 1
            if status_of(client, "GET", address) >= 500:
                failed.append(ascii(address[:200]))
    assert failed == []
    assert asked > 1_000


texts = st.one_of(
    st.sampled_from(sorted(ODD.values())), st.text(max_size=30), st.integers().map(str)
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.sampled_from(["visitor", "owner", "staff"]),
    st.sampled_from(routes()),
    st.dictionaries(st.sampled_from(NAMES), texts, max_size=4),
    st.dictionaries(st.sampled_from(NAMES), texts, max_size=4),
    st.dictionaries(st.sampled_from(HEADERS), texts, max_size=2),
    st.sampled_from(["utf8", *CHARSETS]) | texts.filter(str.isprintable),
)
def test_no_request_fails_whatever_it_says(world, persona, route, query, fields, headers, charset):
    client = visitor(world.people[persona])
    address = f"{address_of(route, world.known)}?{as_form(query)}"
    said = {
        f"HTTP_{name.upper().replace('-', '_')}": text.encode("utf-8", "replace").decode("latin-1")
        for name, text in headers.items()
    }
    assert status_of(client, "GET", address, **said) < 500
    kind = f"application/x-www-form-urlencoded; charset={charset}"
    assert status_of(client, "GET", address, **said, CONTENT_TYPE=kind) < 500
    assert status_of(client, "POST", address, **said, data="a=b", content_type=kind) < 500
    form = {"data": as_form(fields), "content_type": "application/x-www-form-urlencoded"}
    assert status_of(client, "POST", address, **form, **said) < 500
    document = {"data": json.dumps(fields), "content_type": "application/json"}
    assert status_of(client, "POST", address, **document, **said) < 500


def as_form(fields: dict[str, str]) -> str:
    return "&".join(f"{name}={as_sent(text)}" for name, text in fields.items())


def test_no_route_fails_for_the_charset_of_a_form(world):
    """One in eight of them, each as one persona with one charset and kind of form, by turns: what
    stands before all of them refuses it."""
    clients = [visitor(user) for user in world.people.values()]
    body = '--x\r\nContent-Disposition: form-data; name="a"\r\n\r\n\xff\r\n--x--\r\n'
    kinds = ("application/x-www-form-urlencoded", "multipart/form-data")
    turns = cycle(product(clients, kinds, CHARSETS))
    for route, (client, kind, charset) in zip(routes()[::8], turns, strict=False):
        said = f"{kind}; boundary=x; charset={charset}"
        address = address_of(route, world.known)
        form = {"data": body, "content_type": said}
        assert status_of(client, "POST", address, **form) == 415, (address, said)


def test_no_document_of_the_api_fails(world):
    client = visitor(world.people["owner"])
    texts = ("[" * 3_000, '{"a":' * 3_000, "NaN", '"\\ud800"', "9" * 5_000, "")
    for name, text in product(("api-webhooks", "api-submissions"), texts):
        sent = {"data": text, "content_type": "application/json"}
        status = status_of(client, "POST", reverse(name), **sent)
        assert status in (400, 415, 422), (name, text[:20])


def test_who_has_a_form_open_is_asked_of_a_figure_that_there_is(world):
    client, address = visitor(world.people["staff"]), "/admin/benchmarks/description/figure/"
    figure = world.known["figure_id"]
    assert status_of(client, "GET", f"{address}{figure}/en/presence/") == 200
    assert status_of(client, "GET", f"{address}{2**63}/en/presence/") == 404
