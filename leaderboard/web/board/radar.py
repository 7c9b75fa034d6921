"""A radar as SVG: shares from 0 (centre) to 1 (rim) on axes that run clockwise from the top.

Classes do the looks (static/css/charts.css): `ring`, `spoke`, `arc`, `series-1` …
`series-6` with `line`, `marks` and, hollow, `few`. Up to twelve axes have their titles round them;
more, or axes in groups, have them in two lists beside the drawing, and an arc per group. Where
those lists have no room, a page shows the numbers of the axes.
"""

import math
from collections.abc import Sequence, Set
from dataclasses import dataclass, replace

from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe

WIDTH = 430
LISTED_WIDTH, LISTED_RADIUS = 760, 165
"""With lists beside it: so wide that chart.css can cut them off where a page is narrow."""
MOST_TITLES = 12
RINGS = 4
LETTER = 7.8
"""Width of a letter of the labels in drawing units, rather too wide than too narrow."""
SIDE_LETTERS, TOP_LETTERS = 13, 24
"""Letters to a line of a title at the side, and above or below."""
UPRIGHT = 0.2
GAP = 8
LINE = 15
ARC, NUMBER, LIST = 6, 16, 18
"""How far from the rim an arc, a number and a list are."""
LIST_LINE = 17

MARKERS = (
    "m-4 0a4 4 0 1 0 8 0a4 4 0 1 0-8 0",
    "m-3.6-3.6h7.2v7.2h-7.2z",
    "m0-5l4.6 8.2h-9.2z",
    "m0-5l5 5l-5 5l-5-5z",
    "m0 5l4.6-8.2h-9.2z",
    "m-1.6-4.8h3.2v3.2h3.2v3.2h-3.2v3.2h-3.2v-3.2h-3.2v-3.2h3.2z",
)


@dataclass(frozen=True, slots=True)
class RadarAxis:
    title: str
    group: int


@dataclass(frozen=True, slots=True)
class Frame:
    """Centre, radius and number of axes: all that a point needs to find its place."""

    centre: float
    radius: float
    axes: int

    def angle(self, axis: float) -> float:
        return 2 * math.pi * axis / self.axes

    def point(self, axis: float, radius: float) -> tuple[float, float]:
        angle = self.angle(axis)
        return self.centre + radius * math.sin(angle), self.centre - radius * math.cos(angle)

    def spot(self, axis: float, radius: float) -> str:
        x, y = self.point(axis, radius)
        return f"{tidy(x)} {tidy(y)}"


def tidy(value: float) -> str:
    """At most one decimal, and no minus before a zero."""
    return f"{round(value, 1) + 0.0:g}"


def marker(series: int) -> SafeString:
    """The sign of a series, for legends and tables."""
    return mark_safe(  # noqa: S308 - a constant
        f'<svg class="marker series-{series}" viewBox="-7 -7 14 14" aria-hidden="true">'
        f'<path class="marks" d="M0 0{MARKERS[series - 1]}"/></svg>'
    )


FIELD_MARKER = SafeString(
    '<svg class="marker" viewBox="-7 -7 14 14" aria-hidden="true"><path class="field" d="M-7 0H7"/>'
    "</svg>"
)
"""The sign of what `draw_radar` calls the field."""


def has_lists(axes: Sequence[RadarAxis], groups: Sequence[str]) -> bool:
    """Whether titles have no room round the drawing."""
    return len(axes) > MOST_TITLES or len(groups) > 1


def draw_radar(
    *,
    label: str,
    axes: Sequence[RadarAxis],
    groups: Sequence[str],
    rings: Sequence[str],
    series: Sequence[Sequence[float | None]],
    few: Sequence[Set[int]] = (),
    field: Sequence[float | None] = (),
) -> SafeString:
    """`groups` are titles; `rings` the text at the centre and at each ring; a None in `series` is a
    gap, `few` says of each series at which axes its sign is hollow. `field` is a broken
    line behind the series, with a dot for each value."""
    is_listed = has_lists(axes, groups)
    width, radius = (LISTED_WIDTH, LISTED_RADIUS) if is_listed else (WIDTH, titled_radius(axes))
    frame = Frame(width / 2, radius, len(axes))
    parts = grid(frame)
    if is_listed:
        right, left = (listed_lines(frame, axes, groups, side) for side in (1, -1))
        parts += [*numbers(frame), list_markup(frame, right, 1), list_markup(frame, left, -1)]
        heights = [line.y for line in (*right, *left)]
        top = min(frame.centre - radius - NUMBER, min(heights)) - LIST_LINE
        foot = max(frame.centre + radius + NUMBER, max(heights)) + LIST_LINE
    else:
        parts += titles(frame, axes)
        top, foot = frame.centre - radius - 3 * LINE, frame.centre + radius + 3 * LINE
    if len(groups) > 1:
        parts += arcs(frame, axes, len(groups))
    if any(share is not None for share in field):
        spots = spots_of(frame, field)
        dots = "".join(f"M{spot}h0" for spot in spots if spot)
        parts.append(f'<path class="field" d="{line(spots)}{dots}"/>')
    drawn = [
        series_paths(frame, number, shares, few[number - 1] if few else frozenset())
        for number, shares in enumerate(series, start=1)
    ]
    parts += reversed(drawn)  # the first of the ranking lies on top
    parts += ring_texts(frame, rings)
    svg = (
        f'<svg class="radar" viewBox="0 {round(top)} {width} {round(foot) - round(top)}" '
        f'role="img" aria-label="{escape(label)}">'
        f"{''.join(parts)}</svg>"
    )
    return mark_safe(svg)  # noqa: S308 - titles and label are escaped, the rest are numbers


