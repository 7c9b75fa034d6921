"""The context of a board page: which part of the board it shows, its table, and where its links
lead."""

from collections.abc import Mapping, Sequence, Set
from dataclasses import replace
from typing import Any
from uuid import UUID

from django.conf import settings
from django.core.paginator import Page, Paginator

from benchmarks.protocols.base import Board, BoardTable, Measure, Metric, PublishedRow
from leaderboard.results.entries.rejudging import Rejudging
from leaderboard.results.judges.seals import WorthTable, judge_seal, worth_table
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
from leaderboard.web.board.asked import page_or_last
from leaderboard.web.board.charts import ChosenModel, chart_views, choose_entries, chosen_models
from leaderboard.web.board.choices import (
    RANKED,
    BoardChoices,
    Choice,
    Query,
    SortState,
    better_first,
    query_of,
    query_url,
)
from leaderboard.web.board.citation import citation
from leaderboard.web.board.columns import ALL, names_shown
from leaderboard.web.board.comparison import answer_of, claims, is_crossed, simulated_sentence
from leaderboard.web.board.lead_figure import lead_figure
from leaderboard.web.board.strips import places_of
from leaderboard.web.board.tables import kept_table, table_context, tables_with_values

KINDS = ("csv", "json", "latex")
"""Of the files that a board is downloaded as."""


def part_of(choices: BoardChoices, board: Board, metrics: Mapping[str, Metric]) -> BoardPart:
    """What of the board the page reads. Baselines come along on the first page of the whole board:
    they show what knowing nothing gets, wherever they stand."""
    order = order_of(choices, board, metrics)
    return BoardPart(
        order=order.metric,
        ascending=order.ascending,
        page=choices.page,
        count=choices.rows,
        words=choices.words,
        open_weights=choices.open_weights,
        verified=choices.verified,
        size=choices.size,
        organisation=choices.organisation,
        fold=True,
        also=frozenset(choices.asked),
        baselines=not choices.is_narrowed,
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
) -> dict[str, Any]:
    """`reading` is of `part_of(choices)`, by its measure; `address` of the board, absolute;
    `rejudging` of any of its eras.

    `lead` is the figure the page opens with, of the column in whose order the rows stand; None
    where nothing has a value. `profile` is the chart small enough to stand beside it, `charts` are
    the others, `chosen` the models drawn. `score_title` names the figure that leads: that of the
    measure, else the ranking. `answer` says who leads, and how surely; empty where nobody does.
    `claims` are what else is said of the differences that the release can show, `places` the ranks
    that each entry may have. `kept` is what the form that ticks models sends along. `is_whole`:
    every row of the board is on this page. `now_url` is the board of now, where this one is of the
    past; `cite` is None where nothing keeps what is shown yet. `embed_query`: what an address of
    the board's figure chooses, empty or from its question mark.
    """
    # Of a hidden test most columns hold nothing but figures of papers.
    if reading.is_hidden_test and not choices.show_published:
        reading = replace(reading, published=())
    rows, choices = rows_shown(reading, of_organisation_read(reading, choices))
    shown = (*reading.rows, *reading.also)
    drawn = choose_entries(shown, [*map(str, choices.asked)]) if reading.shown.charts else ()
    query = link_query(reading, choices)
    searched = {**query, "q": "", "open": "", "verified": "", "size": "", "org": "", "page": ""}
    order = order_of(choices, reading.board, reading.metrics)
    ranking = reading.metrics[reading.board.ranking]
    by_rank = RANKED if reading.is_in_rank_order else better_first(ranking)
    views = () if reading.is_hidden_test else chart_views(reading, drawn)
    beside = 1 if views and not views[0].is_wide else 0
    published = published_of(reading, choices)
    table = table_context(reading, choices, order=order, query=query, published=published)
    answer = answer_of(reading)
    asked = choices.organisation
    return {
        **table,
        "reading": reading,
        "choices": choices,
        "judge": judge_seal(reading.era.judge_spec) if reading.era else None,
        "languages": language_choices(reading),
        "judge_kinds": judge_kind_choices(reading),
        "eras": era_choices(reading),
        "measures": measure_choices(reading, choices.sort, query),
        "ranges": range_choices(reading, query),
        "tabs": tabs(reading, choices, query),
        "columns": column_chooser(reading, choices, query, table["left_out"].keys()),
        "shown": rows,
        "pages_url": query_url(query, page="") + f"#{choices.table.slug}",
        "is_whole": not rows.has_other_pages(),
        "search_kept": fields_of(searched),
        "clear_url": query_url(searched) + f"#{choices.table.slug}",
        "sizes": SIZES.values(),
        # Where the names are not known, the one that was asked for stays.
        "organisations": [asked] * bool(asked)
        if reading.organisations is None
        else reading.organisations,
        "rank_title": "Rank" if reading.is_in_rank_order else f"Rank by {ranking.title}",
        "rank_url": query_url(query, page="", **by_rank.query()),
        "is_in_rank_order": order == by_rank,
        "downloads": downloads(table["table"], query, is_cut=bool(table["left_out"])),
        "published_url": query_url(
            query, published="off" if choices.show_published else "", page=""
        ),
        "notes": (*choices.notes, *absent_notes(reading, choices)),
        "profile": views[0] if beside else None,
        "charts": views[beside:],
        "chosen": legend_lines(reading, drawn, query),
        "kept": fields_of({**query, "m": ""}),
        "score_title": reading.metrics[reading.order].title,
        "worth": rules_worth(reading),
        "embed_query": query_url(query, m="").removesuffix("?"),
        "lead": lead_figure(reading, order.metric or reading.order),
        "answer": answer,
        "claims": claims(reading)[bool(answer) :],
        "is_crossed": reading.is_in_rank_order and is_crossed(reading.rows),
        "places": []
        if reading.is_hidden_test
        else places_of(reading.rows, reading.counts.ranked_rows),
        "has_samples": any(entry.origin == "sample" for entry in reading.rows),
        "rejudging": rejudging_in(reading, rejudging),
        "now_url": query_url(query, as_of="", snapshot="", page=""),
        "cite": citation(reading, query, address, settings.SITE_NAME) if address else None,
    }


