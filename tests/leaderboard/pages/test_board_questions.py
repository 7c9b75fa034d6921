"""The questions of a board in their orders, what is suspected of them, and the matrix."""

import gzip
import random
import re
from datetime import UTC, datetime

import numpy as np
import pytest
from django.contrib.auth.models import Group, User

from benchmarks.statistics.items import item_statistics
from leaderboard.editions import refresh_boards
from leaderboard.models import QuestionStatistics, Scoresheet
from leaderboard.pages import board_matrix
from leaderboard.pages.board_matrix import MOST_ENTRIES, MOST_QUESTIONS, cells, tiles
from leaderboard.pages.board_questions import reasons_of, suspects_of
from leaderboard.question_statistics import QuestionTable
from tests.api_clients import session_client
from tests.conftest import import_words, judged, make_owner, submit

QUESTIONS = 12
LIST, MATRIX, SUSPECTS = (
    f"/boards/spelling/{part}/" for part in ("questions", "matrix", "suspects")
)


def answers_of(right: int) -> bytes:
    return "".join(
        f"{n}={f'word{n}' if n <= right else f'wrong{right}x{n}'}\n"
        for n in range(1, QUESTIONS + 1)
    ).encode()


@pytest.fixture(scope="module")
def stored(module_rows) -> None:
    """Three entries, of which the best gets ten of twelve right."""
    release = import_words(range(1, QUESTIONS + 1))
    owner = make_owner()
    for right in (10, 6, 3):
        judged(submit(release, owner, answers_of(right), name=f"Speller {right}"))
    refresh_boards()


@pytest.fixture
def board(stored, db) -> None:
    return None


def text_of(client, address: str) -> str:
    response = client.get(address)
    assert response.status_code == 200
    return str(response.content.decode())


def listed(page: str) -> list[int]:
    rows = page.partition('id="questions"')[2]
    return [int(n) for n in re.findall(r'<th scope="row"><a class="target"[^>]*>(\d+)</a>', rows)]


def table_of(scores) -> QuestionTable:
    items = item_statistics(scores)
    keys = np.arange(scores.shape[1])
    return QuestionTable(
        entries=len(scores),
        countable=len(scores),
        computed=datetime(2026, 1, 1, tzinfo=UTC),
        question=keys,
        subtask=keys * 0,
        answered=items.answered,
        share=items.share,
        discrimination=items.discrimination,
        missed=items.missed,
        suspicion=items.suspicion,
    )


# --- the list -------------------------------------------------------------------------------------


def test_questions_stand_in_the_order_asked_for(client, board):
    assert listed(text_of(client, LIST)) == [*range(1, 13)]
    assert listed(text_of(client, f"{LIST}?sort=hard")) == [11, 12, 7, 8, 9, 10, 4, 5, 6, 1, 2, 3]
    assert listed(text_of(client, f"{LIST}?sort=easy"))[:3] == [1, 2, 3]


def test_each_question_has_its_share_and_interval(client, board):
    page = text_of(client, LIST)
    assert '100 % <span class="muted">44–100 %</span>' in page
    assert '0 % <span class="muted">0–56 %</span>' in page
    assert "It is not told for fewer than 10 entries." in page


def test_saturation_counts_what_is_solved_and_what_nobody_solves(client, board):
    row = re.findall(r'<td class="number" data-label="[^"]+">(\d+)</td>', text_of(client, LIST))[:3]
    assert row == ["3", "7", "2"]


def test_a_subtask_leaves_its_questions(client, board, submission):
    judged(submission)
    refresh_boards()
    of_release = f"{LIST}?release=spelling-1&subtask=words"
    assert listed(text_of(client, f"{of_release}/long")) == [2, 3]
    assert listed(text_of(client, f"{of_release}/short")) == [1, 4]


def test_what_is_asked_in_vain_is_said(client, board, subtests):
    names = ("page", "subtask", "judge", "release")
    queries = ("page=99", "page=-1", "page=x", "subtask=nothing", "judge=nobody", "release=nowhere")
    for query in (*queries, *(f"{name}={'9' * 9_999}" for name in names)):
        for address in (LIST, MATRIX):
            with subtests.test(address=address, query=query[:20]):
                assert '<p class="notice">' in text_of(client, f"{address}?{query}")


