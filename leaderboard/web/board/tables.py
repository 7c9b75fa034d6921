"""One table of a board, ready to print: its heads, its rows as markup, what stands below them."""

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, replace
from uuid import UUID

from django.utils.safestring import SafeString, mark_safe
from django.utils.text import slugify

from benchmarks.protocols.base import Board, BoardTable, Metric, PublishedRow, StackedBar
from leaderboard.results.formatting import MISSING, print_value
from leaderboard.results.selectors import BoardEntry, BoardReading
from leaderboard.web.board.cells import (
    EMPTY_AGAINST,
    UNPRINTED,
    CellStyle,
    ColumnScale,
    Fold,
    against_cell,
    choose_cell,
    column_scale,
    coverage_cell,
    figure_cell,
    head_cell,
    is_incomplete,
    model_cells,
    published_cell,
    published_row,
    stacked_bar,
)
from leaderboard.web.board.choices import BoardChoices, Query, SortState, better_first, query_url
from leaderboard.web.board.columns import ALL, names_shown, with_columns
from leaderboard.web.board.comparison import days_of_namesakes

MOST_FOLDED_LINES = 60
"""Names that all rows of a page unfold together, at some 250 bytes each: a hundred rows that each
stand for a hundred copies are still one page."""
MOST_THAT_FIT = 12
"""Columns of 74 pixels beside rank and model on 1,230; a bar is as wide as two, and so are the
difference to the leader and coverage together."""
MOST_DRAWN_COLUMNS = 45
"""Of tables that draw a whisker into every cell: it is half of the cell's bytes."""
FEWEST_FOLDED = 4
"""Rows outside of the order that fold away under their title: fewer are no longer than it."""
FEWEST_ALIKE = 3
"""Models that a column has to be the same for: two may well be alike."""
BOLD_PART = 3
"""Of a column at most one entry in so many is bold, or that would single out nobody."""
ON_A_CARD = 3
"""Figures that a row shows as a card of a narrow page, until its reader asks for all. Bars stand
there besides, for their legend does."""
PUBLISHED = "Published elsewhere, not ranked"
UNSTATED = "Published elsewhere, judge unknown, not ranked"
TICKED = "Selected, from elsewhere on this board"
BASELINES = "Baselines, not ranked"


@dataclass(frozen=True, slots=True)
class GroupHead:
    """Over `span` columns, with what they have in common. is_column: the head of one column that
    has no other."""

    title: str
    span: int
    about: str = ""
    is_column: bool = False

    @property
    def slug(self) -> str:
        return f"group-{slugify(self.title)}"


@dataclass(frozen=True, slots=True)
class RowFrame:
    """An entry, what its row begins and ends with, and its difference to the leader."""

    entry: BoardEntry
    start: str
    end: str
    against: str


@dataclass(frozen=True, slots=True)
class TableRow:
    """One judged entry, as a row of markup."""

    id: UUID
    is_chosen: bool
    markup: str


@dataclass(frozen=True, slots=True)
class Block:
    """Rows that stand together under a title and outside of the board's order, as markup.
    is_open: whether they are to be seen at once, however many they are."""

    title: str
    rows: tuple[str, ...]
    is_open: bool = False

    @property
    def is_folded(self) -> bool:
        return len(self.rows) >= FEWEST_FOLDED and not self.is_open

    @property
    def body(self) -> SafeString:
        return mark_safe("\n".join(self.rows))  # noqa: S308 - made by leaderboard.web.board.cells


@dataclass(frozen=True, slots=True)
class TableView:
    """`columns` are heads as markup, `also` rows that stand elsewhere in the order, or in none,
    `published` those of papers. is_complete: every entry covers all questions, which is said once
    and not in a column. `left_out` are the columns that `all_url` shows."""

    slug: str
    title: str
    about: str
    groups: tuple[GroupHead, ...]
    columns: tuple[str, ...]
    bars: tuple[StackedBar, ...]
    rows: tuple[TableRow, ...]
    also: tuple[Block, ...]
    published: tuple[Block, ...]
    left_out: Mapping[str, str]
    all_url: str
    is_choosing: bool = False
    has_coverage: bool = True
    is_complete: bool = False

    @property
    def width(self) -> int:
        spans = sum(group.span for group in self.groups)
        return 2 + spans + len(self.bars) + self.is_choosing + self.has_coverage

    @property
    def is_wide(self) -> bool:
        """Whether it is wider than 1,280 pixels are."""
        return len(self.columns) + 2 * len(self.bars) + 2 * self.has_coverage > MOST_THAT_FIT

    @property
    def heads(self) -> SafeString:
        return mark_safe("\n".join(self.columns))  # noqa: S308 - made by leaderboard.web.board.cells

    @property
    def body(self) -> str:
        return "\n".join(row.markup for row in self.rows)


