"""The pictures of the mini set: exactly those that are named, and the same bytes each time."""

import hashlib
import json

import pytest

from benchmarks.bundled.touchstone import BUNDLED
from benchmarks.bundled.touchstone.figures import (
    DRAWINGS,
    PHOTOS,
    draw_chinese_figures,
    draw_figures,
)
from benchmarks.bundled.touchstone.figures.photos import PHOTOGRAPHS
from tests.each_case import each_case


def named(file: str) -> set[str]:
    return {row["image"] for row in json.loads((BUNDLED / file).read_text(encoding="utf-8"))}


@pytest.mark.slow
def test_exactly_the_pictures_that_are_named_are_drawn(tmp_path):
    count = draw_figures(tmp_path)
    drawn = {str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*.png")}
    assert drawn == named("questions.json")
    assert count == len(drawn) == len(DRAWINGS) + len(PHOTOS)


@pytest.mark.slow
def test_the_chinese_pictures_are_among_the_english(tmp_path):
    draw_chinese_figures(tmp_path)
    drawn = {str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*.png")}
    assert named("questions_zh.json") <= drawn <= named("questions.json")


@pytest.mark.slow
@pytest.mark.parametrize("name", ["species/butterfly", "comprehension/update_comic"])
def test_a_drawing_has_the_same_bytes_each_time(name, tmp_path):
    for copy in ("one.png", "two.png"):
        DRAWINGS[name]().save(tmp_path / copy)
    assert (tmp_path / "one.png").read_bytes() == (tmp_path / "two.png").read_bytes()


def test_every_photograph_is_in_the_list_of_sources():
    sources = (BUNDLED / "SOURCES.md").read_text(encoding="utf-8")
    assert all(file in sources for file, _ in PHOTOS.values())


# SHA-256, shortened: the files whose pixels the descriptions were written of.
DESCRIBED = {
    "rocket.jpg": "c2dd0de7c538df8d",
    "camera.webp": "9be1e529af571029",
    "coffee.webp": "c2f3e9f16a6bcd5b",
    "astronaut.webp": "f9342399687d083d",
    "chelsea.webp": "b1137e65ca09628a",
    "horse.webp": "e89f227e7f9949a9",
    "clock_motion.webp": "519ee42d6ec086a6",
    "hubble_deep_field.jpg": "3a19c5dd8a927a93",
}


@each_case("file", [file for file, _ in PHOTOS.values()])
def test_a_photograph_is_the_one_that_was_described(file):
    stored = (PHOTOGRAPHS / file).read_bytes()
    assert hashlib.sha256(stored).hexdigest()[:16] == DESCRIBED[file]
