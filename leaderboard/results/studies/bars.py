"""Agreement as bars, as the paper's figure has it: a row per ability or model, in it a bar for the
judge and one for people, each with its interval.

Drawn twice, for wide pages with names beside the bars and for narrow ones with names above them.
Each bar says in words whose it is; colours repeat it (static/css/reading.css).
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe

BAR, GAP = 14, 5
"""Heights of a bar and of what is free below it; the text in its row has 13 pixels."""
FOOT = 26
TICKS = (0, 25, 50, 75, 100)
LETTER = 7.2  # of system fonts at 13 px, on average; what does not fit ends in "…"


@dataclass(frozen=True, slots=True)
class Bar:
    """`kind` names the looks: "judge" or "people". value, low, high: shares, None where there is
    none."""

    kind: str
    words: str
    value: float | None
    low: float | None
    high: float | None


@dataclass(frozen=True, slots=True)
class BarRow:
    name: str
    bars: tuple[Bar, ...]


@dataclass(frozen=True, slots=True)
class Sides:
    """left, right: the ends of the axis. A name stands beside its bars, or above them."""

    slug: str
    width: int
    left: int
    right: int
    name_height: int

    def at(self, share: float) -> float:
        return round(self.left + (self.right - self.left) * min(max(share, 0.0), 1.0), 1)


WIDE = Sides("wide", 860, 250, 690, 0)
NARROW = Sides("narrow", 328, 4, 200, 20)


def draw_bars(rows: Sequence[BarRow], sides: Sides, *, label: str) -> SafeString:
    parts, top = [], 6
    for row in rows:
        parts += list(row_markup(row, sides, top))
        top += row_height(row, sides)
    grid = "".join(tick_markup(tick, sides, top) for tick in TICKS)
    height = top + FOOT
    return mark_safe(  # noqa: S308  # names are escaped, numbers are ours
        f'<svg class="bars {sides.slug}" viewBox="0 0 {sides.width} {height}" role="img" '
        f'aria-label="{escape(label)}">{grid}{"".join(parts)}</svg>'
    )


def row_height(row: BarRow, sides: Sides) -> int:
    return sides.name_height + (BAR + GAP) * len(row.bars) + GAP * 2


def tick_markup(tick: int, sides: Sides, bottom: int) -> str:
    x = sides.at(tick / 100)
    anchor = "start" if tick == 0 and sides.name_height else "middle"
    return (
        f'<line class="grid" x1="{x}" x2="{x}" y1="0" y2="{bottom}"/>'
        f'<text class="tick" x="{x}" y="{bottom + 18}" text-anchor="{anchor}">{tick}</text>'
    )


def row_markup(row: BarRow, sides: Sides, top: int) -> Iterator[str]:
    room = sides.width - 8 if sides.name_height else sides.left - 12
    name = escape(shortened(row.name, room))
    if sides.name_height:
        yield f'<text class="name" x="{sides.left}" y="{top + 14}">{name}</text>'
    else:
        middle = top + (BAR + GAP) * len(row.bars) / 2 + 3
        place = f'x="{sides.left - 10}" y="{middle}" text-anchor="end"'
        yield f'<text class="name" {place}>{name}</text>'
    for number, bar in enumerate(row.bars):
        yield from bar_markup(bar, sides, top + sides.name_height + number * (BAR + GAP))


def bar_markup(bar: Bar, sides: Sides, y: int) -> Iterator[str]:
    middle = y + BAR / 2
    if bar.value is not None:
        width = round(sides.at(bar.value) - sides.left, 1)
        yield (
            f'<rect class="{bar.kind}" x="{sides.left}" y="{y}" width="{width}" height="{BAR}"/>'
        )
    if bar.low is not None and bar.high is not None:
        low, high = sides.at(bar.low), sides.at(bar.high)
        yield f'<line class="span" x1="{low}" x2="{high}" y1="{middle}" y2="{middle}"/>'
    yield (
        f'<text class="value" x="{sides.right + 8}" y="{middle + 4.5}">{escape(bar.words)}</text>'
    )


def shortened(name: str, room: int) -> str:
    most = int(room / LETTER)
    return name if len(name) <= most else name[: most - 1].rstrip() + "…"
