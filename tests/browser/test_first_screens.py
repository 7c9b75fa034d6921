"""What a visitor meets first: the measuring of it, and that nothing moves under the reader."""

import pytest

from bench.pages.screens import first_screen

pytestmark = pytest.mark.browser

MOST_SHIFT = 0.01
"""Cumulative layout shift: a tenth of what counts as good. Measured are 0.0003 for boards and 0.002
for the home page, whose columns follow its typeface."""
MEASURED = """<!doctype html><title>measured</title>
<style>body {margin: 0; font-size: 16px} hr {height: 200px} .none {display: none}
.far {display: block; margin-top: 2000px}</style>
<p id=first>Three plain words</p><p class=none>hidden</p><a href=/>home</a>
<p style="font-size: 30px">large</p><a class=far href=/>far away</a>
<script>setTimeout(() => first.before(document.createElement('hr')), 100)</script>"""


def test_words_links_sizes_and_shifts_of_a_first_screen_are_counted(browser, tmp_path):
    page = tmp_path / "page.html"
    page.write_text(MEASURED)
    found = first_screen(browser, "measured", page.as_uri())
    assert (found.words, found.links, found.sizes) == (5, 1, 2)
    assert found.height > 2000
    assert found.narrow > 2000
    assert found.shift > MOST_SHIFT


@pytest.mark.parametrize("path", ["", "boards/touchstone/", "boards/hallusionbench/", "models/"])
def test_nothing_moves_while_a_page_loads(browser, site, path):
    assert first_screen(browser, path, f"{site.url}{path}").shift <= MOST_SHIFT
