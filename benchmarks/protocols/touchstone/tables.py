"""Rows of a tab-separated file whose cells may be pictures of many megabytes, held one row at a
time.

Not the csv module: its limit of 131,072 characters per cell is a setting of the whole process, and
the reader of submitted files relies on it. The dialect is the same: a cell that opens with a quote
ends at the next single quote, may hold tabs and line ends, and writes its own quotes twice. Cells
are bytes, so that pictures are never text.
"""

from collections.abc import Iterator
from typing import BinaryIO, NamedTuple

from benchmarks.protocols.base import Problem

MAX_ROW_BYTES = 32 * 1024 * 1024


class Row(NamedTuple):
    """`line` is the one it starts on. `is_cut`: the file ends behind it without a line end. `raw`:
    the row as it stands in the file, with that line end."""

    line: int
    cells: list[bytes]
    is_cut: bool
    raw: bytes = b""


def read_rows(first: bytes, stream: BinaryIO, number: int = 1) -> Iterator[Row | Problem]:
    """Every row that is not blank; `first` is the line already taken from the stream, `number` its
    number. A row that is too long or never closes a quote ends the reading: what follows cannot be
    told from the inside of a cell."""
    lines = _Lines(first, stream, number)
    while line := lines.take():
        start = lines.number
        cells = _Cells()
        cells.add_line(line)
        size, raw = len(line), [line]
        while cells.is_open and size <= MAX_ROW_BYTES and (line := lines.take()):
            cells.add_line(line)
            raw.append(line)
            size += len(line)
        if size > MAX_ROW_BYTES:
            yield _too_long(start)
            return
        if cells.is_open:
            yield _unclosed(start)
            return
        if cells.is_broken:
            yield _broken(start)
        elif cells.done != [b""]:
            yield Row(start, cells.done, not line.endswith(b"\n"), b"".join(raw))


class _Lines:
    def __init__(self, first: bytes, stream: BinaryIO, number: int) -> None:
        self._first, self._stream = first, stream
        self.number = number - 1

    def take(self) -> bytes:
        """The next line with its end, at most a little more than a row may have; empty at the end
        of the file."""
        line = self._first or self._stream.readline(MAX_ROW_BYTES + 1)
        self._first = b""
        self.number += 1
        return line


class _Cells:
    """The cells of one row, put in line by line."""

    def __init__(self) -> None:
        self.done: list[bytes] = []
        self.is_broken = False
        self._open: list[bytes] = []
        self._quotes = 0

    @property
    def is_open(self) -> bool:
        return bool(self._open)

    def add_line(self, line: bytes) -> None:
        content = line.removesuffix(b"\n").removesuffix(b"\r")
        for place, piece in enumerate(content.split(b"\t")):
            if self._open:
                self._open.append(b"\t" if place else b"")
            self._add(piece)
        if self._open:
            self._open.append(line[len(content) :])

    def _add(self, piece: bytes) -> None:
        if not self._open and not piece.startswith(b'"'):
            self.done.append(piece)
            return
        self._open.append(piece)
        self._quotes += piece.count(b'"')
        if self._quotes % 2 == 0:
            self._close()

    def _close(self) -> None:
        whole = b"".join(self._open)
        inner = whole[1:-1]
        if b'"' in inner or not whole.endswith(b'"'):
            self.is_broken |= not whole.endswith(b'"') or b'"' in inner.replace(b'""', b"")
            inner = inner.replace(b'""', b'"')
        self.done.append(inner)
        self._open, self._quotes = [], 0


def _too_long(start: int) -> Problem:
    message = (
        "The row is too long, or a quote opened in it is never closed. The rest of the file was "
        "not read."
    )
    return Problem("too-long", message, start, expected=f"at most {MAX_ROW_BYTES} bytes")


def _unclosed(start: int) -> Problem:
    message = "A quote opened in this row is never closed; the file may have been cut off."
    return Problem(
        "cut-off",
        message,
        start,
        expected="cells with all quotes closed",
        found="the end of the file",
    )


def _broken(start: int) -> Problem:
    message = (
        "A quoted cell of this row goes on after its closing quote. Quotes inside a cell are "
        "doubled."
    )
    return Problem("quote", message, start, expected="cells with all quotes closed")
