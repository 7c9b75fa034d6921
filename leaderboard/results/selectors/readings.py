"""What a reading of a board holds: values only, the database is asked nothing here."""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID

from benchmarks.kept_documents import from_row
from benchmarks.models import Benchmark, Release
from benchmarks.protocols.base import Board, Measure, Metric, PublishedRow
from benchmarks.scoring.sheets import MetricValue
from benchmarks.statistics.differences import Difference
from benchmarks.statistics.unpaired import Middle
from judging.models import JudgeSpec
from judging.texts import ContentEdition
from leaderboard.models import BoardEdition, BoardFacts, BoardSnapshot
from leaderboard.results.chain.links import Head
from leaderboard.results.entries.older_texts import OutdatedTexts
from leaderboard.results.entries.standing import UNREMARKABLE, Standing

EACH, TOGETHER = "each", "together"
UP_TO_DATE = OutdatedTexts()


@dataclass(frozen=True, slots=True)
class Era:
    """Scores of one release by one judge spec: the only scores that are comparable."""

    release: Release
    judge_spec: JudgeSpec
    entries: int


class PackedFigures(Mapping[str, MetricValue]):
    """Figures as a scoresheet stores them, each unpacked when it is looked at: a page shows few of
    many."""

    __slots__ = ("packed",)

    def __init__(self, packed: Mapping[str, Sequence[Any]]) -> None:
        self.packed = packed

    def __getitem__(self, name: str) -> MetricValue:
        return MetricValue.unpacked(self.packed[name])

    def get(self, name: str, default: Any = None) -> Any:
        """The value of a key, without an exception for each of the many that are missing."""
        packed = self.packed.get(name)
        return MetricValue.unpacked(packed) if packed else default

    def __iter__(self) -> Iterator[str]:
        return iter(self.packed)

    def __len__(self) -> int:
        return len(self.packed)


class ColumnSpan(NamedTuple):
    """Of a metric over a whole board: between what its values and their intervals lie, and what
    most of them count over. low and high are None where they must not be told."""

    low: float | None
    high: float | None
    n: int


class SizeRange(NamedTuple):
    """Models by billions of parameters: more than `over`, at most `most`. None where it has no such
    end; where both are None, those of whose size nothing is said."""

    slug: str
    title: str
    over: float | None
    most: float | None

    def holds(self, billions: float | None) -> bool:
        if billions is None or (self.over is None and self.most is None):
            return billions is None and self.over is None and self.most is None
        return (self.over is None or billions > self.over) and (
            self.most is None or billions <= self.most
        )


SIZES = {
    one.slug: one
    for one in (
        SizeRange("to-3", "up to 3 billion", None, 3.0),
        SizeRange("3-8", "over 3 to 8 billion", 3.0, 8.0),
        SizeRange("8-20", "over 8 to 20 billion", 8.0, 20.0),
        SizeRange("over-20", "over 20 billion", 20.0, None),
        SizeRange("unsaid", "not said", None, None),
    )
}
"""By slug, as sizes are sold: what runs on a phone, on one small and on one large accelerator, and
on several."""


