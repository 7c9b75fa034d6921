"""The rows of a kept board as columns: little-endian, byte by byte in turn, compressed.

Bytes of the same place in a number resemble one another more than those of one number: a row takes
some 35 bytes so, and 120 as compressed JSON.
"""

import json
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.statistics.resampling import Floats

Numbers = NDArray[np.int64]
NUMBERS = ("keys", "rank", "best", "worst", "best_together", "worst_together", "lead", "flags")
FLOATS = ("ahead", "low", "high", "low_together", "high_together")
BASELINE = 1
"""A bit of flags."""
NONE = -1
"""In columns of numbers what is null in `BoardRow`; among floats it is nan."""


@dataclass(frozen=True, slots=True)
class Columns:
    """A board's rows in board order; each array (entries,).

    numbers: by name; keys: of `ShownRow`; lead: the position of the row whose place it shares.
    floats: by name, as of `BoardRow`. firsts: by metric, who may be first in its column.
    """

    numbers: Mapping[str, Numbers]
    floats: Mapping[str, Floats]
    firsts: Mapping[str, NDArray[np.bool_]]

    @property
    def size(self) -> int:
        return len(self.numbers["keys"])

    def number(self, name: str, position: int) -> int | None:
        value = int(self.numbers[name][position])
        return None if value == NONE else value

    def real(self, name: str, position: int) -> float | None:
        value = float(self.floats[name][position])
        return None if np.isnan(value) else value

    def first_counts(self, ranking: str, *, together: bool) -> dict[str, int]:
        """By metric, how many may be first in its column."""
        best = self.numbers["best_together" if together else "best"]
        counts = {name: int(marks.sum()) for name, marks in self.firsts.items()}
        return {**counts, ranking: int((best == 1).sum())}

    def of_rows(self) -> dict[str, NDArray[Any]]:
        """What tells of all rows which of them a page reads (results.selectors.part.BoardRows)."""
        return {
            "leads": self.numbers["lead"],
            "is_ranked": self.numbers["rank"] != NONE,
            "is_baseline": (self.numbers["flags"] & BASELINE) > 0,
        }


def columns_of(rows: Sequence[Mapping[str, Any]], firsts: Sequence[Sequence[str]]) -> Columns:
    """rows: by the names of NUMBERS and FLOATS, None where there is nothing; firsts: of each row
    the metrics in whose column it may be first."""
    numbers = {
        name: np.array([NONE if r[name] is None else r[name] for r in rows], dtype=np.int64)
        for name in NUMBERS
    }
    floats = {
        name: np.array([np.nan if r[name] is None else r[name] for r in rows], dtype=np.float64)
        for name in FLOATS
    }
    names = sorted({name for names_of_row in firsts for name in names_of_row})
    marked = {
        name: np.array([name in names_of_row for names_of_row in firsts], dtype=bool)
        for name in names
    }
    return Columns(numbers, floats, marked)


def packed(columns: Columns) -> bytes:
    head = json.dumps({"size": columns.size, "firsts": list(columns.firsts)}).encode()
    parts = [
        *(shuffled(columns.numbers[name].astype("<i8")) for name in NUMBERS),
        *(shuffled(columns.floats[name].astype("<f8")) for name in FLOATS),
        *(np.packbits(marks).tobytes() for marks in columns.firsts.values()),
    ]
    return zlib.compress(head + b"\n" + b"".join(parts), 9)


def unpacked(content: bytes) -> Columns:
    head, _, body = zlib.decompress(content).partition(b"\n")
    header = json.loads(head)
    size, place = header["size"], 0

    def taken(count: int) -> bytes:
        nonlocal place
        place += count
        return body[place - count : place]

    numbers = {name: turned(taken(8 * size), size).view("<i8") for name in NUMBERS}
    floats = {name: turned(taken(8 * size), size).view("<f8") for name in FLOATS}
    firsts = {
        name: np.unpackbits(np.frombuffer(taken(-(-size // 8)), dtype=np.uint8), count=size) > 0
        for name in header["firsts"]
    }
    return Columns(numbers, floats, firsts)


def shuffled(values: NDArray[Any]) -> bytes:
    """First the first byte of each, then the second, and so on."""
    return values.view(np.uint8).reshape(len(values), 8).T.tobytes()


def turned(content: bytes, size: int) -> NDArray[Any]:
    """The bytes of the numbers one after the other again, (8 * size,)."""
    columns = np.frombuffer(content, dtype=np.uint8).reshape(8, size)
    return np.ascontiguousarray(columns.T).reshape(8 * size)
