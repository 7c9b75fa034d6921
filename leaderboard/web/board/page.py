"""The context of a board page: which part of the board it shows, its table, and where its links
lead."""

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, replace
from uuid import UUID

from django.conf import settings
from django.core.paginator import Page, Paginator
from django.utils.safestring import SafeString

from benchmarks.protocols.base import Board, Measure, Metric, PublishedRow
from leaderboard.results.entries.rejudging import Rejudging
from leaderboard.results.judges.seals import JudgeSeal, WorthTable, judge_seal, worth_table
from leaderboard.results.selectors import (
    EACH,
    SIZES,
    TOGETHER,
    BoardEntry,
    BoardPart,
    BoardReading,
    Era,
    board_by,
)
from leaderboard.web.board.charts import (
    ChartView,
    ChosenModel,
    chart_views,
    choose_entries,
    chosen_models,
)
from leaderboard.web.board.choices import (
    RANKED,
    BoardChoices,
    Query,
    SortState,
    better_first,
    query_of,
    query_url,
)
from leaderboard.web.board.citation import Citation, citation
from leaderboard.web.board.columns import ALL, ColumnBoxes, column_boxes, names_shown
from leaderboard.web.board.comparison import answer_of, claims, simulated_sentence
from leaderboard.web.board.lead_figure import LeadFigure, lead_figure
from leaderboard.web.board.strips import places_of
from leaderboard.web.board.tables import (
    TableView,
    kept_table,
    table_view,
    tables_with_values,
)


class NoSuchPageError(LookupError):
    """The board has fewer pages."""


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
class Tab:
    """A table of the board."""

    slug: str
    title: str
    url: str
    is_current: bool


KINDS = ("csv", "json", "latex")


@dataclass(frozen=True, slots=True)
class Downloads:
    """Files of the board by kind."""

    title: str
    files: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Option:
    """Of a list to choose from."""

    value: str
    title: str
    is_chosen: bool


@dataclass(frozen=True, slots=True)
class Select:
    """A list of a form, with one of it chosen."""

    name: str
    title: str
    options: tuple[Option, ...]


@dataclass(frozen=True, slots=True)
class SearchForm:
    """What was searched and filtered for; `kept` is what the form sends along, `clear_url` the page
    without any."""

    text: str
    open_weights: bool
    verified: bool
    selects: tuple[Select, ...]
    kept: tuple[tuple[str, str], ...]
    clear_url: str


@dataclass(frozen=True, slots=True)
class ColumnChooser:
    """`sets` are links to columns that are read together, `groups` every column as a box, `kept`
    what the form sends along. shown, total: how many columns."""

    sets: tuple[MeasureChoice, ...]
    groups: tuple[ColumnBoxes, ...]
    kept: tuple[tuple[str, str], ...]
    shown: int
    total: int

    @property
    def counted(self) -> str:
        """ "Columns: 6 of 14" """
        return f"Columns: {self.shown} of {self.total}"


@dataclass(frozen=True, slots=True)
class LegendLine:
    """A chosen model; `url` is the page without it, empty for the only one."""

    chosen: ChosenModel
    url: str


