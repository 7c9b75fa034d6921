"""On a phone the models of a board come first: what it is about stands behind who leads."""

import pytest
from playwright.sync_api import Page

from benchmarks.registry import protocols
from tests.site import Site

pytestmark = pytest.mark.browser

BOARDS = sorted(slug for slug in protocols() if not slug.startswith(("spelling", "plain")))
FIRST_MODEL = 350
"""Pixels from the top of the page: with 740 of a screen, half of it shows who leads."""


@pytest.mark.parametrize("slug", BOARDS)
def test_the_first_model_of_a_board_is_seen_without_scrolling(page: Page, site: Site, slug):
    page.set_viewport_size({"width": 360, "height": 740})
    page.goto(f"{site.url}boards/{slug}/")
    page.evaluate("document.fonts.ready")
    first = page.locator("svg.forest.narrow g.judged .name").first
    about = page.locator(".board-about")
    if not first.count():
        pytest.skip("the site of the tests has no model on this board")
    box, below = first.bounding_box(), about.bounding_box()
    assert box is not None
    assert below is not None
    assert box["y"] <= FIRST_MODEL
    assert below["y"] > box["y"]