def of_organisation_read(reading: BoardReading, choices: BoardChoices) -> BoardChoices:
    """Without an organisation that was asked for and has no model on the board, and with a note of
    that."""
    asked = choices.organisation
    if asked == reading.part.organisation:
        return choices
    note = f"No organisation “{asked}” has a model here; these are of any organisation."
    return replace(choices, organisation="", notes=(*choices.notes, note))


def rejudging_in(reading: BoardReading, found: Sequence[Rejudging]) -> Rejudging | None:
    """What is judged anew of the era that is shown; of one that is kept nothing will change."""
    if reading.era is None or reading.snapshot:
        return None
    era = (reading.era.release.pk, reading.era.judge_spec.pk)
    return next((one for one in found if (one.release, one.judge_spec) == era), None)


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


def tabs(reading: BoardReading, choices: BoardChoices, query: Query) -> list[Choice]:
    """The tables that hold anything, and the one that is shown. Their pages have other numbers of
    rows."""
    kept = {table.slug for table in tables_with_values(reading)} | {choices.table.slug}
    default = reading.shown.tables[0].slug

    def url(slug: str) -> str:
        table = "" if slug == default else slug
        return query_url(query, table=table, columns="", page="") + f"#{slug}"

    return [
        Choice(table.title, url(table.slug), table.slug == choices.table.slug)
        for table in reading.shown.tables
        if table.slug in kept
    ]


def column_chooser(
    reading: BoardReading, choices: BoardChoices, query: Query, left_out: Set[str]
) -> dict[str, Any]:
    """`sets` are links to columns that are read together, without those that hold no value, and
    none where there is only one; `groups` have every column as a box, and `shown` are the names of
    those in the table. left_out: names of the columns that the table leaves out."""
    table = kept_table(reading, choices.table)
    shown, names = names_shown(table, choices.columns), names_shown(table, (ALL,))
    offered = [(one.slug, one.title, names_shown(table, (one.slug,))) for one in table.sets]
    offered = [*(one for one in offered if one[2]), (ALL, "All columns", names)]

    def url(slug: str) -> str:
        columns = "" if names_shown(table, (slug,)) == names_shown(table, ()) else slug
        return query_url(query, columns=columns, page="") + f"#{table.slug}"

    return {
        "sets": [
            Choice(title, url(slug), some == shown)
            for slug, title, some in offered
            if len(offered) > 1
        ],
        "groups": table.groups,
        "kept": fields_of({**query, "columns": "", "page": ""}),
        "shown": shown - left_out,
        "total": len(names),
    }


def downloads(
    table: BoardTable, query: Query, *, is_cut: bool
) -> list[tuple[str, list[tuple[str, str]]]]:
    """Of exactly the columns and entries that are shown, all pages of them, and of all columns:
    each with the kinds of files and their addresses. is_cut: the page leaves columns out that the
    address does not."""
    shown = {**query, "table": table.slug, "page": "", "m": ""}
    if is_cut:
        shown["columns"] = ",".join(sorted(metric.name for metric in table.metrics))
    return [
        (title, [(kind, f"export.{kind}{query_url(some)}") for kind in KINDS])
        for title, some in (
            ("These columns", shown),
            ("Every column of the board", {**shown, "table": "", "columns": ""}),
        )
    ]