@dataclass(frozen=True, slots=True)
class BoardPage:
    """`measures` is empty where there is only one, `ranges` where no ranks are to be compared,
    `charts` where the board has none; `chosen` are the models drawn, which the reader ticked where
    `is_drawing`; `kept` what the form sends along. `score_title` names the figure that leads: that
    of the measure, else the ranking. `lead` is the figure the page opens with, of the column in
    whose order the rows stand; None where nothing has a value. `profile` is the chart beside it,
    `charts` are the others. `answer` says who leads, and how surely; empty where nobody does.
    `claims` are what else is said of the differences that the release can show, `places` the ranks
    that each entry may have (leaderboard.web.board.strips.places_of). `is_whole`: every
    row of the board is on this page. `notes` say what of the address was not understood. `now_url`
    is the board of now, where this one is of the past; `cite` is None where nothing keeps what is
    shown yet. `embed_query`: what an address of the board's figure chooses, empty or from its
    question mark.
    """

    reading: BoardReading
    judge: JudgeSeal | None
    languages: tuple[EraChoice, ...]
    judge_kinds: tuple[EraChoice, ...]
    eras: tuple[EraChoice, ...]
    measures: tuple[MeasureChoice, ...]
    ranges: tuple[MeasureChoice, ...]
    tabs: tuple[Tab, ...]
    columns: ColumnChooser
    table: TableView
    shown: "Page[int]"
    pages_url: str
    search: SearchForm
    is_narrowed: bool
    rank_title: str
    rank_url: str
    is_in_rank_order: bool
    downloads: tuple[Downloads, ...]
    show_published: bool
    published_url: str
    notes: tuple[str, ...]
    profile: ChartView | None
    charts: tuple[ChartView, ...]
    chosen: tuple[LegendLine, ...]
    is_drawing: bool
    kept: tuple[tuple[str, str], ...]
    score_title: str
    worth: WorthTable | None
    lead: LeadFigure | None
    lead_url: str
    embed_query: str
    answer: str
    claims: tuple[str, ...]
    places: tuple[tuple[BoardEntry, str, SafeString], ...]
    rejudging: Rejudging | None
    now_url: str
    cite: Citation | None

    @property
    def is_whole(self) -> bool:
        return self.shown.paginator.num_pages == 1

    @property
    def has_samples(self) -> bool:
        """Whether some of the models shown are made up, to show how the site works."""
        return any(entry.origin == "sample" for entry in self.reading.rows)

    @property
    def has_long_ranks(self) -> bool:
        """Whether a rank range may take eleven characters: "9996-10000"."""
        return self.reading.counts.ranked > 99

    @property
    def counted(self) -> str:
        """ "10,000 entries, 9,996 ranked" """
        counts = self.reading.counts
        entries = f"{counts.entries:,} {'entry' if counts.entries == 1 else 'entries'}"
        folded = (
            f", {counts.folded:,} with the answers of another and in its row"
            if counts.folded
            else ""
        )
        return f"{entries}, {counts.ranked:,} ranked{folded}"


def part_of(choices: BoardChoices, board: Board, metrics: Mapping[str, Metric]) -> BoardPart:
    """What of the board the page reads. Baselines come along on the first page of the whole board:
    they show what knowing nothing gets, wherever they stand."""
    order = order_of(choices, board, metrics)
    return BoardPart(
        order=order.metric,
        ascending=order.ascending,
        first=(choices.page - 1) * choices.rows,
        count=choices.rows,
        words=choices.words,
        open_weights=choices.open_weights,
        verified=choices.verified,
        size=choices.size,
        organisation=choices.organisation,
        fold=True,
        also=frozenset(choices.asked),
        baselines=choices.page == 1 and not choices.is_narrowed,
    )


def order_of(choices: BoardChoices, board: Board, metrics: Mapping[str, Metric]) -> SortState:
    """The order of the rows: the reader's, else that of the table or of the measure, which is empty
    where it is that of ranks."""
    if choices.sort.metric:
        return choices.sort
    if choices.table.order:
        return better_first(metrics[choices.table.order])
    if choices.measure is None or choices.measure.order == board.ranking:
        return RANKED
    return better_first(metrics[choices.measure.order])


