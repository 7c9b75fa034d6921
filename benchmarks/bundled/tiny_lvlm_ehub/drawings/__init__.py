"""The pictures of the mini suite, so that a fresh clone has a Tiny LVLM-eHub without a download.

Drawing takes some seconds and gives the same bytes each time: the PNG files are a product, not a
source. `questions.json` says what each picture is asked for; whoever changes a drawing changes
references with it.
"""

from collections.abc import Callable
from pathlib import Path

from benchmarks.bundled.touchstone.figures.shapes import GREEN, RED, TEAL, WHITE

from . import beasts, lettering, outdoors, papers, riddles, rooms, signs, subjects, things
from .sheet import Sheet


def draw_figures(folder: Path) -> int:
    """Every picture that questions.json names stands in `folder`; returns how many there are."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, draw in DRAWINGS.items():
        draw().save(folder / f"{name}.png")
    return len(DRAWINGS)


DRAWINGS: dict[str, Callable[[], Sheet]] = {
    "teapot": subjects.teapot,
    "balloon": subjects.balloon,
    "car": subjects.car,
    "airplane": subjects.airplane,
    "siamese": beasts.siamese,
    "pug": beasts.pug,
    "sunflower": subjects.sunflower,
    "daffodil": subjects.daffodil,
    "meadow": outdoors.meadow,
    "beach": outdoors.beach,
    "street": outdoors.street,
    "park": outdoors.park,
    "dinner": rooms.dinner,
    "office": rooms.office,
    "kitchen": rooms.kitchen,
    "living_room": rooms.living_room,
    "bedroom": rooms.bedroom,
    "table": rooms.table,
    "word_hotel": lambda: signs.plate("HOTEL", "#c9b9a4", "#7d2a3b", "#f3dfae", 88),
    "word_museum": lambda: signs.plate("Museum", "#aeb9bd", WHITE, "#22405c", 78),
    "word_exit": signs.exit_sign,
    "word_caution": signs.caution_sign,
    "word_platform": signs.platform_sign,
    "word_sale": signs.sale_window,
    "word_taxi": signs.taxi,
    "word_fruit": signs.fruit_awning,
    "word_toilets": signs.toilets_sign,
    "word_inn": lettering.inn_sign,
    "word_oak": lettering.oak_sign,
    "word_coffee": lettering.coffee_badge,
    "word_united": lettering.shirt,
    "word_pharmacy": lambda: signs.shop("PHARMACY", "#e4e7e2", GREEN, TEAL),
    "word_bakery": lambda: signs.shop("BAKERY", "#dbb98c", "#7a4a24", RED),
    "word_library": lettering.library,
    "word_cinema": lettering.cinema,
    "word_marlin": signs.boat,
    "word_train": signs.train,
    "word_dream": lettering.dream,
    "word_sunny": lettering.sunny,
    "word_tea": lettering.tea_tin,
    "word_birthday": lettering.birthday,
    "word_garden": lettering.hidden_garden,
    "word_market": lettering.taped_market,
    "word_school": lettering.school,
    "word_orange": lettering.crate,
    "receipt_grocery": papers.grocery,
    "receipt_hardware": papers.hardware,
    "form": papers.form,
    "memo": papers.memo,
    "visitors": papers.visitors,
    "poster": papers.poster,
    "book_salt": papers.salt_road,
    "book_bread": papers.bread_book,
    "bottle": papers.bottle,
    "stall": papers.stall,
    "can": papers.can,
    "milk": papers.milk,
    "hive": riddles.hive,
    "cactus": riddles.cactus,
    "stars": riddles.stars,
    "clock": riddles.clock,
    "birdcage": riddles.birdcage,
    "square_wheels": outdoors.square_wheels,
    "food_chain": riddles.food_chain,
    "magnets": riddles.magnets,
    "fire_engine": things.fire_engine,
    "flamingo": beasts.flamingo,
    "pizza": things.pizza,
    "stop_sign": things.stop_sign,
    "die": things.die,
    "honeycomb": things.honeycomb,
    "egg": things.egg,
    "barrel": things.barrel,
    "mitten": things.mitten,
    "snail": beasts.snail,
    "windmill": things.windmill,
    "spider": beasts.spider,
    "giraffe": beasts.giraffe_and_zebra,
}
