"""A forest plot as SVG: a row per entry, its value as a point and its 95 % interval as a line.

It is drawn twice, for wide pages with names beside the lines and for narrow ones with names above
them, since text in a drawing that is scaled down cannot be read. Classes do the looks
(static/css/charts.css). Positions are computed here, in pixels of the drawing.
"""

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe

from leaderboard.web.board.radar import tidy

LETTER = 7.6
"""Width of a letter at 13 px in the widest of the usual system fonts: names must stay whole."""
OWN_LETTER = 6.6
"""The same in the site's own typeface, in which narrow drawings always are: on a phone a name and
its figures share a line, and a name that folds costs a line of every row."""
LINE = 16
FEWEST_LETTERS = 10
"""Of a line of a name: fewer would stand a word in pieces."""
PIECES = re.compile(r"[^ -]*[ -]?")
STEPS = (1.0, 2.0, 2.5, 5.0)
"""Of an axis, times a power of ten."""


@dataclass(frozen=True, slots=True)
class ForestRow:
    """`place` is a rank range, `score` the value and `interval` its own, as printed. `value` is
    None where there is none, `low` and `high` where there is no interval; all in the axis's units.
    `beside` is markup for the room at the right, its line at a height of 0. is_own: of the entry
    that the page is about."""

    name: str
    url: str
    place: str
    score: str
    value: float | None
    low: float | None = None
    high: float | None = None
    interval: str = ""
    beside: str = ""
    is_own: bool = False


@dataclass(frozen=True, slots=True)
class ForestMark:
    """What runs through all rows: a band from `low` to `high`, or where these are equal a line."""

    label: str
    low: float
    high: float
    kind: Literal["band", "rule"] = "band"


@dataclass(frozen=True, slots=True)
class ForestAxis:
    """From `low` to `high`, in the unit in which values are printed."""

    title: str
    low: float
    high: float

    def share(self, value: float) -> float:
        """Where on the axis a value lies, from 0 to 1; one beyond an end lies on it."""
        if self.high <= self.low:
            return 0.5
        return min(max((value - self.low) / (self.high - self.low), 0.0), 1.0)

    def holds(self, value: float) -> bool:
        return self.low <= value <= self.high

    def ticks(self, most: int) -> list[float]:
        """Round numbers on the axis, at most so many; its middle where it has no length."""
        length = self.high - self.low
        if length <= 0:
            return [self.low]
        power = 10.0 ** math.floor(math.log10(length / most))
        sizes = (step * power * scale for scale in (1.0, 10.0) for step in STEPS)
        step = next(size for size in sizes if length / size < most)
        first, last = math.ceil(self.low / step - 1e-9), math.floor(self.high / step + 1e-9)
        return [number * step for number in range(first, last + 1)]


@dataclass(frozen=True, slots=True)
class Layout:
    """Where things stand. `name` is the left edge of names and `letters` how many fit a line,
    `left` and `right` the ends of the axis, `value` the right edge of values. names_above: over the
    line and not beside it; head: room above the rows; beside: the left edge of what a row has
    beside it, 0 where there is no room."""

    slug: str
    width: int
    name: int
    letters: int
    left: int
    right: int
    value: int
    ticks: int
    head: int
    names_above: bool
    beside: int = 0


WIDE = Layout("wide", 780, 56, 24, 250, 618, 780, 8, 24, names_above=False)
WIDEST = replace(WIDE, slug="wide beside", width=1230, head=44, beside=810)
NARROW = Layout("narrow", 328, 50, 22, 50, 314, 328, 6, 4, names_above=True)
FOOT, MARK_LINE = 40, 18
"""Heights: of the axis below the rows, and of a band's words."""
INTERVAL = 108
"""Width of the longest interval that is usual, "52.75 to 79.77", and the blank before it."""
ABOVE_LINE = 8
"""So much is free of words above the line of a row whose name stands over it."""


@dataclass(frozen=True, slots=True)
class PlacedRow:
    """top and height: of all of it; line: where its point lies; first: the foot of its name's first
    line."""

    row: ForestRow
    names: tuple[str, ...]
    top: float
    height: float
    line: float
    first: float


