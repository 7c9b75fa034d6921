"""The page of a board, its exports and the script of its charts."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from csp.decorators import csp_update
from django.core.exceptions import BadRequest
from django.http import FileResponse, Http404, HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import get_object_or_404
from django.template.loader import render_to_string
from django.views.decorators.cache import cache_control
from django.views.decorators.gzip import gzip_page
from django.views.decorators.http import condition, require_safe

from benchmarks.models import Benchmark
from benchmarks.registry import protocol, protocols
from leaderboard.results.entries.rejudging import rejudging_of
from leaderboard.results.selectors import (
    BoardPart,
    BoardReading,
    NoSuchEraError,
    NoSuchSnapshotError,
    read_board,
    read_by_measure,
)
from leaderboard.web.board.choices import BoardChoices, choices_of
from leaderboard.web.board.page import board_page, part_of, published_of
from leaderboard.web.board.plotly_bundle import bundle_path, bundle_tag, compressed_path
from leaderboard.web.board.tables import of_one_table, with_printed_figures
from leaderboard.web.exports import EXPORTS, export_part, in_pieces

ROWS = "<!-- rows -->"
"""Where the rows of a board's table go in its template."""


def benchmark_named(slug: str) -> Benchmark:
    """Raises Http404 for one that this site has not."""
    if slug not in protocols():
        raise Http404("There is no such board.")
    return get_object_or_404(Benchmark, slug=slug)


def chosen_of(request: HttpRequest, benchmark: Benchmark) -> BoardChoices:
    """What the address chooses of its board."""
    return choices_of(request.GET, protocol(benchmark.slug).board.BOARD)


def reading_of(benchmark: Benchmark, choices: BoardChoices, part: BoardPart) -> BoardReading:
    try:
        reading = read_board(
            benchmark,
            release=choices.release,
            judge=choices.judge,
            ranges=choices.ranges,
            part=part,
            moment=choices.moment,
            snapshot=choices.snapshot,
        )
    except NoSuchEraError as error:
        raise Http404(str(error)) from None
    return read_by_measure(reading, choices.measure.slug if choices.measure else "")


@require_safe
# plotly.js draws a heatmap as an image in a data address; the decorator's types know only views
# without arguments
@csp_update({"img-src": ["data:"]})  # type: ignore[arg-type]  # as said above
def board(request: HttpRequest, slug: str) -> HttpResponse:
    """Of a moment of which nothing was kept, the board of now with a note."""
    benchmark = benchmark_named(slug)
    choices, family = chosen_of(request, benchmark), protocol(slug).board
    part = part_of(choices, family.BOARD, family.METRICS)
    try:
        reading = reading_of(benchmark, choices, part)
    except NoSuchSnapshotError as error:
        if choices.snapshot:
            raise Http404(str(error)) from None
        notes = (*choices.notes, f"{error} This is the board of now.")
        choices = replace(choices, moment=None, as_of="", notes=notes)
        reading = reading_of(benchmark, choices, part)
    address = request.build_absolute_uri(request.path)
    page = board_page(reading, choices, address=address, rejudging=rejudging_of(slug))
    return HttpResponse(page_markup(request, page))


def page_markup(request: HttpRequest, page: Mapping[str, Any]) -> bytes:
    """The rows of its table are put in last: they are most of it, and templates copy what they
    hold."""
    before, rows, after = render_to_string("boards/board.html", {"page": page}, request).partition(
        ROWS
    )
    return "".join((before, "\n".join(page["rows"].values()) if rows else "", after)).encode()


@require_safe
@cache_control(public=True, max_age=86_400)
@gzip_page
@condition(etag_func=lambda request: f'W/"{bundle_tag()}"')
def plotly_bundle(request: HttpRequest) -> FileResponse:
    """The script of the charts that a reader asked to explore."""
    path = bundle_path()
    compressed = compressed_path(path)
    if compressed and "br" in request.headers.get("Accept-Encoding", ""):
        headers = {"Content-Encoding": "br", "Vary": "Accept-Encoding"}
        return FileResponse(
            compressed.open("rb"),
            filename=path.name,
            content_type="text/javascript",
            headers=headers,
        )
    return FileResponse(path.open("rb"), content_type="text/javascript")


@require_safe
def board_export(request: HttpRequest, slug: str, kind: str) -> StreamingHttpResponse:
    """Every entry that fits what was searched and filtered for, in the page's order."""
    if kind not in EXPORTS:
        raise Http404(f"Boards are exported as {', '.join(EXPORTS)}.")
    benchmark = benchmark_named(slug)
    export, choices = EXPORTS[kind], chosen_of(request, benchmark)
    if choices.as_of_fault:
        raise BadRequest(choices.as_of_fault)
    try:
        reading = reading_of(benchmark, choices, export_part(choices, protocol(slug).board, export))
    except NoSuchSnapshotError as error:
        raise Http404(str(error)) from None
    shown = replace(reading, published=published_of(reading, replace(choices, page=1)))
    if choices.is_one_table:
        shown = of_one_table(shown, choices.table, choices.columns)
    shown = with_printed_figures(shown)
    headers = {"Content-Disposition": f'attachment; filename="{file_name(shown)}.{export.suffix}"'}
    pieces = in_pieces(export.write(shown))
    return StreamingHttpResponse(pieces, content_type=export.content_type, headers=headers)


def file_name(reading: BoardReading) -> str:
    kept = reading.snapshot
    return f"assay-{reading.benchmark.slug}" + (
        f"-{kept.taken:%Y-%m-%d}-{kept.name}" if kept else ""
    )
