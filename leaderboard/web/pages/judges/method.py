"""The page that says how a benchmark's scores are made."""

from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from benchmarks.protocols.base import BenchmarkProtocol, Board
from benchmarks.registry import protocols
from benchmarks.submissions.marks.flagging import RULES
from leaderboard.results.judges.seals import worth_table


@require_safe
def method(request: HttpRequest, slug: str) -> HttpResponse:
    if slug not in protocols():
        raise Http404("There is no such benchmark.")
    return render(request, "judges/method.html", method_page(protocols()[slug]))


Definition = tuple[str, bool | None]
"""What a metric means, and whether higher is better; None where neither direction is."""


def method_page(family: BenchmarkProtocol) -> dict[str, Any]:
    board = family.board.BOARD
    return {
        "family": family,
        "board": board,
        "tables": metric_tables(board),
        "marks": RULES.values(),
        "worth": worth_table(board, family.judging.RULES_VERSION),
    }


def metric_tables(board: Board) -> dict[str, dict[Definition, list[str]]]:
    """The title of every metric once, by the title of the first table that shows it and by its
    definition, which many datasets share."""
    tables = {metric.name: table.title for table in board.tables[::-1] for metric in table.metrics}
    found: dict[str, dict[Definition, list[str]]] = {}
    for metric in board.metrics():
        definitions = found.setdefault(tables[metric.name], {})
        titles = definitions.setdefault((metric.about, metric.higher_is_better), [])
        titles.append(metric.title)
    return found
