"""The self-written mini set: questions and references, with pictures that are drawn, not
shipped."""

from pathlib import Path

from .drawings import draw_figures

BUNDLED = Path(__file__).parent

__all__ = ["BUNDLED", "draw_figures"]
