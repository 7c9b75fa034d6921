"""Boards are stored once after something changed, and what is stored is what would be computed."""

import csv
import io
import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from functools import partial
from itertools import product
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
from benchmarks.submissions.samples.floor import set_floor_version
from benchmarks.submissions.services import set_visibility
from judging.coordination.clock import database_now
from judging.models import JudgeSpec
from judging.services import ensure_spec
from leaderboard.models import BoardChange, BoardEdition, BoardRow, BoardVersion, Scoresheet
from leaderboard.results.boards import editions
from leaderboard.results.boards.editions import refresh_boards
from leaderboard.results.formatting import MISSING
from leaderboard.results.selectors import (
    EACH,
    EVERYTHING,
    SIZES,
    TOGETHER,
    BoardEntry,
    BoardPart,
    BoardReading,
    boards,
    eras_of,
    read_board,
    rows_of,
)
from leaderboard.results.selectors import part as part_module
from leaderboard.results.selectors.eras import main_release_first
from leaderboard.results.selectors.readings import MOST_ORGANISATIONS, organisations_among
from leaderboard.results.selectors.snapshots import columns_of
from leaderboard.web.board.comparison import lead_of
from leaderboard.web.exports import export_csv
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
    """Entries, and their board as it was stored; written once."""
    owner = User.objects.create_user("rosa", "rosa@example.org", "a long enough password")
    stranger = User.objects.create_user("sam", "sam@example.org", "a long enough password")
    enter(import_words(QUESTIONS), owner, stranger)
    assert refresh_boards() == 1


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
    """Of eight entries, stored."""
    benchmark: Benchmark = words.benchmark
    return benchmark


@pytest.fixture
def large(board: Benchmark, monkeypatch) -> Benchmark:
    """The same, as if it had more entries than are ranked for a reader."""
    monkeypatch.setattr(boards, "COMPUTED_ON_READ", 3)
    return board


@pytest.fixture
def beside(owner, settings) -> Iterator[Release]:
    """A board of one entry, beside which stands what its model has on the other one; both are
    stored."""
    settings.PROTOCOLS = [*settings.PROTOCOLS, __name__]
    protocols.cache_clear()
    release = import_words(QUESTIONS, of=PROTOCOL, slug="beside-1")
    judged(submit(release, owner, answers(bool), name="Good"))
    later()
    yield release
    protocols.cache_clear()


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


def later() -> int:
    """Boards stored once the time has passed for which one that was just stored is left alone."""
    BoardVersion.objects.update(next_at=None)
    return refresh_boards()


def rename(model: str, name: str) -> None:
    EvaluatedModel.objects.filter(name=model).update(name=name)


def make_private(*models: str) -> None:
    for submission in Submission.objects.filter(model__name__in=models):
        set_visibility(submission=submission, visibility="private")


def by_another_judge(model: str) -> JudgeSpec:
    other: JudgeSpec = ensure_spec(of=protocol("spelling"), kind="scripted", model="m")
    Scoresheet.objects.filter(submission__model__name=model).update(judge_spec=other)
    return other


def names_of(rows: Iterable[BoardEntry]) -> list[str]:
    return [row.model for row in rows]


def not_called(*_: object, **__: object) -> None:
    raise AssertionError("this board is stored")


