"""A board as CSV, JSON or LaTeX: the figures of `read_board`, unrounded except in LaTeX.

CSV and JSON are written entry by entry as these are read, so that a board of any size takes little
memory; a LaTeX table is for print, and read whole.
"""

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from typing import Any
from uuid import UUID

from benchmarks.common.spreadsheets import csv_text, inert
from benchmarks.protocols.base import BoardPort, Metric, PublishedRow
from benchmarks.scoring.sheets import MetricValue
from benchmarks.statistics.differences import Difference
from leaderboard.models import BoardSnapshot
from leaderboard.results.chain.links import Head
from leaderboard.results.formatting import MINUS, print_interval, print_rank, print_value
from leaderboard.results.selectors import (
    EACH,
    TOGETHER,
    BoardEntry,
    BoardPart,
    BoardReading,
    is_pseudonym_id,
    rows_of,
)
from leaderboard.web.board.cells import SCORED_SINCE, print_judging
from leaderboard.web.board.choices import BoardChoices
from leaderboard.web.board.comparison import claims, difference_words
from leaderboard.web.board.page import part_of
from leaderboard.web.board.tables import bold_in, tables_with_values


def board_document(reading: BoardReading) -> dict[str, Any]:
    """What the reading shows as plain values; the API serves the same."""
    names = figure_names(reading)
    return {
        **board_head(reading),
        "entries": [entry_document(reading, entry, names) for entry in reading.entries],
        "published": [published_document(row, names) for row in reading.published],
    }


def board_head(reading: BoardReading) -> dict[str, Any]:
    """What is told of the board before its rows."""
    era, edition = reading.era, reading.edition
    moment = reading.snapshot.taken if reading.snapshot else reading.as_of
    return {
        "benchmark": reading.benchmark.slug,
        "title": reading.benchmark.title,
        "release": era.release.slug if era else None,
        "release_checksum": era.release.public_checksum if era else None,
        "judge": era.judge_spec.slug if era else None,
        "judge_hash": era.judge_spec.content_hash if era else None,
        "content_edition": edition.number if edition else None,
        "content_edition_since": edition.since.isoformat() if edition and edition.since else None,
        "caution": era.judge_spec.caution if era else "",
        "ranking": reading.board.ranking,
        "measure": reading.measure.slug if reading.measure else None,
        "ranges": None if reading.is_hidden_test else reading.ranges,
        "computed": reading.computed.isoformat() if reading.computed else None,
        "as_of": moment.isoformat() if moment else None,
        "snapshot": snapshot_document(reading.snapshot),
        "chain": chain_document(reading.chain),
        "metrics": [metric_document(metric) for metric in reading.shown.metrics()],
        "smallest_difference": reading.smallest.value if reading.smallest else None,
        "claims": list(claims(reading)),
    }


def snapshot_document(kept: BoardSnapshot | None) -> dict[str, Any] | None:
    if kept is None:
        return None
    return {"name": kept.name, "digest": kept.digest, "taken": kept.taken.isoformat()}


def chain_document(head: Head | None) -> dict[str, Any] | None:
    if head is None:
        return None
    return {"number": head.number, "digest": head.digest, "linked": head.linked.isoformat()}


def figure_names(reading: BoardReading) -> tuple[str, ...]:
    """The columns of the shown tables, then the parts of their bars."""
    parts = [name for table in reading.shown.tables for bar in table.bars for name, _ in bar.parts]
    return tuple(dict.fromkeys([*(metric.name for metric in reading.shown.metrics()), *parts]))


def metric_document(metric: Metric) -> dict[str, Any]:
    return {
        "name": metric.name,
        "title": metric.title,
        "about": metric.about,
        "unit": metric.unit,
        "higher_is_better": metric.higher_is_better,
    }


UNKNOWN_OF_GONE = (
    "id",
    "open_weights",
    "may_be_first",
    "coverage",
    "judged",
    "unreadable",
    "failed",
    "excluded",
    "older_texts",
    "unrecorded_texts",
    "scored_since",
)
"""What is null of an entry that is not public any more, beside what any entry may lack."""
COUNTS = ("judged", "unreadable", "failed", "excluded")
NOT_TOLD = ("rank", "may_be_first", *COUNTS)
"""What is null of an entry of a hidden test: rounded scores give no rank, and counts tell
verdicts."""


