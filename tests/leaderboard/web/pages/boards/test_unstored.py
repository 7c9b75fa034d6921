"""What pages of a board say before it was ever stored."""

import pytest


@pytest.mark.parametrize("part", ["questions", "matrix"])
def test_without_a_stored_board_the_page_says_so(client, spelling, part):
    assert "has been stored yet" in client.get(f"/boards/spelling/{part}/").text
