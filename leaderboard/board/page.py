"""The context of a board page: its tables, ready to print."""

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import chain
from urllib.parse import urlencode
from uuid import UUID

from django.utils.safestring import SafeString, mark_safe

from benchmarks.protocols.base import BoardTable, Measure, Metric, PublishedRow, StackedBar
from judging.texts import ContentEdition
from leaderboard.board.cells import (
    EMPTY_AGAINST,
    against_cell,
    choose_cell,
    column_scale,
    coverage_cell,
    figure_cell,
    head_cell,
    model_cells,
    published_cell,
    published_row,
    stacked_bar,
)
from leaderboard.board.charts import (
    ChartView,
    ChosenModel,
    chart_views,
    choose_entries,
    chosen_models,
)
from leaderboard.board.comparison import claims
from leaderboard.formatting import print_value
from leaderboard.seals import JudgeSeal, WorthTable, judge_seal, worth_table
from leaderboard.selectors import (
    EACH,
    TOGETHER,
    BoardEntry,
    BoardReading,
    Era,
    board_by,
    firsts_of,
    in_order,
)


@dataclass(frozen=True, slots=True)
class SortState:
    """Which metric orders the rows; empty for the ranking."""

    metric: str = ""
    ascending: bool = False


@dataclass(frozen=True, slots=True)
class ColumnHead:
    metric: str
    sort_url: str
    aria_sort: str
    markup: str


@dataclass(frozen=True, slots=True)
class GroupHead:
    """Over `span` columns; with `about`, the head of one column that is explained so and has no other head."""

    title: str
    span: int
    about: str = ""


@dataclass(frozen=True, slots=True)
class RowFrame:
    """An entry, what its row begins and ends with in every table, and for the first its difference to the leader."""

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
class BarHead:
    title: str
    labels: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PublishedBlock:
    """Published rows that stand together under a title, as markup."""

    title: str
    rows: tuple[str, ...]

    @property
    def body(self) -> SafeString:
        return mark_safe("\n".join(self.rows))  # noqa: S308 - made by leaderboard.board.cells


@dataclass(frozen=True, slots=True)
class TableView:
    slug: str
    title: str
    about: str
    groups: tuple[GroupHead, ...]
    columns: tuple[ColumnHead, ...]
    bars: tuple[BarHead, ...]
    rows: tuple[TableRow, ...]
    published: tuple[PublishedBlock, ...]
    is_choosing: bool = False

    @property
    def width(self) -> int:
        spans = sum(group.span for group in self.groups)
        return 3 + spans + len(self.bars) + self.is_choosing

    @property
    def heads(self) -> SafeString:
        return mark_safe("\n".join(column.markup for column in self.columns))  # noqa: S308 - made by leaderboard.board.cells

    @property
    def body(self) -> str:
        return "\n".join(row.markup for row in self.rows)


@dataclass(frozen=True, slots=True)
class EraChoice:
    release: str
    judge: str
    label: str
    url: str
    is_current: bool


@dataclass(frozen=True, slots=True)
class MeasureChoice:
    title: str
    about: str
    url: str
    is_current: bool


@dataclass(frozen=True, slots=True)
class LegendLine:
    """A chosen model; `url` is the page without it, empty for the only one."""

    chosen: ChosenModel
    url: str


@dataclass(frozen=True, slots=True)
class BoardPage:
    """`measures` is empty where there is only one, `ranges` where no ranks are to be compared, `charts` where the board
    has none; `chosen` are the models drawn, `kept` what the form sends along. `score_title` names the figure that
    leads: that of the measure, else the ranking. `claims` are sentences on the lead, and on what differences the
    release can show.
    """

    slug: str
    title: str
    summary: str
    how: str
    era: Era | None
    judge: JudgeSeal | None
    languages: tuple[EraChoice, ...]
    eras: tuple[EraChoice, ...]
    measures: tuple[MeasureChoice, ...]
    ranges: tuple[MeasureChoice, ...]
    computed: datetime | None
    entry_count: int
    ranked_count: int
    folded_count: int
    tables: tuple[TableView, ...]
    rank_title: str
    rank_url: str
    is_in_rank_order: bool
    downloads: tuple[tuple[str, str], ...]
    show_published: bool
    published_url: str
    charts: tuple[ChartView, ...] = ()
    chosen: tuple[LegendLine, ...] = ()
    kept: tuple[tuple[str, str], ...] = ()
    score_title: str = ""
    worth: WorthTable | None = None
    claims: tuple[str, ...] = ()
    edition: ContentEdition | None = None
    behind_count: int = 0


