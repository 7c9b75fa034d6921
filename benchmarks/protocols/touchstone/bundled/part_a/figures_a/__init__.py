"""The pictures of part A, so that a fresh clone has a TouchStone-style benchmark without a download.

Drawing takes some seconds and gives the same bytes each time: the PNG files are a product, not a source.
`questions_a.json` describes every picture in words; whoever changes a drawing changes a description with it.
"""

from collections.abc import Callable
from pathlib import Path

from .brands import bottles, delivery_van, tea_tin
from .canvas import Canvas
from .faces import chess_players, four_faces
from .films import brick_road, moon_shot, shadow_on_stairs
from .landmarks import eiffel_tower, giza, stonehenge
from .paintings import composition, great_wave, starry_night
from .papers import opening_hours, ticket
from .photos import save_photo
from .portraits import curie, einstein, tramp
from .puzzles import impossible_triangle, park_shadows
from .scenes import harbour, market
from .species import butterfly, penguins


def draw_figures(folder: Path) -> int:
    """Every picture stands below `folder` as questions_a.json names it; returns how many there are."""
    for name, draw in DRAWINGS.items():
        draw().save(_place(folder, name))
    for name, (source, width) in PHOTOS.items():
        save_photo(source, width, _place(folder, name))
    return len(DRAWINGS) + len(PHOTOS)


def _place(folder: Path, name: str) -> Path:
    path = folder / f"{name}.png"
    path.parent.mkdir(parents=True, exist_ok=True)
    return path


DRAWINGS: dict[str, Callable[[], Canvas]] = {
    "description/market": market,
    "description/harbour": harbour,
    "species/butterfly": butterfly,
    "species/penguins": penguins,
    "celebrity/physicist": einstein,
    "celebrity/tramp": tramp,
    "celebrity/chemist": curie,
    "text/ticket": ticket,
    "text/opening_hours": opening_hours,
    "emotion/four_faces": four_faces,
    "emotion/chess_players": chess_players,
    "film/moon": moon_shot,
    "film/shadow": shadow_on_stairs,
    "film/brick_road": brick_road,
    "art/wave": great_wave,
    "art/night": starry_night,
    "art/composition": composition,
    "real/triangle": impossible_triangle,
    "real/park": park_shadows,
    "landmark/tower": eiffel_tower,
    "landmark/pyramids": giza,
    "landmark/stones": stonehenge,
    "brand/tea_tin": tea_tin,
    "brand/bottles": bottles,
    "brand/van": delivery_van,
}

# File in scikit-image's data folder and width in pixels.
PHOTOS: dict[str, tuple[str, int]] = {
    "description/rocket": ("rocket.jpg", 800),
    "description/photographer": ("camera.png", 640),
    "description/coffee": ("coffee.png", 780),
    "celebrity/astronaut": ("astronaut.png", 640),
    "species/cat": ("chelsea.png", 676),
    "species/silhouette": ("horse.png", 640),
    "real/blur": ("clock_motion.png", 640),
    "real/deep_field": ("hubble_deep_field.jpg", 800),
}