def titled_radius(axes: Sequence[RadarAxis]) -> float:
    """The largest radius that leaves room for the titles at the sides."""
    frame = Frame(WIDTH / 2, 1, len(axes))
    rooms = [
        (WIDTH / 2 - GAP - width_of(wrapped(axis.title, SIDE_LETTERS))) / side
        for place, axis in enumerate(axes)
        if (side := abs(math.sin(frame.angle(place)))) >= UPRIGHT
    ]
    return round(max(80.0, min([*rooms, 126.0])), 1)


def width_of(lines: Sequence[str]) -> float:
    return max(len(line) for line in lines) * LETTER


def grid(frame: Frame) -> list[str]:
    centre = tidy(frame.centre)
    rings = [
        (
            f'<circle class="ring" cx="{centre}" cy="{centre}" '
            f'r="{tidy(frame.radius * ring / RINGS)}"/>'
        )
        for ring in range(1, RINGS + 1)
    ]
    spokes = "".join(
        f"M{centre} {centre}L{frame.spot(axis, frame.radius)}" for axis in range(frame.axes)
    )
    return [*rings, f'<path class="spoke" d="{spokes}"/>']


def ring_texts(frame: Frame, rings: Sequence[str]) -> list[str]:
    """Under the centre and just inside each ring, between the first two axes: clear of their
    titles and signs."""
    spots = [frame.point(0.5, frame.radius * ring / RINGS) for ring in range(RINGS + 1)]
    return [
        f'<text class="ring-text" x="{tidy(x)}" y="{tidy(y + 9)}">{escape(text)}</text>'
        for (x, y), text in zip(spots, rings, strict=True)
        if text
    ]


def numbers(frame: Frame) -> list[str]:
    found = []
    for axis in range(frame.axes):
        x, y = frame.point(axis, frame.radius + NUMBER)
        found.append(f'<text class="number" x="{tidy(x)}" y="{tidy(y + 4)}">{axis + 1}</text>')
    return found


def titles(frame: Frame, axes: Sequence[RadarAxis]) -> list[str]:
    """Each title at the end of its axis, on short lines, pushed inwards where it would leave the
    picture."""
    found = []
    for place, axis in enumerate(axes):
        x, y = frame.point(place, frame.radius + GAP)
        side, down = math.sin(frame.angle(place)), -math.cos(frame.angle(place))
        is_upright = abs(side) < UPRIGHT
        lines = wrapped(axis.title, TOP_LETTERS if is_upright else SIDE_LETTERS)
        room = width_of(lines)
        anchor = "middle" if is_upright else "start" if side > 0 else "end"
        before = {"start": 0.0, "middle": room / 2, "end": room}[anchor]
        x = max(min(x, WIDTH - room + before), before)
        lift = (down + 1) / 2  # 0 at the top, where lines grow upwards; 1 at the foot
        top = y + 2 - (1 - lift) * (len(lines) - 1) * LINE + lift * 8
        spans = "".join(
            f'<tspan x="{tidy(x)}" y="{tidy(top + LINE * number)}">{escape(line)}</tspan>'
            for number, line in enumerate(lines)
        )
        found.append(f'<text class="title {anchor}">{spans}</text>')
    return found


def wrapped(text: str, width: int) -> list[str]:
    lines = [""]
    for word in text.split():
        if lines[-1] and len(lines[-1]) + 1 + len(word) > width:
            lines.append(word)
        else:
            lines[-1] = f"{lines[-1]} {word}".strip()
    return lines


