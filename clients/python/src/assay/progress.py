"""How far something is, for whoever watches: a bar that moves on a terminal, and elsewhere a line
whenever what is said changes; nothing for who wants it quiet."""

import shutil
import sys
from typing import TextIO

FULL, EMPTY = "█", "░"
BAR_COLUMNS = 24
"""Of a terminal of 80 the words beside it need the rest."""


class Progress:
    """Use as a context manager: the line of the bar is ended with it."""

    def __init__(self, out: TextIO | None = None, *, is_quiet: bool = False):
        self._is_quiet = is_quiet
        self._out = out or sys.stderr
        self._moves = self._out.isatty()
        self._last = ""

    def __enter__(self) -> "Progress":
        return self

    def __exit__(self, *_: object) -> None:
        if self._moves and self._last:
            self._out.write("\n")

    def show(self, words: str, done: int, total: int) -> None:
        """Elsewhere than on a terminal only `words` are written, once each time they change."""
        if self._is_quiet:
            return
        if not self._moves:
            self._line(words)
            return
        share = done / total if total else 0.0
        bar = f"{FULL * round(share * BAR_COLUMNS):{EMPTY}<{BAR_COLUMNS}}"
        text = f"{bar} {int(share * 100):3d} %  {words}"
        width = shutil.get_terminal_size().columns - 1
        self._out.write(f"\r\x1b[2K{text[:width]}")
        self._out.flush()
        self._last = text

    def _line(self, words: str) -> None:
        if words != self._last:
            self._out.write(f"{words}\n")
            self._out.flush()
            self._last = words


def duration_words(seconds: float) -> str:
    """ "8 s", "14 min" or "2.5 h", never less than it is."""
    if seconds <= 90:
        return f"{max(1, -int(-seconds // 1))} s"
    return f"{-int(-seconds // 60)} min" if seconds <= 5400 else f"{seconds / 3600 + 0.05:.1f} h"
