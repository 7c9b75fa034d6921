"""What the client makes of a site that is busy, gone, or says no."""

import json
from collections.abc import Callable

import httpx2
import pytest
from assay import (
    FileRefusedError,
    NoPlaceError,
    NotAllowedError,
    NotInTimeError,
    Site,
    SiteAwayError,
    WrongRequestError,
)

URL = "https://assay.example.org"
Answer = Callable[[httpx2.Request], httpx2.Response]


class Clock:
    """A clock that moves by being slept on."""

    def __init__(self) -> None:
        self.now, self.slept = 0.0, list[float]()

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += seconds

    def time(self) -> float:
        return self.now


def site_of(*answers: Answer | Exception, clock: Clock | None = None, **more) -> Site:
    """A site that answers once by each, and from then on by the last."""
    left, clock = list(answers), clock or Clock()

    def handle(request: httpx2.Request) -> httpx2.Response:
        request.read()
        answer = left.pop(0) if len(left) > 1 else left[0]
        if isinstance(answer, Exception):
            raise answer
        return answer(request)

    transport = httpx2.MockTransport(handle)
    return Site(URL, "key", transport=transport, sleep=clock.sleep, clock=clock.time, **more)


def says(document: object, status: int = 200, **headers: str) -> Answer:
    return lambda request: httpx2.Response(status, json=document, headers=headers)


def says_text(text: str) -> Answer:
    return lambda request: httpx2.Response(200, text=text)


LOST = httpx2.ReadError("connection reset")
REFUSED = httpx2.ConnectError("connection refused")
WATCHED = {"id": "1", "state": "judged", "sentence": "Judged."}


@pytest.fixture
def path(tmp_path):
    found = tmp_path / "answers.csv"
    found.write_text("id,prediction\n1,two\n")
    return found


# --- coming back ----------------------------------------------------------------------------------


def test_a_lost_connection_is_tried_again_under_the_same_key(path):
    keys, bodies = [], []

    def note(request: httpx2.Request) -> httpx2.Response:
        keys.append(request.headers["Idempotency-Key"])
        bodies.append(b"1,two" in request.content and b"My model" in request.content)
        raise httpx2.ReadError("cut off") if len(keys) < 3 else httpx2.ReadTimeout("late")

    def accept(request: httpx2.Request) -> httpx2.Response:
        keys.append(request.headers["Idempotency-Key"])
        return httpx2.Response(201, json={"id": "1"})

    clock = Clock()
    with site_of(note, note, note, accept, clock=clock) as site:
        assert site.submit(path, model="My model")["id"] == "1"
    assert len(keys) == 4
    assert len(set(keys)) == 1
    assert all(bodies)
    assert clock.slept == sorted(clock.slept)


def test_another_process_goes_on_under_the_same_key(path):
    keys = []

    def accept(request: httpx2.Request) -> httpx2.Response:
        keys.append(request.headers["Idempotency-Key"])
        return httpx2.Response(201, json={"id": "1"})

    for answers in ([LOST], [accept], [accept]):
        with site_of(*answers, patience_seconds=0) as site:
            if answers == [LOST]:
                with pytest.raises(SiteAwayError):
                    site.submit(path, model="M")
            else:
                site.submit(path, model="M")
    assert len(keys) == 2
    assert len(set(keys)) == 1


def test_a_busy_site_is_waited_for_as_long_as_it_says():
    clock = Clock()
    busy = says({"detail": "Busy."}, 503, **{"Retry-After": "20"})
    with site_of(busy, says(WATCHED), clock=clock) as site:
        assert site.watch("1")["state"] == "judged"
    assert 15 <= sum(clock.slept) <= 25


def test_patience_ends():
    clock = Clock()
    with site_of(LOST, clock=clock, patience_seconds=60) as site, pytest.raises(SiteAwayError):
        site.watch("1")
    assert 20 < clock.now <= 60


@pytest.mark.parametrize("fault", [REFUSED, httpx2.ConnectTimeout("timed out")])
def test_an_address_where_nothing_answers_is_given_up_within_seconds(fault):
    clock = Clock()
    with site_of(fault, clock=clock) as site, pytest.raises(SiteAwayError, match="right address"):
        site.watch("1")
    assert 0 < clock.now <= 5


def test_a_site_that_answered_before_is_waited_for_while_it_restarts():
    clock = Clock()
    with site_of(says(WATCHED), *[REFUSED] * 6, says(WATCHED), clock=clock) as site:
        site.watch("1")
        assert site.watch("1") == WATCHED
    assert clock.now > 20


def test_what_is_no_site_of_ours_is_told_so(subtests):
    asks = {
        "watch": lambda site: site.watch("1"),
        "benchmarks": lambda site: site.benchmarks(),
        "releases": lambda site: list(site.releases()),
        "judges": lambda site: list(site.judges()),
        "submissions": lambda site: list(site.submissions()),
    }
    for name, ask in asks.items():
        others = () if name in ("watch", "benchmarks") else ("[]", '{"a": 1}')
        for document in ("<p>Welcome", *others):
            with (
                subtests.test(f"{name} {document}"),
                site_of(says_text(document)) as site,
                pytest.raises(SiteAwayError, match="as an Assay site does"),
            ):
                ask(site)


