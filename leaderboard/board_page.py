"""The context of a board page: its tables, ready to print."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from urllib.parse import urlencode
from uuid import UUID

from django.utils.safestring import SafeString, mark_safe

from benchmarks.protocols.base import BoardTable, Metric, PublishedRow
from leaderboard.cells import column_scale, figure_cell, published_cell, stacked_bar
from leaderboard.charts import ChartView, ChosenModel, chart_views, choose_entries, chosen_models
from leaderboard.judge_page import judge_seal
from leaderboard.numbers import MISSING, print_rank, print_share
from leaderboard.pages import JudgeSeal
from leaderboard.selectors import BoardEntry, BoardReading, Era


@dataclass(frozen=True, slots=True)
class SortState:
    """Which metric orders the rows; empty for the ranking."""

    metric: str = ""
    ascending: bool = False


@dataclass(frozen=True, slots=True)
class ColumnHead:
    metric: str
    title: str
    about: str
    arrow: str
    direction: str
    sort_url: str
    aria_sort: str


@dataclass(frozen=True, slots=True)
class GroupHead:
    title: str
    span: int


@dataclass(frozen=True, slots=True)
class TableRow:
    """One judged entry. `cells` are the markup of its figures and bars, in column order."""

    id: UUID
    model: str
    organisation: str
    is_open_weights: bool
    origin: str
    rank: str
    coverage: str
    is_complete: bool
    unreadable: int
    failed: int
    cells: SafeString
    is_chosen: bool = False


@dataclass(frozen=True, slots=True)
class PublishedLine:
    model: str
    source: str
    url: str
    judge: str
    cells: SafeString


@dataclass(frozen=True, slots=True)
class BarHead:
    title: str
    labels: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class TableView:
    slug: str
    title: str
    about: str
    groups: tuple[GroupHead, ...]
    columns: tuple[ColumnHead, ...]
    bars: tuple[BarHead, ...]
    rows: tuple[TableRow, ...]
    published: tuple[PublishedLine, ...]
    is_choosing: bool = False

    @property
    def width(self) -> int:
        return 3 + len(self.columns) + len(self.bars) + self.is_choosing


@dataclass(frozen=True, slots=True)
class EraChoice:
    release: str
    judge: str
    label: str
    url: str
    is_current: bool


@dataclass(frozen=True, slots=True)
class LegendLine:
    """A chosen model; `url` is the page without it, empty for the only one."""

    chosen: ChosenModel
    url: str


@dataclass(frozen=True, slots=True)
class BoardPage:
    """`charts` is empty where the board has none; `chosen` are the models drawn, `kept` what the form sends along."""

    slug: str
    title: str
    summary: str
    how: str
    era: Era | None
    judge: JudgeSeal | None
    languages: tuple[EraChoice, ...]
    eras: tuple[EraChoice, ...]
    computed: datetime | None
    entry_count: int
    ranked_count: int
    tables: tuple[TableView, ...]
    sort: SortState
    rank_url: str
    downloads: tuple[tuple[str, str], ...]
    show_published: bool
    published_url: str
    charts: tuple[ChartView, ...] = ()
    chosen: tuple[LegendLine, ...] = ()
    kept: tuple[tuple[str, str], ...] = ()
    score_title: str = ""


def board_page(
    reading: BoardReading, *, sort: SortState, show_published: bool = True, asked: Sequence[str] = ()
) -> BoardPage:
    """`asked` are ids of the entries to draw in the board's charts."""
    entries = sort_entries(reading.entries, sort)
    published = reading.published if show_published else ()
    choice = {"release": reading.era.release.slug, "judge": reading.era.judge_spec.slug} if reading.era else {}
    shown = {} if show_published else {"published": "off"}
    chosen = {"sort": sort.metric, "order": "asc" if sort.ascending else "desc"} if sort.metric else {}
    drawn = choose_entries(reading.entries, asked) if reading.board.charts else ()
    picked = {"m": [str(entry.id) for entry in drawn]} if drawn and asked else {}
    return BoardPage(
        slug=reading.benchmark.slug,
        title=reading.benchmark.title,
        summary=reading.board.summary,
        how=reading.board.how,
        era=reading.era,
        judge=judge_seal(reading.era.judge_spec) if reading.era else None,
        languages=language_choices(reading),
        eras=tuple(era_choice(era, reading.era) for era in reading.eras),
        computed=reading.computed,
        entry_count=len(entries),
        ranked_count=sum(entry.rank is not None for entry in entries),
        tables=tuple(
            table_view(
                table,
                entries,
                published,
                sort,
                {**choice, **shown, **picked},
                drawn=drawn if place == 0 else (),
            )
            for place, table in enumerate(reading.board.tables)
        ),
        sort=sort,
        rank_url=query_url({**choice, **shown, **picked}),
        downloads=tuple(
            (kind, f"export.{kind}?{urlencode({**choice, **chosen, **shown})}") for kind in ("csv", "json", "latex")
        ),
        show_published=show_published,
        published_url=query_url({**choice, **chosen, **({"published": "off"} if show_published else {}), **picked}),
        charts=chart_views(reading, drawn),
        chosen=legend_lines(reading, drawn, {**choice, **chosen, **shown}),
        score_title=reading.metrics[reading.board.ranking].title,
        kept=tuple({**choice, **chosen, **shown}.items()),
    )


def query_url(query: Mapping[str, str | Sequence[str]]) -> str:
    return f"?{urlencode(query, doseq=True)}"


