"""The page of a model: who may see it, what its owner may change, and what is said of it."""

import re
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from uuid import UUID

import numpy as np
import pytest
from django.contrib.auth.models import User
from django.template.loader import render_to_string
from django.utils import timezone

from benchmarks.models import Benchmark
from benchmarks.protocols.base import Board, BoardTable, ColumnGroup, Metric, Radar
from benchmarks.scoring.sheets import MetricValue
from benchmarks.statistics.intervals import cluster_interval
from benchmarks.submissions.models import EvaluatedModel, Submission
from benchmarks.submissions.services import set_visibility, withdraw_submission
from leaderboard.models import BoardFacts, Scoresheet
from leaderboard.results.selectors import EVERYTHING, BoardEntry, BoardReading
from leaderboard.results.selectors.part import cut
from leaderboard.web.pages.models.model import standing_sentence
from leaderboard.web.pages.models.strengths import strengths_of
from tests.api_clients import session_client
from tests.conftest import import_words, judged, make_owner, submit
from tests.leaderboard.web.pages.shown_text import cells, links, page_at, part, shown, told
from tests.person import words

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
    owner, release = make_owner(), import_words(QUESTIONS)
    for name, right in MODELS.items():
        judged(submit(release, owner, answers(right), name=name))


@pytest.fixture
def entries(filled, db) -> dict[str, Submission]:
    return {s.model.name: s for s in Submission.objects.select_related("model", "release", "owner")}


def another(entries, right, name: str = "Best", owner: User | None = None) -> Submission:
    release = entries["Best"].release
    return judged(
        submit(release, owner or entries["Best"].owner, answers(right), name=name)
    ).submission


def test_the_page_has_where_a_model_stands_what_is_said_of_it_and_all_that_was_public_of_it(
    client, entries, stranger
):
    """An entry that is worse, one that is better but private, two that were withdrawn, of which one
    was public, and the same answers as those of another model."""
    EvaluatedModel.objects.filter(name="Best").update(parameters_billions="100.00", licence="MIT")
    worse = another(entries, lambda n: n % 7)
    set_visibility(submission=another(entries, lambda n: True), visibility="private")
    public, private = (another(entries, lambda n, k=k: n % k) for k in (3, 4))
    set_visibility(submission=private, visibility="private")
    for gone in (public, private):
        withdraw_submission(submission=gone)
    another(entries, MODELS["Best"], "Copy", stranger)
    page, era = page_at(client, "/models/best/"), "Spelling, 60 questions, judged by offline rules"
    score, accuracy = "95.00 86.30 to 98.29", "Accuracy, judged by offline rules"
    (where,) = cells(part(page, "boards"))
    assert where[:2] == [f"Spelling {era}", f"{score} Accuracy"]
    assert re.fullmatch("1-[2-7] of 7", where[2])
    assert where[3].endswith("by offline rules same answers as 1 other entry")
    assert told(part(page, "facts")) == {
        "Organisation": "not declared",
        "Link": "not declared",
        "Parameters (billions)": "100",
        "Open weights": "not declared",
        "Licence": "MIT",
        "Training data": "not declared",
        "Notes": "not declared",
    }
    days = [f"{one.created:%Y-%m-%d %H:%M}" for one in (public, worse, entries["Best"])]
    title = "Spelling Spelling, 60 questions"
    assert cells(part(page, "history")) == [
        [days[0], title, "– no score is shown", f"withdrawn on {days[0][:10]}"],
        [days[1], title, f"86.67 75.83 to 93.09 {accuracy}", "public"],
        [days[2], title, f"{score} {accuracy}", "public"],
    ]
    assert "5 submissions of this model (public and private)." in words(page)
    found = links(part(page))
    assert found["Compare with other models"] == "/compare/?m=best"
    assert entries["Best"].model.slug == "best"
    assert f"/entries/{entries['Best'].pk}/" in found.values()
    assert f"/entries/{private.pk}/" not in found.values()
    assert "same answers" not in words(part(page_at(client, "/models/good/"), "boards"))


def test_a_name_from_right_to_left_turns_no_rank_round(client, entries):
    EvaluatedModel.objects.filter(name="Best").update(name="אורן")
    page = page_at(client, "/models/best/")
    assert words(part(page, "answer")).startswith("\u2068אורן\u2069 could rank 1st")
    listed = words(part(page_at(client, "/models/good/")))
    assert "\u2068" not in listed  # other names are written as they are


