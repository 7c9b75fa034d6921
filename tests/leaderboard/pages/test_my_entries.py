"""What somebody handed in: every state in its own words, and nobody else's lines."""

import re

import pytest
from django.contrib.auth.models import User

from benchmarks.registry import protocol
from benchmarks.submissions.models import Submission
from benchmarks.submissions.services import withdraw_submission
from judging.models import JudgeRun
from judging.services import ensure_spec, pause_run_by_person, request_run
from leaderboard.models import Scoresheet
from tests.conftest import judged, submit


@pytest.fixture
def lines(client, owner):
    """Model, state, who sees it and score, as the signed-in owner reads them, newest first."""

    def read(user: User = owner) -> list[tuple[str, str, str, str]]:
        client.force_login(user)
        page = client.get("/submissions/").content.decode()
        rows = re.findall(r"<tr>\s*<th scope=\"row\".*?</tr>", page, re.DOTALL)
        return [line_of(row) for row in rows]

    return read


def line_of(row: str) -> tuple[str, str, str, str]:
    patterns = (
        r'<a class="key"[^>]*>([^<]+)</a>',
        r'<span class="tag[^"]*">([^<]+)</span>',
        r'<td data-label="Seen by">(everyone|you alone)</td>',
        r'<td class="number" data-label="Score">([^<]+)<',
    )
    name, state, seen, score = (re.findall(pattern, row)[0] for pattern in patterns)
    return name, state, seen, score


def run_of(submission: Submission) -> JudgeRun:
    spec = ensure_spec(of=protocol("spelling"), kind="rules")
    return request_run(submission=submission, spec=spec)


def test_every_state_is_told_apart(lines, spelling, owner):
    names = ("To confirm", "Waiting", "Paused", "Judged", "Withdrawn")
    found = {
        name: submit(spelling, owner, name=name, confirm=name != "To confirm") for name in names
    }
    judged(found["Judged"])
    pause_run_by_person(run=run_of(found["Paused"]), reason="a test wants it")
    withdraw_submission(submission=found["Withdrawn"])
    assert {name: state for name, state, _, _ in lines()} == {
        "To confirm": "to confirm",
        "Waiting": "waiting",
        "Paused": "paused",
        "Judged": "judged",
        "Withdrawn": "withdrawn",
    }


def test_newest_comes_first(lines, spelling, owner):
    for name in ("First", "Second", "Third"):
        submit(spelling, owner, name=name)
    assert [name for name, *_ in lines()] == ["Third", "Second", "First"]


def test_who_sees_it_and_its_score(lines, spelling, owner):
    judged(submit(spelling, owner, name="Shown"))
    submit(spelling, owner, name="Kept", visibility="private")
    assert {name: (seen, score) for name, _, seen, score in lines()} == {
        "Shown": ("everyone", "75.00"),
        "Kept": ("you alone", "–"),
    }


def test_the_score_is_that_of_the_judge_asked_first_and_names_it(lines, client, spelling, owner):
    entry = submit(spelling, owner, name="Shown")
    judged(entry)
    scripted = ensure_spec(of=protocol("spelling"), kind="scripted", model="other")
    other = request_run(submission=entry, spec=scripted)
    first = Scoresheet.objects.get()
    first.pk, first.run, first.judge_spec, first.ranking = None, other, scripted, 12.5
    first.save()
    assert [score for _, _, _, score in lines()] == ["75.00"]
    assert "75.00<small>offline rules</small>" in client.get("/submissions/").text


def test_nobody_reads_the_entries_of_another(lines, client, spelling, owner, stranger):
    submit(spelling, owner, name="Shown")
    assert lines(stranger) == []
    client.logout()
    assert client.get("/submissions/").status_code == 302
