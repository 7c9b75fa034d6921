"""Boards are stored once after something changed, and what is stored is what would be computed."""

import csv
import io
import math
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from functools import partial
from types import SimpleNamespace

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.db import InterfaceError, OperationalError, connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from benchmarks.models import Benchmark, Release
from benchmarks.protocols.base import Beside
from benchmarks.registry import protocol, protocols
from benchmarks.services.importing import import_release
from benchmarks.submissions.marks.flags import decide_ranking, decide_verification
from benchmarks.submissions.models import EvaluatedModel, Submission
from benchmarks.submissions.naming.public_names import set_public_name
from benchmarks.submissions.services import set_floor_version, set_visibility
from judging.clock import database_now
from judging.services import ensure_spec
from leaderboard import editions
from leaderboard.board.comparison import lead_of
from leaderboard.editions import refresh_boards
from leaderboard.exports import export_csv
from leaderboard.formatting import MISSING
from leaderboard.models import BoardChange, BoardEdition, BoardRow, BoardVersion, Scoresheet
from leaderboard.selectors import (
    EACH,
    EVERYTHING,
    SIZES,
    TOGETHER,
    BoardPart,
    BoardReading,
    boards,
    eras_of,
    read_board,
    rows_of,
)
from leaderboard.selectors import part as part_module
from leaderboard.selectors import stored as stored_module
from leaderboard.selectors.eras import main_release_first
from leaderboard.selectors.readings import MOST_ORGANISATIONS, organisations_among
from tests.conftest import import_words, judged, submit
from tests.tiny_protocol import PROTOCOL as SPELLING_PROTOCOL