def about_differences(ranking: Metric) -> str:
    lower = " Lower is better." if ranking.higher_is_better is False else ""
    return (
        f"{ranking.title} minus the leader's, on the same questions, with a 95 % interval that "
        f"holds for all entries at once.{lower} Clear difference: more than chance explains."
    )


def tables_with_values(reading: BoardReading) -> tuple[BoardTable, ...]:
    """The shown tables without the columns in which no entry and no published row has a value.

    A table that has none at all is left out, unless it is the first: that one stays whole.
    """
    board, found = reading.shown, []
    valued = reading.valued | {
        name for row in reading.published for name, v in row.values.items() if v is not None
    }
    for table in board.tables:
        kept = table_with_values(table, valued)
        if kept.groups or kept.bars:
            found.append(kept)
        elif table is board.tables[0]:
            found.append(table)
    return tuple(found)


def table_with_values(table: BoardTable, valued: Set[str]) -> BoardTable:
    groups = [
        replace(group, metrics=tuple(m for m in group.metrics if m.name in valued))
        for group in table.groups
    ]
    bars = [bar for bar in table.bars if any(name in valued for name, _ in bar.parts)]
    return replace(
        table, groups=tuple(group for group in groups if group.metrics), bars=tuple(bars)
    )


def kept_table(reading: BoardReading, table: BoardTable) -> BoardTable:
    """The table as `tables_with_values` has it, and whole where that leaves it out."""
    return next((kept for kept in tables_with_values(reading) if kept.slug == table.slug), table)


def shown_table(reading: BoardReading, table: BoardTable, columns: Sequence[str]) -> BoardTable:
    """The `kept_table` with the columns that are asked for."""
    kept = kept_table(reading, table)
    return with_columns(kept, names_shown(kept, columns))


def columns_alike(reading: BoardReading, table: BoardTable, order: SortState) -> Mapping[str, str]:
    """By name each column that has the same figure for every ranked model, with that figure: "Win
    0.0". None while the page has only some of the models, or where nothing would be left."""
    ranked = [entry for entry in reading.rows if entry.rank]
    if len(reading.rows) < reading.matching or len(ranked) < FEWEST_ALIKE:
        return {}
    kept = {reading.board.ranking, order.metric}
    kept |= {name for row in reading.published for name in row.values}
    found = {}
    for metric in table.metrics:
        figures = {print_value(metric, entry.value(metric.name)) for entry in ranked}
        if metric.name not in kept and len(figures) == 1 and MISSING not in figures:
            found[metric.name] = f"{metric.title} {figures.pop()}"
    return found if len(found) < len(table.metrics) else {}


def of_one_table(reading: BoardReading, table: BoardTable, columns: Sequence[str]) -> BoardReading:
    """The reading of a board that has nothing but the shown columns of this table."""
    shown = shown_table(reading, table, columns)
    board = replace(reading.board, tables=(shown,), charts=())
    return with_printed_figures(replace(reading, board=board))


def with_printed_figures(reading: BoardReading) -> BoardReading:
    """Without the rows of papers that have no figure in any table that is shown."""
    names = {name for table in reading.shown.tables for name in names_in(table)}
    return replace(reading, published=tuple(printed_in(reading.published, names)))


def names_in(table: BoardTable) -> Set[str]:
    """Of its columns and of the parts of its bars."""
    parts = {name for bar in table.bars for name, _ in bar.parts}
    return parts | {metric.name for metric in table.metrics}


def printed_in(rows: Sequence[PublishedRow], names: Set[str]) -> list[PublishedRow]:
    """The rows with a figure of one of these names."""
    return [row for row in rows if names & row.values.keys()]


