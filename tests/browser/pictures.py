"""Pictures of the documents: taken by the browser tests of what they show, so that none shows a
page that is not there.

`RECORD_PICTURES=1` keeps them; otherwise the same pages are visited and nothing is written.
"""

import io
import os
from pathlib import Path

from PIL import Image
from playwright.sync_api import Locator, Page

FOLDER = Path(__file__).parents[2] / "docs/annotator/pictures"
COLOURS = 96  # flat pages lose nothing that a reader sees, and a picture has a third of the bytes
WIDTH = 1024  # as wide as documents are read
MOST_BYTES = 150_000  # a document with five of them loads in a second on a slow line


def take_picture(page: Page, name: str, *, height: int = 800, of: Locator | None = None) -> None:
    """The upper `height` pixels of the page as it stands, or one part `of` it, as
    docs/annotator/pictures/`name`.png."""
    width = page.viewport_size["width"] if page.viewport_size else 1280
    if of:
        shot = of.screenshot(animations="disabled")
    else:
        shot = page.screenshot(
            full_page=True,
            clip={"x": 0, "y": 0, "width": width, "height": height},
            animations="disabled",
        )
    assert len(Image.open(io.BytesIO(shot)).convert("RGB").getcolors(1 << 24) or []) > 8
    if os.environ.get("RECORD_PICTURES"):
        FOLDER.mkdir(exist_ok=True)
        taken = Image.open(io.BytesIO(shot)).convert("RGB")
        width = min(WIDTH, taken.width)
        small = taken.resize((width, taken.height * width // taken.width)).quantize(COLOURS)
        small.save(FOLDER / f"{name}.png", optimize=True)
        assert (FOLDER / f"{name}.png").stat().st_size <= MOST_BYTES
