"""What somebody handed in: every state in its own words, and nobody else's lines."""

from datetime import timedelta
from typing import cast
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
from tests.conftest import fetched, import_spelling, import_words, judged, make_owner, submit
from tests.finished_work import copy_finished
from tests.overwriting import overwrite
from tests.person import Person, words
from tests.rows_read import read_in_full

OTHERS = ("Gone 7B", "Hidden 7B", "Judged 7B", "Paused", "Waiting", "Draft")


def run_of(submission: Submission) -> JudgeRun:
    spec = ensure_spec(of=protocol("spelling"), kind="rules")
    return request_run(submission=submission, spec=spec)


@pytest.fixture(scope="module")
def handed_in(module_rows) -> dict[str, Submission]:
    """An entry in each state, the oldest first."""
    spelling, owner = import_spelling(), make_owner()
    names = reversed(OTHERS)
    found = {name: submit(spelling, owner, name=name, confirm=name != "Draft") for name in names}
    for name in ("Judged 7B", "Hidden 7B", "Gone 7B"):
        judged(found[name])
    pause_run_by_person(run=run_of(found["Paused"]), reason="a test wants it")
    set_visibility(submission=found["Hidden 7B"], visibility="private")
    withdraw_submission(submission=found["Gone 7B"])
    assert store_boards("spelling")
    return found


@pytest.fixture
def several(handed_in, db) -> dict[str, Submission]:
    return cast(dict[str, Submission], fetched(handed_in))


def read(user: User | None, address: str = "/submissions/") -> Person:
    person = Person()
    if user:
        person.client.force_login(user)
    person.go(address)
    return person


def page_for(user: User, **chosen: str) -> MyEntriesPage:
    return my_entries_page(user, QueryDict(urlencode(chosen)))


def test_every_entry_is_told_with_its_state_the_newest_first(several, owner):
    score, none = "75.00 30.06–95.44 offline rules", "– no score yet"
    is_private = "– private, and on no board until it is published"
    rows = read(owner).rows()
    assert [row[:1] + row[2:6] for row in rows] == [
        ["Gone 7B", "withdrawn", "you alone", score, "– withdrawn, and on no board"],
        ["Hidden 7B", "judged", "you alone", score, is_private],
        ["Judged 7B", "judged", "everyone", score, "1"],
        ["Paused", "paused", "everyone", none, none],
        ["Waiting", "waiting", "everyone", none, none],
        ["Draft", "to confirm", "you alone", none, none],
    ]
    assert {row[1] for row in rows} == {"Spelling Spelling, 4 questions"}
    for row, entry in zip(rows, reversed(several.values()), strict=True):
        assert row[6] == f"{entry.created:%Y-%m-%d %H:%M}"


def test_nobody_reads_the_entries_of_another(several, stranger):
    assert "You have not submitted anything yet" in words(read(stranger).page)
    assert read(None).path == "/accounts/login/"


def test_the_score_is_that_of_the_judge_asked_first_and_names_it(several, owner):
    entry = several["Judged 7B"]
    scripted = ensure_spec(of=protocol("spelling"), kind="scripted", model="other")
    other = request_run(submission=entry, spec=scripted)
    first = Scoresheet.objects.get(submission=entry)
    first.pk, first.run, first.judge_spec, first.ranking = None, other, scripted, 12.5
    first.save()
    assert "75.00 30.06–95.44 offline rules" in read(owner).rows()[2]


# --- chosen among many ----------------------------------------------------------------------------


def test_they_are_chosen_by_what_they_are(several, owner, subtests):
    for chosen, found in (
        ({"state": "to-confirm"}, ["Draft"]),
        ({"state": "under-way"}, ["Paused", "Waiting"]),
        ({"state": "judged"}, ["Hidden 7B", "Judged 7B"]),
        ({"state": "withdrawn"}, ["Gone 7B"]),
        ({"seen": "private"}, ["Hidden 7B", "Draft"]),
        ({"seen": "public", "state": "judged"}, ["Judged 7B"]),
        ({"q": "7b JUDGED"}, ["Judged 7B"]),
        ({"q": "no such name"}, []),
        ({"benchmark": "spelling", "q": "draft"}, ["Draft"]),
    ):
        with subtests.test(**chosen):
            page = page_for(owner, **chosen)
            assert page.notes == ()
            assert [line.model for line in page.lines] == found
    assert "None of your entries fits" in words(read(owner, "/submissions/?q=no+such+name").page)