def board_page(
    reading: BoardReading,
    choices: BoardChoices,
    *,
    address: str = "",
    rejudging: Sequence[Rejudging] = (),
) -> BoardPage:
    """`reading` is of `part_of(choices)`, by its measure; `address` of the board, absolute;
    `rejudging` of any of its eras. Raises NoSuchPageError beyond the last page."""
    choices = of_organisation_read(reading, choices)
    shown = (*reading.rows, *reading.also)
    ticked = tuple(entry for entry in shown if entry.id in choices.asked)
    drawn = choose_entries(shown, [*map(str, choices.asked)]) if reading.shown.charts else ()
    query = link_query(reading, choices)
    order = order_of(choices, reading.board, reading.metrics)
    ranking = reading.metrics[reading.board.ranking]
    profile, charts = profile_and_charts(chart_views(reading, drawn))
    table = table_view(
        reading,
        choices,
        order=order,
        query=query,
        ticked={entry.id for entry in ticked},
        published=published_of(reading, choices),
    )
    answer = answer_of(reading)
    by_rank = RANKED if reading.is_in_rank_order else better_first(ranking)
    return BoardPage(
        reading=reading,
        judge=judge_seal(reading.era.judge_spec) if reading.era else None,
        languages=language_choices(reading),
        judge_kinds=judge_kind_choices(reading),
        eras=tuple(era_choice(era, reading) for era in reading.eras),
        measures=measure_choices(reading, choices.sort, query),
        ranges=range_choices(reading, query),
        tabs=tabs(reading, choices, query),
        columns=column_chooser(reading, choices, query, table.left_out.keys()),
        table=table,
        shown=rows_shown(reading, choices),
        pages_url=query_url(query, page="") + f"#{choices.table.slug}",
        search=search_form(reading, choices, query),
        is_narrowed=choices.is_narrowed,
        rank_title="Rank" if reading.is_in_rank_order else f"Rank by {ranking.title}",
        rank_url=query_url(query, page="", **by_rank.query()),
        is_in_rank_order=order == by_rank,
        downloads=downloads(choices, query),
        show_published=choices.show_published,
        published_url=query_url(query, published="off" if choices.show_published else "", page=""),
        notes=(*choices.notes, *absent_notes(reading, choices)),
        profile=profile,
        charts=charts,
        chosen=legend_lines(reading, drawn, query),
        is_drawing=bool(choices.asked),
        kept=fields_of({**query, "m": ""}),
        score_title=reading.metrics[reading.order].title,
        worth=rules_worth(reading),
        lead_url=f"charts/lead.svg{query_url({**query, 'm': ''})}",
        embed_query=query_url({**query, "m": ""}).removesuffix("?"),
        lead=lead_figure(reading, order.metric or reading.order),
        answer=answer,
        claims=claims(reading)[bool(answer) :],
        places=places_of(reading.rows, reading.counts.ranked_rows),
        rejudging=rejudging_in(reading, rejudging),
        now_url=query_url(query, as_of="", snapshot="", page=""),
        cite=citation(reading, query, address, settings.SITE_NAME) if address else None,
    )


def of_organisation_read(reading: BoardReading, choices: BoardChoices) -> BoardChoices:
    """Without an organisation that was asked for and has no model on the board, and with a note of
    that."""
    asked = choices.organisation
    if asked == reading.part.organisation:
        return choices
    note = f"No organisation “{asked}” has a model here; these are of any organisation."
    return replace(choices, organisation="", notes=(*choices.notes, note))


def profile_and_charts(
    views: tuple[ChartView, ...],
) -> tuple[ChartView | None, tuple[ChartView, ...]]:
    """The chart that is small enough to stand beside the scores, and the others."""
    if not views or views[0].is_wide:
        return None, views
    return views[0], views[1:]


def rejudging_in(reading: BoardReading, found: Sequence[Rejudging]) -> Rejudging | None:
    """What is judged anew of the era that is shown; of one that is kept nothing will change."""
    if reading.era is None or reading.snapshot:
        return None
    era = (reading.era.release.pk, reading.era.judge_spec.pk)
    return next((one for one in found if (one.release, one.judge_spec) == era), None)


def rows_shown(reading: BoardReading, choices: BoardChoices) -> "Page[int]":
    paginator = Paginator(range(reading.matching), choices.rows)
    if choices.page > paginator.num_pages:
        raise NoSuchPageError(
            f"There is no page {choices.page:,} here, for this table has {paginator.num_pages:,} "
            "in all."
        )
    return paginator.page(choices.page)


def published_of(reading: BoardReading, choices: BoardChoices) -> tuple[PublishedRow, ...]:
    """Rows of papers stand below the first page. Of their models nothing is known but the name."""
    if not choices.show_published or choices.page > 1:
        return ()
    by_model = choices.open_weights or choices.size or reading.part.organisation
    if by_model or choices.verified:
        return ()
    return tuple(
        row
        for row in reading.published
        if all(word in row.model.casefold() for word in choices.words)
    )


