"""The pictures of part B of the mini set, drawn so that a fresh clone has a benchmark without a download.

Drawing gives the same bytes each time: the PNG files are a product, not a source. `questions_b.json` and
`questions_zh.json` describe every picture in detail; whoever changes a drawing changes their descriptions with it.
"""

from collections.abc import Callable
from pathlib import Path

from . import abstracts, charts, comics, panels, papers, plans, scenes
from .canvas import Canvas


def draw_figures(folder: Path) -> int:
    """Every picture stands below `folder` as the question files name it; returns how many there are."""
    for name, draw in DRAWINGS.items():
        path = folder / f"{name}.png"
        path.parent.mkdir(parents=True, exist_ok=True)
        draw().save(path)
    return len(DRAWINGS)


DRAWINGS: dict[str, Callable[[], Canvas]] = {
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