PUBLISHED = "published in the papers, not ranked"
UNSTATED = "published without naming the judge: comparable with nothing else here"

Query = Mapping[str, str | Sequence[str]]
"""What a reader chose: release, judge, measure, sort, order, published and m, empty where nothing was."""


def board_page(
    reading: BoardReading,
    *,
    sort: SortState,
    show_published: bool = True,
    asked: Sequence[str] = (),
) -> BoardPage:
    """`asked` are ids of the entries to draw in the board's charts."""
    entries = sort_entries(reading.rows, sort)
    drawn = choose_entries(reading.rows, asked) if reading.shown.charts else ()
    fields = {
        **era_query(reading),
        **sort_query(sort),
        "published": "" if show_published else "off",
    }
    query = {**fields, "m": [str(entry.id) for entry in drawn] if asked else []}
    order = sort if sort.metric else own_order(reading)
    ranking = reading.metrics[reading.board.ranking]
    return BoardPage(
        slug=reading.benchmark.slug,
        title=reading.benchmark.title,
        summary=reading.board.summary,
        how=reading.board.how,
        era=reading.era,
        judge=judge_seal(reading.era.judge_spec) if reading.era else None,
        languages=language_choices(reading),
        eras=tuple(era_choice(era, reading) for era in reading.eras),
        measures=measure_choices(reading, sort, query),
        ranges=range_choices(reading, query),
        computed=reading.computed,
        entry_count=len(reading.entries),
        ranked_count=sum(entry.rank is not None for entry in reading.entries),
        folded_count=len(reading.entries) - len(reading.rows),
        tables=table_views(
            reading, entries, order, query, show_published=show_published, drawn=drawn
        ),
        rank_title="Rank" if reading.is_in_rank_order else f"Rank by {ranking.title}",
        rank_url=query_url(query, **sort_query(rank_order(reading))),
        is_in_rank_order=order == rank_order(reading),
        downloads=tuple(
            (kind, f"export.{kind}{query_url(fields)}") for kind in ("csv", "json", "latex")
        ),
        show_published=show_published,
        published_url=query_url(query, published="off" if show_published else ""),
        charts=chart_views(reading, drawn),
        chosen=legend_lines(reading, drawn, query),
        score_title=reading.metrics[reading.order].title,
        worth=rules_worth(reading),
        claims=claims(reading),
        edition=reading.edition,
        behind_count=sum(bool(entry.by_older_texts) for entry in reading.entries),
        kept=tuple((name, value) for name, value in fields.items() if value),
    )


def rules_worth(reading: BoardReading) -> WorthTable | None:
    """What the judge of this era is worth beside people on such a release, where it is the offline rules."""
    spec = reading.era.judge_spec if reading.era else None
    if spec is None or not spec.is_offline:
        return None
    return worth_table(reading.board, spec.model, asked_of(reading))


def asked_of(reading: BoardReading) -> dict[str, int]:
    """How many rows of the release each metric looks at, by name; of any entry, for all answer the same questions."""
    figures = reading.entries[0].figures if reading.entries else {}
    return {name: figure.asked for name, figure in figures.items()}


def era_query(reading: BoardReading) -> dict[str, str]:
    era, measure = reading.era, reading.measure
    return {
        "release": era.release.slug if era else "",
        "judge": era.judge_spec.slug if era else "",
        "measure": measure.slug if measure else "",
        "ranges": "" if reading.ranges == EACH else reading.ranges,
    }


def sort_query(sort: SortState) -> dict[str, str]:
    if not sort.metric:
        return {"sort": "", "order": ""}
    return {"sort": sort.metric, "order": "asc" if sort.ascending else "desc"}