def draw_forest(
    rows: Sequence[ForestRow],
    axis: ForestAxis,
    marks: Sequence[ForestMark],
    layout: Layout,
    *,
    label: str,
    beside: str = "",
    below: str = "",
) -> SafeString:
    """beside: markup of the heads of what rows have beside them; below: of what stands under it."""
    placed = list(placed_rows(rows, layout))
    bottom = placed[-1].top + placed[-1].height if placed else float(layout.head)
    foot = bottom + MARK_LINE * len(marks)
    free = strips(placed, layout, bottom)
    labels = [label_of(mark, axis, layout) for mark in marks]
    is_aligned = not layout.names_above and any(row.interval for row in rows)
    scores = layout.value - (INTERVAL if is_aligned else 0)
    parts = [
        *heads(rows, layout, scores),
        f'<g transform="translate({layout.beside} 14)">{beside}</g>' if layout.beside else "",
        f'<g transform="translate({layout.beside} {tidy(bottom + 13)})">{below}</g>'
        if below
        else "",
        *(mark_markup(n, marks[n], axis, layout, free, labels) for n in range(len(marks))),
        *grid(axis, layout, free, foot),
        *(row_markup(one, axis, layout, scores) for one in placed),
    ]
    svg = (
        f'<svg class="forest {layout.slug}" viewBox="0 0 {layout.width} {tidy(foot + FOOT)}" '
        f'role="group" aria-label="{escape(label)}">{"".join(parts)}</svg>'
    )
    return mark_safe(svg)  # noqa: S308 - texts and addresses are escaped, the rest are numbers


def placed_rows(rows: Sequence[ForestRow], layout: Layout) -> Iterator[PlacedRow]:
    top = float(layout.head)
    for row in rows:
        names = folded(row.name, letters_beside(row, layout))
        words = len(names) * LINE
        if layout.names_above:
            height, line, first = words + 20.0, top + words + 9, top + 12
        else:
            height = max(24.0, words + 8.0)
            line, first = top + height / 2, top + (height - words) / 2 + 12
        yield PlacedRow(row, names, top, height, line, first)
        top += height


Strip = tuple[float, float]
"""Between which heights a line runs down."""


def strips(placed: Sequence[PlacedRow], layout: Layout, bottom: float) -> list[Strip]:
    """Where lines may run through the rows without crossing a word: everywhere where names and
    values stand beside the axis, else beside the lines of the rows."""
    if not layout.names_above:
        return [(layout.head, bottom)]
    return [(one.line - ABOVE_LINE, one.top + one.height) for one in placed]


def letters_beside(row: ForestRow, layout: Layout) -> int:
    """How many letters of a name fit a line. Above the line its value stands on the same one."""
    if not layout.names_above:
        return layout.letters
    room = layout.value - layout.name - OWN_LETTER * (len(row.score) + len(row.interval) + 2)
    return max(FEWEST_LETTERS, min(layout.letters, int(room / OWN_LETTER)))


def folded(text: str, letters: int) -> tuple[str, ...]:
    """The whole text on lines of at most so many letters, broken behind spaces and hyphens where it
    has any."""
    lines = [""]
    for piece in PIECES.findall(" ".join(text.split())):
        if lines[-1] and len(lines[-1]) + len(piece.rstrip()) > letters:
            lines.append("")
        last = lines.pop() + piece
        *full, rest = range(0, max(1, len(last.rstrip())), letters)
        lines += [*(last[start : start + letters] for start in full), last[rest:]]
    return tuple(line.rstrip() for line in lines)


def place_on(axis: ForestAxis, layout: Layout, value: float) -> float:
    return layout.left + axis.share(value) * (layout.right - layout.left)


def heads(rows: Sequence[ForestRow], layout: Layout, scores: int) -> Iterator[str]:
    """Of what any row has."""
    if layout.names_above:
        return
    rank = [("Rank", 0, "")] if any(row.place for row in rows) else []
    interval = [("95 % interval", scores + 10, "")] if scores < layout.value else []
    columns = (*rank, ("Model", layout.name, ""), ("Score", scores, " end"), *interval)
    for words, x, anchor in columns:
        yield f'<text class="head{anchor}" x="{x}" y="14">{words}</text>'


def runs(x: float, free: Sequence[Strip]) -> str:
    """A path down these strips."""
    return "".join(f"M{tidy(x)} {tidy(top)}V{tidy(bottom)}" for top, bottom in free)


def grid(axis: ForestAxis, layout: Layout, free: Sequence[Strip], foot: float) -> Iterator[str]:
    """The axis below the rows, and a line up from each of its ticks."""
    lines = ""
    for tick in axis.ticks(layout.ticks):
        x = place_on(axis, layout, tick)
        lines += runs(x, [*free, (foot, foot + 3)])
        yield f'<text class="tick" x="{tidy(x)}" y="{tidy(foot + 15)}">{tick:g}</text>'
    yield f'<path class="grid" d="{lines}"/>'
    yield f'<path class="axis" d="M{layout.left} {tidy(foot)}H{layout.right}"/>'
    middle = tidy((layout.left + layout.right) / 2)
    yield f'<text class="axis-title" x="{middle}" y="{tidy(foot + 33)}">{escape(axis.title)}</text>'