@dataclass(frozen=True, slots=True)
class ListedLine:
    """A line of a list beside the drawing, at the height `y`: the title of an axis, or of a group
    where `axis` is None."""

    text: str
    axis: int | None
    y: float


def listed_lines(
    frame: Frame, axes: Sequence[RadarAxis], groups: Sequence[str], side: int
) -> list[ListedLine]:
    """The axes of the right side (1) or the left (-1) from top to bottom, each group below its
    title."""
    half = len(axes) / 2
    places = [place for place in range(len(axes)) if (place < half) is (side > 0)][::side]
    wanted: list[ListedLine] = []
    last = None
    for place in places:
        y = frame.point(place, frame.radius + ARC)[1] + LIST_LINE / 4
        if len(groups) > 1 and axes[place].group != last:
            last = axes[place].group
            wanted.append(ListedLine(groups[last], None, y - LIST_LINE))
        wanted.append(ListedLine(axes[place].title, place, y))
    heights = apart([line.y for line in wanted])
    return [replace(line, y=y) for line, y in zip(wanted, heights, strict=True)]


def list_markup(frame: Frame, lines: Sequence[ListedLine], side: int) -> str:
    """Each line as near to the rim as its height lets it be; axes are joined to their titles."""
    leads = texts = ""
    for line in lines:
        middle = line.y - LIST_LINE / 4
        down = middle - frame.centre
        beside = math.sqrt(max((frame.radius + LIST) ** 2 - down**2, LIST**2))
        x, kind = frame.centre + side * beside, ' class="group"'
        if line.axis is not None:
            start, kind = frame.spot(line.axis, frame.radius + ARC), ""
            leads += f"M{start}L{tidy(x - side * 3)} {tidy(middle)}"
        texts += f'<text{kind} x="{tidy(x)}" y="{tidy(line.y)}">{escape(line.text)}</text>'
    end = "" if side > 0 else " end"
    return f'<g class="listed{end}"><path class="spoke" d="{leads}"/>{texts}</g>'


def apart(heights: Sequence[float]) -> list[float]:
    """About these heights, and at least a line from each other: the middle between moving all that
    are too near down, and moving them up."""
    down, up = list(heights), list(heights)
    for place in range(1, len(down)):
        down[place] = max(down[place], down[place - 1] + LIST_LINE)
    for place in reversed(range(len(up) - 1)):
        up[place] = min(up[place], up[place + 1] - LIST_LINE)
    return [(low + high) / 2 for low, high in zip(up, down, strict=True)]


def arcs(frame: Frame, axes: Sequence[RadarAxis], groups: int) -> list[str]:
    """A line along the rim for each group."""
    found = []
    radius = frame.radius + ARC
    for number in range(groups):
        places = [place for place, axis in enumerate(axes) if axis.group == number]
        first, last = places[0] - 0.38, places[-1] + 0.38
        wide = 1 if frame.angle(last - first) > math.pi else 0
        start, end = frame.spot(first, radius), frame.spot(last, radius)
        path = f"M{start}A{radius} {radius} 0 {wide} 1 {end}"
        found.append(f'<path class="arc" d="{path}"/>')
    return found


def series_paths(frame: Frame, number: int, shares: Sequence[float | None], few: Set[int]) -> str:
    spots = spots_of(frame, shares)
    return (
        f'<g class="series-{number}"><path class="line" d="{line(spots)}"/>'
        f"{signs(number, [spot for n, spot in enumerate(spots) if spot and n not in few])}"
        f"{signs(number, [spot for n, spot in enumerate(spots) if spot and n in few], 'few')}</g>"
    )


def signs(series: int, spots: Sequence[str], kind: str = "marks") -> str:
    """The sign of a series at each of these spots."""
    path = "".join(f"M{spot}{MARKERS[series - 1]}" for spot in spots)
    return f'<path class="{kind}" d="{path}"/>' if path else ""


def spots_of(frame: Frame, shares: Sequence[float | None]) -> list[str | None]:
    return [
        None if share is None else frame.spot(axis, frame.radius * share)
        for axis, share in enumerate(shares)
    ]


def line(spots: Sequence[str | None]) -> str:
    """A closed outline; with a gap at every missing spot, from the first one on."""
    if all(spots):
        return f"M{'L'.join(spot for spot in spots if spot)}Z"
    start = spots.index(None)
    pieces, is_drawing = [], False
    for spot in [*spots[start:], *spots[:start]]:
        if spot:
            pieces.append(f"{'L' if is_drawing else 'M'}{spot}")
        is_drawing = spot is not None
    return "".join(pieces)