@dataclass(frozen=True, slots=True)
class BoardEntry:
    """One public submission on a board. Baselines, entries under the board's coverage and those
    that their standing keeps out have no rank.

    `handed_in_by` is a public name; verified_team: number of the team that handed it in, where
    staff verified who that is; `verified` says of the entry when, by whom and why, and is empty
    where it is not. Entries of equal answers share the place of one of them, under which a page
    folds the others: these name it in `same_answers_as`. to_leader: how far the entry is ahead of
    the one that leads; None for that one, and without a rank. scored_since: of a large board that
    changed, whether its values are newer than its rank. repeats_texts: whether its answers hold
    texts that a judge reads, as those of one baseline do. by_older_texts: in words, how many
    answers were judged by other texts than today's. position: its place in board order among all
    entries, from 0; without meaning off a board. is_gone: of a board as it stood once, whether the
    entry is not public any more: its place is told and nothing else; `origin` is empty then,
    `submitted` None and the id not its own. firsts: of a board that was stored, metrics in whose
    column it may be first, without the one that ranks.
    """

    id: UUID
    model_id: int
    model: str
    facts: BoardFacts
    origin: str
    submitted: datetime | None
    rank: int | None
    rank_best: int | None
    rank_worst: int | None
    coverage: float
    judged: int
    unreadable: int
    failed: int
    excluded: int
    figures: Mapping[str, MetricValue]
    standing: Standing = UNREMARKABLE
    same_answers_as: UUID | None = None
    handed_in_by: str = ""
    verified: str = ""
    verified_team: int | None = None
    to_leader: Difference | None = None
    texts: OutdatedTexts = UP_TO_DATE
    by_older_texts: str = ""
    scored_since: bool = False
    repeats_texts: bool = False
    position: int = 0
    is_gone: bool = False
    firsts: tuple[str, ...] = field(default=(), compare=False)

    @property
    def may_be_first(self) -> bool:
        """Whether its rank range holds place 1; False without a rank, and of what is gone."""
        return self.rank_best == 1 and not self.is_gone

    def figure(self, name: str) -> MetricValue | None:
        return self.figures.get(name)

    def value(self, name: str) -> float | None:
        figure = self.figures.get(name)
        return figure.value if figure else None


@dataclass(frozen=True, slots=True)
class SmallestDifference:
    """The true difference of two typical models that a board tells apart in 80 % of cases, in
    stored units. is_assumed: from the errors of single entries, there being no pair of two
    submitters."""

    value: float
    is_assumed: bool


@dataclass(frozen=True, slots=True)
class BoardPart:
    """Which entries of a board are read, and in which order.

    order: name of a metric, empty for the order of the board; entries without a value come last.
    first, count: from which of the entries that fit, and how many; None for all of the rest.
    page: in place of `first`, a page of `count` counted from 1; beyond the last one, that is read.
    words: each must occur in model or organisation; bounded and case-folded by whoever asks.
    open_weights, verified: only entries that are. size: slug of SIZES, empty for all.
    organisation: whose models, by its whole name; empty for all, and for a name that none of a
    board's models has.
    fold: without those that share a place.
    also, baselines: ids, and all baselines, that come too wherever they stand; baselines with the
    first page alone. near: so many rows
    with a place on either side of each of `also`, and of where an entry of this `score` would be.
    """

    order: str = ""
    ascending: bool = False
    first: int = 0
    count: int | None = None
    page: int = 0
    words: tuple[str, ...] = ()
    open_weights: bool = False
    verified: bool = False
    size: str = ""
    organisation: str = ""
    fold: bool = False
    also: frozenset[UUID] = frozenset()
    baselines: bool = False
    near: int = 0
    score: float | None = None

    @property
    def is_by_model(self) -> bool:
        """Whether facts of the model leave entries out."""
        return bool(self.open_weights or self.size or self.organisation)

    @property
    def is_filtered(self) -> bool:
        return self.is_by_model or self.verified or bool(self.words)


EVERYTHING = BoardPart()

MOST_ORGANISATIONS = 60
"""To choose from: a list of more is searched and not read."""


def organisations_among(names: Iterable[str]) -> tuple[str, ...] | None:
    """Each once and in order, without those of which nothing is said; None where they are too many
    to choose from."""
    found = sorted(set(names) - {""}, key=lambda name: (name.casefold(), name))
    return tuple(found) if len(found) <= MOST_ORGANISATIONS else None


def of_known_organisation(part: BoardPart, names: Sequence[str] | None) -> BoardPart:
    """The part, of any organisation where it asks for one that is none of these; names: None where
    they are not known."""
    is_known = names is None or not part.organisation or part.organisation in names
    return part if is_known else replace(part, organisation="")


def of_known_page(part: BoardPart, matching: int) -> BoardPart:
    """The part, of the last page where it asks for one beyond; matching: how many entries fit."""
    if not (part.page and part.count):
        return part
    page = min(part.page, max(1, math.ceil(matching / part.count)))
    first, baselines = (page - 1) * part.count, part.baselines and page == 1
    return replace(part, page=page, first=first, baselines=baselines)


