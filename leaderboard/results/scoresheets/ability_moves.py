"""How far each value by ability moves when a group of questions is left out, kept with the
scoresheet: it tells how far the values of two entries rise and fall on the same questions."""

import json
import zlib
from collections.abc import Mapping

import numpy as np

from benchmarks.protocols.base import Board
from benchmarks.statistics.resampling import Floats

KIND = "<f4"
"""Seven digits. Few groups move an ability at all, so that what is kept is mostly zeros, and
compresses to a few kB: 1,000 resamples of each ability are a hundred times that."""


def ability_names(board: Board) -> tuple[str, ...]:
    """Metrics that are compared by ability: what charts draw; where nothing is drawn, columns that
    are of one ability; none of those that only labelled answers have."""
    drawn = [m.name for chart in board.charts for group in chart.groups for m in group.metrics]
    metrics = (metric for metric in board.metrics() if not metric.needs_labels)
    scoped = [metric.name for metric in metrics if "@" in metric.name]
    return tuple(dict.fromkeys(drawn or scoped))


def packed_moves(moves: Mapping[str, Floats]) -> bytes:
    """moves: (groups,) by name; empty where there are none."""
    if not moves:
        return b""
    content = b"".join(move.astype(KIND).tobytes() for move in moves.values())
    return zlib.compress(json.dumps(list(moves)).encode() + b"\n" + content)


def unpacked_moves(packed: bytes | memoryview | None) -> dict[str, Floats]:
    """Nothing for a sheet of before they were kept, or of a benchmark without abilities."""
    if not packed:
        return {}
    head, _, content = zlib.decompress(packed).partition(b"\n")
    names = json.loads(head)
    rows = np.frombuffer(content, dtype=KIND).astype(np.float64).reshape(len(names), -1)
    return dict(zip(names, rows, strict=True))
