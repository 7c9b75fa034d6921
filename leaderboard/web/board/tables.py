"""One table of a board, ready to print: its heads, its rows as markup, what stands below them."""

from collections.abc import Mapping, Sequence, Set
from dataclasses import replace
from typing import Any
from uuid import UUID

from django.utils.safestring import mark_safe

from benchmarks.protocols.base import BoardTable, ColumnGroup, Metric, PublishedRow
from leaderboard.results.formatting import MISSING, print_value
from leaderboard.results.selectors import BoardEntry, BoardReading
from leaderboard.web.board.cells import (
    EMPTY_AGAINST,
    EMPTY_BOX,
    NO_RANK,
    UNPRINTED,
    ColumnScale,
    against_cell,
    choose_cell,
    column_scale,
    coverage_cell,
    figure_cell,
    fold_markup,
    head_cell,
    is_incomplete,
    model_cell,
    published_cell,
    published_row,
    rank_cell,
    stacked_bar,
)
from leaderboard.web.board.choices import BoardChoices, Query, SortState, better_first, query_url
from leaderboard.web.board.columns import ALL, names_shown, with_columns
from leaderboard.web.board.comparison import ALL_AT_ONCE, days_of_namesakes

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


def about_differences(ranking: Metric) -> str:
    lower = " Lower is better." if ranking.higher_is_better is False else ""
    return (
        f"{ranking.title} minus the leader's, on the same questions; the interval holds with "
        f"{ALL_AT_ONCE}.{lower} Clear difference: more than chance explains."
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
        bars = [bar for bar in table.bars if any(name in valued for name, _ in bar.parts)]
        kept = replace(with_columns(table, valued), bars=tuple(bars))
        if kept.groups or kept.bars:
            found.append(kept)
        elif table is board.tables[0]:
            found.append(table)
    return tuple(found)


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


def table_context(
    reading: BoardReading,
    choices: BoardChoices,
    *,
    order: SortState,
    query: Query,
    published: Sequence[PublishedRow],
) -> dict[str, Any]:
    """order: which column is marked as sorted; query: what links carry along; published: rows of
    papers.

    `heads` of columns and `rows`, by entry, are markup; `also` are rows that stand elsewhere in the
    order, or in none, `published` those of papers. `is_complete`: every entry covers all questions,
    which is said once and not in a column. `left_out` are the columns that `all_url` shows.

    The column of differences to the leader follows the ranking's own column, or the models, for
    behind many columns nobody sees it without scrolling. It stands where the table shows the
    ranking, or is the first of the board, as does that of coverage."""
    table = shown_table(reading, choices.table, choices.columns)
    alike = {} if choices.columns or choices.is_narrowed else columns_alike(reading, table, order)
    table = with_columns(table, {metric.name for metric in table.metrics} - alike.keys())
    metrics, groups = table.metrics, list(table.groups)
    entries = (*reading.rows, *reading.also)
    # One scale for all pages of a board and whatever is searched there: of these entries, values
    # may be newer than the stored board.
    scales = {
        metric.name: column_scale(
            metric,
            [figure for entry in entries if (figure := entry.figure(metric.name))],
            reading.span(metric.name),
        )
        for metric in metrics
    }
    columns = figure_columns(reading, table, entries, scales, order)
    is_whole_row = table.slug == reading.shown.tables[0].slug
    has_coverage = is_whole_row and any(is_incomplete(entry) for entry in entries)
    at = None
    if is_whole_row and any(entry.to_leader for entry in entries):
        ranking = reading.metrics[reading.board.ranking]
        at = against_place(groups, ranking.name)
        columns.insert(at, [against_cell(ranking, entry) for entry in entries])
        groups.insert(at, ColumnGroup("Against the leader", (), about_differences(ranking)))
    figures = len(metrics) + len(table.bars) if len(metrics) > ON_A_CARD else 0
    has_ranks = not reading.is_hidden_test
    is_choosing = bool(reading.rows) and has_ranks
    rows = row_markup(
        reading,
        choices,
        columns,
        figures=figures,
        is_choosing=is_choosing,
        has_coverage=has_coverage,
    )
    baselines: dict[UUID, str] = {}
    if reading.part.baselines:  # all of the board's are shown together
        baselines = {one.id: rows.pop(one.id) for one in entries if one.origin == "baseline"}
    is_any_asked = not baselines.keys().isdisjoint(choices.asked)  # which is then to be seen
    ticked = [rows.pop(entry.id) for entry in reading.also if entry.id in rows]
    also = (
        block(TICKED, ticked, is_open=True),
        block(BASELINES, list(baselines.values()), is_open=is_any_asked),
    )
    return {
        "table": table,
        "groups": groups,  # that of the differences has no metrics
        "heads": mark_safe(  # noqa: S308 - made by leaderboard.web.board.cells
            "\n".join(
                column_head(metric, order, query, table.slug, number, scales[metric.name].n)
                for number, metric in enumerate(metrics, start=1)
            )
        ),
        "rows": rows,
        "also": [one for one in also if one["rows"]],
        "published": published_blocks(
            published,
            table,
            at,
            start=EMPTY_BOX * is_choosing + NO_RANK * has_ranks,
            has_coverage=has_coverage,
        ),
        "width": 1 + has_ranks + len(columns) + is_choosing + has_coverage,
        # than 1,280 pixels are
        "is_wide": len(metrics) + 2 * len(table.bars) + 2 * has_coverage > MOST_THAT_FIT,
        "is_choosing": is_choosing,
        "has_coverage": has_coverage,
        "has_bold": any(bold_in(reading, m) & {e.id for e in entries} for m in metrics),
        "is_complete": is_whole_row and not has_coverage,
        "left_out": alike,
        "all_url": f"{query_url(query, columns=ALL, page='')}#{table.slug}",
    }


def figure_columns(
    reading: BoardReading,
    table: BoardTable,
    entries: Sequence[BoardEntry],
    scales: Mapping[str, ColumnScale],
    order: SortState,
) -> list[list[str]]:
    """The cells of each metric, then of each bar."""
    is_drawn = len(table.metrics) <= MOST_DRAWN_COLUMNS
    charted = {
        metric.name: chart
        for chart in reading.shown.charts
        for group in chart.groups
        for metric in group.metrics
    }
    columns: list[list[str]] = []
    for metric in table.metrics:
        name, bold = metric.name, bold_in(reading, metric)
        columns.append(
            [
                figure_cell(
                    metric,
                    entry.figure(name),
                    scales[name],
                    is_drawn=is_drawn and name not in charted,
                    is_sorted=name == order.metric,
                    shaded_on=charted.get(name),
                    may_be_first=entry.id in bold,
                )
                for entry in entries
            ]
        )
    for bar in table.bars:
        columns.append([stacked_bar(bar, entry.value) for entry in entries])
    return columns


def bold_in(reading: BoardReading, metric: Metric) -> Set[UUID]:
    """Ids of those that may be first in a column; of none where these are more than a third of
    those with a rank."""
    firsts = reading.firsts.get(metric.name, frozenset())
    count = reading.first_counts.get(metric.name, len(firsts))
    return frozenset() if count > reading.counts.ranked / BOLD_PART else firsts


def row_markup(
    reading: BoardReading,
    choices: BoardChoices,
    columns: Sequence[Sequence[str]],
    *,
    figures: int,
    is_choosing: bool,
    has_coverage: bool,
) -> dict[UUID, str]:
    """Of the rows, and behind them of what is shown from elsewhere, by entry. figures: how many a
    row has, 0 where a card shows all of them. The script that sorts knows rows by their entries."""
    entries, folds = (*reading.rows, *reading.also), folds_of(reading)
    days = days_of_namesakes(entries)
    is_sorted_here = len(reading.rows) == reading.matching
    found = {}
    for entry, *cells in zip(entries, *columns, strict=True):
        known = f' data-entry="{entry.id}"' if is_sorted_here else ""
        box = choose_cell(entry, is_chosen=entry.id in choices.asked) if is_choosing else ""
        folded, day = folds.get(entry.id, ""), days.get(entry.id, "")
        rank = "" if reading.is_hidden_test else rank_cell(entry)
        start = rank + model_cell(entry, folded, all_figures=figures, day=day)
        end = coverage_cell(entry) if has_coverage else ""
        found[entry.id] = f"<tr{known}>{box}{start}{''.join(cells)}{end}</tr>"
    return found


def folds_of(reading: BoardReading) -> Mapping[UUID, str]:
    """What each row unfolds, as markup: those of equal answers, each with its own score as printed.
    The first rows unfold as much as they like, while there is room on the page. Nothing of what is
    gone: the score of its equals is its own."""
    ranking = reading.metrics[reading.board.ranking]
    found, left = {}, MOST_FOLDED_LINES
    for entry in (*reading.rows, *reading.also):
        folded = None if entry.is_gone else reading.folded.get(entry.id)
        if folded:
            lines = tuple(
                (equal, print_value(ranking, equal.value(ranking.name)))
                for equal in folded.first[:left]
            )
            found[entry.id] = fold_markup(folded.count, lines)
            left -= len(lines)
    return found


def block(title: str, rows: Sequence[str], *, is_open: bool = False) -> dict[str, Any]:
    """Rows that stand together under a title and outside of the board's order, as markup. is_open:
    whether they are to be seen at once, however many they are."""
    return {
        "title": title,
        "rows": rows,
        "is_folded": len(rows) >= FEWEST_FOLDED and not is_open,
        "body": mark_safe("\n".join(rows)),  # noqa: S308 - made by leaderboard.web.board.cells
    }


def against_place(groups: Sequence[ColumnGroup], ranking: str) -> int:
    """Before which column the differences to the leader stand, which is before which group too:
    behind the ranking where that is a group of its own and the first, else in front of all."""
    return int(bool(groups) and [metric.name for metric in groups[0].metrics] == [ranking])


def published_blocks(
    rows: Sequence[PublishedRow],
    table: BoardTable,
    at: int | None,
    *,
    start: str,
    has_coverage: bool,
) -> list[dict[str, Any]]:
    """The rows with a figure in this table: first those whose source names the judge, then the
    others. at: before which column the differences to the leader stand; start: the cells before
    the model, as markup."""
    found: dict[bool, list[str]] = {True: [], False: []}
    for row in printed_in(rows, names_in(table)):
        cells = [published_cell(metric, row.values.get(metric.name)) for metric in table.metrics]
        cells += [stacked_bar(bar, row.values.get) for bar in table.bars]
        if at is not None:
            cells.insert(at, EMPTY_AGAINST)
        cells += [UNPRINTED] if has_coverage else []
        line = published_row(row, start, "".join(cells))
        found[bool(row.judge)].append(line)
    blocks = (block(PUBLISHED, found[True]), block(UNSTATED, found[False]))
    return [one for one in blocks if one["rows"]]


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
