"""Charts that are explored are drawn whole: nothing lies over them, in either theme."""

import io
from typing import cast

import pytest
from PIL import Image
from playwright.sync_api import Page

from tests.site import Site

pytestmark = pytest.mark.browser

BLUE = (0, 114, 178)
"""The dark end of the ramp of a heat map, #0072b2."""
NEAR = 14.0
"""How far a pixel's colour may lie from what is meant, of 255: edges are smoothed."""
BANDS = 10
"""Strips of a chart, each of which must be drawn: a bar over two rows covers one of them."""

RGB = tuple[int, int, int]


@pytest.fixture(params=["light", "dark"])
def board(page: Page, site: Site, request) -> Page:
    page.emulate_media(color_scheme=request.param)
    page.goto(f"{site.url}boards/touchstone/")
    return page


def explored(page: Page, figure: str, drawn: str) -> Image.Image:
    """The part `drawn` of the chart as it is shown once it is explored."""
    chart = page.locator(f"[data-figure={figure}]")
    chart.get_by_role("button", name="Explore").click()
    part = chart.locator(f".plot {drawn}").first
    part.wait_for()
    page.wait_for_timeout(500)  # plotly.js draws once more when it knows its width
    assert not chart.locator(".modebar").count()
    part.scroll_into_view_if_needed()
    return Image.open(io.BytesIO(part.screenshot(animations="disabled"))).convert("RGB")


def colour_of(page: Page, token: str) -> RGB:
    red, green, blue = page.evaluate(
        """(token) => {
            const probe = document.createElement('i');
            probe.style.color = `var(${token})`;
            document.body.append(probe);
            const found = getComputedStyle(probe).color.match(/\\d+/g).map(Number);
            probe.remove();
            return found.slice(0, 3);
        }""",
        token,
    )
    return red, green, blue


def colours_of(shown: Image.Image) -> list[tuple[int, RGB]]:
    """How many pixels there are of each colour."""
    return cast("list[tuple[int, RGB]]", shown.getcolors(1 << 24) or [])


def off_ramp(pixel: RGB, low: RGB, high: RGB) -> float:
    """How far a colour is from the straight line between two others."""
    way = [b - a for a, b in zip(low, high, strict=True)]
    here = [p - a for a, p in zip(low, pixel, strict=True)]
    share = sum(w * h for w, h in zip(way, here, strict=True)) / sum(w * w for w in way)
    share = min(max(share, 0.0), 1.0)
    return max(abs(h - share * w) for w, h in zip(way, here, strict=True))


def test_every_row_of_a_heat_map_is_drawn(board):
    shown = explored(board, "subtask-map-figure", ".heatmaplayer image")
    surface = colour_of(board, "--surface")
    assert min(shown.size) > 100
    for band in range(BANDS):
        top, bottom = (shown.height * edge // BANDS for edge in (band, band + 1))
        colours = colours_of(shown.crop((0, top, shown.width, bottom)))
        fits = sum(count for count, pixel in colours if off_ramp(pixel, surface, BLUE) <= NEAR)
        assert fits / sum(count for count, _ in colours) > 0.95, band
        blue = [pixel for _, pixel in colours if abs(pixel[0] - surface[0]) > NEAR]
        assert blue, band  # and not the surface alone


def test_every_series_of_a_radar_is_drawn_and_nothing_over_it(board):
    shown = explored(board, "abilities-figure", ".polarlayer")
    colours = colours_of(shown)
    for series in ("--series-1", "--series-2", "--series-3"):
        meant = colour_of(board, series)
        near = sum(
            count
            for count, pixel in colours
            if max(abs(p - m) for p, m in zip(pixel, meant, strict=True)) <= NEAR
        )
        assert near > 200, series
    paper = colour_of(board, "--paper")
    empty = sum(count for count, pixel in colours if pixel == paper)
    assert empty / (shown.width * shown.height) > 0.6