def query_url(query: Query, **changes: str | Sequence[str]) -> str:
    chosen = {name: value for name, value in {**query, **changes}.items() if value}
    return f"?{urlencode(chosen, doseq=True)}"


def better_first(metric: Metric) -> SortState:
    return SortState(metric.name, ascending=metric.higher_is_better is False)


def own_order(reading: BoardReading) -> SortState:
    """The order of the reading's entries: that of a metric, or of the ranking."""
    return SortState() if reading.is_in_rank_order else better_first(reading.metrics[reading.order])


def rank_order(reading: BoardReading) -> SortState:
    """What the head of the ranks sorts by: nothing where entries stand in rank order anyway."""
    return (
        SortState()
        if reading.is_in_rank_order
        else better_first(reading.metrics[reading.board.ranking])
    )


def legend_lines(
    reading: BoardReading, drawn: Sequence[BoardEntry], query: Query
) -> tuple[LegendLine, ...]:
    def url(without: UUID) -> str:
        rest = [str(entry.id) for entry in drawn if entry.id != without]
        return query_url(query, m=rest) + "#charts" if rest else ""

    return tuple(LegendLine(chosen, url(chosen.id)) for chosen in chosen_models(reading, drawn))


LANGUAGES = {"en": "EN", "zh": "CN"}


def language_choices(reading: BoardReading) -> tuple[EraChoice, ...]:
    """The first era of each language, where there are several languages."""
    firsts: dict[str, Era] = {}
    for era in reading.eras:
        firsts.setdefault(era.release.language, era)
    current = reading.era.release.language if reading.era else ""
    choices = tuple(
        replace(
            era_choice(era, reading),
            label=LANGUAGES.get(language, language),
            is_current=language == current,
        )
        for language, era in firsts.items()
    )
    return choices if len(choices) > 1 else ()


def era_choice(era: Era, reading: BoardReading) -> EraChoice:
    entries = "entry" if era.entries == 1 else "entries"
    label = f"{era_name(era, reading.eras)} · {era.entries:,} {entries}"
    query = era_query(replace(reading, era=era))
    return EraChoice(
        era.release.slug, era.judge_spec.slug, label, query_url(query), era == reading.era
    )


def era_name(era: Era, eras: Sequence[Era]) -> str:
    """Its release and judge, with their slugs where another of these eras has one of the same title or model, and what
    the judge's prompts lack."""
    release, spec = era.release, era.judge_spec
    title, judge = release.title, judge_seal(spec).label
    if any(e.release.title == title and e.release != release for e in eras):
        title = f"{title} ({release.slug})"
    if any(judge_seal(e.judge_spec).label == judge and e.judge_spec != spec for e in eras):
        judge = f"{judge} ({spec.slug})"
    return " · ".join(part for part in (title, judge, spec.caution) if part)


def measure_choices(
    reading: BoardReading, sort: SortState, query: Query
) -> tuple[MeasureChoice, ...]:
    """Links to the board by its other measures; the sort order goes along where they show that column."""

    def url(measure: Measure) -> str:
        columns = {metric.name for metric in board_by(reading.board, measure).metrics()}
        kept = sort if sort.metric in columns else SortState()
        return query_url(query, measure=measure.slug, **sort_query(kept))

    return tuple(
        MeasureChoice(measure.title, measure.about, url(measure), measure == reading.measure)
        for measure in reading.board.measures
    )


RANGE_CHOICES = (
    (EACH, "Each range", "Each rank range holds the true rank of its entry with 95 %."),
    (
        TOGETHER,
        "All ranges at once",
        "With 95 % every rank range of this board holds the true rank of its entry.",
    ),
)


def range_choices(reading: BoardReading, query: Query) -> tuple[MeasureChoice, ...]:
    """Links to both readings of the rank ranges; none where fewer than two entries have a rank."""
    if sum(entry.rank is not None for entry in reading.rows) < 2:
        return ()
    return tuple(
        MeasureChoice(
            title,
            about,
            query_url(query, ranges="" if ranges == EACH else ranges),
            ranges == reading.ranges,
        )
        for ranges, title, about in RANGE_CHOICES
    )


