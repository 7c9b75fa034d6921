"""What somebody handed in: every state in its own words, and nobody else's lines."""

import re
from datetime import timedelta
from urllib.parse import urlencode

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.db.models import F
from django.http import QueryDict
from django.test.utils import CaptureQueriesContext

from benchmarks.models import Benchmark
from benchmarks.registry import protocol
from benchmarks.submissions.models import Submission
from benchmarks.submissions.services import set_visibility, withdraw_submission
from judging.models import JudgeCall, Judgement, JudgeRun
from judging.services import ensure_spec, pause_run_by_person, request_run
from leaderboard.editions import store_boards
from leaderboard.models import BoardRow, Scoresheet
from leaderboard.pages.my_entries import PER_PAGE, MyEntriesPage, my_entries_page
from tests.conftest import import_words, judged, submit
from tests.finished_work import copy_finished
from tests.overwriting import overwrite
from tests.rows_read import read_in_full


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
    page = client.get("/submissions/").text
    assert re.search(r"75\.00<small title=\"95 % interval\">[^<]+</small><small>offline r", page)


def test_nobody_reads_the_entries_of_another(lines, client, spelling, owner, stranger):
    submit(spelling, owner, name="Shown")
    assert lines(stranger) == []
    client.logout()
    assert client.get("/submissions/").status_code == 302


# --- chosen among many ----------------------------------------------------------------------------


def page_for(user: User, **chosen: str) -> MyEntriesPage:
    return my_entries_page(user, QueryDict(urlencode(chosen)))


def models(user: User, **chosen: str) -> list[str]:
    page = page_for(user, **chosen)
    assert page.notes == ()
    return sorted(line.model for line in page.lines)


@pytest.fixture
def several(spelling, owner) -> dict[str, Submission]:
    names = ("Draft", "Waiting", "Paused", "Judged 7B", "Hidden 7B", "Gone 7B")
    found = {name: submit(spelling, owner, name=name, confirm=name != "Draft") for name in names}
    for name in ("Judged 7B", "Hidden 7B", "Gone 7B"):
        judged(found[name])
    pause_run_by_person(run=run_of(found["Paused"]), reason="a test wants it")
    set_visibility(submission=found["Hidden 7B"], visibility="private")
    withdraw_submission(submission=found["Gone 7B"])
    return found


@pytest.mark.parametrize(
    ("chosen", "found"),
    [
        ({"state": "to-confirm"}, ["Draft"]),
        ({"state": "under-way"}, ["Paused", "Waiting"]),
        ({"state": "judged"}, ["Hidden 7B", "Judged 7B"]),
        ({"state": "withdrawn"}, ["Gone 7B"]),
        ({"seen": "private"}, ["Draft", "Hidden 7B"]),
        ({"seen": "public", "state": "judged"}, ["Judged 7B"]),
        ({"q": "7b JUDGED"}, ["Judged 7B"]),
        ({"q": "no such name"}, []),
        ({"benchmark": "spelling", "q": "draft"}, ["Draft"]),
    ],
    ids=lambda value: urlencode(value) if isinstance(value, dict) else "",
)
def test_they_are_chosen_by_what_they_are(several, owner, chosen, found):
    assert models(owner, **chosen) == found


def test_what_is_asked_again_is_under_way(several, owner):
    run = several["Judged 7B"].runs.get()
    row = run.judgements.order_by("pk").first()
    overwrite(Judgement.objects.filter(pk=row.pk), state="waiting", verdict="", settled=None)
    assert "Judged 7B" in models(owner, state="under-way")
    assert "Judged 7B" not in models(owner, state="judged")


def test_another_benchmark_has_others(several, owner):
    Benchmark.objects.create(slug="other", title="Other")
    assert models(owner, benchmark="other") == []


@pytest.mark.parametrize("name", ["benchmark", "state", "seen", "page"])
@pytest.mark.parametrize("value", ["nothing", "\0", "x" * 5_000, "-1"])
def test_what_cannot_be_chosen_is_said_and_all_are_shown(several, client, owner, name, value):
    client.force_login(owner)
    response = client.get("/submissions/", {name: value})
    assert response.status_code == 200
    assert "There is no" in response.text or value == "\0"
    assert response.text.count('<th scope="row"') == len(several)