def test_an_address_that_leads_elsewhere_is_told_and_not_followed():
    asked = []

    def moved(request: httpx2.Request) -> httpx2.Response:
        asked.append(request.url.host)
        return httpx2.Response(301, headers={"Location": "https://new.example.org/"})

    for ask in (lambda site: list(site.releases()), lambda site: list(site.verdict_lines("1"))):
        with site_of(moved) as site, pytest.raises(WrongRequestError, match=r"new\.example\.org"):
            ask(site)
    assert asked == ["assay.example.org"] * 2


def test_a_request_that_cannot_be_sent_is_not_made_again():
    clock = Clock()
    wrong = httpx2.LocalProtocolError("illegal header")
    with site_of(wrong, clock=clock) as site, pytest.raises(WrongRequestError, match="illegal"):
        site.watch("1")
    assert clock.now == 0


def test_verdicts_that_break_off_are_told():
    with site_of(LOST) as site, pytest.raises(SiteAwayError, match="stopped answering"):
        list(site.verdict_lines("1"))


# --- refusals -------------------------------------------------------------------------------------

PROBLEM = {"code": "missing", "message": "3 has no answer", "line": 4}


@pytest.mark.parametrize(
    ("status", "document", "error", "exit_status"),
    [
        (422, {"detail": "Refused.", "problems": [PROBLEM]}, FileRefusedError, 1),
        (415, {"detail": "Refused.", "problems": [PROBLEM]}, FileRefusedError, 1),
        (422, {"detail": "Malformed.", "errors": {"model": ["Too long."]}}, WrongRequestError, 2),
        (400, {"detail": "Malformed."}, WrongRequestError, 2),
        (404, {"detail": "There is no release “x”."}, WrongRequestError, 2),
        (500, {"detail": "This failed on our side."}, SiteAwayError, 3),
        (401, {"detail": "Unknown token."}, NotAllowedError, 5),
        (403, {"detail": "This token may only read."}, NotAllowedError, 5),
        (429, {"detail": "Full.", "next_place": "2026-11-23T14:20:00Z"}, NoPlaceError, 6),
    ],
)
def test_each_refusal_is_an_error_of_its_own_and_is_not_tried_again(
    path, status, document, error, exit_status
):
    clock = Clock()
    with site_of(says(document, status), clock=clock) as site, pytest.raises(error) as raised:
        site.submit(path, model="M")
    assert str(raised.value).startswith(document["detail"])
    assert (raised.value.exit_status, raised.value.document) == (exit_status, document)
    assert clock.slept == []


def test_problems_are_sentences_with_their_place_and_say_where_the_others_are(path):
    dated = {
        "message": "It holds a date.",
        "line": 4,
        "record": "record 3",
        "column": "id",
        "expected": "a text",
        "found": "2026-01-01",
    }
    name = {"message": "Files of this type are not accepted.", "line": None, "expected": ".csv"}
    many = {
        "detail": "Refused.",
        "problems": [PROBLEM, dated, name],
        "problem_count": 1_131,
        "report": f"{URL}/r/",
    }
    with site_of(says(many, 422)) as site, pytest.raises(FileRefusedError) as raised:
        site.submit(path, model="M")
    assert raised.value.problems == [
        "Line 4: 3 has no answer",
        "Line 4, record 3, id: It holds a date. (expected: a text; found: 2026-01-01)",
        "Files of this type are not accepted. (expected: .csv)",
        f"… and 1,128 more; all are at {URL}/r/",
    ]
    answer = says({"detail": "Malformed.", "errors": {"link": ["Enter a valid URL."]}}, 422)
    with site_of(answer) as site, pytest.raises(WrongRequestError, match=r"link: Enter a valid"):
        site.submit(path, model="M", link="x")


# --- lists, waiting, sending ----------------------------------------------------------------------


def test_lists_are_followed_to_their_end():
    first = {"results": [{"slug": "a"}], "next": f"{URL}/api/v1/releases/?cursor=x"}
    with site_of(says(first), says({"results": [{"slug": "b"}], "next": None})) as site:
        assert [release["slug"] for release in site.releases()] == ["a", "b"]


def test_waiting_ends_with_the_judging_or_in_time():
    seen = []
    states = [says({**WATCHED, "state": state}) for state in ("waiting", "judging", "judged")]
    with site_of(*states) as site:
        assert (
            site.wait("1", on_progress=lambda found: seen.append(found["state"]))["state"]
            == "judged"
        )
    assert seen == ["waiting", "judging", "judged"]
    clock = Clock()
    with site_of(states[1], clock=clock) as site, pytest.raises(NotInTimeError):
        site.wait("1", timeout_seconds=100)
    assert 85 <= clock.now <= 100


def test_what_was_sent_is_told_as_it_leaves(tmp_path):
    path = tmp_path / "a.csv"
    path.write_bytes(b"x" * 300_000)
    told = []
    with site_of(says({"id": "1"}, 201)) as site:
        site.submit(path, model="M", on_progress=lambda sent, of: told.append((sent, of)))
    assert told[-1] == (300_000, 300_000)
    assert len(told) > 2


def test_the_key_of_a_person_goes_to_the_site_alone_without_the_line_end_of_its_paste():
    asked = []

    def answer(request: httpx2.Request) -> httpx2.Response:
        asked.append((request.url.host, request.headers.get("Authorization")))
        document = {"results": [], "next": "https://elsewhere.example.org/api/v1/releases/"}
        return httpx2.Response(200, content=json.dumps(document))

    with (
        Site(URL, " assay_key\r\n", transport=httpx2.MockTransport(answer)) as site,
        pytest.raises(SiteAwayError, match="another host"),
    ):
        list(site.releases())
    assert asked == [("assay.example.org", "Bearer assay_key")]
