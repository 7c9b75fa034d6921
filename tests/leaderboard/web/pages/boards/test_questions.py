"""The questions of a board in their orders, what is suspected of them, and the matrix."""

import gzip
import io
import random

import numpy as np
import pytest
from django.contrib.auth.models import Group

from benchmarks.models import Question, Release
from benchmarks.registry import protocol
from benchmarks.services.importing import import_release
from benchmarks.submissions.samples.floor import set_floor_version
from judging.models import JudgeSpec
from leaderboard.models import QuestionStatistics, Scoresheet
from leaderboard.results.boards.editions import refresh_boards
from leaderboard.results.boards.question_statistics import ROW
from leaderboard.web.pages.boards import matrix as board_matrix
from leaderboard.web.pages.boards import questions as board_questions
from leaderboard.web.pages.boards.matrix import MOST_ENTRIES, MOST_QUESTIONS, tiles
from leaderboard.web.pages.boards.matrix import cells as letters
from tests.api_clients import session_client
from tests.conftest import judged, make_owner, submit
from tests.leaderboard.web.pages.shown_text import cells, links, page_at, part, shown
from tests.person import words

ASKED = {n: f"word <{n}>" if n <= 8 else f"<{n}>" for n in range(1, 13)}
"""The first eight are long, which is a subtask of its own; the rest are short."""
LIST, MATRIX, SUSPECTS = (
    f"/boards/spelling/{part}/" for part in ("questions", "matrix", "suspects")
)


def answers_of(right: int) -> bytes:
    said = (f"{n}={f'word{n}' if n <= right else f'wrong{right}x{n}'}\n" for n in ASKED)
    return "".join(said).encode()


@pytest.fixture(scope="module")
def stored(module_rows) -> None:
    """Three entries, of which the best gets ten of twelve right."""
    rows = "".join(f"{n}|{word}|word{n}\n" for n, word in ASKED.items()).encode()
    release = import_release(
        protocol=protocol("spelling"), stream=io.BytesIO(rows), slug="words"
    ).release
    set_floor_version(release)
    owner = make_owner()
    for right in (10, 6, 3):
        judged(submit(release, owner, answers_of(right), name=f"Speller {right}"))
    refresh_boards()


@pytest.fixture
def era(stored, db) -> str:
    return f"release=words&judge={JudgeSpec.objects.get().slug}"


@pytest.fixture
def of_fifteen(era) -> None:
    """As if fifteen entries were counted: nobody is right on question 2, the label of question 5
    is wrong, and question 9 is hard."""
    row = QuestionStatistics.objects.get()
    table = np.frombuffer(bytes(row.table), dtype=ROW).copy()
    table["answered"], table["suspicion"] = 15, 0
    table["discrimination"] = [np.nan, 0, 0.1, 0.2, -0.456, *[0.3] * 7]
    for place, share, missed, suspicion in (
        (1, 0, 1, 1.0),
        (4, 0.4, 0.8, 1.256),
        (8, 0.04, 0.9, 0.5),
    ):
        for column, value in (("share", share), ("missed", missed), ("suspicion", suspicion)):
            table[column][place] = value
    QuestionStatistics.objects.update(entries=15, table=table.tobytes())


def listed(client, query: str = "") -> list[int]:
    table = part(page_at(client, f"{LIST}?{query}"), "questions")
    return [int(row[0].split()[0]) for row in cells(table)]


# --- the list -------------------------------------------------------------------------------------


def test_the_list_has_each_question_with_its_share_its_interval_and_its_page(client, era):
    page = page_at(client, LIST)
    shares = (
        ["100 % 44 to 100"] * 3 + ["67 % 21 to 94"] * 3 + ["33 % 6 to 79"] * 4 + ["0 % 0 to 56"] * 2
    )
    assert cells(part(page, "questions")) == [
        [f"{n} Spell {word}.", "Long" if n <= 8 else "Short", shares[n - 1], "3", "– unknown"]
        for n, word in ASKED.items()
    ]
    assert cells(part(page, "saturation")) == [
        ["Short Words", "4", "0", "2", "2", "Tiles of Short"],
        ["Long Words", "8", "3", "5", "0", "Tiles of Long"],
    ]
    found = links(part(page))
    keys = dict(Question.objects.values_list("public_id", "pk"))
    assert {name: found.get(name) for name in keys} == {
        name: f"/questions/{key}/?{era}" for name, key in keys.items()
    }
    assert found["Tiles of Short"] == f"{MATRIX}?{era}&subtask=words%2Fshort"
    assert found["Matrix of entries and questions"] == f"{MATRIX}?{era}"
    counted = "Based on 3 ranked entries; duplicates counted once, baselines left out."
    assert counted in words(part(page))
    assert SUSPECTS not in str(found)
    board = page_at(client, "/boards/spelling/").xpath("//a/@href")
    for address in (LIST, MATRIX):
        assert any(link.startswith(f"{address}?") for link in board)