def test_pages_keep_what_was_chosen(spelling, owner, monkeypatch):
    monkeypatch.setattr("leaderboard.pages.my_entries.PER_PAGE", 2)
    for number in range(5):
        submit(spelling, owner, name=f"Model {number}")
    first = page_for(owner, q="model")
    assert (first.total, first.pages, first.previous_url) == (5, 3, "")
    assert first.next_url == "/submissions/?q=model&page=2"
    last = page_for(owner, q="model", page="9")
    assert [line.model for line in last.lines] == ["Model 0"]
    assert last.notes == ("There is no page 9 here, for this list has 3 in all; this is the last.",)


def test_nothing_that_fits_is_no_empty_list(lines, client, spelling, owner):
    client.force_login(owner)
    assert "You have not submitted anything yet" in client.get("/submissions/").text
    submit(spelling, owner)
    assert "None of your entries fits" in client.get("/submissions/?state=withdrawn").text


# --- rank, and what may be done -------------------------------------------------------------------


def test_the_rank_range_is_that_of_the_board(several, owner):
    assert store_boards("spelling")
    ranks = {line.model: line.rank or line.unranked for line in page_for(owner).lines}
    assert ranks == {
        "Draft": "no score yet",
        "Waiting": "no score yet",
        "Paused": "no score yet",
        "Judged 7B": "1",
        "Hidden 7B": "private, and on no board until it is published",
        "Gone 7B": "withdrawn, and on no board",
    }


def test_a_board_that_knows_an_earlier_score_gives_no_rank(several, owner):
    assert store_boards("spelling")
    BoardRow.objects.update(scored=F("scored") - timedelta(seconds=1))
    said = {line.model: (line.rank, line.unranked) for line in page_for(owner).lines}
    assert said["Judged 7B"] == ("", "being placed on the board, within a minute or two")


def test_a_range_of_several_places_is_shown_as_one(owner, client):
    release = import_words(range(12))
    for name, right in (("Better", 12), ("Worse", 11)):
        answers = "".join(f"{n}=word{n if n < right else 'x'}\n" for n in range(12))
        judged(submit(release, owner, answers.encode(), name=name))
    assert store_boards("spelling")
    assert {line.rank for line in page_for(owner).lines} == {"1-2"}


def test_each_row_leads_to_what_may_be_done_with_it(several, owner, client):
    submit(
        several["Judged 7B"].release,
        owner,
        b"1=two\n2=x\n3=y\n4=z\n",
        name="Judged 7B",
        replaces=several["Judged 7B"],
        confirm=False,
    )
    row = several["Hidden 7B"].runs.get().judgements.order_by("pk").first()
    overwrite(Judgement.objects.filter(pk=row.pk), state="failed", verdict="")
    Scoresheet.objects.filter(submission=several["Hidden 7B"]).update(failed=1)
    found = {line.id: [a.title for a in line.actions] for line in page_for(owner).lines}
    told = {name: found[one.pk] for name, one in several.items()}
    assert told == {
        "Draft": ["Confirm", "Cancel"],
        "Waiting": ["Make private", "Replace", "Withdraw"],
        "Paused": ["Make private", "Replace", "Withdraw"],
        "Judged 7B": ["Make private", "Withdraw"],
        "Hidden 7B": ["Publish", "Retry what failed", "Replace", "Withdraw"],
        "Gone 7B": [],
    }
    client.force_login(owner)
    before = list(Submission.objects.order_by("pk").values())
    for line in page_for(owner).lines:
        for action in line.actions:
            assert client.get(action.url).status_code == 200, action
    assert list(Submission.objects.order_by("pk").values()) == before


# --- many -----------------------------------------------------------------------------------------


def asked_for(user: User, **chosen: str) -> list[str]:
    with CaptureQueriesContext(connection) as queries:
        page_for(user, **chosen)
    return [query["sql"] for query in queries]


@pytest.mark.slow
def test_many_take_the_queries_of_few_and_no_table_is_read_from_end_to_end(owner, several):
    few = {state: len(asked_for(owner, state=state)) for state in ("", "judged", "under-way")}
    copy_finished(several["Judged 7B"], 3 * PER_PAGE)
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")
    for state, count in few.items():
        asked = asked_for(owner, state=state)
        assert len(asked) <= count + 1
        if connection.vendor == "sqlite":  # PostgreSQL reads what is a few pages as a whole
            assert read_in_full(asked, (Judgement, JudgeCall, Scoresheet)) == []
    assert page_for(owner).pages == 4