def sort_entries(entries: Sequence[BoardEntry], sort: SortState) -> tuple[BoardEntry, ...]:
    """Board order, or by one metric; entries without a value come last either way."""
    return (
        in_order(entries, sort.metric, ascending=sort.ascending) if sort.metric else tuple(entries)
    )


def table_views(
    reading: BoardReading,
    entries: Sequence[BoardEntry],
    order: SortState,
    query: Query,
    *,
    show_published: bool,
    drawn: Sequence[BoardEntry],
) -> tuple[TableView, ...]:
    """The tables that hold anything; the first has boxes to choose what is drawn."""
    ranking, folded = reading.metrics[reading.board.ranking], folded_lines(reading)
    frames = [
        RowFrame(
            entry,
            model_cells(entry, folded.get(entry.id, ())),
            coverage_cell(entry),
            against_cell(ranking, entry),
        )
        for entry in entries
    ]
    published = reading.published if show_published else ()
    against = about_differences(ranking) if any(entry.to_leader for entry in entries) else ""
    return tuple(
        table_view(
            table,
            frames,
            published,
            order,
            query,
            drawn=drawn if place == 0 else (),
            against=against if place == 0 else "",
            ranking=ranking.name,
        )
        for place, table in enumerate(tables_with_values(reading))
    )


def folded_lines(reading: BoardReading) -> Mapping[UUID, Sequence[tuple[BoardEntry, str]]]:
    """By the entry whose place they share those of equal answers, each with its own score as printed."""
    ranking = reading.metrics[reading.board.ranking]
    found: dict[UUID, list[tuple[BoardEntry, str]]] = {}
    for entry in reading.entries:
        if entry.same_answers_as is not None:
            line = entry, print_value(ranking, entry.value(ranking.name))
            found.setdefault(entry.same_answers_as, []).append(line)
    return found


def about_differences(ranking: Metric) -> str:
    return (
        f"Difference in {ranking.title} to the entry that leads, on the same questions, and between what it lies: "
        "with 95 % an entry's differences to all others do"
    )


def tables_with_values(reading: BoardReading) -> tuple[BoardTable, ...]:
    """The shown tables without the columns in which no entry and no published row has a value.

    A table that has none at all is left out, unless it is the first: that one stays whole.
    """
    board, found = reading.shown, []
    valued = {name for name in board.metric_names() if has_value(reading, name)}
    for table in board.tables:
        kept = table_with_values(table, valued)
        if kept.groups or kept.bars:
            found.append(kept)
        elif table is board.tables[0]:
            found.append(table)
    return tuple(found)


def has_value(reading: BoardReading, metric: str) -> bool:
    entries = (entry.value(metric) for entry in reading.entries)
    return any(
        value is not None
        for value in chain(entries, (row.values.get(metric) for row in reading.published))
    )


def table_with_values(table: BoardTable, valued: Set[str]) -> BoardTable:
    groups = [
        replace(group, metrics=tuple(m for m in group.metrics if m.name in valued))
        for group in table.groups
    ]
    bars = [bar for bar in table.bars if any(name in valued for name, _ in bar.parts)]
    return replace(
        table, groups=tuple(group for group in groups if group.metrics), bars=tuple(bars)
    )


def table_view(
    table: BoardTable,
    frames: Sequence[RowFrame],
    published: Sequence[PublishedRow],
    order: SortState,
    query: Query,
    *,
    drawn: Sequence[BoardEntry],
    against: str,
    ranking: str,
) -> TableView:
    """Rows of `drawn` are marked as chosen; where it is not empty, the table has boxes to choose with. `against` says
    what is in the column of differences to the leader, empty where there is none: it follows the ranking's own column,
    or the models, for behind many columns nobody sees it without scrolling."""
    metrics = [metric for group in table.groups for metric in group.metrics]
    entries = [frame.entry for frame in frames]
    columns = [
        *(metric_cells(metric, entries, ranking) for metric in metrics),
        *(bar_cells(bar, entries) for bar in table.bars),
    ]
    groups = [GroupHead(group.title, len(group.metrics)) for group in table.groups]
    at = against_place(groups, metrics, ranking) if against else None
    if at is not None:
        columns.insert(at, [frame.against for frame in frames])
        groups.insert(at, GroupHead("Against the leader", 1, against))
    chosen = {entry.id for entry in drawn}
    return TableView(
        slug=table.slug,
        title=table.title,
        about=table.about,
        groups=tuple(groups),
        columns=tuple(column_head(metric, order, query, table.slug) for metric in metrics),
        bars=tuple(
            BarHead(bar.title, tuple(label for _, label in bar.parts)) for bar in table.bars
        ),
        rows=tuple(
            table_row(frame, cells, chosen) for frame, *cells in zip(frames, *columns, strict=True)
        ),
        published=published_blocks(
            published, metrics, table, is_choosing=bool(chosen), against_at=at
        ),
        is_choosing=bool(chosen),
    )


