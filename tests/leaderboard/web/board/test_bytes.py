"""No page of a board is over 60 kB as it is sent, or 250 kB as a browser holds it, whatever the
board's size."""

from dataclasses import replace

import pytest
from django.contrib.auth.models import AnonymousUser
from django.test import RequestFactory

from benchmarks.registry import protocols
from leaderboard.results.selectors import BoardReading, board_by
from leaderboard.web.board.tables import MOST_FOLDED_LINES
from leaderboard.web.caching.encodings import ENCODINGS
from leaderboard.web.pages.boards.board import page_markup
from tests.leaderboard.web.board.many import many
from tests.leaderboard.web.board.shown import page_of

AS_SENT, PLAIN = 60_000, 250_000
WITH_ALL_COLUMNS = 450_000
"""For whoever asks for each of 123 columns, beside forty rows of papers."""
FAMILIES = sorted(slug for slug in protocols() if not slug.startswith(("spelling", "plain")))


def bytes_of(whole: BoardReading, **query: object) -> tuple[int, int]:
    """As sent and as held."""
    request = RequestFactory().get("/")
    request.user = AnonymousUser()
    markup = page_markup(request, vars(page_of(whole, **query)))
    return len(ENCODINGS["br"].compress(markup)), len(markup)


@pytest.mark.parametrize("slug", FAMILIES)
def test_every_table_of_every_family_keeps_the_limits(slug):
    """With six models drawn that stand on another page, which makes every link longer and adds
    their rows."""
    whole = many(slug, 130)
    drawn = [entry.id for entry in whole.entries[-8:-2]]
    for measure in whole.board.measures or (None,):
        board = board_by(whole.board, measure) if measure else whole.board
        asked = {"measure": measure.slug if measure else "", "m": drawn}
        for table in board.tables:
            usual = bytes_of(whole, table=table.slug, **asked)
            every = bytes_of(whole, table=table.slug, columns="all", **asked)
            assert max(usual[0], every[0]) <= AS_SENT, table.slug
            assert (usual[1] <= PLAIN, every[1] <= WITH_ALL_COLUMNS) == (True, True), table.slug


def test_a_page_of_a_larger_board_is_no_larger():
    small, large = (bytes_of(many("hallusionbench", count)) for count in (300, 1_000))
    assert large[0] <= AS_SENT
    assert large[1] <= 1.02 * small[1]


def test_copies_of_copies_do_not_make_a_page_longer():
    whole = many("hallusionbench", 400)
    leads = whole.entries[::40]
    entries = tuple(
        entry if place % 40 == 0 else replace(entry, same_answers_as=leads[place // 40].id)
        for place, entry in enumerate(whole.entries)
    )
    rows = page_of(replace(whole, entries=entries)).rows.values()
    assert len(rows) == len(leads)
    names = [row.count("<li>") for row in rows]
    assert sum(names) == MOST_FOLDED_LINES + len(leads) - 1  # a line each says how many more
    assert all("39 more with the same answers" in row for row in rows)