def assert_same(benchmark: Benchmark, **asked) -> BoardReading:
    """What is stored is what would be computed; that is returned."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(boards, "rank_entries", not_called)
        stored = read_board(benchmark, **asked)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(boards, "edition_to_show", lambda *_: None)
        computed = read_board(benchmark, **asked)
    assert stored == computed
    assert stored.organisations == computed.organisations
    assert_columns(stored, computed)
    for name in stored.board.metric_names():
        assert stored.middle(name) == computed.middle(name), name
    return stored


def assert_columns(found: BoardReading, expected: BoardReading) -> None:
    read = {entry.id for entry in (*expected.entries, *expected.also)}
    for name in expected.board.metric_names():
        firsts = [one.firsts.get(name, set()) & read for one in (found, expected)]
        assert firsts[0] == firsts[1], name
        counts = [one.first_counts.get(name, len(one.firsts[name])) for one in (found, expected)]
        assert counts[0] == counts[1], name
        assert found.span(name) == expected.span(name), name
    assert [e.id for e in rows_of(found)] == [e.id for e in rows_of(expected)]


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


def test_what_is_stored_and_kept_for_good_is_what_would_be_computed(board, subtests):
    together = ("everything", "the first three", "by a metric, the lowest first", "searched")
    asked = [*product((EACH,), PARTS), *product((TOGETHER,), together)]
    for ranges, name in asked:
        part = PARTS[name]
        with subtests.test(name, ranges=ranges):
            stored = assert_same(board, part=part, ranges=ranges)
            digest = stored.newest.digest
            kept = read_board(board, part=part, ranges=ranges, snapshot=digest)
            assert kept.snapshot == stored.newest
            assert replace(kept, snapshot=None, chain=stored.chain) == stored
            assert_columns(kept, stored)


def test_models_are_found_by_size_each_in_one_range_and_by_organisation(board):
    whole = read_board(board)
    found = {size: read_board(board, part=BoardPart(size=size)).entries for size in SIZES}
    named = {size: {*names_of(found[size])} for size in ("to-3", "3-8", "8-20", "over-20")}
    assert named == {"to-3": {"Good"}, "3-8": {"Fair"}, "8-20": set(), "over-20": {"Poor"}}
    assert sum(map(len, found.values())) == len(whole.entries)
    of_house = assert_same(board, part=BoardPart(organisation="Straße 7"))
    assert of_house.organisations == ("Straße 7",)
    assert names_of(of_house.entries) == ["Poor"]
    for name in ("STRASSE 7", "Nobody"):  # nobody is of these, and nothing is asked for
        found_none = assert_same(board, part=BoardPart(organisation=name))
        assert (found_none.part.organisation, found_none.matching) == ("", len(whole.entries))


def test_more_organisations_than_a_list_bears_are_not_offered():
    names = [f"House {number}" for number in range(MOST_ORGANISATIONS)]
    assert organisations_among(["", *names, names[0]]) == tuple(sorted(names))
    assert organisations_among([*names, "House of one more"]) is None


def test_by_a_metric_the_highest_stand_first_unless_the_lowest_are_asked_for(board):
    def values(**asked) -> list[float | None]:
        found = assert_same(board, part=BoardPart(order="accuracy", **asked)).entries
        return [figure.value for e in found if (figure := e.figure("accuracy"))]

    falling = values()
    assert falling == sorted(falling, key=lambda value: value or 0.0, reverse=True)
    assert values(ascending=True) == falling[::-1]
    assert len(set(falling)) > 3


@pytest.mark.slow
def test_a_row_is_found_by_the_name_of_whoever_shares_its_place(board, monkeypatch):
    """Of more than are named, those that were searched for are named."""
    monkeypatch.setattr(part_module, "MOST_FOLDED", 1)
    again = Submission.objects.get(model__name="Again")
    for name in ("Clone", "Seldom", "Third"):
        copy = answers(lambda n: n % 3, str.upper)
        judged(submit(again.release, again.owner, copy, name=name))
    later()
    reading = assert_same(board, part=BoardPart(words=("seldom",), fold=True))
    assert (names_of(reading.entries), reading.matching) == (["Good"], 1)
    (folded,) = reading.folded.values()
    assert folded.count == 4
    assert names_of(folded.first) == ["Seldom"]
    assert assert_same(board, part=BoardPart(words=("nobody",), fold=True)).matching == 0


def test_ticked_entries_come_with_their_true_ranks(board):
    ticked = Submission.objects.filter(model__name__in=("Fair", "Best")).values_list(
        "pk", flat=True
    )
    reading = assert_same(board, part=BoardPart(count=1, fold=True, also=frozenset(ticked)))
    assert names_of((*reading.entries, *reading.also)) == ["Best", "Fair"]
    assert reading.also[0].rank == 4


def test_a_board_has_what_stands_beside_it(board, beside):
    (entry,) = assert_same(beside.benchmark).entries
    assert entry.value("accuracy") == 27 / 40
    assert later() == 0
    EvaluatedModel.objects.filter(name="Best").update(organisation="Elsewhere")
    assert BoardChange.objects.exclude(benchmark=None).count() == 1
    assert later() == 2  # the board itself, and the one it stands beside


def test_a_board_is_stored_though_the_one_beside_it_is_on_the_site_no_more(beside, settings):
    settings.PROTOCOLS = [path for path in settings.PROTOCOLS if path != "tests.tiny_protocol"]
    protocols.cache_clear()
    assert later() == 1  # what stood beside it is gone
    assert editions.stale_boards() == []
    EvaluatedModel.objects.filter(name="Good").update(organisation="Elsewhere")
    assert later() == 1
    (entry,) = read_board(benchmark=beside.benchmark).entries
    assert entry.facts.organisation == "Elsewhere"
    assert editions.stale_boards() == []


# --- when -----------------------------------------------------------------------------------------


def test_a_board_is_stored_after_a_change_and_only_then_and_rests_a_while(board):
    with CaptureQueriesContext(connection) as queries:
        assert refresh_boards() == 0
    assert len(queries) == 1
    assert later() == 0
    rename("Best", "Better")
    assert later() == 1
    assert BoardRow.objects.get(row=0, edition__replaced=None).name == "Better"
    rename("Better", "Best")
    assert [refresh_boards(), later()] == [0, 1]


def test_a_replaced_board_stays_until_it_is_read_and_is_gone_long_after(board):
    """A page reads it in several queries, and a file is sent while the next one is stored."""
    names = names_of(read_board(board).entries)
    file = rows_of(read_board(board, part=BoardPart(count=0)))
    first = next(file)
    rename("Best", "Better")
    assert later() == 1
    assert names_of([first, *file]) == names
    replaced = BoardEdition.objects.exclude(replaced=None)
    assert BoardEdition.objects.count() == replaced.count() + 1 == 2
    replaced.update(replaced=timezone.now() - timedelta(hours=1))
    rename("Better", "Best")
    later()
    assert BoardEdition.objects.count() == replaced.count() + 1 == 2


def test_two_workers_do_not_store_the_same_board(board, monkeypatch):
    asked = []
    store = editions.store_board

    def store_while_another_sweeps(*args):
        asked.append(refresh_boards())
        return store(*args)

    monkeypatch.setattr(editions, "store_board", store_while_another_sweeps)
    rename("Best", "Better")
    assert later() == 1
    assert asked == [0]


def test_what_changes_while_a_board_is_computed_is_stored_by_the_next_sweep(board, monkeypatch):
    make = editions.make_board

    def make_and_rename(*args):
        made = make(*args)
        rename("Best", "Better")
        return made

    rename("Fair", "Fairer")
    monkeypatch.setattr(editions, "make_board", make_and_rename)
    later()
    assert {"Better", "Fairer"} <= {*names_of(read_board(board).entries)}
    monkeypatch.undo()
    assert later() == 1
    assert_same(board)


def test_a_board_that_fails_stops_no_other_and_is_tried_again(board, monkeypatch, caplog):
    other = by_another_judge("Fair")
    make, said = editions.make_board, "an answer of somebody"

    def fail_once(era, *args):
        if era.judge_spec == other:
            raise ZeroDivisionError(said)
        return make(era, *args)

    monkeypatch.setattr(editions, "make_board", fail_once)
    assert later() == 1
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

    rename("Best", "Better")
    monkeypatch.setattr(editions, "make_board", stopped)
    with pytest.raises(type(stop)):
        later()
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

    rename("Best", "Better")
    monkeypatch.setattr(editions, "make_board", lose)
    with pytest.raises(OperationalError, match="server closed"):
        later()


def test_a_board_without_entries_is_forgotten(board):
    make_private(*EvaluatedModel.objects.values_list("name", flat=True))
    later()
    assert not BoardEdition.objects.exists()
    assert read_board(board).entries == ()


def test_other_code_stores_boards_anew_but_not_in_turns(board, monkeypatch):
    rename("Best", "Better")
    later()
    monkeypatch.setattr(editions, "board_code", lambda: "newer")
    assert [refresh_boards(), later()] == [0, 1]


# --- reading --------------------------------------------------------------------------------------


def test_a_small_board_that_changed_shows_at_once_and_writes_nothing(board):
    rename("Best", "Better")
    with CaptureQueriesContext(connection) as queries:
        reading = read_board(board)
    assert (reading.entries[0].model, reading.as_of) == ("Better", None)
    assert all(query["sql"].startswith("SELECT") for query in queries)
    assert BoardRow.objects.get(row=0).name == "Best"


def test_a_large_board_that_changed_shows_as_it_was_and_says_when(large):
    stored = BoardEdition.objects.get()
    assert read_board(large).as_of is None
    rename("Best", "Better")
    reading = read_board(large)
    assert (reading.entries[0].model, reading.as_of) == ("Best", stored.computed)
    later()
    reading = read_board(large)
    assert (reading.entries[0].model, reading.as_of) == ("Better", None)


def test_a_small_board_that_became_large_shows_as_it_was(large, monkeypatch):
    BoardEdition.objects.update(entries=2)
    monkeypatch.setattr(boards, "rank_entries", not_called)
    rename("Best", "Better")
    assert read_board(large).as_of is not None


def test_what_is_made_private_leaves_a_large_board_with_its_organisation_at_once(
    large, monkeypatch
):
    monkeypatch.setattr(boards, "rank_entries", not_called)
    make_private("Poor")
    found = read_board(large, part=BoardPart(organisation="Straße 7"))
    assert (found.organisations, found.part.organisation) == ((), "")
    assert "Poor" not in names_of(found.entries)


def test_what_comes_to_a_large_board_has_its_page_before_its_place(large, words, stranger, client):
    new = submit(words, stranger, answers(lambda n: n % 7), name="New")
    judged(new)
    assert "New" not in names_of(read_board(large).entries)
    page = client.get(reverse("entry", args=[new.pk]))
    assert page.status_code == 200
    assert "Same answers as" not in page.content.decode()


def test_a_large_board_that_was_never_stored_is_computed_for_no_reader(
    large, monkeypatch, client, caplog
):
    BoardEdition.objects.all().delete()
    BoardVersion.objects.update(made=None)
    make_private("Poor")  # it has no values in this test
    addresses = [
        reverse("board", args=["spelling"]),
        reverse("api-board", args=["spelling"]),
        reverse("board-export", args=["spelling", "csv"]),
    ]
    with monkeypatch.context() as patched:
        patched.setattr(boards, "rank_entries", not_called)
        page, document, file = map(client.get, addresses)
        with pytest.raises(CommandError, match="first time"):
            call_command("export_board", "spelling")
        assert "This board is being computed" in client.get(reverse("home")).content.decode()
        best = Submission.objects.get(model__name="Best")
        assert client.get(reverse("entry", args=[best.pk])).status_code == 200
    assert [reply.status_code for reply in (page, document, file)] == [503] * 3
    assert page["Retry-After"] == document["Retry-After"] == "60"
    assert "being computed for the first time" in page.content.decode()
    assert document["Content-Type"] == "application/problem+json"
    assert not [record for record in caplog.records if record.levelname == "ERROR"]
    later()
    assert client.get(addresses[0]).status_code == 200
    assert client.get(addresses[1]).json()["total"] == 7


def test_a_row_of_a_large_board_says_that_its_values_are_newer_than_its_rank(large, client):
    assert not any(e.scored_since for e in read_board(large).entries)
    best = Scoresheet.objects.get(submission__model__name="Best")
    best.ranking, best.computed = 0.01, best.computed + timedelta(microseconds=1)
    best.save(update_fields=["ranking", "computed"])
    make_private("Poor")  # it has no values in this test
    reading = read_board(large)
    assert names_of(e for e in reading.entries if e.scored_since) == ["Best"]
    assert lead_of(reading) is None
    document = client.get(reverse("api-board", args=["spelling"])).json()
    assert document["as_of"] == reading.as_of.isoformat()
    assert [e["model"] for e in document["entries"] if e["scored_since"]] == ["Best"]
    page = client.get(reverse("board", args=["spelling"])).content.decode()
    assert page.count("scored anew since; its rank follows") == 1
    lines = csv.DictReader(io.StringIO("".join(export_csv(reading))))
    told = {line["model"] for line in lines if line["scored anew since ranked"] == "yes"}
    assert told == {"Best"}
    assert client.get(reverse("home")).context["page"]["cards"][0].get("leader") is None
    entry = client.get(reverse("entry", args=[best.submission_id])).context["page"]
    assert (entry["strip"][0].value, entry["field"]["claims"]) == (MISSING, ())
    later()
    assert not any(e.scored_since for e in read_board(large).entries)


def test_a_large_board_without_its_leader_says_nothing_of_a_lead(large):
    make_private("Best")
    reading = read_board(large)
    assert [reading.entries[0].model, reading.entries[0].rank] == ["Good", 2]
    assert (reading.leader, reading.second, lead_of(reading)) == (None, None, None)
    assert {entry.to_leader for entry in reading.entries} == {None}
    # Nor does who stood level with it: differences are to the one that is gone.
    BoardRow.objects.filter(name="Good").update(rank=1)
    reading = read_board(large)
    assert (reading.leader, reading.second) == (None, None)


def test_a_large_board_without_its_second_names_the_next(large):
    make_private("Good", "Again", "As good")
    reading = read_board(large)
    assert (reading.leader.model, reading.second.model) == ("Best", "Fair")


def test_a_large_board_counts_what_is_left_of_it(large):
    parts = [
        BoardPart(fold=fold, order=order) for fold in (True, False) for order in ("", "accuracy")
    ]
    wholes = [read_board(large, part=part) for part in parts]
    make_private("Best", "Fair")
    for part, whole in zip(parts, wholes, strict=True):
        left = read_board(large, part=part)
        names = [name for name in names_of(whole.entries) if name not in {"Best", "Fair"}]
        assert names_of(left.entries) == names
        assert left.matching == len(names) == whole.matching - 2
        assert left.counts.entries == whole.counts.entries - 2
        assert left.counts.ranked == whole.counts.ranked - 2
        assert left.counts.ranked_rows == whole.counts.ranked_rows - 2
        assert left.counts.folded == whole.counts.folded == 1
        pages = [read_board(large, part=replace(part, first=n, count=2)) for n in range(0, 8, 2)]
        assert names_of(e for page in pages for e in page.entries) == names
        assert names_of(rows_of(read_board(large, part=replace(part, count=1)))) == names


def test_a_new_era_of_a_large_benchmark_is_found_by_its_name(large):
    other = by_another_judge("Fair")
    assert len(read_board(large).eras) == 1
    assert names_of(read_board(large, judge=other.slug).entries) == ["Fair"]


def test_eras_of_stored_boards_stand_in_the_same_order(board, owner):
    larger = import_release(
        protocol=protocol("spelling"), stream=io.BytesIO(b"9|ink|ink\n"), slug="smaller"
    ).release
    set_floor_version(larger)
    judged(submit(larger, owner, b"9=ink\n", name="Elsewhere"))
    by_another_judge("Baseline")
    later()
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
    def queries() -> int:
        columns_of.cache_clear()
        with CaptureQueriesContext(connection) as found:
            read_board(board, part=BoardPart(count=3, fold=True))
        return len(found)

    few = queries()
    for n in range(6):
        right = partial(math.fmod, n + 41)
        judged(submit(words, stranger, answers(right), name=f"More {n}"))
    later()
    assert queries() == few <= 6
