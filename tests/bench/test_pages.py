"""What a reader is sent of a board of a thousand entries, and what it asks of the database."""

import pytest

from bench.growth import bulk
from bench.growth.copies import FILLED, LARGE, Pattern, fill_in_bulk
from bench.growth.filling import PROTOCOL, fill, sweep_until_idle, touch_board
from bench.growth.release import abilities
from bench.pages.costs import PageCost, costs, table

REAL, FIRST, FEW, MANY = 3, 50, 100, 1_000
MOST_SENT = 60.0
"""kB of a first view, as a line of a phone has it within a second."""
WHOLE = ("board as CSV",)
"""What has every entry, and is a file."""


@pytest.fixture
def site(db, settings):
    settings.JUDGE_ENDPOINTS = {
        "bench": {"url": "http://127.0.0.1:9/v1", "key": "", "parameters": {}, "prices": {}}
    }
    filled = fill(FIRST, real=REAL, is_small=True)
    add_entries(filled, FIRST, FEW)  # the history of a board begins with its second state
    return filled


def add_entries(site, before: int, after: int) -> None:
    pattern = Pattern.after(site.made, site.release, site.spec, abilities(after))
    with bulk.loading(LARGE):
        list(fill_in_bulk(pattern, first=before))
    bulk.leave_keys(FILLED)
    touch_board(site.spec)
    sweep_until_idle()


@pytest.mark.slow
def test_pages_of_a_thousand_entries_are_small_and_ask_no_more_than_those_of_a_hundred(site):
    few = {cost.name: cost for cost in costs(PROTOCOL, repeats=0)}
    add_entries(site, FEW, MANY)
    many = costs(PROTOCOL, repeats=0)
    large = [f"{cost.name}: {cost.packed:.1f} kB" for cost in many if cost.packed > MOST_SENT]
    grown = [
        f"{cost.name}: {few[cost.name].queries}, then {cost.queries}"
        for cost in many
        if cost.queries > few[cost.name].queries
    ]
    assert [line for line in large if not line.startswith(WHOLE)] == []
    assert [line for line in grown if not line.startswith(WHOLE)] == []
    assert len(many) > 20
    (board,) = (cost for cost in costs(PROTOCOL, repeats=1) if cost.name == "board")
    assert (board.queries, board.ms > 0) == (few["board"].queries, True)


def test_the_table_tells_each_time_by_that_of_a_trivial_view():
    found = [PageCost("a trivial view", "/", 2.0, 0, 0.1), PageCost("home", "/", 7.0, 3, 1.25)]
    assert table(found).splitlines()[2].split() == ["home", "7.0", "3.5x", "3", "1.2"]