QUESTIONS = range(1, 41)
BESIDE = replace(
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
PROTOCOL = BESIDE


def answers(right: Callable[[int], object], dress: Callable[[str], str] = str) -> bytes:
    said = {n: f"word{n}" if right(n) else f"other {n % 7}" for n in QUESTIONS}
    return "".join(f"{n}={dress(text)}\n" for n, text in said.items()).encode()


@pytest.fixture(scope="module")
def filled(module_rows) -> None:
    """What the fixtures of its rows return, written once."""
    owner = User.objects.create_user("rosa", "rosa@example.org", "a long enough password")
    stranger = User.objects.create_user("sam", "sam@example.org", "a long enough password")
    enter(import_words(QUESTIONS), owner, stranger)


@pytest.fixture
def owner(filled, db) -> User:
    return User.objects.get(username="rosa")


@pytest.fixture
def stranger(filled, db) -> User:
    return User.objects.get(username="sam")


@pytest.fixture
def words(filled, db) -> Release:
    return Release.objects.get(slug="words")


@pytest.fixture
def board(words) -> Benchmark:
    benchmark: Benchmark = words.benchmark
    return benchmark


def enter(words: Release, owner: User, stranger: User) -> None:
    """Entries with ties, equal answers, a badge, names, one kept out, one without a score, and a
    baseline."""
    models = {
        "Best": lambda n: n % 20,
        "Good": lambda n: n % 3,
        "As good": lambda n: (n + 1) % 3,
        "Fair": lambda n: n % 8 < 5,
        "Poor": lambda n: n % 4 == 0,
        "Kept out": lambda n: n % 5,
    }
    made = {name: submit(words, owner, answers(right), name=name) for name, right in models.items()}
    made["Good again"] = submit(words, stranger, answers(models["Good"], str.upper), name="Again")
    made["Baseline"] = submit(words, None, answers(lambda n: n == 1), origin="baseline")
    for submission in made.values():
        judged(submission)
    decide_ranking(submission=made["Kept out"], is_ranked=False, reason="Bought.", by=stranger)
    set_public_name(owner=owner, name="Rosa")
    decide_verification(submission=made["Fair"], is_verified=True, reason="Seen.", by=stranger)
    EvaluatedModel.objects.filter(name="Poor").update(is_open_weights=True, organisation="Straße 7")
    for name, billions in (("Good", 3), ("Fair", Decimal("3.01")), ("Poor", 70)):
        EvaluatedModel.objects.filter(name=name).update(parameters_billions=billions)
    Scoresheet.objects.filter(submission=made["Poor"]).update(ranking=None, board_figures={})


def both(benchmark: Benchmark, **asked) -> tuple[BoardReading, BoardReading]:
    """What is stored, and what is computed."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(boards, "rank_entries", not_called)
        stored = read_board(benchmark, **asked)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(boards, "edition_to_show", lambda *_: None)
        return stored, read_board(benchmark, **asked)


def not_called(*_: object, **__: object) -> None:
    raise AssertionError("this board is stored")


def assert_same(benchmark: Benchmark, **asked) -> BoardReading:
    stored, computed = both(benchmark, **asked)
    assert stored == computed
    assert stored.organisations == computed.organisations
    read = {entry.id for entry in (*stored.entries, *stored.also)}
    for name in stored.board.metric_names():
        assert stored.firsts.get(name, set()) == computed.firsts[name] & read, name
        assert stored.span(name) == computed.span(name), name
        assert stored.middle(name) == computed.middle(name), name
    assert [e.id for e in rows_of(stored)] == [e.id for e in rows_of(computed)]
    return stored


PARTS = {
    "everything": EVERYTHING,
    "rows": BoardPart(fold=True),
    "the first three": BoardPart(count=3, fold=True),
    "the third and fourth": BoardPart(first=2, count=2),
    "behind the last": BoardPart(first=100, count=2),
    "none": BoardPart(count=0),
    "by a metric": BoardPart(order="accuracy", fold=True),
    "by a metric, the lowest first": BoardPart(order="accuracy", ascending=True, first=1, count=4),
    "open weights": BoardPart(open_weights=True),
    "verified": BoardPart(verified=True, order="accuracy"),
    **{f"size {slug}": BoardPart(size=slug, fold=True) for slug in SIZES},
    "size and open, by a metric": BoardPart(
        size="over-20", open_weights=True, order="accuracy", baselines=True
    ),
    "of an organisation": BoardPart(organisation="Straße 7", baselines=True),
    "of an organisation, rows by a metric": BoardPart(
        organisation="Straße 7", order="accuracy", fold=True
    ),
    "searched": BoardPart(words=("good",)),
    "a shared place, by either name": BoardPart(words=("a",), fold=True),
    "a shared place, by a metric": BoardPart(words=("again",), fold=True, order="accuracy"),
    "searched in organisations": BoardPart(words=("strasse", "poor")),
    "searched by signs": BoardPart(words=("%",)),
    "with baselines": BoardPart(count=1, baselines=True),
}


@pytest.mark.parametrize("ranges", [EACH, TOGETHER])
@pytest.mark.parametrize("part", PARTS)
def test_what_is_stored_is_what_would_be_computed(board, part, ranges):
    assert refresh_boards() == 1
    assert_same(board, part=PARTS[part], ranges=ranges)


@pytest.mark.parametrize("ranges", [EACH, TOGETHER])
@pytest.mark.parametrize("part", PARTS)
def test_what_is_kept_for_good_is_what_is_stored(board, part, ranges):
    refresh_boards()
    asked = {"part": PARTS[part], "ranges": ranges}
    stored = read_board(board, **asked)
    kept = read_board(board, **asked, snapshot=stored.newest.digest)
    assert kept.snapshot == stored.newest
    assert replace(kept, snapshot=None, chain=stored.chain) == stored
    read = {entry.id for entry in (*stored.entries, *stored.also)}
    for name in stored.board.metric_names():
        assert kept.firsts.get(name, set()) & read == stored.firsts.get(name, set()) & read, name
        assert kept.span(name) == stored.span(name), name
    assert [e.id for e in rows_of(kept)] == [e.id for e in rows_of(stored)]


def test_models_are_found_by_their_size_and_each_in_one_range(board):
    refresh_boards()
    found = {size: read_board(board, part=BoardPart(size=size)).entries for size in SIZES}
    models = {size: {entry.model for entry in entries} for size, entries in found.items()}
    named = {size: models[size] for size in ("to-3", "3-8", "8-20", "over-20")}
    assert named == {"to-3": {"Good"}, "3-8": {"Fair"}, "8-20": set(), "over-20": {"Poor"}}
    assert sum(map(len, found.values())) == len(read_board(board).entries)


def test_models_are_found_by_their_organisation(board):
    refresh_boards()
    found = assert_same(board, part=BoardPart(organisation="Straße 7"))
    assert found.organisations == ("Straße 7",)
    assert [entry.model for entry in found.entries] == ["Poor"]


def test_an_organisation_that_nobody_is_of_is_not_asked_for(board):
    refresh_boards()
    for name in ("STRASSE 7", "Nobody"):
        found = assert_same(board, part=BoardPart(organisation=name))
        assert found.part.organisation == ""
        assert found.matching == len(read_board(board).entries)


def test_an_organisation_whose_entry_was_made_private_is_not_offered_any_more(board):
    refresh_boards()
    made_private = Submission.objects.get(model__name="Poor")
    set_visibility(submission=made_private, visibility="private")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(boards, "rank_entries", not_called)
        patch.setattr(boards, "COMPUTED_ON_READ", 3)
        found = read_board(board, part=BoardPart(organisation="Straße 7"))
    assert found.organisations == ()
    assert found.part.organisation == ""


def test_more_organisations_than_a_list_bears_are_not_offered():
    names = [f"House {number}" for number in range(MOST_ORGANISATIONS)]
    assert organisations_among(["", *names, names[0]]) == tuple(sorted(names))
    assert organisations_among([*names, "House of one more"]) is None


def test_by_a_metric_the_highest_stand_first_unless_the_lowest_are_asked_for(board):
    refresh_boards()

    def values(*, part: BoardPart) -> list[float | None]:
        stored, computed = (
            [figure.value for e in reading.entries if (figure := e.figure("accuracy"))]
            for reading in both(board, part=part)
        )
        assert stored == computed
        return stored

    falling = values(part=BoardPart(order="accuracy"))
    assert falling == sorted(falling, key=lambda value: value or 0.0, reverse=True)
    assert values(part=BoardPart(order="accuracy", ascending=True)) == falling[::-1]
    assert len(set(falling)) > 3


@pytest.mark.slow
def test_a_row_is_found_by_the_name_of_whoever_shares_its_place(board, monkeypatch):
    """Of more than are named, those that were searched for are named."""
    for module in (part_module, stored_module):
        monkeypatch.setattr(module, "MOST_FOLDED", 1)
    again = Submission.objects.get(model__name="Again")
    for name in ("Clone", "Seldom", "Third"):
        copy = answers(lambda n: n % 3, str.upper)
        judged(submit(again.release, again.owner, copy, name=name))
    refresh_boards()
    reading = assert_same(board, part=BoardPart(words=("seldom",), fold=True))
    assert ([entry.model for entry in reading.entries], reading.matching) == (["Good"], 1)
    (folded,) = reading.folded.values()
    assert folded.count == 4
    assert [entry.model for entry in folded.first] == ["Seldom"]
    assert assert_same(board, part=BoardPart(words=("nobody",), fold=True)).matching == 0


def test_ticked_entries_come_with_their_true_ranks(board):
    refresh_boards()
    ticked = frozenset(
        Submission.objects.filter(model__name__in=("Fair", "Best")).values_list("pk", flat=True)
    )
    reading = assert_same(board, part=BoardPart(count=1, fold=True, also=ticked))
    assert [e.model for e in (*reading.entries, *reading.also)] == ["Best", "Fair"]
    assert reading.also[0].rank == 4


def test_a_board_has_what_stands_beside_it(board, owner, settings):
    settings.PROTOCOLS = [*settings.PROTOCOLS, __name__]
    protocols.cache_clear()
    try:
        release = import_words(QUESTIONS, of=PROTOCOL, slug="beside-1")
        judged(submit(release, owner, answers(bool), name="Good"))
        assert refresh_boards() == 2
        (entry,) = assert_same(release.benchmark).entries
        assert entry.value("accuracy") == 27 / 40
        assert refresh_boards() == 0
        EvaluatedModel.objects.filter(name="Best").update(organisation="Elsewhere")
        assert BoardChange.objects.exclude(benchmark=None).count() == 1
        assert later() == 2  # the board itself, and the one it stands beside
    finally:
        protocols.cache_clear()


def test_a_board_is_stored_though_the_one_beside_it_is_on_the_site_no_more(board, owner, settings):
    settings.PROTOCOLS = [*settings.PROTOCOLS, __name__]
    protocols.cache_clear()
    try:
        release = import_words(QUESTIONS, of=PROTOCOL, slug="beside-1")
        judged(submit(release, owner, answers(bool), name="Good"))
        refresh_boards()
        spelling = "tests.tiny_protocol"
        settings.PROTOCOLS = [path for path in settings.PROTOCOLS if path != spelling]
        protocols.cache_clear()
        assert later() == 1  # what stood beside it is gone
        assert editions.boards_behind() == []
        EvaluatedModel.objects.filter(name="Good").update(organisation="Elsewhere")
        assert later() == 1
        (entry,) = read_board(benchmark=release.benchmark).entries
        assert entry.organisation == "Elsewhere"
        assert editions.boards_behind() == []
    finally:
        protocols.cache_clear()


def later() -> int:
    """As once the time has passed for which a board that was just stored is left alone."""
    BoardVersion.objects.update(next_at=None)
    return refresh_boards()


# --- when -----------------------------------------------------------------------------------------


def test_a_sweep_without_changes_asks_one_query(board):
    refresh_boards()
    with CaptureQueriesContext(connection) as queries:
        assert refresh_boards() == 0
    assert len(queries) == 1


def test_a_board_is_stored_again_after_a_change_and_only_then(board):
    assert [refresh_boards(), later()] == [1, 0]
    EvaluatedModel.objects.filter(name="Best").update(name="Better")
    assert later() == 1
    assert BoardRow.objects.get(row=0, edition__replaced=None).name == "Better"


def test_a_board_that_is_being_read_stays_until_it_is_read(board):
    """A page reads it in several queries, and a file is sent while the next one is stored."""
    refresh_boards()
    head = read_board(board, part=BoardPart(count=0))
    names = [row.model for row in read_board(board).entries]
    file = rows_of(head)
    first = next(file)
    EvaluatedModel.objects.filter(name="Best").update(name="Better")
    assert later() == 1
    assert [first.model, *(row.model for row in file)] == names
    assert BoardEdition.objects.filter(replaced=None).count() == 1


def test_boards_that_were_replaced_long_ago_are_gone(board):
    refresh_boards()
    EvaluatedModel.objects.filter(name="Best").update(name="Better")
    later()
    assert BoardEdition.objects.count() == 2
    BoardEdition.objects.exclude(replaced=None).update(replaced=timezone.now() - timedelta(hours=1))
    EvaluatedModel.objects.filter(name="Better").update(name="Best")
    later()
    assert BoardEdition.objects.count() == 2
    assert BoardEdition.objects.filter(replaced=None).count() == 1


def test_a_board_that_was_just_stored_is_left_alone_for_a_while(board):
    refresh_boards()
    EvaluatedModel.objects.filter(name="Best").update(name="Better")
    assert refresh_boards() == 0
    assert later() == 1


def test_two_workers_do_not_store_the_same_board(board, monkeypatch):
    asked = []
    store = editions.store_board

    def store_while_another_sweeps(*args):
        asked.append(refresh_boards())
        return store(*args)

    monkeypatch.setattr(editions, "store_board", store_while_another_sweeps)
    assert refresh_boards() == 1
    assert asked == [0]


def test_what_changes_while_a_board_is_computed_is_stored_by_the_next_sweep(board, monkeypatch):
    make = editions.make_board

    def make_and_rename(*args):
        made = make(*args)
        EvaluatedModel.objects.filter(name="Best").update(name="Better")
        return made

    monkeypatch.setattr(editions, "make_board", make_and_rename)
    refresh_boards()
    assert {e.model for e in read_board(board).entries} >= {"Better"}
    monkeypatch.undo()
    assert later() == 1
    assert_same(board)


def test_a_board_that_fails_stops_no_other_and_is_tried_again(board, words, monkeypatch, caplog):
    other = ensure_spec(of=protocol("spelling"), kind="scripted", model="m")
    Scoresheet.objects.filter(submission__model__name="Fair").update(judge_spec=other)
    make, said = editions.make_board, "an answer of somebody"

    def fail_once(era, *args):
        if era.judge_spec == other:
            raise ZeroDivisionError(said)
        return make(era, *args)

    monkeypatch.setattr(editions, "make_board", fail_once)
    assert refresh_boards() == 1
    assert "ZeroDivisionError" in caplog.text
    assert said not in caplog.text
    assert refresh_boards() == 0  # not before a minute has passed
    assert [e.entries for e in read_board(board).eras] == [7, 1]
    monkeypatch.undo()
    assert later() == 1
    assert BoardEdition.objects.filter(replaced=None).count() == 2


@pytest.mark.parametrize("stop", [OperationalError("database is locked"), SystemExit(0)])
def test_a_board_whose_worker_was_stopped_is_stored_after_a_minute(board, monkeypatch, stop):
    def stopped(*_):
        raise stop

    monkeypatch.setattr(editions, "make_board", stopped)
    with pytest.raises(type(stop)):
        refresh_boards()
    monkeypatch.undo()
    version = BoardVersion.objects.get(benchmark=board)
    assert version.next_at - database_now() <= editions.RETRY < editions.LEASE
    assert refresh_boards() == 0  # not again at once
    assert later() == 1


def test_a_lost_database_is_told_by_its_own_error(board, monkeypatch):
    def lost(**_):
        raise InterfaceError("connection already closed")

    def lose(*_):
        monkeypatch.setattr(BoardVersion.objects, "filter", lost)
        raise OperationalError("server closed the connection")

    monkeypatch.setattr(editions, "make_board", lose)
    with pytest.raises(OperationalError, match="server closed"):
        refresh_boards()


def test_a_board_without_entries_is_forgotten(board):
    refresh_boards()
    for submission in Submission.objects.all():
        set_visibility(submission=submission, visibility="private")
    later()
    assert not BoardEdition.objects.exists()
    assert read_board(board).entries == ()


def test_other_code_stores_boards_anew_but_not_in_turns(board, monkeypatch):
    refresh_boards()
    monkeypatch.setattr(editions, "board_code", lambda: "newer")
    assert refresh_boards() == 0
    assert later() == 1


# --- reading --------------------------------------------------------------------------------------


def test_a_small_board_that_changed_shows_at_once_and_writes_nothing(board):
    refresh_boards()
    EvaluatedModel.objects.filter(name="Best").update(name="Better")
    with CaptureQueriesContext(connection) as queries:
        reading = read_board(board)
    assert reading.entries[0].model == "Better"
    assert reading.as_of is None
    assert all(query["sql"].startswith("SELECT") for query in queries)
    assert BoardRow.objects.get(row=0).name == "Best"


def test_a_large_board_that_changed_shows_as_it_was_and_says_when(board, monkeypatch):
    refresh_boards()
    monkeypatch.setattr(boards, "COMPUTED_ON_READ", 3)
    stored = BoardEdition.objects.get()
    assert read_board(board).as_of is None
    EvaluatedModel.objects.filter(name="Best").update(name="Better")
    reading = read_board(board)
    assert (reading.entries[0].model, reading.as_of) == ("Best", stored.computed)
    later()
    reading = read_board(board)
    assert (reading.entries[0].model, reading.as_of) == ("Better", None)


def test_what_is_made_private_leaves_a_large_board_at_once(board, monkeypatch):
    refresh_boards()
    monkeypatch.setattr(boards, "COMPUTED_ON_READ", 3)
    set_visibility(submission=Submission.objects.get(model__name="Best"), visibility="private")
    assert "Best" not in {entry.model for entry in read_board(board).entries}


def test_what_comes_to_a_large_board_has_its_page_before_its_place(
    board, words, stranger, client, monkeypatch
):
    refresh_boards()
    monkeypatch.setattr(boards, "COMPUTED_ON_READ", 3)
    new = submit(words, stranger, answers(lambda n: n % 7), name="New")
    judged(new)
    assert "New" not in {entry.model for entry in read_board(board).entries}
    page = client.get(reverse("entry", args=[new.pk]))
    assert page.status_code == 200
    assert "The same answers as" not in page.content.decode()


@pytest.fixture
def never_stored(board: Benchmark, monkeypatch) -> Benchmark:
    """A board that is too large to be computed for a reader, before any worker stored it."""
    monkeypatch.setattr(boards, "COMPUTED_ON_READ", 3)
    monkeypatch.setattr(boards, "rank_entries", not_called)
    return board


def test_a_large_board_that_was_never_stored_is_computed_for_no_reader(
    never_stored, client, caplog
):
    page = client.get(reverse("board", args=["spelling"]))
    assert (page.status_code, page["Retry-After"]) == (503, "60")
    assert "being computed for the first time" in page.content.decode()
    document = client.get(reverse("api-board", args=["spelling"]))
    assert (document.status_code, document["Retry-After"]) == (503, "60")
    assert document["Content-Type"] == "application/problem+json"
    assert client.get(reverse("board-export", args=["spelling", "csv"])).status_code == 503
    assert not [record for record in caplog.records if record.levelname == "ERROR"]
    with pytest.raises(CommandError, match="first time"):
        call_command("export_board", "spelling")
    refresh_boards()
    assert client.get(reverse("board", args=["spelling"])).status_code == 200
    assert client.get(reverse("api-board", args=["spelling"])).json()["total"] == 8


def test_other_pages_do_without_a_large_board_that_was_never_stored(never_stored, client):
    make_private("Poor")  # it has no values in this test
    assert "This board is being computed" in client.get(reverse("home")).content.decode()
    best = Submission.objects.get(model__name="Best")
    assert client.get(reverse("entry", args=[best.pk])).status_code == 200


def test_a_small_board_that_became_large_shows_as_it_was(board, monkeypatch):
    refresh_boards()
    BoardEdition.objects.update(entries=2)
    monkeypatch.setattr(boards, "COMPUTED_ON_READ", 3)
    monkeypatch.setattr(boards, "rank_entries", not_called)
    EvaluatedModel.objects.filter(name="Best").update(name="Better")
    assert read_board(board).as_of is not None


def test_a_row_of_a_large_board_says_that_its_values_are_newer_than_its_rank(
    board, monkeypatch, client
):
    refresh_boards()
    assert not any(e.scored_since for e in read_board(board).entries)
    monkeypatch.setattr(boards, "COMPUTED_ON_READ", 3)
    best = Scoresheet.objects.get(submission__model__name="Best")
    best.ranking, best.computed = 0.01, best.computed + timedelta(microseconds=1)
    best.save(update_fields=["ranking", "computed"])
    make_private("Poor")  # it has no values in this test
    reading = read_board(board)
    assert [e.model for e in reading.entries if e.scored_since] == ["Best"]
    assert lead_of(reading) is None
    document = client.get(reverse("api-board", args=["spelling"])).json()
    assert document["as_of"] == reading.as_of.isoformat()
    assert [e["model"] for e in document["entries"] if e["scored_since"]] == ["Best"]
    page = client.get(reverse("board", args=["spelling"])).content.decode()
    assert page.count("scored anew since; its rank follows") == 1
    lines = csv.DictReader(io.StringIO("".join(export_csv(reading))))
    told = {line["model"] for line in lines if line["scored anew since ranked"] == "yes"}
    assert told == {"Best"}
    home = client.get(reverse("home")).context["page"].cards[0].top
    assert [line.rank for line in home if line.model == "Best"] == [MISSING]
    entry = client.get(reverse("entry", args=[best.submission_id])).context["page"]
    assert (entry.strip[1].value, entry.claims) == (MISSING, ())
    later()
    assert not any(e.scored_since for e in read_board(board).entries)


def make_private(*models: str) -> None:
    for submission in Submission.objects.filter(model__name__in=models):
        set_visibility(submission=submission, visibility="private")


def test_a_large_board_without_its_leader_says_nothing_of_a_lead(board, monkeypatch):
    refresh_boards()
    monkeypatch.setattr(boards, "COMPUTED_ON_READ", 3)
    make_private("Best")
    reading = read_board(board)
    assert [reading.entries[0].model, reading.entries[0].rank] == ["Good", 2]
    assert (reading.leader, reading.second) == (None, None)
    assert [entry.to_leader for entry in reading.entries] == [None] * len(reading.entries)
    assert lead_of(reading) is None


def test_a_large_board_without_its_second_names_the_next(board, monkeypatch):
    refresh_boards()
    monkeypatch.setattr(boards, "COMPUTED_ON_READ", 3)
    make_private("Good", "Again", "As good")
    reading = read_board(board)
    assert reading.leader.model == "Best"
    assert reading.second.model == "Fair"


def test_who_stood_level_with_a_leader_that_is_gone_does_not_lead(board, monkeypatch):
    """Its differences are to the one that is gone."""
    refresh_boards()
    monkeypatch.setattr(boards, "COMPUTED_ON_READ", 3)
    BoardRow.objects.filter(name="Good").update(rank=1)
    make_private("Best")
    reading = read_board(board)
    assert (reading.leader, reading.second) == (None, None)


@pytest.mark.parametrize("order", ["", "accuracy"])
@pytest.mark.parametrize("fold", [True, False])
def test_a_large_board_counts_what_is_left_of_it(board, monkeypatch, fold, order):
    refresh_boards()
    monkeypatch.setattr(boards, "COMPUTED_ON_READ", 3)
    whole = read_board(board, part=BoardPart(fold=fold, order=order))
    make_private("Best", "Fair")
    part = BoardPart(fold=fold, order=order)
    left = read_board(board, part=part)
    names = [e.model for e in whole.entries if e.model not in {"Best", "Fair"}]
    assert [e.model for e in left.entries] == names
    assert left.matching == len(names) == whole.matching - 2
    assert left.counts.entries == whole.counts.entries - 2
    assert left.counts.ranked == whole.counts.ranked - 2
    assert left.counts.ranked_rows == whole.counts.ranked_rows - 2
    assert left.counts.folded == whole.counts.folded == 1
    pages = [read_board(board, part=replace(part, first=n, count=2)) for n in range(0, 8, 2)]
    assert [e.model for page in pages for e in page.entries] == names
    assert [e.model for e in rows_of(read_board(board, part=replace(part, count=1)))] == names


def test_a_new_era_of_a_large_benchmark_is_found_by_its_name(board, monkeypatch):
    refresh_boards()
    monkeypatch.setattr(boards, "COMPUTED_ON_READ", 3)
    other = ensure_spec(of=protocol("spelling"), kind="scripted", model="m")
    Scoresheet.objects.filter(submission__model__name="Fair").update(judge_spec=other)
    assert len(read_board(board).eras) == 1
    assert [e.model for e in read_board(board, judge=other.slug).entries] == ["Fair"]


def test_eras_of_stored_boards_stand_in_the_same_order(board, owner, words):
    larger = import_release(
        protocol=protocol("spelling"), stream=io.BytesIO(b"9|ink|ink\n"), slug="smaller"
    ).release
    set_floor_version(larger)
    judged(submit(larger, owner, b"9=ink\n", name="Elsewhere"))
    other = ensure_spec(of=protocol("spelling"), kind="scripted", model="m")
    Scoresheet.objects.filter(submission__model__name="Baseline").update(judge_spec=other)
    refresh_boards()
    assert read_board(board).eras == eras_of(board)


def test_of_releases_alike_the_one_opened_last_stands_first():
    made = datetime(2026, 1, 10, tzinfo=UTC)

    def place(opened: datetime | None) -> tuple[object, ...]:
        release = Release(pk=1, language="en", question_count=5, created=made, opened=opened)
        return main_release_first(release)

    day = timedelta(days=1)
    assert place(made + day) < place(None) < place(made - day)
    other = Release(pk=1, language="zh", question_count=9, created=made)
    assert place(made - day) < main_release_first(other)


@pytest.mark.slow
def test_a_stored_board_is_read_in_as_many_queries_whatever_it_holds(board, words, stranger):
    refresh_boards()

    def queries() -> int:
        with CaptureQueriesContext(connection) as found:
            read_board(board, part=BoardPart(count=3, fold=True))
        return len(found)

    few = queries()
    for n in range(6):
        right = partial(math.fmod, n + 41)
        judged(submit(words, stranger, answers(right), name=f"More {n}"))
    later()
    assert queries() == few <= 6