@pytest.mark.parametrize("hide", ["private", "withdrawn"])
def test_a_model_with_nothing_public_is_there_for_its_owner_alone(client, entries, stranger, hide):
    if hide == "private":
        set_visibility(submission=entries["Best"], visibility="private")
    else:
        withdraw_submission(submission=entries["Best"])
    for visitor in (client, session_client(stranger)):
        assert visitor.get("/models/best/").status_code == 404
    mine = session_client(entries["Best"].owner)
    assert "only its owner and the staff" in shown(mine, "/models/best/")


def test_an_unknown_model_is_not_found_and_odd_pages_are_answered(client, entries):
    for slug in ("nobody", "best/x", "%00", "a" * 500):
        assert client.get(f"/models/{slug}/").status_code == 404, slug[:9]
    for query in ("page=x", "page=-1", "page=1&page=2", "page=%00"):
        assert client.get(f"/models/best/?{query}").status_code == 200, query
    beyond = "This list has no page 99; this is its last, page 1."
    assert beyond in shown(client, "/models/best/?page=99")


def test_history_has_the_newest_first_in_pages(client, entries):
    for number in range(30):
        Submission.objects.create(
            model=entries["Best"].model,
            release=entries["Best"].release,
            visibility="public",
            confirmed=timezone.now(),
            created=datetime(2026, 1, 1, tzinfo=UTC) + timedelta(days=number),
            sha256=f"{number}",
        )
    pages = [page_at(client, f"/models/best/?page={n}") for n in (1, 2)]
    first, second = (cells(part(page, "history")) for page in pages)
    assert (len(first), len(second)) == (25, 6)
    assert first[1][2:] == ["– no score is shown", "public, not judged yet"]
    days = [row[0] for row in (*first, *second)]
    assert days == sorted(days, reverse=True)
    assert [part(page, "history").xpath(".//a[@rel]/@rel") for page in pages] == [
        ["next"],
        ["prev"],
    ]


# --- what it opens with ---------------------------------------------------------------------------


def answer(client, slug: str) -> str:
    return words(part(page_at(client, f"/models/{slug}/"), "answer"))


def test_it_opens_with_the_ranks_that_the_model_may_have(client, entries):
    row = cells(part(page_at(client, "/models/fair/"), "boards"))[0]
    best, worst = map(int, re.findall("[0-9]+", row[2].partition(" of ")[0]))
    assert best < worst
    ends = [f"{n}{ {1: 'st', 2: 'nd', 3: 'rd'}.get(n, 'th') }" for n in (best, worst)]
    assert answer(client, "fair") == f"Fair could rank {ends[0]} to {ends[1]} of 6 on Spelling."


def test_the_sentence_names_each_board_and_leaves_out_where_it_has_no_rank():
    rng = np.random.default_rng(1)
    first, alone = (simulated(rng, np.full((n, len(ABILITIES)), 0.5)) for n in (FIELD, 1))
    alone = replace(alone, benchmark=Benchmark(pk=2, slug="other", title="Other"))
    placed = replace(first.entries[1], rank_best=2, rank_worst=3)
    scored = {"s": MetricValue(0.5, None, None, None, 1, 1, 1)}
    lone = replace(alone.entries[0], rank_worst=1, figures=scored)
    assert standing_sentence("Alder", [(first, placed), (alone, lone)]) == (
        "Alder could rank 2nd to 3rd of 20 on Simulated; 1st of 1 on Other."
    )
    for gone in (replace(lone, rank=None), replace(lone, scored_since=True)):
        said = standing_sentence("Alder", [(first, placed), (alone, gone)])
        assert said == "Alder could rank 2nd to 3rd of 20 on Simulated."
        said = standing_sentence("Alder", [(alone, gone)])
        assert said == "Alder has a score on Other but no rank."
    nothing = replace(lone, rank=None, figures={})
    said = standing_sentence("Alder", [(alone, nothing)])
    assert said == "No board with public answers has a score of Alder yet."


def test_the_ranks_that_it_may_have_are_drawn_beside_them(client, entries):
    page = page_at(client, "/models/best/")
    (strip,) = part(page, "boards").xpath(".//*[@class='strip-ranks']")
    (may,) = strip.xpath(".//*[@class='may']/@d")
    left, width = re.findall(r"M([\d.]+) 0h([\d.]+)", may)[0]
    best, worst, of = map(int, re.findall("[0-9]+", cells(part(page, "boards"))[0][2]))
    assert (best, of) == (1, 6)
    assert float(left) == 0.0
    assert float(width) == pytest.approx(90 * worst / 6, abs=0.1)