@dataclass(frozen=True, slots=True)
class Counts:
    """Of a whole board. folded: entries that share the place of another; behind: entries judged in
    part by other texts than today's; ranked_rows: entries with a rank that are not folded."""

    entries: int = 0
    ranked: int = 0
    folded: int = 0
    behind: int = 0
    ranked_rows: int = 0

    @property
    def unranked(self) -> int:
        return self.entries - self.ranked


@dataclass(frozen=True, slots=True)
class Folded:
    """Entries that share the place of one: how many, and the first of them (MOST_FOLDED)."""

    count: int
    first: tuple[BoardEntry, ...]


MOST_FOLDED = 50
"""Names that one row unfolds: whoever hands one file in a thousand times must not make the page a
thousand lines."""


@dataclass(frozen=True, slots=True)
class BoardReading:
    """A board, or a part of it: entries in ranking order, then those without a rank by the same
    score.

    Read by a measure (see `read_by_measure`), `shown` is its part of the board, and entries stand
    in its order. `ranges` is EACH where each rank range holds the true rank of its entry with 95 %,
    and TOGETHER where all of the board do at once.

    entries: those of `part`, in its order, of `matching` that fit it. also: what the part wants
    beside them, in board order. firsts: by metric, who of these may be first in its column;
    first_counts: how many of the whole board, where these are not all. folded: by id, what shares
    the place of an entry that is read. Of the whole board: counts, valued (the
    metrics in which any entry has a value), asked (how many rows of the release each metric looks
    at), leader and second (the entries of the first two places), span (by name of a metric; None
    where it has no value, or of a board stored before it was kept), middle (by name of a metric:
    of the entries with a rank, of equal answers one; None as of span). as_of: None where it is the
    board of this moment; else when it was, of a large board that changed since. chain: the newest
    link of the chain of all that was scored and published. snapshot: what of the past it is; None
    where it is the board of now. newest: the snapshot that shows what the board of now does, if it
    is kept already. organisations: names to choose from of the whole
    board; None where they are too many, or not kept. stream: reads all that fit `part` from its
    first on, some at a time. best_of: of each of these models the entry that is ranked first.
    """

    benchmark: Benchmark
    board: Board
    metrics: Mapping[str, Metric]
    era: Era | None
    eras: tuple[Era, ...]
    entries: tuple[BoardEntry, ...]
    published: tuple[PublishedRow, ...]
    computed: datetime | None
    measure: Measure | None = None
    edition: ContentEdition | None = None
    ranges: str = EACH
    smallest: SmallestDifference | None = None
    part: BoardPart = EVERYTHING
    also: tuple[BoardEntry, ...] = ()
    matching: int = 0
    counts: Counts = Counts()
    valued: frozenset[str] = frozenset()
    firsts: Mapping[str, Set[UUID]] = field(default_factory=dict, compare=False)
    first_counts: Mapping[str, int] = field(default_factory=dict, compare=False)
    folded: Mapping[UUID, Folded] = field(default_factory=dict)
    leader: BoardEntry | None = None
    second: BoardEntry | None = None
    asked: Mapping[str, int] = field(default_factory=dict)
    as_of: datetime | None = None
    chain: Head | None = None
    snapshot: BoardSnapshot | None = None
    newest: BoardSnapshot | None = field(default=None, compare=False)
    organisations: tuple[str, ...] | None = field(default=None, compare=False)
    span: Callable[[str], ColumnSpan | None] = field(default=lambda _name: None, compare=False)
    middle: Callable[[str], Middle | None] = field(default=lambda _name: None, compare=False)
    stream: Callable[[], Iterator[BoardEntry]] = field(default=lambda: iter(()), compare=False)
    best_of: Callable[[Set[int]], Sequence[BoardEntry]] = field(
        default=lambda _models: (), compare=False
    )

    @property
    def is_hidden_test(self) -> bool:
        return self.era is not None and not self.era.release.verdicts_are_public

    @property
    def order(self) -> str:
        """Name of the metric whose order the entries stand in."""
        return self.measure.order if self.measure else self.board.ranking

    @property
    def is_in_rank_order(self) -> bool:
        return self.order == self.board.ranking

    @property
    def rows(self) -> tuple[BoardEntry, ...]:
        """The entries without those that share another one's place."""
        return tuple(entry for entry in self.entries if entry.same_answers_as is None)

    @property
    def shown(self) -> Board:
        return board_by(self.board, self.measure) if self.measure else self.board


