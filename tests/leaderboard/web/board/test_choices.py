"""What an address chooses of a board, whoever typed it."""

from uuid import UUID

import pytest
from django.core.exceptions import BadRequest
from django.http import QueryDict

from benchmarks.registry import protocol
from leaderboard.web.board.asked import MOST_LETTERS
from leaderboard.web.board.choices import (
    MOST_CHOSEN,
    MOST_WORDS,
    BoardChoices,
    SortState,
    choices_of,
    rows_of_page,
)

IDS = [str(UUID(int=n)) for n in range(1, 9)]


def read(query: str, slug: str = "tiny_lvlm_ehub") -> BoardChoices:
    return choices_of(QueryDict(query), protocol(slug).board.BOARD)


def test_nothing_chosen_is_the_first_page_of_the_first_table_by_rank():
    chosen = read("")
    assert (chosen.table.slug, chosen.page, chosen.sort) == ("overview", 1, SortState())
    assert (chosen.notes, chosen.words, chosen.asked) == ((), (), ())
    assert not chosen.is_narrowed


def test_what_is_no_page_is_the_first_and_is_said():
    for page in ("-1", "0", "x", "1e3", "%2B2", "٣", "1234567", "9" * 400, "1.0"):
        chosen = read(f"page={page}", "spelling")
        (note,) = chosen.notes
        assert chosen.page == 1
        assert len(note) < MOST_LETTERS + 50


def test_what_the_board_does_not_know_is_left_out_and_said():
    unknown = ("table=x", "sort=x", "measure=x", "size=x", "size=8-3%00", "sort=x%00%0A")
    for query in (*unknown, f"table={'x' * 9000}"):
        chosen = read(query)
        found = (chosen.table.slug, chosen.sort, chosen.measure.slug, len(chosen.notes))
        assert found == ("overview", SortState(), "cee", 1), query


def test_of_several_values_the_last_one_counts():
    assert read("page=3&page=2&sort=x&sort=overall").page == 2


def test_a_search_is_words_of_bounded_number_without_what_no_name_has():
    assert read("q=+Lucid%00%0a+LUCID++9b").words == ("lucid", "9b")
    assert len(read("q=" + "+".join("abcdefghijkl")).words) == MOST_WORDS
    assert read("q=%00%0A+").search == ""


def test_a_column_that_there_is_not_is_repeated_without_what_turns_a_line_round():
    (note,) = read("columns=%E2%80%AEabc").notes
    assert note == "There is no column “abc” in this table."


def test_a_search_that_is_too_long_is_refused():
    assert read("q=" + "x" * MOST_LETTERS).search == "x" * MOST_LETTERS
    with pytest.raises(BadRequest, match="100 letters"):
        read("q=" + "x" * (MOST_LETTERS + 1))


def test_models_to_draw_are_ids_each_once_and_six_at_most():
    query = "&".join(f"m={text}" for text in ("x", IDS[0], IDS[0], "'", IDS[1], "0" * 36))
    assert read(query).asked == (UUID(int=1), UUID(int=2))
    chosen = read("&".join(f"m={text}" for text in IDS))
    assert len(chosen.asked) == MOST_CHOSEN
    assert "6 models at most" in chosen.notes[0]


def test_more_columns_make_fewer_rows_on_a_page():
    rows = {
        ("hallusionbench", "accuracy", ""): 50,
        ("touchstone", "subtasks", ""): 50,
        ("touchstone", "subtasks", "all"): 15,
        ("tiny_lvlm_ehub", "datasets", ""): 40,
        ("tiny_lvlm_ehub", "datasets", "all"): 8,
        ("tiny_lvlm_ehub", "datasets-both", "all"): 5,
    }
    for (slug, name, columns), expected in rows.items():
        (table,) = (one for one in protocol(slug).board.BOARD.tables if one.slug == name)
        assert rows_of_page(table, (columns,) if columns else ()) == expected, name