@dataclass(frozen=True, slots=True)
class Label:
    """The words of a mark between `left` and `right`; is_end: written up to `right`."""

    left: float
    right: float
    is_end: bool

    def covers(self, x: float) -> bool:
        return self.left - 2 <= x <= self.right + 2


def label_of(mark: ForestMark, axis: ForestAxis, layout: Layout) -> Label:
    """Beside the mark, and always in the drawing."""
    low, high = place_on(axis, layout, mark.low), place_on(axis, layout, mark.high)
    width = len(mark.label) * LETTER
    if low + width + 6 <= layout.width:
        return Label(low + 4, low + 4 + width, is_end=False)
    right = max(high - 4, width)
    return Label(right - width, right, is_end=True)


def mark_markup(
    number: int,
    mark: ForestMark,
    axis: ForestAxis,
    layout: Layout,
    free: Sequence[Strip],
    labels: Sequence[Label],
) -> str:
    """A band or a line through all rows, and its words below them. Neither crosses the words of a
    row, nor a line those of marks."""
    low, high = place_on(axis, layout, mark.low), place_on(axis, layout, mark.high)
    bottom = free[-1][1] if free else float(layout.head)
    label, y = labels[number], bottom + MARK_LINE * number
    blocks = "".join(
        f"M{tidy(low)} {tidy(top)}H{tidy(max(high, low + 3))}V{tidy(end)}H{tidy(low)}Z"
        for top, end in [*free, (bottom, y + MARK_LINE)]
    )
    beside = [
        (bottom + MARK_LINE * n, bottom + MARK_LINE * (n + 1))
        for n, words in enumerate(labels[: number + 1])
        if not words.covers(low)
    ]
    shape = (
        f'<path class="band" d="{blocks}"/>'
        if mark.kind == "band"
        else f'<path class="rule" d="{runs(low, [*free, *beside])}"/>'
    )
    x, anchor = (label.right, " end") if label.is_end else (label.left, "")
    return (
        f'{shape}<text class="mark-text{anchor}" x="{tidy(x)}" y="{tidy(y + 13)}">'
        f"{escape(mark.label)}</text>"
    )


def row_markup(placed: PlacedRow, axis: ForestAxis, layout: Layout, scores: int) -> str:
    """scores: where they end; intervals begin there where they have room of their own."""
    row, first = placed.row, placed.first
    names = "".join(
        f'<tspan x="{layout.name}" y="{tidy(first + LINE * n)}">{escape(line)}</tspan>'
        for n, line in enumerate(placed.names)
    )
    name = f'<text class="name">{names}</text>'
    beside = tidy(first if layout.names_above else placed.line + 4)
    start = f' x="{scores + 6}"' if scores < layout.value else ' dx="4"'
    return (
        f'<g class="judged{" own" if row.is_own else ""}">'
        f'<text class="place" x="0" y="{beside}">{escape(row.place)}</text>'
        f"{linked(placed, name, layout) if row.url else name}"
        f"{interval_markup(row, axis, layout, placed.line)}"
        f'<text class="value end" x="{scores}" '
        f'y="{beside}">{escape(row.score)}'
        f"{row.interval and f'<tspan{start}> {escape(row.interval)}</tspan>'}</text>"
        f"{beside_markup(placed, layout)}</g>"
    )


def beside_markup(placed: PlacedRow, layout: Layout) -> str:
    if not (layout.beside and placed.row.beside):
        return ""
    place = f"translate({layout.beside} {tidy(placed.line)})"
    return f'<g transform="{place}">{placed.row.beside}</g>'


def linked(placed: PlacedRow, name: str, layout: Layout) -> str:
    """The name as a link, which is as high as its row and so large enough to be touched."""
    right = layout.width if layout.names_above else layout.left
    return (
        f'<a href="{escape(placed.row.url)}"><rect class="aim" x="{layout.name}" '
        f'y="{tidy(placed.top)}" width="{right - layout.name}" height="{tidy(placed.height)}"/>'
        f"{name}</a>"
    )


def interval_markup(row: ForestRow, axis: ForestAxis, layout: Layout, y: float) -> str:
    """The line, and the point on it; an arrow at the end of the axis for a value beyond it."""
    if row.value is None:
        return ""
    line = ""
    if row.low is not None and row.high is not None:
        low, high = place_on(axis, layout, row.low), place_on(axis, layout, row.high)
        line = f'<path class="line" d="M{tidy(low)} {tidy(y)}H{tidy(high)}"/>'
    x = tidy(place_on(axis, layout, row.value))
    if not axis.holds(row.value):
        points = "l-7-5v10z" if row.value > axis.high else "l7-5v10z"
        return f'{line}<path class="beyond" d="M{x} {tidy(y)}{points}"/>'
    return f'{line}<circle class="point" cx="{x}" cy="{tidy(y)}" r="4.5"/>'
