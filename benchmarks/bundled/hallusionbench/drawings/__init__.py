"""The pictures of the mini set, drawn so that a fresh clone has a benchmark without a download.

Drawing takes a second and gives the same bytes each time: the PNG files are a product, not a
source. `questions.json` says what each picture shows; whoever changes an argument below changes
answers with it.
"""

from collections.abc import Callable
from pathlib import Path

from .canvas import Canvas
from .cards import chess, water
from .charts import dry_air, mountain_heights, planet_table
from .illusions import finned_lines, lines_over_rays, ringed_discs, squares_on_panels
from .maps import BARCELONA, LISBON, MADRID, australia, iberia
from .scenes import clock, shop_sign, signpost, traffic_light
from .strips import ball_on_slope, candle
from .sums import blackboard, grid, triangle


def draw_figures(folder: Path) -> int:
    """Every picture stands below `folder` as questions.json names it; returns how many there
    are."""
    for name, draw in DRAWINGS.items():
        path = folder / f"{name}.png"
        path.parent.mkdir(parents=True, exist_ok=True)
        draw().save(path)
    return len(DRAWINGS)


DRAWINGS: dict[str, Callable[[], Canvas]] = {
    "VD/figure/0_0": lambda: traffic_light(("red", "amber", "green")),
    "VD/figure/0_1": lambda: traffic_light(("green", "amber", "red")),
    "VD/figure/1_0": lambda: clock(clockwise=True),
    "VD/figure/1_1": lambda: clock(clockwise=False),
    "VD/illusion/0_0": lambda: finned_lines(length_a=320, length_b=320),
    "VD/illusion/0_1": lambda: finned_lines(length_a=420, length_b=300),
    "VD/illusion/1_0": lambda: ringed_discs(left_radius=38, right_radius=38),
    "VD/illusion/1_1": lambda: ringed_discs(left_radius=38, right_radius=56),
    "VD/illusion/2_0": lambda: lines_over_rays(bulge=0, rays=True),
    "VD/illusion/2_1": lambda: lines_over_rays(bulge=56, rays=True),
    "VD/illusion/2_2": lambda: lines_over_rays(bulge=0, rays=False),
    "VD/illusion/3_0": lambda: squares_on_panels(on_dark="#8a8a8a", on_light="#8a8a8a"),
    "VD/illusion/3_1": lambda: squares_on_panels(on_dark="#bcbcbc", on_light="#6e6e6e"),
    "VD/math/0_0": lambda: triangle(left_angle=90, right_angle=35),
    "VD/math/0_1": lambda: triangle(left_angle=80, right_angle=35),
    "VD/math/1_0": lambda: blackboard(47, 38, 85),
    "VD/math/1_1": lambda: blackboard(47, 28, 85),
    "VD/math/2_0": lambda: grid(shaded={0, 2, 5, 7, 8, 9}),
    "VD/math/2_1": lambda: grid(shaded={0, 2, 3, 5, 7, 8, 9}),
    "VD/ocr/0_0": lambda: shop_sign("FRESH BREAD", "BAKED DAILY"),
    "VD/ocr/0_1": lambda: shop_sign("FRESH BEARD", "BAKED DAILY"),
    "VD/ocr/1_0": lambda: signpost(lake_km=4, mill_km=9),
    "VD/ocr/1_1": lambda: signpost(lake_km=9, mill_km=4),
    "VD/video/0_0": lambda: candle(heights=(104, 78, 52, 26)),
    "VD/video/0_1": lambda: candle(heights=(26, 52, 78, 104)),
    "VD/video/1_0": lambda: ball_on_slope(steps=(0, 1, 2, 3)),
    "VD/video/1_1": lambda: ball_on_slope(steps=(3, 2, 1, 0)),
    "VD/video/1_2": lambda: ball_on_slope(steps=(0, 2, 1, 3)),
    "VS/chart/0_1": lambda: mountain_heights(
        {"Everest": 8849, "Aconcagua": 6961, "Denali": 6190, "Kilimanjaro": 5895}
    ),
    "VS/chart/0_2": lambda: mountain_heights(
        {"Everest": 5895, "Aconcagua": 6961, "Denali": 6190, "Kilimanjaro": 8849}
    ),
    "VS/chart/1_1": lambda: dry_air({"Nitrogen": 78, "Oxygen": 21, "Other gases": 1}),
    "VS/chart/1_2": lambda: dry_air({"Oxygen": 78, "Nitrogen": 21, "Other gases": 1}),
    "VS/map/0_1": lambda: iberia({"Lisbon": LISBON, "Madrid": MADRID, "Barcelona": BARCELONA}),
    "VS/map/0_2": lambda: iberia({"Lisbon": BARCELONA, "Madrid": MADRID, "Barcelona": LISBON}),
    "VS/map/1_1": lambda: australia(),
    "VS/map/1_2": lambda: australia(tasmania_moved=(-11, 34.5)),
    "VS/ocr/0_1": lambda: water(freezes=0, boils=100),
    "VS/ocr/0_2": lambda: water(freezes=100, boils=0),
    "VS/ocr/1_1": lambda: chess(rook="along rows and columns", bishop="diagonally"),
    "VS/ocr/1_2": lambda: chess(rook="diagonally", bishop="along rows and columns"),
    "VS/table/0_1": lambda: planet_table(("Mercury", "Venus", "Earth", "Mars")),
    "VS/table/0_2": lambda: planet_table(("Mercury", "Mars", "Earth", "Venus")),
}