def test_questions_stand_in_the_order_and_subtask_asked_for(client, era, of_fifteen):
    assert listed(client) == [*range(1, 13)]
    assert listed(client, "sort=hard")[:4] == [2, 11, 12, 9]
    assert listed(client, "sort=easy") == [1, 3, 4, 6, 5, 7, 8, 10, 9, 2, 11, 12]
    assert listed(client, "sort=apart") == [*range(6, 13), 4, 3, 2, 5, 1]
    assert listed(client, "sort=alike") == [5, 2, 3, 4, *range(6, 13), 1]
    assert listed(client, "subtask=words/short") == [9, 10, 11, 12]
    filters = links(part(page_at(client, f"{LIST}?sort=hard"), "questions"))
    assert filters["all 12"] == f"{LIST}?{era}&sort=hard#questions"
    assert filters["Short 4"] == f"{LIST}?{era}&subtask=words%2Fshort&sort=hard#questions"
    apart = [row[4] for row in cells(part(page_at(client, LIST), "questions"))]
    assert apart[:6] == ["– unknown", "0.00", "+0.10", "+0.20", "−0.46", "+0.30"]


def test_pages_of_questions_lead_to_each_other(client, era, monkeypatch):
    monkeypatch.setattr(board_questions, "PER_PAGE", 5)
    monkeypatch.setattr(board_matrix, "MOST_QUESTIONS", 5)
    assert listed(client, "page=3") == [11, 12]
    for address, subtask, count in ((LIST, "", 3), (MATRIX, "&subtask=words%2Flong", 2)):
        first, last = (page_at(client, f"{address}?page={page}{subtask}") for page in (1, count))
        assert f"page 1 of {count}" in words(first).lower()
        (link,) = first.xpath("//a[@rel='next']/@href")
        assert link.partition("#")[0] == f"{address}?{era}{subtask}&page=2"
        assert not last.xpath("//a[@rel='next']")
        assert last.xpath("//a[@rel='prev']")


def test_what_is_asked_in_vain_is_said(client, era, subtests):
    for address in (LIST, MATRIX):
        for name, wrong in (
            ("page", "99"),
            ("page", "x"),
            ("page", "9" * 9_999),
            ("subtask", "nothing"),
            ("judge", "nobody"),
            ("release", "nowhere"),
        ):
            with subtests.test(address=address, name=name, wrong=wrong[:9]):
                page = page_at(client, f"{address}?{name}={wrong}")
                assert page.xpath("//p[@class='notice warn']")
                assert cells(part(page))
    assert "There is no order “sideways” here" in shown(client, f"{LIST}?sort=sideways")


@pytest.mark.parametrize("address", [LIST, MATRIX, SUSPECTS])
def test_of_a_hidden_test_a_page_says_why_it_is_empty_and_where_the_scores_are(
    client, admin_client, era, address
):
    Release.objects.update(disclosure="hidden_test")
    page = page_at(admin_client, f"{address}?{era}&subtask=words/long")
    assert words(part(page, "hidden-test")).startswith("This release is a hidden test")
    assert links(part(page))["Scores of the entries"] == f"/boards/spelling/?{era}"
    assert not page.xpath("//table | //section[@class='section'] | //nav[@class='choices']")
    promises = ("How hard", "One row per entry", "confirmed problems", "at least 10", "no subtask")
    for promised in promises:
        assert promised not in words(page)
    board = links(page_at(client, f"/boards/spelling/?{era}"))
    question = links(page_at(client, f"/questions/{Question.objects.all()[0].pk}/"))
    assert not {"Questions", "Matrix", "Questions of this subtask"} & {*board, *question}


