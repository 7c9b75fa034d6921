"""The self-written mini set: questions, descriptions and references, with their pictures."""

from pathlib import Path

from .figures import draw_chinese_figures, draw_figures

BUNDLED = Path(__file__).parent

__all__ = ["BUNDLED", "draw_chinese_figures", "draw_figures"]