def absent_notes(reading: BoardReading, choices: BoardChoices) -> tuple[str, ...]:
    """What is said of ticked entries that were withdrawn or made private, or never were on this
    board."""
    known = {entry.id for entry in (*reading.entries, *reading.also)}
    absent = sum(entry not in known for entry in choices.asked)
    if not absent:
        return ()
    entries = "entry is" if absent == 1 else "entries are"
    return (f"{absent} ticked {entries} not on this board.",)


def link_query(reading: BoardReading, choices: BoardChoices) -> Query:
    """What links of this page carry along, with the release and judge it is about."""
    era = reading.era
    named = replace(
        choices,
        release=era.release.slug if era else "",
        judge=era.judge_spec.slug if era else "",
        measure=reading.measure,
    )
    return query_of(named, default_table=reading.shown.tables[0].slug)


def fields_of(query: Query) -> tuple[tuple[str, str], ...]:
    """The query as fields of a form."""
    found: list[tuple[str, str]] = []
    for name, value in query.items():
        values = [value] if isinstance(value, str) else value
        found += [(name, one) for one in values if one]
    return tuple(found)


def tabs(reading: BoardReading, choices: BoardChoices, query: Query) -> tuple[Tab, ...]:
    """The tables that hold anything, and the one that is shown. Their pages have other numbers of
    rows."""
    kept = {table.slug for table in tables_with_values(reading)} | {choices.table.slug}
    tables = [table for table in reading.shown.tables if table.slug in kept]
    default = reading.shown.tables[0].slug

    def url(slug: str) -> str:
        table = "" if slug == default else slug
        return query_url(query, table=table, columns="", page="") + f"#{slug}"

    return tuple(
        Tab(table.slug, table.title, url(table.slug), table.slug == choices.table.slug)
        for table in tables
    )


def column_chooser(
    reading: BoardReading, choices: BoardChoices, query: Query, left_out: Set[str]
) -> ColumnChooser:
    """Sets of columns without any value are left out, and all of them where there is only one.
    left_out: names of the columns that the table leaves out."""
    table = kept_table(reading, choices.table)
    shown, names = names_shown(table, choices.columns), names_shown(table, (ALL,))
    offered = [(one.slug, one.title, names_shown(table, (one.slug,))) for one in table.sets]
    offered = [*(one for one in offered if one[2]), (ALL, "All columns", names)]

    def url(slug: str) -> str:
        columns = "" if names_shown(table, (slug,)) == names_shown(table, ()) else slug
        return query_url(query, columns=columns, page="") + f"#{table.slug}"

    return ColumnChooser(
        sets=tuple(
            MeasureChoice(title, "", url(slug), some == shown) for slug, title, some in offered
        )
        if len(offered) > 1
        else (),
        groups=column_boxes(table, shown - left_out),
        kept=fields_of({**query, "columns": "", "page": ""}),
        shown=len(shown - left_out),
        total=len(names),
    )


def downloads(choices: BoardChoices, query: Query) -> tuple[Downloads, ...]:
    """Of exactly the columns and entries that are shown, all pages of them, and of all columns."""
    shown = {**query, "table": choices.table.slug, "page": "", "m": ""}
    return tuple(
        Downloads(title, tuple((kind, f"export.{kind}{query_url(some)}") for kind in KINDS))
        for title, some in (
            ("These columns", shown),
            ("Every column of the board", {**shown, "table": "", "columns": ""}),
        )
    )


def search_form(reading: BoardReading, choices: BoardChoices, query: Query) -> SearchForm:
    rest = {**query, "q": "", "open": "", "verified": "", "size": "", "org": "", "page": ""}
    return SearchForm(
        text=choices.search,
        open_weights=choices.open_weights,
        verified=choices.verified,
        selects=(size_select(choices), *organisation_select(choices, reading.organisations)),
        kept=fields_of(rest),
        clear_url=query_url(rest) + f"#{choices.table.slug}",
    )


def size_select(choices: BoardChoices) -> Select:
    some = (Option(s.slug, s.title, s.slug == choices.size) for s in SIZES.values())
    return Select("size", "size", (Option("", "any", not choices.size), *some))