class NoSuchEraError(LookupError):
    """The release or judge asked for has no public entries on this board."""


class BoardNotStoredError(LookupError):
    """The board is too large to be computed for its reader, and no worker has stored it yet."""

    def __init__(self) -> None:
        super().__init__(
            "This board is large and is being computed for the first time. Nothing is lost; try "
            "again in a minute."
        )


def read_by_measure(reading: BoardReading, slug: str) -> BoardReading:
    """The reading by that measure, or by the default one if there is no such; as it is where there
    are none.

    Ranks stay those of the board. Where the measure orders by another metric, entries without a
    value come last; of a part of the board, whoever asks for it asks for its order too.
    """
    if not reading.board.measures:
        return reading
    measures = {measure.slug: measure for measure in reading.board.measures}
    measure = measures.get(slug, reading.board.measures[0])
    entries = reading.entries
    if measure.order != reading.board.ranking and reading.part == EVERYTHING:
        lower_is_better = reading.metrics[measure.order].higher_is_better is False
        entries = in_order(entries, measure.order, ascending=lower_is_better)
    return replace(reading, entries=entries, measure=measure)


def rows_of(reading: BoardReading) -> Iterator[BoardEntry]:
    """Every entry that fits the reading's part from its first on, however few the reading holds: in
    the part's order, some at a time, so that a board of any size is written in little memory."""
    return reading.stream()


def board_by(board: Board, measure: Measure) -> Board:
    """The board with what names this measure, and what names none."""
    tables = [table for table in board.tables if table.measure in ("", measure.slug)]
    return replace(
        board,
        tables=tuple(sorted(tables, key=lambda table: table.slug != measure.opens_with)),
        charts=tuple(chart for chart in board.charts if chart.measure in ("", measure.slug)),
    )


def in_order(
    entries: Sequence[BoardEntry], metric: str, *, ascending: bool
) -> tuple[BoardEntry, ...]:
    """By one metric; entries without a value come last either way, ties keep the order they
    have."""

    def key(entry: BoardEntry) -> tuple[bool, float]:
        value = entry.value(metric)
        return value is None, (value or 0.0) * (1 if ascending else -1)

    return tuple(sorted(entries, key=key))


def most_common(counts: Mapping[int, int]) -> int:
    """The largest of those that are equally frequent."""
    return max(counts, key=lambda n: (counts[n], n))


def told_of(head: BoardReading, edition: BoardEdition) -> BoardReading:
    """`head` with what an edition tells of its whole board."""
    value, is_assumed = edition.smallest_each, edition.each_is_assumed
    if head.ranges == TOGETHER:
        value, is_assumed = edition.smallest_together, edition.together_is_assumed
    spans = edition.spans or {}

    def middle(name: str) -> Middle | None:
        found = (edition.middles or {}).get(name)
        return from_row(Middle, found) if found else None

    return replace(
        head,
        counts=Counts(
            entries=edition.entries,
            ranked=edition.ranked,
            folded=edition.folded,
            behind=edition.behind,
            ranked_rows=edition.ranked_rows,
        ),
        valued=frozenset(edition.valued),
        organisations=None if edition.organisations is None else tuple(edition.organisations),
        asked=edition.asked,
        edition=ContentEdition(edition.content_number, edition.content_since),
        computed=edition.newest_sheet,
        smallest=None if value is None else SmallestDifference(value, is_assumed=is_assumed),
        span=lambda name: from_row(ColumnSpan, spans[name]) if name in spans else None,
        middle=middle,
    )