def test_a_board_there_is_not_is_not_found(client, era):
    for name in ("questions", "matrix"):
        assert client.get(f"/boards/nothing/{name}/").status_code == 404


def test_before_questions_are_counted_their_pages_have_none(client, era):
    """As after an upgrade, until a sweep has stored the board anew."""
    QuestionStatistics.objects.all().delete()
    Scoresheet.objects.update(item_scores=None)
    assert "No questions match." in shown(client, LIST)
    assert "3 entries, duplicates counted once. 0 questions." in shown(client, MATRIX)


# --- suspects -------------------------------------------------------------------------------------


def test_annotators_see_what_is_suspected_and_why_and_nobody_else_does(
    client, era, stranger, of_fifteen
):
    assert client.get(SUSPECTS).status_code == 302
    stranger.is_staff = True
    stranger.save()
    assert session_client(stranger).get(SUSPECTS).status_code == 403
    stranger.groups.add(Group.objects.get(name="annotators"))
    annotator = session_client(stranger)
    assert any(SUSPECTS in link for link in page_at(annotator, LIST).xpath("//a/@href"))
    page = page_at(annotator, SUSPECTS)
    assert cells(part(page)) == [
        [
            "5 Spell word <5>.",
            "Long",
            "1.26",
            "40 % of 15",
            "Entries that do better on all other questions do worse here: correlation −0.46. Of "
            "the entries above average elsewhere, 80 % miss it, weighted by how far above average "
            "they are.",
            "Question 5",
        ],
        [
            "2 Spell word <2>.",
            "Long",
            "1.00",
            "0 % of 15",
            "None of the 15 entries gets it right.",
            "Question 2",
        ],
        [
            "9 Spell <9>.",
            "Short",
            "0.50",
            "4 % of 15",
            "Almost none of the 15 entries gets it right. Of the entries above average elsewhere, "
            "90 % miss it, weighted by how far above average they are.",
            "Question 9",
        ],
    ]
    key = Question.objects.get(public_id="5").pk
    found = links(part(page))
    assert found["Question 5"] == f"/admin/benchmarks/question/{key}/change/"
    assert found["5"] == f"/questions/{key}/?{era}"
    QuestionStatistics.objects.update(entries=9)
    assert "This list needs at least 10 entries" in shown(annotator, SUSPECTS)


# --- the matrix -----------------------------------------------------------------------------------


def test_rows_are_entries_by_rank_and_columns_questions_from_the_easiest(client, era):
    page = page_at(client, f"{MATRIX}?subtask=words/long")
    assert [words(one) for one in part(page, "tiles").xpath(".//li")][1:] == [
        "Speller 10 1-2",
        "Speller 6 1-3",
        "Speller 3 2-3",
    ]
    assert cells(part(page)) == [
        *([str(n), "100 %", "R", "R", "R"] for n in (1, 2, 3)),
        *([str(n), "67 %", "R", "R", "W"] for n in (4, 5, 6)),
        *([str(n), "33 %", "R", "W", "W"] for n in (7, 8)),
    ]
    found = links(part(page))
    assert found["Short 4"] == f"{MATRIX}?{era}&subtask=words%2Fshort"
    for name in ("Speller 10", "3 Speller 3", "1: 100 %", "8"):
        assert client.get(found[name]).status_code == 200, name
    with_short = cells(part(page_at(client, f"{MATRIX}?subtask=words/short")))
    assert [row[0] for row in with_short] == ["9", "10", "11", "12"]


def test_tiles_are_lines_of_equal_neighbours_told_by_their_shape():
    assert tiles("RRWP–R") == (
        '<path class="R" d="M0 12h19M50 12h9"/>'
        '<path class="P" d="M30 18h9"/>'
        '<path class="W" d="M20 12h9"/>'
    )


def test_the_largest_picture_and_its_table_are_bounded():
    chance = random.Random(3)
    said = ["".join(chance.choices("RPW", k=MOST_QUESTIONS)) for _ in range(MOST_ENTRIES)]
    rows = "".join(tiles(row) for row in said)
    table = "".join(letters(column) for column in zip(*said, strict=True))
    assert len(gzip.compress((rows + table).encode(), 6)) < 40_000
