"""What the command line prints: documents of the API as text."""

import csv
import io
import json
from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from typing import Any

from assay.progress import duration_words
from assay.site import Document

MISSING = "–"
DIGITS = {"percent": 2, "score": 1, "ratio": 3}
"""As the boards of a site print them: nobody is to read two numbers for one."""


def as_json(found: Any) -> str:
    return json.dumps(found, indent=2, ensure_ascii=False)


def as_line(found: Any) -> str:
    return json.dumps(found, ensure_ascii=False)


def table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Columns as wide as their widest cell; numbers to the right."""
    columns = list(zip(heads, *rows, strict=True))
    widths = [max(map(len, column)) for column in columns]
    right = [all(is_number(cell) for cell in column[1:]) and len(column) > 1 for column in columns]
    lines = [
        "  ".join(
            cell.rjust(width) if to_right else cell.ljust(width)
            for cell, width, to_right in zip(row, widths, right, strict=True)
        ).rstrip()
        for row in [heads, *rows]
    ]
    return "\n".join(lines)


def is_number(cell: str) -> bool:
    digits = cell.replace(".", "").replace(",", "").replace("%", "").replace(" ", "")
    return cell == MISSING or digits.removeprefix("-").isdecimal()


# --- boards ---------------------------------------------------------------------------------------


BEFORE_FIGURES = ("rank", "model", "organisation", "size")


def board_rows(board: Document) -> tuple[list[str], list[list[str]]]:
    """Heads and rows: rank range, model, organisation, size, and every metric of the ranking's
    order."""
    metrics = board["metrics"]
    heads = [*BEFORE_FIGURES, *(metric["name"] for metric in metrics)]
    rows = [
        [
            rank_of(entry),
            entry["model"],
            entry["organisation"],
            size_of(entry),
            *(figure_of(entry, metric) for metric in metrics),
        ]
        for entry in board["entries"]
    ]
    return heads, rows


def size_of(entry: Document) -> str:
    """Billions of parameters, "9.6B"; a site of an older version says nothing of them."""
    billions = entry.get("parameters_billions")
    return MISSING if billions is None else f"{Decimal(billions).normalize():f}B"


def rank_of(entry: Document) -> str:
    best, worst = entry["rank_best"], entry["rank_worst"]
    if best is None:
        return MISSING
    return f"{best}" if best == worst else f"{best}-{worst}"


def figure_of(entry: Document, metric: Document) -> str:
    return value_words((entry["figures"].get(metric["name"]) or {}).get("value"), metric)


def value_words(value: float | None, metric: Document) -> str:
    if value is None:
        return MISSING
    digits = DIGITS.get(metric["unit"], 2)
    if metric["unit"] == "percent":
        return f"{value * 100:.{digits}f} %"
    return f"{value:.{digits}f}"


def interval_of(entry: Document, metric: Document) -> str:
    """ "52.50 to 75.00", as the site writes it; empty where there is none."""
    figure = entry["figures"].get(metric["name"]) or {}
    ends = [figure.get(end) for end in ("low", "high")]
    if None in ends:
        return ""
    return " to ".join(value_words(end, metric).removesuffix(" %") for end in ends)


def board_table(board: Document) -> str:
    """The figures that rank, with their intervals, and the first few beside them: a terminal has no
    room for more."""
    heads, rows = board_rows(board)
    first = len(BEFORE_FIGURES)
    ranking = heads.index(board["ranking"]) if board["ranking"] in heads else first
    metric = board["metrics"][ranking - first]
    heads, rows = (
        [*heads, "95 % interval"],
        [
            [*row, interval_of(entry, metric) or MISSING]
            for row, entry in zip(rows, board["entries"], strict=True)
        ],
    )
    others = [n for n in range(first, len(heads) - 1) if n != ranking][:3]
    shown = [*range(first), ranking, len(heads) - 1, *others]
    title = f"{board['title']}, {board['release'] or 'no release'}, judged by {board['judge']}"
    picked = [[row[n] for n in shown] for row in [heads, *rows]]
    return f"{title}\n\n{table(picked[0], picked[1:])}"


def board_csv(board: Document) -> str:
    """Every metric, unrounded, with the ends of its interval."""
    names = [metric["name"] for metric in board["metrics"]]
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    cells = [f"{name}{end}" for name in names for end in ("", " low", " high")]
    writer.writerow(["rank", "rank best", "rank worst", "model", "organisation", "entry", *cells])
    for entry in board["entries"]:
        figures = [entry["figures"].get(name) or {} for name in names]
        writer.writerow(
            [
                *(plain(entry[key]) for key in ("rank", "rank_best", "rank_worst")),
                *(inert(entry[key] or "") for key in ("model", "organisation", "id")),
                *(plain(f.get(end)) for f in figures for end in ("value", "low", "high")),
            ]
        )
    return out.getvalue().rstrip("\n")


def plain(value: Any) -> str:
    return "" if value is None else str(value)


def inert(text: str) -> str:
    """A cell that no spreadsheet takes for a formula."""
    return f"'{text}" if text[:1] in ("=", "+", "-", "@", "\t", "\r") else text


BOARD_FORMATS: Mapping[str, Callable[[Document], str]] = {
    "table": board_table,
    "csv": board_csv,
    "json": as_json,
}


# --- submissions ----------------------------------------------------------------------------------


def progress_words(submission: Document) -> str:
    """ "judging 120 of 902, 300 a minute, 3 min left" """
    words = [submission["state"]]
    done, total = submission["judgements_done"], submission["judgements"]
    if total and done < total:
        words[0] += f" {done:,} of {total:,}"
    for run in submission["runs"]:
        if run["runs_ahead"]:
            words.append(f"{run['runs_ahead']:,} ahead")
        if run["judgements_per_minute"]:
            words.append(f"{run['judgements_per_minute']:,.0f} a minute")
        if run["seconds_left"]:
            words.append(f"{duration_words(run['seconds_left'])} left")
    return ", ".join(words)


def estimate_words(checked: Document) -> list[str]:
    """What judging would take, and whether the file could be handed in now."""
    lines = [f"{checked['answers']:,} answers for {checked['release']}"]
    estimate = checked["estimate"]
    if estimate:
        calls = f"{estimate['judgements']:,} judgements by {estimate['judge']}"
        calls += f", {estimate['calls']:,} calls"
        if estimate["calls"]:
            calls += f", about {duration_words(estimate['seconds'])}"
        if estimate["cost"] is not None:
            calls += f", {price_words(estimate['cost'])}"
        lines.append(calls)
        if estimate["refusal"]:
            lines.append(f"Will not be reached: {estimate['refusal']}")
    if checked["runs_ahead"]:
        lines.append(f"{checked['runs_ahead']:,} ahead in the queue")
    if checked["no_place"]:
        lines.append(checked["no_place"]["sentence"])
    return lines


def price_words(cost: str) -> str:
    """ "costs 0.21", "free" where nothing is paid; the currency is the site's."""
    amount = Decimal(cost)
    return f"costs {amount.normalize():f}" if amount else "free"


