"""The port of `board.py`: which metrics are shown, where, and what stands beside them."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal, Protocol

SCALES = {"percent": (0.0, 1.0), "ratio": (-1.0, 1.0), "score": (-math.inf, math.inf)}
"""What values lie between, by unit, unless their metric says otherwise."""
FROM_ZERO = (0.0, math.inf)
"""Bounds of a length or a number."""


@dataclass(frozen=True, slots=True)
class Metric:
    """`unit` says how a value is printed: "percent" (stored as a share), "score", or "ratio" (a
    signed share).

    `empty` is the reason shown where the denominator is zero. `bounds` are the ends of its scale as
    stored, where its intervals end: None for 0 and 1 of a percent, -1 and 1 of a ratio, and a score
    without ends. `needs_labels`: it has no value without enough labels by people, and how many are
    missing is said in the place of `empty`. `is_count`: a number of something counted, which has no
    interval.
    """

    name: str
    title: str
    about: str
    higher_is_better: bool | None = True
    unit: Literal["percent", "score", "ratio"] = "percent"
    digits: int = 2
    empty: str = "nothing to count"
    bounds: tuple[float, float] | None = None
    needs_labels: bool = False
    is_count: bool = False

    @property
    def scale(self) -> tuple[float, float]:
        return self.bounds or SCALES[self.unit]


@dataclass(frozen=True, slots=True)
class ColumnGroup:
    """about: what its columns have in common, where the title does not tell it."""

    title: str
    metrics: tuple[Metric, ...]
    about: str = ""


@dataclass(frozen=True, slots=True)
class StackedBar:
    """Shares of a whole drawn as one bar per entry: metric name and label of each part, in drawing
    order. is_verdict: the parts go from right to wrong, and have the colours of that."""

    title: str
    parts: tuple[tuple[str, str], ...]
    is_verdict: bool = False

    @property
    def fill(self) -> str:
        """How the classes of its parts begin: "verdict-1", "part-1"."""
        return "verdict" if self.is_verdict else "part"


@dataclass(frozen=True, slots=True)
class LeadPanel:
    """What the figure a board opens with has beside the scores: `dots`, shares on one line, and
    `bar`, what the share that `rest_of` leaves of 1 is made of."""

    dots: ColumnGroup
    bar: StackedBar
    rest_of: Metric


@dataclass(frozen=True, slots=True)
class Measure:
    """A way of scoring that a board can be read by. It shows the tables and charts that name it and
    those that name none; its rows stand in the order of the metric `order`, whatever the ranking.
    `opens_with` is the slug of the table that stands first, where that is not the first of the
    board. `where_known`: pages offer it only for eras in which any entry has a value of `order`."""

    slug: str
    title: str
    about: str
    order: str
    opens_with: str = ""
    where_known: bool = False


@dataclass(frozen=True, slots=True)
class ColumnSet:
    """Columns of a table that are read together, and fit a page."""

    slug: str
    title: str
    metrics: tuple[Metric, ...]


@dataclass(frozen=True, slots=True)
class BoardTable:
    """`sets` are choices of its columns. A page shows those of the first set that hold any value,
    unless its reader asks for others; all of them where there are no sets. `order` names the metric
    in whose order its rows stand, where that is not the board's: of another way to score."""

    slug: str
    title: str
    about: str
    groups: tuple[ColumnGroup, ...]
    bars: tuple[StackedBar, ...] = ()
    measure: str = ""
    sets: tuple[ColumnSet, ...] = ()
    order: str = ""

    @property
    def metrics(self) -> tuple[Metric, ...]:
        return tuple(metric for group in self.groups for metric in group.metrics)


@dataclass(frozen=True, slots=True)
class Chart:
    """Metrics drawn on one scale, from `low` to `high` in stored units."""

    slug: str
    title: str
    about: str
    groups: tuple[ColumnGroup, ...]
    low: float
    high: float
    measure: str = ""


class Radar(Chart):
    """Chosen entries as polygons over the axes of `groups`."""

    __slots__ = ()