def test_a_model_that_is_ranked_nowhere_is_not_said_to_be(client, entries):
    Scoresheet.objects.filter(submission=entries["Best"]).update(ranking=None, coverage=0.1)
    said = answer(client, "best")
    assert said == "Best has a score on Spelling but no rank."
    row = cells(part(page_at(client, "/models/best/"), "boards"))[0]
    assert row[2].startswith("not ranked")
    assert not part(page_at(client, "/models/best/"), "boards").xpath(".//*[name()='svg']")


def test_of_an_unpublished_entry_nothing_is_said_but_that_there_is_none(client, entries):
    set_visibility(submission=entries["Best"], visibility="private")
    mine = session_client(entries["Best"].owner)
    assert answer(mine, "best") == "No board with public answers has a score of Best yet."
    assert "95.00" not in shown(mine, "/models/best/")


def test_profiles_have_the_leader_and_the_median_model_as_a_broken_line(client, entries):
    page = page_at(client, "/models/poor/")
    found = part(page, "shape")
    named = ["Poor", "Best, leader", "Median model"]
    assert [words(line) for line in found.xpath(".//ul[@class='legend']/li")] == named
    assert [row[0] for row in cells(found)] == named
    (line,) = found.xpath(".//*[@class='radar']//*[@class='field']/@d")
    assert line.startswith("M")


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
            facts=BoardFacts(),
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
            assert found["looked_at"] == len(ABILITIES)
            wrong += bool(found["stronger"] or found["weaker"])
            pages += 1
    assert wrong / pages <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / pages)


def test_what_a_model_is_better_and_worse_at_is_found():
    truth = np.full((FIELD, len(ABILITIES)), 0.6)
    truth[3, 2], truth[3, 7] = 0.99, 0.1
    reading = simulated(np.random.default_rng(1), truth, questions=100)
    found = strengths_of([(reading, reading.entries[3])])
    assert [line["metric"].title for line in found["stronger"]] == ["Ability 2"]
    assert [line["metric"].title for line in found["weaker"]] == ["Ability 7"]
    assert found["weaker"][0]["words"].startswith("−")
    assert (found["looked_at"], found["boards"], found["lowest"]) == (10, 1, [])


def test_where_no_weakness_is_clear_the_two_lowest_are_named_and_said_to_be_unclear():
    truth = np.full((FIELD, len(ABILITIES)), 0.6)
    truth[3, 7] = 0.45
    reading = simulated(np.random.default_rng(1), truth, questions=100)
    found = strengths_of([(reading, reading.entries[3])])
    assert found["weaker"] == []
    assert "Ability 7" in [line["metric"].title for line in found["lowest"]]
    assert len(found["lowest"]) == 2
    said = render_to_string("models/lowest.html", {"lowest": found["lowest"]})
    assert "Lowest against the median, too close to call: Ability" in said
    assert f"Ability 7 on Simulated ({found['lowest'][-1]['words']})" in said


def test_a_field_of_four_has_no_middle_and_an_entry_without_a_rank_is_held_against_none():
    rng = np.random.default_rng(1)
    of_four, whole = (simulated(rng, np.full((n, len(ABILITIES)), 0.5)) for n in (4, FIELD))
    found = strengths_of([(of_four, of_four.entries[0])])
    assert (found["looked_at"], found["too_few"]) == (0, ["Simulated"])
    found = strengths_of([(whole, replace(whole.entries[0], rank=None))])
    assert (found["looked_at"], found["too_few"]) == (0, [])


def test_the_page_says_how_much_was_looked_at(client, entries):
    text = shown(client, "/models/poor/")
    assert "1 ability and subtasks on 1 board were compared" in text
    assert "Accuracy Spelling 20.00" in text
    assert "−" in text


def test_long_lists_are_folded_until_a_page_of_them_is_asked_for(client, entries):
    for n in range(30):
        Submission.objects.create(
            model=entries["Best"].model,
            release=entries["Best"].release,
            visibility="public",
            confirmed=timezone.now(),
            sha256=str(n),
        )
    first = page_at(client, "/models/best/").xpath("//*[@id='history']/details")[0]
    assert first.get("open") is None
    second = page_at(client, "/models/best/?page=2").xpath("//*[@id='history']/details")[0]
    assert second.get("open") is not None