def test_an_order_there_is_not_is_said(client, board):
    assert "There is no order “sideways” here" in text_of(client, f"{LIST}?sort=sideways")


def test_a_board_there_is_not_is_not_found(client, board):
    for part in ("questions", "matrix", "suspects"):
        assert client.get(f"/boards/nothing/{part}/").status_code in (302, 404)


def test_the_board_leads_to_both(client, board):
    page = text_of(client, "/boards/spelling/")
    assert 'href="/boards/spelling/questions/?' in page
    assert 'href="/boards/spelling/matrix/?' in page


# --- suspects -------------------------------------------------------------------------------------


def planted() -> QuestionTable:
    """Of fifteen entries the stronger are right more often; question 0 has its label wrong, and
    nobody is right on question 1."""
    rng = np.random.default_rng(5)
    strength = np.linspace(0.1, 0.95, 15)
    scores = (rng.random((15, 40)) < strength[:, np.newaxis]).astype(np.float64)
    scores[:, 0] = 1 - (rng.random(15) < strength)
    scores[:, 1] = 0
    return table_of(scores)


def test_the_wrong_label_is_suspected_first_and_told_why():
    table = planted()
    assert set(suspects_of(table)[:2].tolist()) == {0, 1}
    assert "Who does better on all other questions does worse here" in reasons_of(table, 0)[0]
    assert reasons_of(table, 1) == ("None of 15 entries gets it right.",)


def test_with_few_entries_nothing_is_suspected():
    assert len(suspects_of(table_of(np.eye(9)))) == 0


def test_annotators_see_suspects_and_nobody_else_does(client, board, stranger):
    User.objects.filter(pk=stranger.pk).update(is_staff=True)
    assert client.get(SUSPECTS).status_code == 302
    assert session_client(User.objects.get(pk=stranger.pk)).get(SUSPECTS).status_code == 403
    stranger.groups.add(Group.objects.get(name="annotators"))
    annotator = session_client(User.objects.get(pk=stranger.pk))
    assert "Nothing is claimed here with fewer than 10 entries" in text_of(annotator, SUSPECTS)
    assert SUSPECTS in text_of(annotator, LIST)
    assert SUSPECTS not in text_of(client, LIST)


# --- the matrix -----------------------------------------------------------------------------------


def test_rows_are_entries_by_rank_and_columns_questions_from_the_easiest(client, board):
    page = text_of(client, f"{MATRIX}?subtask=words/long")
    assert re.findall(r'title="(Speller \d+)">Speller', page)[:3] == [
        "Speller 10",
        "Speller 6",
        "Speller 3",
    ]
    rows = re.findall(r'<th scope="row" class="first"><a[^>]*>(\d+)</a></th>(.*)</tr>', page)
    assert [(int(n), "".join(re.findall("<td>(.)", said))) for n, said in rows] == [
        *((n, "RRR") for n in (1, 2, 3)),
        *((n, "RRW") for n in (4, 5, 6)),
        *((n, "RWW") for n in (7, 8, 9, 10)),
        *((n, "WWW") for n in (11, 12)),
    ]


def test_each_row_and_column_leads_to_its_entry_and_question(client, board):
    page = text_of(client, MATRIX)
    for address in set(re.findall(r'href="(/(?:entries|questions)/[^"]+)"', page)):
        assert client.get(address.replace("&amp;", "&")).status_code == 200


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
    table = "".join(cells(column) for column in zip(*said, strict=True))
    assert len(gzip.compress((rows + table).encode(), 6)) < 40_000


def test_questions_beyond_the_most_are_on_the_next_page(client, board, monkeypatch):
    monkeypatch.setattr(board_matrix, "MOST_QUESTIONS", 5)
    first = text_of(client, MATRIX)
    assert 'rel="next"' in first
    assert "page 1 of 3" in first
    assert 'rel="next"' not in text_of(client, f"{MATRIX}?page=3")


def test_before_questions_are_counted_their_pages_say_so(client, board):
    """As after an upgrade, until a sweep has stored the board anew."""
    QuestionStatistics.objects.all().delete()
    Scoresheet.objects.update(item_scores=None)
    for address in (LIST, MATRIX):
        text_of(client, address)