def score_words(entry: Document, benchmark: Document, place: Document | None) -> str:
    """Where an entry stands, and its figures with their titles, first the one that ranks. `place`:
    its row of the board, where it is there."""
    lines = [f"{entry['model']} on {entry['release']}, judged by {entry['judge']}"]
    if place and place["rank"] is not None:
        lines.append(f"Rank {rank_of(place)} on the board of {benchmark['title']}")
    elif entry["visibility"] == "private":
        lines.append(f"Private. On the board by: assay publish {entry['id']}")
    else:
        lines.append("On the board without a rank" if place else "Not on the board")
    return "\n".join([*lines, "", *figure_lines(entry, benchmark)])


def offline_words(scored: Document) -> str:
    """Of a file scored on this machine."""
    title = f"{scored['benchmark']}, {scored['release']}, judged by {scored['judge']}"
    return "\n".join([title, "", *figure_lines(scored, scored)])


def figure_lines(entry: Document, benchmark: Document) -> list[str]:
    ranking = benchmark["ranking"]
    metrics = sorted(benchmark["metrics"], key=lambda metric: metric["name"] != ranking)
    rows = [
        [metric["title"], figure_of(entry, metric), interval_of(entry, metric)]
        for metric in metrics
        if figure_of(entry, metric) != MISSING
    ]
    return [f"  {line}" for line in table(["", "", "95 % interval"], rows).splitlines()]
