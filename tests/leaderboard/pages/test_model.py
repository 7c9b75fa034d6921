"""The page of a model: who may see it, what its owner may change, and what is said of it."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from uuid import UUID

import numpy as np
import pytest
from django.contrib.auth.models import User
from django.utils import timezone

from benchmarks.models import Benchmark
from benchmarks.protocols.base import Board, BoardTable, ColumnGroup, Metric, Radar
from benchmarks.statistics.intervals import cluster_interval
from benchmarks.submissions.models import EvaluatedModel, Submission
from benchmarks.submissions.services import set_visibility, withdraw_submission
from leaderboard.pages.model import ModelPage, history_of, model_page
from leaderboard.pages.model_strengths import strengths_of
from leaderboard.scoring import MetricValue
from leaderboard.selectors import EVERYTHING, BoardEntry, BoardReading
from leaderboard.selectors.part import cut
from tests.conftest import import_words, judged, submit
from tests.leaderboard.pages.shown_text import shown

QUESTIONS = range(1, 61)
MODELS = {
    "Best": lambda n: n % 20,
    "Good": lambda n: n % 12,
    "Poor": lambda n: n % 5 == 0,
    "Fair": lambda n: n % 2,
    "Fine": lambda n: n % 3,
    "Even": lambda n: n % 2 == 0,
}


def answers(right) -> bytes:
    said = {n: f"word{n}" if right(n) else f"other {n % 7}" for n in QUESTIONS}
    return "".join(f"{n}={text}\n" for n, text in said.items()).encode()


@pytest.fixture(scope="module")
def filled(module_rows) -> None:
    owner = User.objects.create_user("rosa", "rosa@example.org", "a long enough password")
    words = import_words(QUESTIONS)
    for name, right in MODELS.items():
        judged(submit(words, owner, answers(right), name=name))


@pytest.fixture
def owner(filled, db) -> User:
    return User.objects.get(username="rosa")


@pytest.fixture
def entries(owner) -> dict[str, Submission]:
    return {s.model.name: s for s in Submission.objects.select_related("model", "release")}


def page_of(name: str, page: int = 1) -> ModelPage:
    return model_page(EvaluatedModel.objects.get(name=name), is_owner=False, page=page)


def another(entries, right, name: str = "Best") -> Submission:
    found = submit(entries[name].release, entries[name].owner, answers(right), name=name)
    judged(found)
    return found


# --- who may see it -------------------------------------------------------------------------------


def test_everybody_sees_a_model_with_a_public_entry(client, entries):
    assert "Best" in shown(client, "/models/best/")


@pytest.mark.parametrize("hide", ["private", "withdrawn"])
def test_a_model_with_nothing_public_is_there_for_its_owner_alone(
    client, entries, stranger, owner, hide
):
    if hide == "private":
        set_visibility(submission=entries["Best"], visibility="private")
    else:
        withdraw_submission(submission=entries["Best"])
    assert client.get("/models/best/").status_code == 404
    client.force_login(stranger)
    assert client.get("/models/best/").status_code == 404
    client.force_login(owner)
    assert "only its owner and the staff" in shown(client, "/models/best/")


@pytest.mark.parametrize("slug", ["nobody", "best/x", "%00", "a" * 500])
def test_an_unknown_model_is_not_found(client, entries, slug):
    assert client.get(f"/models/{slug}/").status_code == 404


@pytest.mark.parametrize("query", ["page=x", "page=-1", "page=99999", "page=1&page=2", "page=%00"])
def test_odd_pages_are_answered(client, entries, query):
    assert client.get(f"/models/best/?{query}").status_code == 200


def test_a_page_beyond_the_last_one_is_said(client, entries):
    assert "There is no page 99 here, for this list has 1 in all" in shown(
        client, "/models/best/?page=99"
    )
    assert "There is no page" not in shown(client, "/models/best/?page=1")


# --- where it stands ------------------------------------------------------------------------------


def test_it_stands_where_its_best_placed_entry_does(entries):
    another(entries, lambda n: n % 7)
    better = another(entries, lambda n: n % 30)
    (board,) = page_of("Best").boards
    assert (board.entry, board.score, board.of) == (better.pk, "96.67", 8)
    assert board.rank.startswith("1")
    assert board.interval


def test_private_entries_are_only_counted(entries):
    hidden = another(entries, lambda n: True)
    set_visibility(submission=hidden, visibility="private")
    page = page_of("Best")
    assert page.boards[0].entry == entries["Best"].pk
    assert [line.id for line in page.history.lines] == [entries["Best"].pk]
    assert page.submissions_made == 2


def test_equal_answers_are_said(entries, stranger):
    judged(submit(entries["Best"].release, stranger, answers(MODELS["Best"]), name="Copy"))
    assert page_of("Best").boards[0].equals == 1
    assert page_of("Copy").boards[0].equals == 1
    assert page_of("Good").boards[0].equals == 0


def test_facts_that_nobody_declared_are_said_to_be_missing(client, entries):
    EvaluatedModel.objects.filter(name="Best").update(parameters_billions="9.60", licence="MIT")
    text = shown(client, "/models/best/")
    assert "Size 9.6 billion parameters" in text
    assert "Licence MIT" in text
    assert "Training data not declared" in text
    assert "Organisation not declared" in text


def test_round_sizes_are_printed_as_numbers(entries):
    EvaluatedModel.objects.filter(name="Best").update(parameters_billions="100.00")
    assert page_of("Best").facts.size == "100 billion parameters"


# --- history --------------------------------------------------------------------------------------


def test_a_withdrawn_public_entry_leaves_a_line_without_its_score(entries):
    gone = another(entries, lambda n: n % 3)
    withdraw_submission(submission=gone)
    line = page_of("Best").history.lines[0]
    assert (line.became, line.scores) == ("withdrawn", ())
    assert line.withdrawn


def test_a_withdrawn_private_entry_leaves_none(entries):
    gone = another(entries, lambda n: n % 3)
    set_visibility(submission=gone, visibility="private")
    withdraw_submission(submission=gone)
    assert [line.id for line in page_of("Best").history.lines] == [entries["Best"].pk]


def test_history_has_the_newest_first_in_pages(entries):
    model = entries["Best"].model
    for number in range(30):
        Submission.objects.create(
            model=model,
            release=entries["Best"].release,
            visibility="public",
            confirmed=timezone.now(),
            created=datetime(2026, 1, 1, tzinfo=UTC) + timedelta(days=number),
            sha256=f"{number}",
        )
    first, second = (history_of(model, page) for page in (1, 2))
    assert (first.pages, first.total, len(first.lines), len(second.lines)) == (2, 31, 25, 6)
    assert first.lines[0].scores[0].score == "95.00"
    assert first.lines[1].became == "public, not judged yet"
    days = [line.submitted for line in (*first.lines, *second.lines)]
    assert days == sorted(days, reverse=True)


# --- strengths ------------------------------------------------------------------------------------

ABILITIES = tuple(Metric(f"s@{n}", f"Ability {n}", "…") for n in range(10))
SCORE = Metric("s", "Score", "…")
FIELD = 20


def simulated(rng, truth: np.ndarray, questions: int = 30) -> BoardReading:
    """A board whose entries answer so many questions of each ability. truth: (entries,
    abilities)."""
    right = rng.random((questions, *truth.shape)) < truth
    low, high = cluster_interval(right.astype(float), np.ones(right.shape), bounds=(0.0, 1.0))
    values = right.mean(axis=0)
    entries = tuple(
        BoardEntry(
            id=UUID(int=i),
            model_id=i,
            model=f"Model {i}",
            organisation="",
            is_open_weights=False,
            origin="upload",
            submitted=timezone.now(),
            rank=i + 1,
            rank_best=1,
            rank_worst=9,
            coverage=1.0,
            judged=1,
            unreadable=0,
            failed=0,
            excluded=0,
            figures={
                metric.name: MetricValue(
                    values[i, n], low[i, n], high[i, n], None, questions, 1, 1, questions
                )
                for n, metric in enumerate(ABILITIES)
            },
            position=i,
        )
        for i in range(len(truth))
    )
    board = Board(
        summary="",
        how="",
        ranking="s",
        min_coverage=0.0,
        tables=(BoardTable("t", "T", "…", (ColumnGroup("All", (SCORE,)),)),),
        charts=(Radar("r", "R", "…", (ColumnGroup("All", ABILITIES),), low=0.0, high=1.0),),
    )
    whole = BoardReading(
        benchmark=Benchmark(pk=1, slug="simulated", title="Simulated"),
        board=board,
        metrics={metric.name: metric for metric in (SCORE, *ABILITIES)},
        era=None,
        eras=(),
        entries=entries,
        published=(),
        computed=None,
    )
    return cut(whole, EVERYTHING)


@pytest.mark.slow
def test_models_that_are_equal_in_truth_rarely_show_a_strength_or_a_weakness():
    """In 5 of a hundred pages at most, and what chance adds to 400 of them."""
    rng, wrong, pages = np.random.default_rng(7), 0, 0
    for _ in range(80):
        reading = simulated(rng, np.full((FIELD, len(ABILITIES)), 0.8))
        for entry in reading.entries[:5]:
            found = strengths_of([(reading, entry)])
            assert found.looked_at == len(ABILITIES)
            wrong += bool(found.stronger or found.weaker)
            pages += 1
    assert wrong / pages <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / pages)


def test_what_a_model_is_better_and_worse_at_is_found():
    truth = np.full((FIELD, len(ABILITIES)), 0.6)
    truth[3, 2], truth[3, 7] = 0.99, 0.1
    reading = simulated(np.random.default_rng(1), truth, questions=100)
    found = strengths_of([(reading, reading.entries[3])])
    assert [line.ability for line in found.stronger] == ["Ability 2"]
    assert [line.ability for line in found.weaker] == ["Ability 7"]
    assert found.weaker[0].words.endswith("behind")
    assert (found.looked_at, found.boards) == (10, 1)


def test_a_field_of_four_has_no_middle():
    reading = simulated(np.random.default_rng(1), np.full((4, len(ABILITIES)), 0.5))
    found = strengths_of([(reading, reading.entries[0])])
    assert (found.looked_at, found.too_few) == (0, ("Simulated",))


def test_an_entry_without_a_rank_is_not_held_against_the_field():
    reading = simulated(np.random.default_rng(1), np.full((FIELD, len(ABILITIES)), 0.5))
    found = strengths_of([(reading, replace(reading.entries[0], rank=None))])
    assert (found.looked_at, found.too_few) == (0, ())


def test_the_page_says_how_much_was_looked_at(client, entries):
    text = shown(client, "/models/poor/")
    assert "1 ability and subtasks on 1 board were looked at" in text
    assert "Accuracy Spelling 20.00" in text
    assert "45.83 behind" in text or "behind" in text