def test_what_is_asked_again_is_under_way(several, owner):
    row = several["Judged 7B"].runs.get().judgements.order_by("pk").first()
    overwrite(Judgement.objects.filter(pk=row.pk), state="waiting", verdict="", settled=None)
    found = {state: page_for(owner, state=state).lines for state in ("under-way", "judged")}
    assert [line.model for line in found["under-way"]] == ["Judged 7B", "Paused", "Waiting"]
    assert [line.model for line in found["judged"]] == ["Hidden 7B"]


def test_another_benchmark_has_others(several, owner):
    Benchmark.objects.create(slug="other", title="Other")
    assert page_for(owner, benchmark="other").lines == ()


def test_what_cannot_be_chosen_is_said_and_all_are_shown(several, owner, subtests):
    for name in ("benchmark", "state", "seen", "page"):
        for value in ("nothing", "\0", "x" * 5_000, "-1"):
            with subtests.test(name=name, value=value[:9]):
                person = read(owner, f"/submissions/?{urlencode({name: value})}")
                assert "There is no" in words(person.page) or value == "\0"
                assert len(person.rows()) == len(several)


def test_pages_keep_what_was_chosen(several, owner, monkeypatch):
    monkeypatch.setattr("leaderboard.pages.my_entries.PER_PAGE", 2)
    first = page_for(owner, q="7b")
    assert (first.total, first.pages, first.previous_url) == (3, 2, "")
    assert first.next_url == "/submissions/?q=7b&page=2"
    last = page_for(owner, q="7b", page="9")
    assert [line.model for line in last.lines] == ["Judged 7B"]
    assert last.notes == ("There is no page 9 here, for this list has 2 in all; this is the last.",)


# --- rank, and what may be done -------------------------------------------------------------------


def test_a_board_that_knows_an_earlier_score_gives_no_rank(several, owner):
    BoardRow.objects.update(scored=F("scored") - timedelta(seconds=1))
    said = {line.model: (line.rank, line.unranked) for line in page_for(owner).lines}
    assert said["Judged 7B"] == ("", "being placed on the board, within a minute or two")


def test_a_range_of_several_places_is_shown_as_one(several, stranger):
    release = import_words(range(12))
    for name, right in (("Better", 12), ("Worse", 11)):
        answers = "".join(f"{n}=word{n if n < right else 'x'}\n" for n in range(12))
        judged(submit(release, stranger, answers.encode(), name=name))
    assert store_boards("spelling")
    assert {line.rank for line in page_for(stranger).lines} == {"1-2"}


def test_each_row_leads_to_what_may_be_done_with_it(several, owner, client):
    changed = {"replaces": several["Judged 7B"], "confirm": False}
    release = several["Judged 7B"].release
    submit(release, owner, b"1=two\n2=x\n3=y\n4=z\n", name="Judged 7B", **changed)
    row = several["Hidden 7B"].runs.get().judgements.order_by("pk").first()
    overwrite(Judgement.objects.filter(pk=row.pk), state="failed", verdict="")
    Scoresheet.objects.filter(submission=several["Hidden 7B"]).update(failed=1)
    lines = page_for(owner).lines
    found = {line.id: [a.title for a in line.actions] for line in lines}
    assert {name: found[one.pk] for name, one in several.items()} == {
        "Draft": ["Confirm", "Cancel"],
        "Waiting": ["Make private", "Replace", "Withdraw"],
        "Paused": ["Make private", "Replace", "Withdraw"],
        "Judged 7B": ["Make private", "Withdraw"],
        "Hidden 7B": ["Publish", "Retry what failed", "Replace", "Withdraw"],
        "Gone 7B": [],
    }
    client.force_login(owner)
    before = list(Submission.objects.order_by("pk").values())
    for action in (action for line in lines for action in line.actions):
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