def table_view(
    reading: BoardReading,
    choices: BoardChoices,
    *,
    order: SortState,
    query: Query,
    ticked: Set[UUID],
    published: Sequence[PublishedRow],
) -> TableView:
    """order: which column is marked as sorted; query: what links carry along; ticked: ids of the
    entries whose boxes are; published: rows of papers.

    The column of differences to the leader follows the ranking's own column, or the models, for
    behind many columns nobody sees it without scrolling. It stands where the table shows the
    ranking, or is the first of the board, as does that of coverage."""
    table = shown_table(reading, choices.table, choices.columns)
    alike = {} if choices.columns or choices.is_narrowed else columns_alike(reading, table, order)
    table = with_columns(table, {metric.name for metric in table.metrics} - alike.keys())
    metrics = table.metrics
    width = len(metrics) + len(table.bars)
    frames = frames_of(reading, width if len(metrics) > ON_A_CARD else 0)
    entries = [frame.entry for frame in frames]
    scales = {metric.name: scale_over(metric, reading, entries) for metric in metrics}
    columns = figure_columns(reading, table, entries, scales, order)
    groups = [GroupHead(group.title, len(group.metrics), group.about) for group in table.groups]
    is_whole_row = is_first(reading.shown, table)
    has_coverage = is_whole_row and any(is_incomplete(entry) for entry in entries)
    at = None
    if is_whole_row and any(entry.to_leader for entry in entries):
        at = against_place(groups, metrics, reading.board.ranking)
        columns.insert(at, [frame.against for frame in frames])
        about = about_differences(reading.metrics[reading.board.ranking])
        groups.insert(at, GroupHead("Against the leader", 1, about, is_column=True))
    is_whole = len(reading.rows) == reading.matching
    is_choosing = bool(reading.rows) and not reading.is_hidden_test
    rows = [
        table_row(
            frame,
            cells,
            ticked if is_choosing else None,
            is_sorted_here=is_whole,
            has_coverage=has_coverage,
        )
        for frame, *cells in zip(frames, *columns, strict=True)
    ]
    baselines = baselines_apart(reading, entries)
    heads = [
        column_head(metric, order, query, table.slug, number, scales[metric.name].n)
        for number, metric in enumerate(metrics, start=1)
    ]
    frame = PublishedFrame(tuple(metrics), table.bars, is_choosing, at, has_coverage)
    return TableView(
        slug=table.slug,
        title=table.title,
        about=table.about,
        groups=tuple(groups),
        columns=tuple(heads),
        bars=table.bars,
        rows=tuple(row for row in rows[: len(reading.rows)] if row.id not in baselines),
        also=also_blocks(
            [row for row in rows[len(reading.rows) :] if row.id not in baselines],
            [row for row in rows if row.id in baselines],
            is_any_asked=not baselines.isdisjoint(choices.asked),
        ),
        published=published_blocks(published, frame),
        is_choosing=is_choosing,
        has_coverage=has_coverage,
        is_complete=is_whole_row and not has_coverage,
        left_out=alike,
        all_url=f"{query_url(query, columns=ALL, page='')}#{table.slug}",
    )


def figure_columns(
    reading: BoardReading,
    table: BoardTable,
    entries: Sequence[BoardEntry],
    scales: Mapping[str, ColumnScale],
    order: SortState,
) -> list[list[str]]:
    """The cells of each metric, then of each bar."""
    metrics, is_drawn = table.metrics, len(table.metrics) <= MOST_DRAWN_COLUMNS
    charted = {
        metric.name: chart
        for chart in reading.shown.charts
        for group in chart.groups
        for metric in group.metrics
    }
    styles = [
        CellStyle(
            is_drawn=is_drawn and one.name not in charted,
            is_sorted=one.name == order.metric,
            shaded_on=charted.get(one.name),
        )
        for one in metrics
    ]
    return [
        *(
            metric_cells(metric, reading, entries, scales[metric.name], style)
            for metric, style in zip(metrics, styles, strict=True)
        ),
        *(bar_cells(bar, entries) for bar in table.bars),
    ]


def is_first(board: Board, table: BoardTable) -> bool:
    return table.slug == board.tables[0].slug


def frames_of(reading: BoardReading, figures: int) -> list[RowFrame]:
    """Of the rows, and behind them of what is shown from elsewhere. figures: how many a row has,
    0 where a card shows all of them."""
    ranking, folds = reading.metrics[reading.board.ranking], folds_of(reading)
    days = days_of_namesakes((*reading.rows, *reading.also))
    return [
        RowFrame(
            entry,
            model_cells(
                entry,
                folds.get(entry.id),
                all_figures=figures,
                day=days.get(entry.id, ""),
            ),
            coverage_cell(entry),
            against_cell(ranking, entry),
        )
        for entry in (*reading.rows, *reading.also)
    ]


def folds_of(reading: BoardReading) -> Mapping[UUID, Fold]:
    """What each row unfolds: those of equal answers, each with its own score as printed. The first
    rows unfold as much as they like, while there is room on the page. Nothing of what is gone: the
    score of its equals is its own."""
    ranking = reading.metrics[reading.board.ranking]
    found, left = {}, MOST_FOLDED_LINES
    for entry in (*reading.rows, *reading.also):
        folded = None if entry.is_gone else reading.folded.get(entry.id)
        if folded:
            lines = tuple(
                (equal, print_value(ranking, equal.value(ranking.name)))
                for equal in folded.first[:left]
            )
            found[entry.id] = Fold(folded.count, lines)
            left -= len(lines)
    return found


def baselines_apart(reading: BoardReading, entries: Sequence[BoardEntry]) -> Set[UUID]:
    """Ids of the baselines, where all of the board's are shown together; else of none."""
    if not reading.part.baselines:
        return set()
    return {entry.id for entry in entries if entry.origin == "baseline"}


