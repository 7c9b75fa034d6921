"""What boards say of simulations is what the simulations give."""

import pytest

from bench import ranks
from benchmarks.statistics.held import ENTRIES, HELD, nearest
from tests.each_case import each_case


def test_the_nearest_case_is_that_of_the_ratios():
    found = nearest(groups=13.0, entries=16)
    assert (found.groups, found.entries) == (15, 10)
    assert (found.each, found.together) == HELD[15][ENTRIES.index(10)]


@each_case("groups", [1.2, 20.0, 1e6])
@each_case("entries", [1, 100, 1_000_000])
def test_every_board_has_a_case(groups, entries):
    assert nearest(groups, entries).groups in HELD


def test_every_case_is_near_to_what_boards_promise():
    """A share has a standard error of 0.5 to 1.5, the largest of 100 entries: 200 boards."""
    for row in HELD.values():
        for entries, (each, together) in zip(ENTRIES, row, strict=True):
            assert each >= 94
            assert together >= (93 if entries < 100 else 91)


@pytest.mark.slow
@pytest.mark.parametrize(("groups", "entries"), [(8, 5), (20, 10)])
def test_the_table_is_what_the_simulation_gives(groups, entries):
    assert ranks.held(groups, entries) == pytest.approx(
        HELD[groups][ENTRIES.index(entries)], abs=0.06
    )
