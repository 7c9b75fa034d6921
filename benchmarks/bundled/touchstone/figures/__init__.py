"""The pictures of the mini set, so that a fresh clone has a TouchStone-style benchmark without a
download.

Drawing takes some seconds and gives the same bytes each time: the PNG files are a product, not a
source. The question files describe every picture in detail; whoever changes a drawing changes its
descriptions with it.
"""

from collections.abc import Callable
from pathlib import Path

from . import (
    abstracts,
    brands,
    charts,
    comics,
    faces,
    films,
    landmarks,
    notices,
    paintings,
    panels,
    papers,
    places,
    plans,
    portraits,
    puzzles,
    scenes,
    species,
)
from .canvas import Canvas
from .photos import save_photo
from .prepared import PREPARED


def draw_figures(folder: Path) -> int:
    """Every picture that questions.json and questions_zh.json name stands below `folder`; returns
    how many."""
    for name, draw in DRAWINGS.items():
        draw().save(_place(folder, name))
    for name, (source, width) in PHOTOS.items():
        save_photo(source, width, _place(folder, name))
    return len(DRAWINGS) + len(PHOTOS)


def draw_chinese_figures(folder: Path) -> int:
    """The same for questions_zh.json alone."""
    drawings = {name: draw for name, draw in DRAWINGS.items() if name.startswith(_CHINESE_FOLDERS)}
    for name, draw in drawings.items():
        draw().save(_place(folder, name))
    return len(drawings)


def draw_prepared_figures(folder: Path) -> int:
    """The pictures that prepared.json names, of a release that is not open yet."""
    for name, draw in PREPARED.items():
        draw().save(_place(folder, name))
    return len(PREPARED)


_CHINESE_FOLDERS = ("comprehension/", "storytelling/", "multi_image/")


def _place(folder: Path, name: str) -> Path:
    path = folder / f"{name}.png"
    path.parent.mkdir(parents=True, exist_ok=True)
    return path


DRAWINGS: dict[str, Callable[[], Canvas]] = {
    "description/market": places.market,
    "description/harbour": places.harbour,
    "species/butterfly": species.butterfly,
    "species/penguins": species.penguins,
    "celebrity/physicist": portraits.einstein,
    "celebrity/tramp": portraits.tramp,
    "celebrity/chemist": portraits.curie,
    "text/ticket": notices.ticket,
    "text/opening_hours": notices.opening_hours,
    "emotion/four_faces": faces.four_faces,
    "emotion/chess_players": faces.chess_players,
    "film/moon": films.moon_shot,
    "film/shadow": films.shadow_on_stairs,
    "film/brick_road": films.brick_road,
    "art/wave": paintings.great_wave,
    "art/night": paintings.starry_night,
    "art/composition": paintings.composition,
    "real/triangle": puzzles.impossible_triangle,
    "real/park": puzzles.park_shadows,
    "landmark/tower": landmarks.eiffel_tower,
    "landmark/pyramids": landmarks.giza,
    "landmark/stones": landmarks.stonehenge,
    "brand/tea_tin": brands.tea_tin,
    "brand/bottles": brands.bottles,
    "brand/van": brands.delivery_van,
    "comprehension/line_chart": charts.museum_visitors,
    "comprehension/bar_chart": charts.library_loans,
    "comprehension/pie_chart": charts.water_use,
    "comprehension/scatter_plot": charts.heated_houses,
    "comprehension/timetable": papers.timetable,
    "comprehension/receipt": papers.receipt,
    "comprehension/floor_plan": plans.floor_plan,
    "comprehension/circuit": plans.circuit,
    "comprehension/triangle": plans.triangle,
    "comprehension/garden": plans.garden,
    "comprehension/scales": plans.scales,
    "comprehension/power_strip": scenes.power_strip,
    "comprehension/cottages": scenes.cottages,
    "comprehension/grid": abstracts.grid,
    "comprehension/tilted_bars": abstracts.tilted_bars,
    "comprehension/rings": abstracts.rings,
    "comprehension/dots": abstracts.dots,
    "comprehension/poster": abstracts.poster,
    "comprehension/woodblock": abstracts.woodblock,
    "comprehension/sunday_comic": comics.sunday,
    "comprehension/update_comic": comics.update,
    "comprehension/cactus_comic": comics.cactus,
    "storytelling/lighthouse": scenes.lighthouse,
    "storytelling/platform": scenes.platform,
    "storytelling/attic": scenes.attic,
    "storytelling/sink": scenes.sink,
    "storytelling/parcel": scenes.parcel,
    "storytelling/empty_plot": scenes.empty_plot,
    "storytelling/autumn": scenes.autumn,
    "storytelling/menu": papers.menu,
    "storytelling/books": papers.books,
    "multi_image/kettles": panels.kettles,
    "multi_image/bicycles": panels.bicycles,
    "multi_image/bean": panels.bean,
    "multi_image/lost_dog": panels.lost_dog,
    "multi_image/forecast": panels.forecast,
    "multi_image/pond": panels.pond,
    "multi_image/rooms": panels.rooms,
    "multi_image/two_axes": charts.same_sales_two_axes,
}

# File in photographs/ and width in pixels.
PHOTOS: dict[str, tuple[str, int]] = {
    "description/rocket": ("rocket.jpg", 800),
    "description/photographer": ("camera.webp", 640),
    "description/coffee": ("coffee.webp", 780),
    "celebrity/astronaut": ("astronaut.webp", 640),
    "species/cat": ("chelsea.webp", 676),
    "species/silhouette": ("horse.webp", 640),
    "real/blur": ("clock_motion.webp", 640),
    "real/deep_field": ("hubble_deep_field.jpg", 800),
}
