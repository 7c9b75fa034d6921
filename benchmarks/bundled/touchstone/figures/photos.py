"""The photographs of the mini set: CC0 and public-domain files that stand in `photographs/`.

Their pixels are those their descriptions were written of, so none is compressed with loss again.
SOURCES.md names the origin and licence of each.
"""

from pathlib import Path

from PIL import Image

PHOTOGRAPHS = Path(__file__).parent.parent / "photographs"


def save_photo(name: str, width: int, path: Path) -> None:
    """The photograph stands at `path`, `width` pixels wide, on white where it was transparent."""
    with Image.open(PHOTOGRAPHS / name) as opened:
        picture = opened.convert("RGBA")
    ground = Image.new("RGBA", picture.size, "white")
    ground.alpha_composite(picture)
    height = round(picture.height * width / picture.width)
    ground.convert("RGB").resize((width, height), Image.Resampling.LANCZOS).save(path, format="PNG")
