"""The self-written mini set: questions, descriptions and references, with pictures that are drawn, not shipped."""

from pathlib import Path

from .part_a.figures_a import draw_figures as draw_recognition
from .part_b.figures_b import draw_figures as draw_comprehension

BUNDLED = Path(__file__).parent


def draw_figures(folder: Path) -> int:
    """Every picture that questions.json names stands below `folder`; returns how many there are."""
    return draw_recognition(folder) + draw_comprehension(folder)


def draw_chinese_figures(folder: Path) -> int:
    """The same for questions_zh.json."""
    return draw_comprehension(folder)
