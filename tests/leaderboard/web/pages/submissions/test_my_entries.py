"""What somebody handed in: every state in its own words, and nobody else's lines."""

from collections.abc import Mapping
from datetime import timedelta
from urllib.parse import urlencode
from uuid import UUID

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.db.models import F
from django.http import QueryDict
from django.test.utils import CaptureQueriesContext

from benchmarks.models import Benchmark, Release
from benchmarks.registry import protocol
from benchmarks.submissions.models import Submission
from benchmarks.submissions.services import set_visibility, withdraw_submission
from judging.models import JudgeCall, Judgement
from judging.services import ensure_spec, pause_run_by_person, request_run
from leaderboard.models import BoardRow, Scoresheet
from leaderboard.results.boards.editions import store_boards
from leaderboard.results.services import score_run
from leaderboard.web.pages.submissions.my_entries import PER_PAGE, my_entries_page
from tests.api_clients import session_client
from tests.conftest import import_spelling, judged, make_owner, submit
from tests.finished_work import copy_finished
from tests.leaderboard.web.pages.shown_text import cells, links, page_at, part, shown
from tests.overwriting import overwrite
from tests.rows_read import read_in_full

PAGE = "/submissions/"
NEWER = b"1=two\n2=x\n3=y\n4=z\n"
NAMES = ("Draft", "Waiting", "Paused", "Judged 7B", "Hidden 7B", "Gone 7B")


@pytest.fixture(scope="module")
def made(module_rows) -> Mapping[str, UUID]:
    """A submission of each kind. A new version of the judged one waits for its owner's word, and
    of the hidden one a judgement failed."""
    spelling, owner = import_spelling(), make_owner()
    found = {name: submit(spelling, owner, name=name, confirm=name != "Draft") for name in NAMES}
    for name in ("Judged 7B", "Hidden 7B", "Gone 7B"):
        judged(found[name])
    rules = ensure_spec(of=protocol("spelling"), kind="rules")
    paused = request_run(submission=found["Paused"], spec=rules)
    pause_run_by_person(run=paused, reason="a test wants it")
    set_visibility(submission=found["Hidden 7B"], visibility="private")
    withdraw_submission(submission=found["Gone 7B"])
    old = found["Judged 7B"]
    found["Newer"] = submit(spelling, owner, NEWER, old.model.name, replaces=old, confirm=False)
    row = found["Hidden 7B"].runs.get().judgements.earliest("pk")
    overwrite(Judgement.objects.filter(pk=row.pk), state="failed", verdict="")
    score_run(run=row.run)
    assert store_boards("spelling")
    return {name: one.pk for name, one in found.items()}


@pytest.fixture
def several(made, db) -> dict[str, Submission]:
    return {name: Submission.objects.get(pk=pk) for name, pk in made.items()}


@pytest.fixture
def mine(several, owner):
    return session_client(owner)


def lines(client, **chosen: str) -> list[list[str]]:
    return cells(part(page_at(client, f"{PAGE}?{urlencode(chosen)}")))


def models(client, **chosen: str) -> list[str]:
    return [row[0] for row in lines(client, **chosen)]


def test_the_page_has_every_state_and_what_may_be_done_the_owners_turn_first(several, mine):
    unscored, score = "– no score yet", "75.00 30.06 to 95.44 offline rules"
    new, running = ["Confirm", "Cancel"], ["Make private", "Replace", "Withdraw"]
    retried = ["Publish", "Retry what failed", "Replace", "Withdraw"]
    hidden = "– private, and on no board until it is published"
    told = {
        "Newer": ["Judged 7B", "to confirm", "you alone", unscored, unscored, new],
        "Gone 7B": ["Gone 7B", "withdrawn", "you alone", score, "– withdrawn, and on no board", []],
        "Hidden 7B": [
            "Hidden 7B",
            "judged",
            "you alone",
            "66.67 12.53 to 96.32 offline rules",
            hidden,
            retried,
        ],
        "Judged 7B": ["Judged 7B", "judged", "everyone", score, "1", ["Make private", "Withdraw"]],
        "Paused": ["Paused", "paused", "everyone", unscored, unscored, running],
        "Waiting": ["Waiting", "waiting", "everyone", unscored, unscored, running],
        "Draft": ["Draft", "to confirm", "you alone", unscored, unscored, new],
    }
    expected, steps = [], dict[str, str]()
    turns = ("Newer", "Draft", "Paused", "Hidden 7B", "Waiting", "Judged 7B", "Gone 7B")
    for name in turns:
        model, *row, actions = told[name]
        named = [f"{action} {model}, Spelling, 4 questions" for action in actions]
        day = f"{several[name].created:%Y-%m-%d %H:%M}"
        may = " ".join(named) or "– nothing: it is withdrawn"
        expected.append([model, "Spelling Spelling, 4 questions", *row, day, may])
        steps |= dict.fromkeys(named, f"{PAGE}{several[name].pk}/")
    page = page_at(mine, PAGE)
    assert cells(part(page)) == expected
    before = list(Submission.objects.order_by("pk").values())
    found = links(part(page))
    for action, address in steps.items():
        assert found[action].startswith(address), action
        assert mine.get(found[action]).status_code == 200, action
    assert list(Submission.objects.order_by("pk").values()) == before