def legend_lines(reading: BoardReading, drawn: Sequence[BoardEntry], query: dict[str, str]) -> tuple[LegendLine, ...]:
    def url(without: UUID) -> str:
        rest = [str(entry.id) for entry in drawn if entry.id != without]
        return query_url({**query, "m": rest}) + "#charts" if rest else ""

    return tuple(LegendLine(chosen, url(chosen.id)) for chosen in chosen_models(reading, drawn))


LANGUAGES = {"en": "EN", "zh": "CN"}


def language_choices(reading: BoardReading) -> tuple[EraChoice, ...]:
    """The first era of each language, where there are several languages."""
    firsts: dict[str, Era] = {}
    for era in reading.eras:
        firsts.setdefault(era.release.language, era)
    current = reading.era.release.language if reading.era else ""
    choices = tuple(
        replace(era_choice(era, reading.era), label=LANGUAGES.get(language, language), is_current=language == current)
        for language, era in firsts.items()
    )
    return choices if len(choices) > 1 else ()


def era_choice(era: Era, current: Era | None) -> EraChoice:
    label = f"{era.release.title} · {judge_seal(era.judge_spec).label} · {era.entries}"
    query = urlencode({"release": era.release.slug, "judge": era.judge_spec.slug})
    return EraChoice(era.release.slug, era.judge_spec.slug, label, f"?{query}", era == current)


def sort_entries(entries: Sequence[BoardEntry], sort: SortState) -> tuple[BoardEntry, ...]:
    """Board order, or by one metric; entries without a value come last either way."""
    if not sort.metric:
        return tuple(entries)

    def key(entry: BoardEntry) -> tuple[bool, float]:
        figure = entry.figure(sort.metric)
        value = figure.value if figure else None
        return value is None, (value or 0.0) * (1 if sort.ascending else -1)

    return tuple(sorted(entries, key=key))


def table_view(
    table: BoardTable,
    entries: Sequence[BoardEntry],
    published: Sequence[PublishedRow],
    sort: SortState,
    query: Mapping[str, str | Sequence[str]],
    *,
    drawn: Sequence[BoardEntry] = (),
) -> TableView:
    """Rows of `drawn` are marked as chosen; where it is not empty, the table has boxes to choose with."""
    chosen = {entry.id for entry in drawn}
    metrics = [metric for group in table.groups for metric in group.metrics]
    scales = [column_scale(m, [f for e in entries if (f := e.figure(m.name))]) for m in metrics]
    rows = []
    for entry in entries:
        cells = [
            figure_cell(metric, entry.figure(metric.name), column)
            for metric, column in zip(metrics, scales, strict=True)
        ]
        cells += [stacked_bar([(label, entry_value(entry, name)) for name, label in bar.parts]) for bar in table.bars]
        rows.append(table_row(entry, "".join(cells), is_chosen=entry.id in chosen))
    return TableView(
        slug=table.slug,
        title=table.title,
        about=table.about,
        groups=tuple(GroupHead(group.title, len(group.metrics)) for group in table.groups),
        columns=tuple(column_head(metric, sort, query, table.slug) for metric in metrics),
        bars=tuple(BarHead(bar.title, tuple(label for _, label in bar.parts)) for bar in table.bars),
        rows=tuple(rows),
        published=tuple(
            published_line(row, metrics, table) for row in published if any(m.name in row.values for m in metrics)
        ),
        is_choosing=bool(chosen),
    )


def entry_value(entry: BoardEntry, metric: str) -> float | None:
    figure = entry.figure(metric)
    return figure.value if figure else None


def table_row(entry: BoardEntry, cells: str, *, is_chosen: bool = False) -> TableRow:
    return TableRow(
        id=entry.id,
        model=entry.model,
        organisation=entry.organisation,
        is_open_weights=entry.is_open_weights,
        origin=entry.origin,
        rank=print_rank(entry.rank_best, entry.rank_worst) if entry.rank else MISSING,
        coverage=print_share(entry.coverage),
        is_complete=entry.coverage >= 1,
        unreadable=entry.unreadable,
        failed=entry.failed,
        cells=mark_safe(cells),  # noqa: S308 - made by leaderboard.cells, which escapes
        is_chosen=is_chosen,
    )


def published_line(row: PublishedRow, metrics: Sequence[Metric], table: BoardTable) -> PublishedLine:
    cells = [published_cell(metric, row.values.get(metric.name)) for metric in metrics]
    cells += [stacked_bar([(label, row.values.get(name)) for name, label in bar.parts]) for bar in table.bars]
    return PublishedLine(row.model, row.source, row.url, row.judge, mark_safe("".join(cells)))  # noqa: S308 - as above


def column_head(metric: Metric, sort: SortState, query: Mapping[str, str | Sequence[str]], table: str) -> ColumnHead:
    """Choosing a column puts its better end first; choosing it again turns it round."""
    is_sorted = sort.metric == metric.name
    ascending = not sort.ascending if is_sorted else metric.higher_is_better is False
    order = {"sort": metric.name, "order": "asc" if ascending else "desc"}
    direction = {True: "higher is better", False: "lower is better", None: "no better direction"}
    return ColumnHead(
        metric=metric.name,
        title=metric.title,
        about=metric.about,
        arrow={True: "↑", False: "↓", None: ""}[metric.higher_is_better],
        direction=direction[metric.higher_is_better],
        sort_url=f"{query_url({**query, **order})}#{table}",
        aria_sort=("ascending" if sort.ascending else "descending") if is_sorted else "none",
    )
