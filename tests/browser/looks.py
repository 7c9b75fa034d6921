"""What no page may have: something for axe to find, something wider than the screen, something too
small to hit."""

from pathlib import Path
from typing import Literal

from playwright.sync_api import Page, ViewportSize

AXE = Path(__file__).parent / "axe" / "node_modules" / "axe-core" / "axe.min.js"
THEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")
VIOLATIONS = """async () => {
    // preload copies sheets that import others into a style element, which our policy forbids
    const found = await axe.run(document, {resultTypes: ['violations'], preload: false});
    return found.violations.map((v) => `${v.id}: ${v.nodes[0].html.slice(0, 160)}`);
}"""
OVERFLOW = """() => document.documentElement.scrollWidth - document.documentElement.clientWidth"""
SMALL = """(least) => [...document.querySelectorAll('a, button, input, select, summary')]
    .filter((element) => {
        const box = element.getBoundingClientRect();
        const isInText = getComputedStyle(element).display === 'inline';
        const label = element.closest('label')?.getBoundingClientRect();
        const height = Math.max(box.height, label?.height ?? 0);
        const width = Math.max(box.width, label?.width ?? 0);
        return box.width && box.height && !isInText && element.type !== 'hidden'
            && !element.closest('.sr, svg') && (width < least || height < least);
    })
    .map((element) => element.outerHTML.slice(0, 120))"""
LEAST_TARGET = 24
NARROW: ViewportSize = {"width": 360, "height": 900}


def axe_in_both_themes(page: Page) -> list[str]:
    """What axe finds on the page as it stands, each with its theme. Colours that are still on their
    way from one theme to the other would be those of neither."""
    found = []
    page.evaluate(AXE.read_text())
    for theme in THEMES:
        page.emulate_media(color_scheme=theme, reduced_motion="reduce")
        found += [f"{theme}: {text}" for text in page.evaluate(VIOLATIONS)]
    page.emulate_media(color_scheme="light", reduced_motion="no-preference")
    return found


def too_wide_or_small(page: Page) -> list[str]:
    """On a telephone; the page is as wide afterwards as it was."""
    before = page.viewport_size
    page.set_viewport_size(NARROW)
    found = [f"too small: {html}" for html in page.evaluate(SMALL, LEAST_TARGET)]
    if (over := page.evaluate(OVERFLOW)) > 0:
        found.append(f"{over} px too wide")
    if before:
        page.set_viewport_size(before)
    return found
