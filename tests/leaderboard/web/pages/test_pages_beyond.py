"""An address that names a page there is not, on every page with a list in pages."""

import pytest
from django.urls import reverse

from benchmarks.models import Question
from leaderboard.results.boards.editions import refresh_boards
from tests.conftest import judged, submit
from tests.leaderboard.web.pages.shown_text import page_at

BEYOND = "This list has no page 999; this is its last, page 1."
NO_NUMBER = "There is no page “{}”; this is the first."


@pytest.fixture
def addresses(client, spelling, owner) -> list[str]:
    best, other = (submit(spelling, owner, name=name) for name in ("Best", "Other"))
    for entry in (best, other):
        judged(entry)
    refresh_boards()
    client.force_login(owner)
    of_board = ("board", "board-questions", "board-matrix", "board-history")
    return [
        *(f"{reverse(name, args=['spelling'])}?" for name in of_board),
        f"{reverse('models')}?",
        f"{reverse('model', args=[best.model.slug])}?",
        f"{reverse('entry', args=[best.pk])}?",
        f"{reverse('question', args=[Question.objects.first().pk])}?",
        f"{reverse('compare')}?m={best.pk}&m={other.pk}&",
        f"{reverse('my-entries')}?",
    ]


def test_a_page_beyond_the_last_shows_the_last_and_says_so_once(client, addresses):
    for address in addresses:
        for page, said in (("999", BEYOND), ("abc", NO_NUMBER), ("0", NO_NUMBER)):
            notes = page_at(client, f"{address}page={page}").xpath("//p[@class='notice warn']")
            assert [note.text for note in notes] == [said.format(page)], (address, page)


def test_the_page_beyond_the_last_is_the_last_with_all_that_stands_on_it(client, addresses):
    """Baselines stand on the first page, which here is the last."""
    rows = [
        page_at(client, f"/boards/spelling/{query}").xpath("//tbody//th//text()")
        for query in ("", "?page=999")
    ]
    assert rows[0]
    assert rows[0] == rows[1]