def test_what_was_sent_to_a_closed_release_cannot_be_replaced(several, mine):
    Release.objects.update(state="frozen")
    assert not [step for step in links(part(page_at(mine, PAGE))) if step.startswith("Replace")]
    entry = page_at(mine, f"{PAGE}{several['Waiting'].pk}/")
    assert "Replace with a new version" not in links(part(entry))


def test_nobody_reads_the_entries_of_another(several, client, stranger):
    assert client.get(PAGE).status_code == 302
    theirs = session_client(stranger)
    assert "You have not submitted anything yet" in shown(theirs, PAGE)
    assert lines(theirs) == []


def test_the_score_is_that_of_the_judge_asked_first_and_names_it(several, mine):
    entry = several["Judged 7B"]
    scripted = ensure_spec(of=protocol("spelling"), kind="scripted", model="other")
    other = request_run(submission=entry, spec=scripted)
    sheet = Scoresheet.objects.get(submission=entry)
    sheet.pk, sheet.run, sheet.judge_spec, sheet.ranking = None, other, scripted, 12.5
    sheet.save()
    assert [row[4] for row in lines(mine, q="judged", seen="public")] == [
        "75.00 30.06 to 95.44 offline rules"
    ]


# --- chosen among many ----------------------------------------------------------------------------


def test_they_are_chosen_by_what_they_are(mine):
    Benchmark.objects.create(slug="other", title="Other")
    expected = {
        "state=to-confirm": ["Judged 7B", "Draft"],
        "state=under-way": ["Paused", "Waiting"],
        "state=judged": ["Hidden 7B", "Judged 7B"],
        "state=withdrawn": ["Gone 7B"],
        "seen=private": ["Judged 7B", "Draft", "Hidden 7B"],
        "seen=public&state=judged": ["Judged 7B"],
        "q=7b+HIDDEN": ["Hidden 7B"],
        "q=no+such+name": [],
        "benchmark=spelling&q=draft": ["Draft"],
        "benchmark=other": [],
    }
    assert {query: models(mine, **QueryDict(query).dict()) for query in expected} == expected
    assert "None of your entries match" in shown(mine, f"{PAGE}?benchmark=other")


def test_what_is_asked_again_is_under_way(several, mine):
    row = several["Judged 7B"].runs.get().judgements.earliest("pk")
    overwrite(Judgement.objects.filter(pk=row.pk), state="waiting", verdict="", settled=None)
    assert models(mine, state="under-way") == ["Paused", "Waiting", "Judged 7B"]
    assert models(mine, state="judged") == ["Hidden 7B"]


def test_what_cannot_be_chosen_is_said_and_all_are_shown(several, mine):
    wrong = [(name, "nothing") for name in ("benchmark", "state", "seen", "page")]
    wrong += [("page", "-1"), ("page", "9" * 5_000), ("state", "x" * 5_000), ("seen", "\0")]
    for name, value in wrong:
        page = page_at(mine, f"{PAGE}?{urlencode({name: value})}")
        assert len(cells(part(page))) == len(several), (name, value[:9])
        assert "There is no" in part(page).text_content() or value == "\0", (name, value[:9])


def test_pages_keep_what_was_chosen(mine, monkeypatch):
    monkeypatch.setattr("leaderboard.web.pages.submissions.my_entries.PER_PAGE", 2)
    first = page_at(mine, f"{PAGE}?q=7b")
    assert not first.xpath("//a[@rel='prev']")
    assert first.xpath("//a[@rel='next']/@href") == [f"{PAGE}?q=7b&page=2"]
    last = page_at(mine, f"{PAGE}?q=7b&page=9")
    assert [row[0] for row in cells(part(last))] == ["Judged 7B", "Gone 7B"]
    said = "This list has no page 9; this is its last, page 2."
    assert said in part(last).text_content()


# --- the rank -------------------------------------------------------------------------------------


def test_the_rank_is_the_range_that_the_board_has_of_this_score(mine):
    BoardRow.objects.update(worst=2)
    assert lines(mine, seen="public", state="judged")[0][5] == "1-2"
    BoardRow.objects.update(scored=F("scored") - timedelta(seconds=1))
    told = lines(mine, seen="public", state="judged")[0][5]
    assert told == "– being placed on the board, within a minute or two"


# --- many -----------------------------------------------------------------------------------------


def asked_for(user: User, **chosen: str) -> list[str]:
    with CaptureQueriesContext(connection) as queries:
        my_entries_page(user, QueryDict(urlencode(chosen)))
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
