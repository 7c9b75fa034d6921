"""The photographs of the mini set: CC0 and public-domain files that scikit-image carries in its wheel.

They are read from the installed package when the pictures are drawn, never copied into this repository.
SOURCES.md names the origin and licence of each.
"""

from importlib.metadata import distribution
from pathlib import Path

from PIL import Image


def save_photo(name: str, width: int, path: Path) -> None:
    """The photograph stands at `path`, `width` pixels wide, on white where it was transparent."""
    source = Path(str(distribution("scikit-image").locate_file(f"skimage/data/{name}")))
    with Image.open(source) as opened:
        picture = opened.convert("RGBA")
    ground = Image.new("RGBA", picture.size, "white")
    ground.alpha_composite(picture)
    height = round(picture.height * width / picture.width)
    ground.convert("RGB").resize((width, height), Image.Resampling.LANCZOS).save(path, format="PNG")