def against_place(groups: Sequence[GroupHead], metrics: Sequence[Metric], ranking: str) -> int:
    """Before which column the differences to the leader stand, which is before which group too: behind the ranking
    where that is a group of its own and the first, else in front of all."""
    return int(bool(groups) and groups[0].span == 1 and metrics[0].name == ranking)


def metric_cells(metric: Metric, entries: Sequence[BoardEntry], ranking: str) -> list[str]:
    figures = [entry.figure(metric.name) for entry in entries]
    scale = column_scale(metric, [figure for figure in figures if figure])
    firsts = firsts_of(metric, entries, ranking=ranking)
    return [
        figure_cell(metric, figure, scale, may_be_first=entry.id in firsts)
        for entry, figure in zip(entries, figures, strict=True)
    ]


def bar_cells(bar: StackedBar, entries: Sequence[BoardEntry]) -> list[str]:
    return [
        stacked_bar([(label, entry.value(name)) for name, label in bar.parts]) for entry in entries
    ]


def table_row(frame: RowFrame, cells: Sequence[str], chosen: Set[UUID]) -> TableRow:
    """Where nothing is chosen there is nothing to choose with."""
    entry = frame.entry
    box = choose_cell(entry, is_chosen=entry.id in chosen) if chosen else ""
    markup = f'<tr data-entry="{entry.id}">{box}{frame.start}{"".join(cells)}{frame.end}</tr>'
    return TableRow(entry.id, entry.id in chosen, markup)


def published_blocks(
    rows: Sequence[PublishedRow],
    metrics: Sequence[Metric],
    table: BoardTable,
    *,
    is_choosing: bool,
    against_at: int | None,
) -> tuple[PublishedBlock, ...]:
    """The rows with a figure in this table: first those whose source names the judge, then the others."""
    shown = [row for row in rows if any(m.name in row.values for m in metrics)]
    found = []
    for title, is_stated in ((PUBLISHED, True), (UNSTATED, False)):
        lines = tuple(
            published_line(row, metrics, table, is_choosing=is_choosing, against_at=against_at)
            for row in shown
            if bool(row.judge) is is_stated
        )
        found += [PublishedBlock(title, lines)] if lines else []
    return tuple(found)


def published_line(
    row: PublishedRow,
    metrics: Sequence[Metric],
    table: BoardTable,
    *,
    is_choosing: bool,
    against_at: int | None,
) -> str:
    cells = [published_cell(metric, row.values.get(metric.name)) for metric in metrics]
    cells += [
        stacked_bar([(label, row.values.get(name)) for name, label in bar.parts])
        for bar in table.bars
    ]
    if against_at is not None:
        cells.insert(against_at, EMPTY_AGAINST)
    return published_row(row, "".join(cells), is_choosing=is_choosing)


def column_head(metric: Metric, order: SortState, query: Query, table: str) -> ColumnHead:
    """Choosing a column puts its better end first; choosing it again turns it round."""
    is_sorted = order.metric == metric.name
    chosen = replace(order, ascending=not order.ascending) if is_sorted else better_first(metric)
    url = f"{query_url(query, **sort_query(chosen))}#{table}"
    aria_sort = ("ascending" if order.ascending else "descending") if is_sorted else "none"
    return ColumnHead(metric.name, url, aria_sort, head_cell(metric, url=url, aria_sort=aria_sort))