def entry_document(
    reading: BoardReading, entry: BoardEntry, names: Sequence[str]
) -> dict[str, Any]:
    document = {
        "id": str(entry.id),
        "model": entry.model,
        **entry.facts.document(),
        "origin": entry.origin or None,
        "submitted": entry.submitted.isoformat() if entry.submitted else None,
        "rank": entry.rank,
        "rank_best": entry.rank_best,
        "rank_worst": entry.rank_worst,
        "may_be_first": entry.may_be_first,
        "to_leader": difference_document(reading.metrics[reading.board.ranking], entry.to_leader),
        "coverage": entry.coverage,
        "judged": entry.judged,
        "unreadable": entry.unreadable,
        "failed": entry.failed,
        "excluded": entry.excluded,
        "flags": list(entry.standing.codes),
        "standing": entry.standing.sentence,
        "older_texts": entry.texts.older,
        "unrecorded_texts": entry.texts.unknown,
        "scored_since": entry.scored_since,
        "same_answers_as": public_id_or_none(entry.same_answers_as),
        "handed_in_by": entry.handed_in_by,
        "verified": entry.verified,
        "gone": entry.is_gone,
        "figures": figures_document(
            {name: figure for name in names if (figure := entry.figure(name))}
        ),
    }
    not_told = NOT_TOLD if reading.is_hidden_test else ()
    unknown = UNKNOWN_OF_GONE if entry.is_gone else ()
    return document | dict.fromkeys((*unknown, *not_told), None)


def public_id_or_none(entry: UUID | None) -> str | None:
    """None also for one that is not public any more: what stands in for its id leads nowhere."""
    return None if entry is None or is_pseudonym_id(entry) else str(entry)


def difference_document(ranking: Metric, difference: Difference | None) -> dict[str, Any] | None:
    """None for the entry that leads, and without a rank."""
    if difference is None:
        return None
    return {
        "ahead": difference.ahead,
        "low": difference.low,
        "high": difference.high,
        "told_apart": difference.is_significant,
        "sentence": difference_words(ranking, difference),
    }


def published_document(row: PublishedRow, names: Sequence[str]) -> dict[str, Any]:
    values = {name: row.values[name] for name in names if name in row.values}
    return {
        "model": row.model,
        "source": row.source,
        "url": row.url,
        "judge": row.judge,
        "questions": row.questions or None,
        "reproduced": row.reproduced,
        "values": values,
    }


def figures_document(figures: Mapping[str, MetricValue]) -> dict[str, Any]:
    return {
        name: {
            "value": f.value,
            "low": f.low,
            "high": f.high,
            "spread": f.spread,
            "n": f.n,
            "asked": f.asked,
            "judged": f.judged,
        }
        for name, f in figures.items()
    }


def export_json(reading: BoardReading) -> Iterator[str]:
    """`board_document` as text, with all of the entries that fit the reading's part."""
    names = figure_names(reading)
    yield indented(board_head(reading)).removesuffix("\n}")
    yield ',\n  "entries": '
    yield from list_text(entry_document(reading, entry, names) for entry in rows_of(reading))
    yield ',\n  "published": '
    yield from list_text(published_document(row, names) for row in reading.published)
    yield "\n}\n"


def indented(value: object, *, depth: int = 0) -> str:
    """JSON as it stands so many steps deep in a document. No text in it holds a line end."""
    text = json.dumps(value, indent=2, ensure_ascii=False)
    return text.replace("\n", "\n" + "  " * depth)


def list_text(items: Iterable[object]) -> Iterator[str]:
    """A list one step deep in a document, some text per item."""
    before = "[\n    "
    for item in items:
        yield before + indented(item, depth=2)
        before = ",\n    "
    yield "[]" if before.startswith("[") else "\n  ]"


RANGES = {EACH: "each", TOGETHER: "all at once"}
"""Which rank ranges hold with 95 %, by `BoardReading.ranges`."""


def export_csv(reading: BoardReading) -> Iterator[str]:
    """One line per entry that fits the reading's part, then per published row; each metric with its
    interval. Cells cannot act as formulas."""
    metrics = reading.shown.metrics()
    yield csv_text([csv_heads(metrics)])
    for entry in rows_of(reading):
        yield csv_text([csv_entry(reading, entry, metrics)])
    yield csv_text(csv_published(row, metrics) for row in reading.published)


BEFORE = ("kind", "rank", "model", "organisation", "source", "coverage")
AFTER = (
    "standing",
    "same answers as",
    "may be first",
    "handed in by",
    "verified",
    "ahead of leader",
    "ahead of leader low",
    "ahead of leader high",
    "texts",
    "ranges",
    "caution",
    "scored anew since ranked",
    "release",
    "judge",
    "texts edition",
    "as of",
    "open weights",
    "parameters (billions)",
)