def rows_shown(reading: BoardReading, choices: BoardChoices) -> tuple["Page[int]", BoardChoices]:
    """The page of the table that was read, and the choices with its number."""
    notes = [*choices.notes]
    rows = page_or_last(Paginator(range(reading.matching), choices.rows), choices.page, notes)
    return rows, replace(choices, page=rows.number, notes=tuple(notes))


def rules_worth(reading: BoardReading) -> WorthTable | None:
    """What the judge of this era is worth beside people on such a release, where it is the offline
    rules."""
    spec = reading.era.judge_spec if reading.era else None
    if spec is None or not spec.has_usual_rules:
        return None
    return worth_table(reading.board, spec.model, reading.asked)


def legend_lines(
    reading: BoardReading, drawn: Sequence[BoardEntry], query: Query
) -> list[tuple[ChosenModel, str]]:
    """Each drawn model, and the address of the page without it, empty for the only one."""

    def url(without: UUID) -> str:
        rest = [str(entry.id) for entry in drawn if entry.id != without]
        return query_url(query, m=rest) + "#charts" if rest else ""

    return [(chosen, url(chosen.id)) for chosen in chosen_models(reading, drawn)]


LANGUAGES = {"en": "EN", "zh": "CN"}


def language_choices(reading: BoardReading) -> list[Choice]:
    """The first era of each language."""
    firsts: dict[str, Era] = {}
    for era in reading.eras:
        firsts.setdefault(era.release.language, era)
    current = reading.era.release.language if reading.era else ""
    return [
        Choice(LANGUAGES.get(language, language), era_url(era, reading), language == current)
        for language, era in firsts.items()
    ]


JUDGE_KINDS = {True: "rules", False: "a model"}
"""By whether a judge is offline: rules need no model, and are no match for one."""


def judge_kind_choices(reading: BoardReading) -> list[Choice]:
    """The first era of each kind of judge, of the language that is shown where there is one."""
    if reading.era is None:
        return []
    language = reading.era.release.language
    firsts: dict[bool, Era] = {}
    for era in sorted(reading.eras, key=lambda era: era.release.language != language):
        firsts.setdefault(era.judge_spec.is_offline, era)
    is_offline = reading.era.judge_spec.is_offline
    return [
        Choice(title, era_url(firsts[kind], reading), kind is is_offline)
        for kind, title in JUDGE_KINDS.items()
        if kind in firsts
    ]


def era_choices(reading: BoardReading) -> list[Choice]:
    return [
        Choice(
            f"{era_name(era, reading.eras)} · "
            f"{era.entries:,} {'entry' if era.entries == 1 else 'entries'}",
            era_url(era, reading),
            era == reading.era,
        )
        for era in reading.eras
    ]


def era_url(era: Era, reading: BoardReading) -> str:
    """The board of another era, from its first page, read as this one is."""
    return query_url(
        {
            "release": era.release.slug,
            "judge": era.judge_spec.slug,
            "measure": reading.measure.slug if reading.measure else "",
            "ranges": "" if reading.ranges == EACH else reading.ranges,
        }
    )


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


def measure_choices(reading: BoardReading, sort: SortState, query: Query) -> list[Choice]:
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
        if measure.order in reading.valued
        or measure == reading.measure
        or not (measure.where_known or reading.is_hidden_test)
    ]
    return [
        Choice(measure.title, url(measure), measure == reading.measure, about=measure.about)
        for measure in offered
        if len(offered) > 1
    ]


RANGE_CHOICES = (
    (EACH, "Each range", "Each rank range contains its entry's true rank with 95 % confidence."),
    (
        TOGETHER,
        "All ranges at once",
        "With 95 % confidence, all rank ranges of this board contain their true ranks at once.",
    ),
)


def range_choices(reading: BoardReading, query: Query) -> list[Choice]:
    """Links to both readings of the rank ranges; none where fewer than two entries have one."""
    if reading.counts.ranked_rows < 2 or reading.is_hidden_test:
        return []
    simulated = simulated_sentence(reading)
    return [
        Choice(
            title,
            query_url(query, ranges="" if ranges == EACH else ranges),
            ranges == reading.ranges,
            about=f"{about} {simulated}".rstrip(),
        )
        for ranges, title, about in RANGE_CHOICES
    ]
