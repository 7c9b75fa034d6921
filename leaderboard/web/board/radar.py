"""A radar as SVG: shares from 0 (centre) to 1 (rim) on axes that run clockwise from the top.

Classes do the looks (static/css/charts.css): `ring`, `spoke`, `arc`, `series-1` … `series-6`
with `line` and `marks`. Up to twelve axes carry their titles; more, or axes in groups, carry
numbers, and an arc per group.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe

WIDTH = 430
NUMBERED_RADIUS = 124
MOST_TITLES = 12
RINGS = 4
LETTER = 7.8
"""Width of a letter of the labels in drawing units, rather too wide than too narrow."""
SIDE_LETTERS, TOP_LETTERS = 13, 24
"""Letters to a line of a title at the side, and above or below."""
UPRIGHT = 0.2
GAP = 8
LINE = 15

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
class Drawing:
    svg: SafeString
    is_numbered: bool


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


def draw_radar(
    *,
    slug: str,
    label: str,
    axes: Sequence[RadarAxis],
    groups: Sequence[tuple[str, str]],
    rings: Sequence[str],
    series: Sequence[Sequence[float | None]],
    field: Sequence[float | None] = (),
) -> Drawing:
    """`groups` are letter and title; `rings` the text at the centre and at each ring; a None in
    `series` is a gap. `field` is a broken line behind the series, with a dot for
    each value."""
    is_numbered = len(axes) > MOST_TITLES or len(groups) > 1
    frame = Frame(WIDTH / 2, NUMBERED_RADIUS if is_numbered else titled_radius(axes), len(axes))
    parts = [*grid(frame), *(numbers(frame) if is_numbered else titles(frame, axes))]
    if len(groups) > 1:
        parts += arcs(frame, slug, axes, groups)
    if any(share is not None for share in field):
        spots = spots_of(frame, field)
        dots = "".join(f"M{spot}h0" for spot in spots if spot)
        parts.append(f'<path class="field" d="{line(spots)}{dots}"/>')
    drawn = [series_paths(frame, number, shares) for number, shares in enumerate(series, start=1)]
    parts += reversed(drawn)  # the first of the ranking lies on top
    parts += ring_texts(frame, rings)
    edge = 0 if is_numbered else round(frame.centre - frame.radius - 3 * LINE)
    svg = (
        f'<svg class="radar" viewBox="0 {edge} {WIDTH} {WIDTH - 2 * edge}" role="img" '
        f'aria-label="{escape(label)}">'
        f"{''.join(parts)}</svg>"
    )
    return Drawing(mark_safe(svg), is_numbered)  # noqa: S308 - titles and label are escaped, the rest are numbers


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
    """Just inside each ring, right of the first axis; the centre stays free."""
    return [
        f'<text class="ring-text" x="{tidy(frame.centre + 5)}" '
        f'y="{tidy(frame.centre - frame.radius * ring / RINGS + 12)}">{escape(text)}</text>'
        for ring, text in enumerate(rings)
        if ring and text
    ]


def numbers(frame: Frame) -> list[str]:
    found = []
    for axis in range(frame.axes):
        x, y = frame.point(axis, frame.radius + 12)
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


def arcs(
    frame: Frame, slug: str, axes: Sequence[RadarAxis], groups: Sequence[tuple[str, str]]
) -> list[str]:
    """An arc round each group; its title runs along it where it is long enough, else its letter
    alone."""
    found = []
    radius = frame.radius + 24
    for number, (letter, title) in enumerate(groups):
        places = [place for place, axis in enumerate(axes) if axis.group == number]
        first, last = places[0] - 0.38, places[-1] + 0.38
        middle = frame.angle((first + last) / 2)
        is_below = math.cos(middle) < -0.01
        wide = 1 if frame.angle(last - first) > math.pi else 0
        ends, sweep = (
            ((last, first), 0) if is_below else ((first, last), 1)
        )  # text below must not stand on its head
        start, end = (frame.spot(axis, radius) for axis in ends)
        path = f"M{start}A{tidy(radius)} {tidy(radius)} 0 {wide} {sweep} {end}"
        text = (
            f"{letter} {title}"
            if len(title) + 2 < frame.angle(last - first) * radius / LETTER
            else letter
        )
        found.append(
            f'<path class="arc" id="{escape(slug)}-arc-{number + 1}" d="{path}"/><text '
            f'class="arc-text" dy="{15 if is_below else -6}"><textPath '
            f'href="#{escape(slug)}-arc-{number + 1}" '
            f'startOffset="50%">{escape(text)}</textPath></text>'
        )
    return found


def series_paths(frame: Frame, number: int, shares: Sequence[float | None]) -> str:
    spots = spots_of(frame, shares)
    marks = "".join(f"M{spot}{MARKERS[number - 1]}" for spot in spots if spot)
    return (
        f'<g class="series-{number}"><path class="line" d="{line(spots)}"/><path class="marks" '
        f'd="{marks}"/></g>'
    )


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