class Bars(Chart):
    """Chosen entries as bars, a group of them for each metric."""

    __slots__ = ()


class Heatmap(Chart):
    """Entries by metrics, each cell shaded."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Beside:
    """A metric of another benchmark shown beside this board's: that of the same evaluated model."""

    benchmark: str
    metric: Metric


@dataclass(frozen=True, slots=True)
class PublishedRow:
    """Figures printed in a paper or README. Shown apart, never ranked with judged rows.

    `judge` is empty and `questions` 0 where the source does not say; rows without a judge stand
    apart from the others. `reproduced` says what of the row was computed anew, and from what; empty
    where nothing was.
    """

    model: str
    source: str
    url: str
    values: Mapping[str, float]
    judge: str = ""
    language: str = "en"
    questions: int = 0
    reproduced: str = ""


@dataclass(frozen=True, slots=True)
class WorthLine:
    """One figure of how the offline rules compare with people on the same `n` units.

    rules: what the rules give, or how far they agree; people: what people give, None where the line
    is an agreement. Both are shares for the unit "percent", and a kappa in [-1, 1] for "ratio".
    `suits` tells of how many rows each metric looks at in a release, by name, whether this line is
    what its board prints; `of` then says in words of which answers the figure is. None and empty
    for all other lines.
    """

    title: str
    about: str
    n: int
    rules: float
    people: float | None = None
    unit: Literal["percent", "ratio"] = "percent"
    of: str = ""
    suits: Callable[[Mapping[str, int]], bool] | None = None


@dataclass(frozen=True, slots=True)
class RulesWorth:
    """How far the offline rules of one version agree with people, measured on recorded answers:
    facts with a source.

    A board prints the line that suits its release, else the first. A test recomputes all of them,
    so that no other version inherits them.
    """

    version: str
    about: str
    source: str
    url: str
    lines: tuple[WorthLine, ...]

    def line_of(self, asked: Mapping[str, int]) -> WorthLine:
        """The line for a release of whose rows each metric looks at so many; the first one where
        nothing is known."""
        suiting = (line for line in self.lines if line.suits and line.suits(asked))
        return next(suiting, self.lines[0])


@dataclass(frozen=True, slots=True)
class Board:
    """`ranking` names the metric that ranks; entries below `min_coverage` (Contributions.coverage)
    are not ranked.

    `measures` are the ways of reading the board, the default first; none where there is only one.
    `agreement` are the metrics that compare the judge with people, `reliability` those that tell
    how steady it is: the judge's card shows both. `panel` stands beside the scores. `worth` tells
    of the offline rules what people would have said; None where nobody has measured it.
    """

    summary: str
    how: str
    ranking: str
    min_coverage: float
    tables: tuple[BoardTable, ...]
    published: tuple[PublishedRow, ...] = ()
    charts: tuple[Chart, ...] = ()
    beside: tuple[Beside, ...] = ()
    measures: tuple[Measure, ...] = ()
    agreement: tuple[Metric, ...] = ()
    reliability: tuple[Metric, ...] = ()
    worth: RulesWorth | None = None
    panel: LeadPanel | None = None

    def metrics(self) -> tuple[Metric, ...]:
        """Every metric of every table once, in board order."""
        found = {
            m.name: m for table in self.tables for group in table.groups for m in group.metrics
        }
        return tuple(found.values())

    def metric_names(self) -> tuple[str, ...]:
        """Every name a board reads: its columns, the parts of its bars, and what ranks."""
        parts = [name for table in self.tables for bar in table.bars for name, _ in bar.parts]
        drawn = [m.name for chart in self.charts for group in chart.groups for m in group.metrics]
        return tuple(
            dict.fromkeys([self.ranking, *(m.name for m in self.metrics()), *parts, *drawn])
        )


class BoardPort(Protocol):
    @property
    def BOARD(self) -> Board: ...

    @property
    def METRICS(self) -> Mapping[str, Metric]:
        """Every metric of a scoresheet by name, also those no table shows."""