def also_blocks(
    ticked: Sequence[TableRow], baselines: Sequence[TableRow], *, is_any_asked: bool
) -> tuple[Block, ...]:
    """is_any_asked: for one of the baselines, which is then to be seen."""
    blocks = (
        Block(TICKED, tuple(row.markup for row in ticked), is_open=True),
        Block(BASELINES, tuple(row.markup for row in baselines), is_open=is_any_asked),
    )
    return tuple(block for block in blocks if block.rows)


def against_place(groups: Sequence[GroupHead], metrics: Sequence[Metric], ranking: str) -> int:
    """Before which column the differences to the leader stand, which is before which group too:
    behind the ranking where that is a group of its own and the first, else in front of all."""
    return int(bool(groups) and groups[0].span == 1 and metrics[0].name == ranking)


def scale_over(metric: Metric, reading: BoardReading, entries: Sequence[BoardEntry]) -> ColumnScale:
    """One for all pages of a board and whatever is searched there: of these entries, values may be
    newer than the stored board."""
    figures = (entry.figure(metric.name) for entry in entries)
    return column_scale(metric, [f for f in figures if f], reading.span(metric.name))


def bold_in(reading: BoardReading, metric: Metric) -> Set[UUID]:
    """Ids of those that may be first in a column; of none where these are more than a third of
    those with a rank."""
    firsts = reading.firsts.get(metric.name, frozenset())
    return frozenset() if len(firsts) > reading.counts.ranked / BOLD_PART else firsts


def metric_cells(
    metric: Metric,
    reading: BoardReading,
    entries: Sequence[BoardEntry],
    scale: ColumnScale,
    style: CellStyle,
) -> list[str]:
    firsts = bold_in(reading, metric)
    return [
        figure_cell(
            metric, entry.figure(metric.name), scale, style, may_be_first=entry.id in firsts
        )
        for entry in entries
    ]


def bar_cells(bar: StackedBar, entries: Sequence[BoardEntry]) -> list[str]:
    return [stacked_bar(bar, entry.value) for entry in entries]


def table_row(
    frame: RowFrame,
    cells: Sequence[str],
    chosen: Set[UUID] | None,
    *,
    is_sorted_here: bool,
    has_coverage: bool,
) -> TableRow:
    """chosen: None where none can be. The script that sorts knows rows by their entries."""
    entry, is_chosen = frame.entry, chosen is not None and frame.entry.id in chosen
    box = "" if chosen is None else choose_cell(entry, is_chosen=is_chosen)
    known = f' data-entry="{entry.id}"' if is_sorted_here else ""
    end = frame.end if has_coverage else ""
    markup = f"<tr{known}>{box}{frame.start}{''.join(cells)}{end}</tr>"
    return TableRow(entry.id, is_chosen, markup)


@dataclass(frozen=True, slots=True)
class PublishedFrame:
    """What the rows of papers share with the table they stand below: its columns, and which cells
    of theirs stay empty. against_at: before which column the differences to the leader stand."""

    metrics: tuple[Metric, ...]
    bars: tuple[StackedBar, ...]
    is_choosing: bool
    against_at: int | None
    has_coverage: bool


def published_blocks(rows: Sequence[PublishedRow], frame: PublishedFrame) -> tuple[Block, ...]:
    """The rows with a figure in this table: first those whose source names the judge, then the
    others."""
    parts = [name for bar in frame.bars for name, _ in bar.parts]
    names = {*(metric.name for metric in frame.metrics), *parts}
    shown = printed_in(rows, names)
    found = []
    for title, is_stated in ((PUBLISHED, True), (UNSTATED, False)):
        lines = tuple(published_line(row, frame) for row in shown if bool(row.judge) is is_stated)
        found += [Block(title, lines)] if lines else []
    return tuple(found)


def published_line(row: PublishedRow, frame: PublishedFrame) -> str:
    cells = [published_cell(metric, row.values.get(metric.name)) for metric in frame.metrics]
    cells += [stacked_bar(bar, row.values.get) for bar in frame.bars]
    if frame.against_at is not None:
        cells.insert(frame.against_at, EMPTY_AGAINST)
    cells += [UNPRINTED] if frame.has_coverage else []
    return published_row(row, "".join(cells), is_choosing=frame.is_choosing)


def column_head(
    metric: Metric, order: SortState, query: Query, table: str, number: int, n: int | None
) -> str:
    """Choosing a column puts its better end first; choosing it again turns it round. Both lead to
    the first page."""
    is_sorted = order.metric == metric.name
    chosen = replace(order, ascending=not order.ascending) if is_sorted else better_first(metric)
    url = f"{query_url(query, page='', **chosen.query())}#{table}"
    aria_sort = ("ascending" if order.ascending else "descending") if is_sorted else "none"
    return head_cell(metric, url=url, aria_sort=aria_sort, number=number, n=n)