def csv_heads(metrics: Sequence[Metric]) -> list[str]:
    heads = [head for m in metrics for head in (m.name, f"{m.name} low", f"{m.name} high")]
    return [*BEFORE, *heads, *AFTER]


def csv_entry(reading: BoardReading, entry: BoardEntry, metrics: Sequence[Metric]) -> list[object]:
    figures = [entry.figure(m.name) for m in metrics]
    values = [v for f in figures for v in ((f.value, f.low, f.high) if f else (None,) * 3)]
    return [
        entry.origin or "gone",
        print_rank(entry.rank_best, entry.rank_worst) if entry.rank_best else "",
        inert(entry.model),
        inert(entry.facts.organisation),
        "" if entry.is_gone else str(entry.id),
        "" if entry.is_gone else entry.coverage,
        *map(number, values),
        inert(entry.standing.sentence),
        public_id_or_none(entry.same_answers_as) or "",
        yes_or_no(entry, entry.may_be_first) if entry.rank_best else "",
        inert(entry.handed_in_by),
        inert(entry.verified),
        *difference_cells(entry),
        entry.by_older_texts,
        RANGES[reading.ranges] if entry.rank_best else "",
        reading.era.judge_spec.caution if reading.era else "",
        yes_or_no(entry, entry.scored_since),
        *era_cells(reading),
        yes_or_no(entry, entry.facts.is_open_weights),
        number(entry.facts.billions),
    ]


def yes_or_no(entry: BoardEntry, is_so: bool) -> str:
    """Empty of an entry that is not public any more: nobody says."""
    if entry.is_gone:
        return ""
    return "yes" if is_so else "no"


def era_cells(reading: BoardReading) -> list[object]:
    """Release, judge, edition of its texts, and of when it is where that is not now: in every line,
    so that files can be put together."""
    era, edition = reading.era, reading.edition
    if era is None:
        return ["", "", "", ""]
    as_of = reading.snapshot.taken.isoformat() if reading.snapshot else ""
    return [era.release.slug, era.judge_spec.slug, edition.number if edition else "", as_of]


def csv_published(row: PublishedRow, metrics: Sequence[Metric]) -> list[object]:
    values = [v for m in metrics for v in (row.values.get(m.name), None, None)]
    source = inert(f"{row.source} · {print_judging(row)}")
    before = ["published", "", inert(row.model), "", source, ""]
    return [*before, *map(number, values), *[""] * len(AFTER)]


def number(value: float | None) -> str:
    return "" if value is None else repr(value)


def difference_cells(entry: BoardEntry) -> list[str]:
    """Its difference to the leader with its interval; empty for that one, and without a rank."""
    d = entry.to_leader
    return [number(end) for end in ((d.ahead, d.low, d.high) if d else (None,) * 3)]


LATEX_SPECIAL = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
} | {c: f"\\{c}" for c in "&%$#_{}"}


def latex(text: str) -> str:
    """On one line: a line end would end a comment or begin a paragraph."""
    return "".join(LATEX_SPECIAL.get(c, c if c.isprintable() else " ") for c in text)


def export_latex(reading: BoardReading) -> Iterator[str]:
    """One booktabs table per table that is shown: values and intervals as printed on the page, bold
    where they are there, and rows of papers below a line of their own. Comments explain the marks
    that occur. Of a hidden test columns in which nothing has a value are left out."""
    between = ""
    is_hidden = reading.is_hidden_test
    for table in tables_with_values(reading) if is_hidden else reading.shown.tables:
        yield between + latex_table(reading, table.title, table.metrics)
        between = "\n"


def moment_lines(reading: BoardReading) -> list[str]:
    kept = reading.snapshot
    if kept is None:
        return []
    return [f"% As it stood on {kept.taken:%Y-%m-%d %H:%M} UTC; snapshot {kept.digest}"]


LATEX_MARKS = {
    r"\scriptsize": "% Small: the 95 % interval",
    r"\textbf": "% Bold: statistically tied for first in its column; where over a third would be, "
    "none is",
}