def organisation_select(choices: BoardChoices, names: Sequence[str] | None) -> tuple[Select, ...]:
    """None where there is nothing to choose from. Where the names are not known, the one that was
    asked for stays."""
    chosen = choices.organisation
    offered = [chosen] * bool(chosen) if names is None else names
    if not offered:
        return ()
    some = (Option(name, name, name == chosen) for name in offered)
    return (Select("org", "organisation", (Option("", "any", not chosen), *some)),)


def rules_worth(reading: BoardReading) -> WorthTable | None:
    """What the judge of this era is worth beside people on such a release, where it is the offline
    rules."""
    spec = reading.era.judge_spec if reading.era else None
    if spec is None or not spec.has_usual_rules:
        return None
    return worth_table(reading.board, spec.model, reading.asked)


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


JUDGE_KINDS = {True: "rules", False: "a model"}
"""By whether a judge is offline: rules need no model, and are no match for one."""


def judge_kind_choices(reading: BoardReading) -> tuple[EraChoice, ...]:
    """The first era of each kind of judge, of the language that is shown where there is one; where
    both kinds are."""
    era = reading.era
    if era is None:
        return ()
    firsts: dict[bool, Era] = {}
    for same_language in (True, False):
        for other in reading.eras:
            if same_language is (other.release.language == era.release.language):
                firsts.setdefault(other.judge_spec.is_offline, other)
    choices = tuple(
        replace(
            era_choice(firsts[kind], reading),
            label=label,
            is_current=kind is era.judge_spec.is_offline,
        )
        for kind, label in JUDGE_KINDS.items()
        if kind in firsts
    )
    return choices if len(choices) > 1 else ()


def era_choice(era: Era, reading: BoardReading) -> EraChoice:
    entries = "entry" if era.entries == 1 else "entries"
    label = f"{era_name(era, reading.eras)} · {era.entries:,} {entries}"
    url = query_url(era_query(era, reading))
    return EraChoice(era.release.slug, era.judge_spec.slug, label, url, era == reading.era)


def era_query(era: Era, reading: BoardReading) -> Query:
    """The query of this reading for another era, from its first page."""
    return {
        "release": era.release.slug,
        "judge": era.judge_spec.slug,
        "measure": reading.measure.slug if reading.measure else "",
        "ranges": "" if reading.ranges == EACH else reading.ranges,
    }


def era_name(era: Era, eras: Sequence[Era]) -> str:
    """Its release and judge, with their slugs where another of these eras has one of the same title
    or model, and what the judge's prompts lack."""
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
    """Links to the board by its other measures; the sort order goes along where they show that
    column. None where it can be read in one way only."""

    def url(measure: Measure) -> str:
        shown = board_by(reading.board, measure)
        kept = sort if sort.metric in {metric.name for metric in shown.metrics()} else RANKED
        table = query["table"] if query["table"] in {table.slug for table in shown.tables} else ""
        return query_url(
            query, measure=measure.slug, table=table, columns="", page="", **kept.query()
        )

    offered = [
        measure
        for measure in reading.board.measures
        if measure.order in reading.valued or measure == reading.measure or not measure.where_known
    ]
    return tuple(
        MeasureChoice(measure.title, measure.about, url(measure), measure == reading.measure)
        for measure in offered
        if len(offered) > 1
    )


RANGE_CHOICES = (
    (EACH, "Each range", "Each rank range contains its entry's true rank with 95 % confidence."),
    (
        TOGETHER,
        "All ranges at once",
        "With 95 % confidence, all rank ranges of this board contain their true ranks at once.",
    ),
)


def range_choices(reading: BoardReading, query: Query) -> tuple[MeasureChoice, ...]:
    """Links to both readings of the rank ranges; none where fewer than two entries have a rank."""
    if reading.counts.ranked_rows < 2:
        return ()
    simulated = simulated_sentence(reading)
    return tuple(
        MeasureChoice(
            title,
            f"{about} {simulated}".rstrip(),
            query_url(query, ranges="" if ranges == EACH else ranges),
            ranges == reading.ranges,
        )
        for ranges, title, about in RANGE_CHOICES
    )
