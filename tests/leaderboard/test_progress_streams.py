"""A page that is told as its submission moves: few at once, none for long, and only what its reader
may see at each look."""

import http.client
import time
from datetime import timedelta
from urllib.parse import urlsplit

import pytest
from django.conf import settings as site
from django.contrib.auth.models import User
from django.db import connection
from django.urls import reverse

from benchmarks.submissions.team_models import Membership
from benchmarks.submissions.teams.services import found_team
from judging.coordination.clock import database_now
from judging.models import Judgement
from leaderboard.results.boards.editions import refresh_boards
from leaderboard.web.pages.submissions import progress
from leaderboard.web.pages.submissions.progress import PLACES, release_connections
from tests.conftest import judged, submit
from tests.judging.services.test_review import planned
from tests.overwriting import overwrite


@pytest.fixture(autouse=True)
def one_place(settings, monkeypatch):
    settings.PROGRESS_STREAMS = 1
    monkeypatch.setattr(progress, "STREAM_SECONDS", 0.0)
    yield
    assert PLACES.taken == 0


@pytest.fixture
def watcher(client, owner):
    client.force_login(owner)
    return client


def address(submission) -> str:
    return reverse("submission-events", args=[submission.pk])


def read(response) -> str:
    """To its end, at which the client closes it."""
    return b"".join(response).decode()


def test_a_stream_says_how_far_it_is_and_sends_nothing_twice(watcher, submission):
    run = planned(submission)
    response = watcher.get(address(submission))
    headers = ("Content-Type", "X-Accel-Buffering", "Content-Encoding")
    assert [response.get(name) for name in headers] == ["text/event-stream", "no", None]
    assert "no-store" in response["Cache-Control"]
    said = read(response)
    assert said.startswith("retry: 1000\n\nid: ")
    assert 'data: <section class="section" id="progress"' in said
    assert "0 % of 4 judgements" in said
    assert "event: end" not in said
    seen = {"Last-Event-ID": said.partition("id: ")[2].partition("\n")[0]}
    assert "event: progress" not in read(watcher.get(address(submission), headers=seen))
    first = Judgement.objects.filter(pk=run.judgements.earliest("pk").pk)
    overwrite(first, state="judged", verdict="right", settled=database_now())
    assert "25 % of 4" in read(watcher.get(address(submission), headers=seen))


def test_what_has_ended_says_so(watcher, submission):
    judged(submission)
    refresh_boards()  # or it is watched until it has its place
    assert read(watcher.get(address(submission))).endswith("event: end\ndata:\n\n")


def test_the_next_look_tells_what_moved_meanwhile(watcher, submission, monkeypatch):
    run = planned(submission)
    monkeypatch.setattr(progress, "STREAM_SECONDS", 60.0)
    monkeypatch.setattr("time.sleep", lambda seconds: None)
    clock = iter(range(0, 100_000, 3))
    monkeypatch.setattr("time.monotonic", lambda: float(next(clock)))
    response = watcher.get(address(submission))
    parts = iter(response)
    assert "0 % of 4" in next(parts).decode() + next(parts).decode()
    overwrite(run.judgements.all(), state="judged", verdict="right", settled=database_now())
    said = "".join(part.decode() for part in parts)
    assert "100 % of 4" in said


def test_beyond_the_places_of_a_process_nobody_is_streamed_to(watcher, submission, settings):
    planned(submission)
    first = watcher.get(address(submission))
    assert watcher.get(address(submission)).status_code == 204
    read(first)
    assert watcher.head(address(submission)).status_code == 204  # takes no place
    second = watcher.get(address(submission))
    assert second.status_code == 200
    read(second)
    settings.PROGRESS_STREAMS = 0
    assert watcher.get(address(submission)).status_code == 204


@pytest.mark.parametrize("what", ["left the team", "made inactive", "signed out", "nothing"])
def test_whether_they_may_know_is_asked_at_each_look(what, spelling, owner, client):
    member = User.objects.create_user("mia")
    team = found_team(name="Team One", by=owner)
    Membership.objects.create(team=team, user=member)
    entry = submit(spelling, owner, team=team, visibility="private")
    planned(entry)
    client.force_login(member)
    response = client.get(address(entry))
    closers = [getattr(close, "__self__", None) for close in response._resource_closers]
    (stream,) = [one for one in closers if isinstance(one, progress.Stream)]
    assert stream.look() is not None
    if what == "left the team":
        Membership.objects.filter(user=member).delete()
    elif what == "made inactive":
        User.objects.filter(pk=member.pk).update(is_active=False)
    elif what == "signed out":
        client.logout()
    assert (stream.look() is None) == (what != "nothing")
    read(response)


def test_between_looks_no_connection_is_held(committed):
    assert User.objects.count() == 0
    assert connection.connection is not None
    release_connections()
    assert connection.connection is None


# --- a server -------------------------------------------------------------------------------------


Asked = tuple[http.client.HTTPConnection, http.client.HTTPResponse]


def ask(server: str, path: str, cookie: str) -> Asked:
    asked = http.client.HTTPConnection(urlsplit(server).netloc, timeout=20)
    asked.request("GET", path, headers={"Cookie": cookie})
    return asked, asked.getresponse()


@pytest.mark.slow
def test_a_browser_that_went_frees_its_place(
    committed, live_server, submission, owner, client, settings, monkeypatch
):
    settings.PROGRESS_STREAMS = 2
    monkeypatch.setattr(progress, "STREAM_SECONDS", 30.0)
    monkeypatch.setattr(progress, "PING_SECONDS", 0.1)
    planned(submission)
    client.force_login(owner)
    cookie = f"{site.SESSION_COOKIE_NAME}={client.cookies[site.SESSION_COOKIE_NAME].value}"
    path = address(submission)
    look = reverse("submission-progress", args=[submission.pk])
    asked = [ask(live_server.url, one, cookie) for one in (path, path, path, look)]
    assert [response.status for _, response in asked] == [200, 200, 204, 200]
    assert asked[0][1].readline() == b"retry: 1000\n"
    for browser, response in asked:
        response.close()
        browser.close()
    end = time.monotonic() + timedelta(seconds=15).total_seconds()
    while PLACES.taken and time.monotonic() < end:
        time.sleep(0.1)
    assert PLACES.taken == 0