def latex_table(reading: BoardReading, title: str, metrics: Sequence[Metric]) -> str:
    era = reading.era
    firsts = {metric.name: bold_in(reading, metric) for metric in metrics}
    equals = Counter(entry.same_answers_as for entry in reading.entries)
    rows, start = [], int(reading.is_hidden_test)  # without the cells of ranks
    for entry in reading.rows:
        bold = {name for name, ids in firsts.items() if entry.id in ids}
        cells = latex_row(entry, metrics, bold, equals=equals[entry.id])
        rows.append(latex_line(cells[start:]))
    heads = ["Rank", "Model", *(latex(metric.title) for metric in metrics)]
    printed, width = "".join(rows), len(heads[start:])
    lines = [
        f"% {reading.benchmark.title}: {title}"
        + (f"; release {era.release.slug}, judge {era.judge_spec.slug}" if era else ""),
        *moment_lines(reading),
        *(sentence for mark, sentence in LATEX_MARKS.items() if mark in printed),
        rf"\begin{{tabular}}{{{'rl'[start:]}{'r' * len(metrics)}}}",
        r"\toprule",
        latex_line(heads[start:]),
        r"\midrule",
        *rows,
    ]
    published = [row for row in reading.published if any(m.name in row.values for m in metrics)]
    if published:
        about = r"\footnotesize Published in papers, not ranked"
        lines += [r"\midrule", rf"\multicolumn{{{width}}}{{l}}{{{about}}} \\"]
        lines += [latex_line(latex_published(row, metrics)[start:]) for row in published]
    lines.append(r"\bottomrule")
    if era and era.judge_spec.caution:
        about = latex(f"Judge: {era.judge_spec.caution}")
        lines.append(rf"\multicolumn{{{width}}}{{l}}{{\footnotesize {about}}} \\")
    lines += [r"\end{tabular}", ""]
    return "\n".join(lines)


def latex_row(
    entry: BoardEntry, metrics: Sequence[Metric], bold: Set[str], *, equals: int
) -> list[str]:
    """`equals`: how many others share the row, as on the page, for their answers are the same."""
    rank = print_rank(entry.rank_best, entry.rank_worst) if entry.rank_best else "--"
    printed = []
    for metric in metrics:
        figure = entry.figure(metric.name)
        value = figure.value if figure else None
        text = "--" if value is None else print_value(metric, value)
        text = rf"\textbf{{{text}}}" if metric.name in bold else text
        printed.append(text + (latex_interval(metric, figure) if figure else ""))
    shared = f"and {equals:,} with the same answers" if equals else ""
    since = SCORED_SINCE if entry.scored_since else ""
    notes = "; ".join(filter(None, (shared, entry.by_older_texts, since)))
    model = f"{entry.model} ({notes})" if notes else entry.model
    return [rank, latex(model), *printed]


def latex_interval(metric: Metric, figure: MetricValue) -> str:
    """Small, behind the value; empty where there is none."""
    interval = print_interval(metric, figure)
    if not interval:
        return ""
    return rf" {{\scriptsize {latex(interval)}}}"


def latex_published(row: PublishedRow, metrics: Sequence[Metric]) -> list[str]:
    values = [print_value(m, row.values[m.name]) if m.name in row.values else "--" for m in metrics]
    return ["--", latex(f"{row.model} ({row.source})"), *values]


def latex_line(cells: Iterable[str]) -> str:
    return " & ".join(cells).replace(MINUS, "$-$") + r" \\"


@dataclass(frozen=True, slots=True)
class Export:
    """A way to write a board, piece by piece. is_streamed: it reads the entries itself, whatever
    part of them the reading holds."""

    content_type: str
    suffix: str
    write: Callable[[BoardReading], Iterator[str]]
    is_streamed: bool


EXPORTS = {
    "json": Export("application/json", "json", export_json, is_streamed=True),
    "csv": Export("text/csv; charset=utf-8", "csv", export_csv, is_streamed=True),
    "latex": Export("application/x-latex; charset=utf-8", "tex", export_latex, is_streamed=False),
}


def export_part(choices: BoardChoices, board: BoardPort, export: Export) -> BoardPart:
    """What of a board is read to export it as the choices have it: all pages of it."""
    page = part_of(choices, board.BOARD, board.METRICS)
    return replace(
        page,
        page=0,
        count=0 if export.is_streamed else None,
        fold=False,
        also=frozenset(),
        baselines=False,
    )


PIECE = 32_000
"""Characters that are sent together: a line at a time, each would be compressed and sent by
itself."""


def in_pieces(texts: Iterable[str]) -> Iterator[str]:
    held, length = [], 0
    for text in texts:
        held.append(text)
        length += len(text)
        if length >= PIECE:
            yield "".join(held)
            held, length = [], 0
    yield "".join(held)
