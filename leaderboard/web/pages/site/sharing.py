"""What takes Assay's figures elsewhere: evidence, badges, feeds, cards and site maps. A badge and a
card say of an entry or a board what its page does, in fewer words."""

import json
import math
from dataclasses import replace
from typing import Any
from uuid import UUID

from csp.decorators import csp_replace, csp_update
from django.conf import settings
from django.contrib.auth.models import AnonymousUser
from django.core.exceptions import BadRequest
from django.http import FileResponse, Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import render
from django.template.loader import render_to_string
from django.urls import reverse
from django.views.decorators.cache import cache_control, never_cache
from django.views.decorators.clickjacking import xframe_options_exempt
from django.views.decorators.http import require_safe

from benchmarks.models import Benchmark
from benchmarks.protocols.base import Metric
from benchmarks.registry import protocol
from benchmarks.scoring.sheets import MetricValue
from benchmarks.selectors import protocol_of
from leaderboard.models import Scoresheet
from leaderboard.operations.health import no_space
from leaderboard.project.middleware.failures import announced
from leaderboard.results.formatting import MISSING, print_interval, print_rank, print_value
from leaderboard.results.judges.seals import judge_seal
from leaderboard.results.selectors import (
    BoardPart,
    BoardReading,
    NoSuchSnapshotError,
    visible_sheet,
)
from leaderboard.web.board.page import board_page, part_of
from leaderboard.web.evidence.archive import current_archive, seconds_until_made
from leaderboard.web.pages.boards.board import benchmark_named, chosen_of, reading_of
from leaderboard.web.pages.entries.entry import entry_of, reading_with
from leaderboard.web.pages.models.places import first_of_board
from leaderboard.web.pages.site.home import TOP
from leaderboard.web.sharing.badge import badge
from leaderboard.web.sharing.feed import board_feed
from leaderboard.web.sharing.pictures import standalone
from leaderboard.web.sharing.records import Addresses, eval_results, every_eval_ever
from leaderboard.web.sharing.social_card import social_card

ROUNDED = "rounded score of a hidden test"

PICTURE_CSP = {
    "style-src": ["'unsafe-inline'"]
}  # a picture brings its looks along; it has no script

HOUR = 3_600  # a badge, a card or a feed is as new as that


@require_safe
@never_cache
def board_evidence(request: HttpRequest, slug: str) -> HttpResponseBase:
    """All that is behind the board of the era that the address names, in one file."""
    benchmark = benchmark_named(slug)
    choices = replace(chosen_of(request, benchmark), moment=None, snapshot="")  # of today's board
    reading = reading_of(benchmark, choices, BoardPart(count=0))
    archive = current_archive(reading.era.release, reading.era.judge_spec) if reading.era else None
    if archive is None:
        return evidence_to_come(request, reading)
    try:
        content = archive.file.open("rb")
    except FileNotFoundError:
        raise Http404("The evidence is not in the file storage.") from None
    return FileResponse(
        content,
        content_type="application/zip",
        as_attachment=True,
        filename=f"assay-evidence-{archive.release.slug}-{archive.judge_spec.slug}.zip",
    )


def evidence_to_come(request: HttpRequest, reading: BoardReading) -> HttpResponse:
    """503 and when it will be there. Raises Http404 where nobody puts it together unasked."""
    era, seconds = reading.era, None
    if era is not None:
        seconds = seconds_until_made(era.release, era.judge_spec, reading.counts.entries)
    if seconds is None:
        raise Http404("The operators put together the evidence of this board.")
    sentence = (
        "The evidence archive of the current board is being made. It should be ready in about "
        f"{math.ceil(seconds / 60)} minutes; try again then."
        if not no_space()
        else "The evidence of this board is put together once this site has space to keep it."
    )
    page = render_to_string("boards/not_stored.html", {"sentence": sentence}, request)
    return announced(request, HttpResponse(page, status=503), seconds)


@require_safe
@cache_control(public=True, max_age=HOUR)
def entry_badge(request: HttpRequest, submission_id: UUID) -> HttpResponse:
    words = entry_words(public_sheet(submission_id, request.GET.get("judge", "")))
    drawn = badge(words["benchmark"], f"{words['figure']} · {words['rank']}")
    return HttpResponse(drawn, content_type="image/svg+xml")


def addresses_of(request: HttpRequest, sheet: Scoresheet) -> Addresses:
    whole, release = request.build_absolute_uri, sheet.submission.release
    entry = whole(reverse("entry", args=[sheet.submission_id]))
    return Addresses(
        site_name=settings.SITE_NAME,
        site=whole(reverse("home")),
        entry=f"{entry}?judge={sheet.judge_spec.slug}",
        release=whole(reverse("release", args=[release.slug])),
        judge=whole(reverse("judge", args=[sheet.judge_spec.slug])),
    )


@require_safe
@cache_control(public=True, max_age=HOUR)
def entry_eval_results(request: HttpRequest, submission_id: UUID) -> HttpResponse:
    """The score of an entry for the model's page on the Hugging Face Hub."""
    sheet = public_sheet(submission_id, request.GET.get("judge", ""))
    text = eval_results(sheet, addresses_of(request, sheet))
    if not text:
        raise Http404("The entry has no score yet.")
    return download(text, "application/yaml", f"assay-{str(submission_id)[:8]}.yaml")


@require_safe
@cache_control(public=True, max_age=HOUR)
def entry_every_eval_ever(request: HttpRequest, submission_id: UUID) -> HttpResponse:
    """The scores of an entry as a record of Every Eval Ever."""
    sheet = public_sheet(submission_id, request.GET.get("judge", ""))
    record = every_eval_ever(sheet, addresses_of(request, sheet))
    text = json.dumps(record, indent=2, ensure_ascii=False) + "\n"
    return download(text, "application/json", f"assay-{str(submission_id)[:8]}.json")


def download(text: str, kind: str, name: str) -> HttpResponse:
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return HttpResponse(text, content_type=f"{kind}; charset=utf-8", headers=headers)


@require_safe
@cache_control(public=True, max_age=HOUR)
def entry_card(request: HttpRequest, submission_id: UUID) -> HttpResponse:
    words = entry_words(public_sheet(submission_id, request.GET.get("judge", "")))
    drawn = social_card(
        above=f"{words['benchmark']}: {words['measure']}",
        title=words["model"],
        figure=words["figure"],
        below=f"{words['rank']} · {words['era']}",
    )
    return HttpResponse(drawn, content_type="image/png")


@require_safe
@cache_control(public=True, max_age=HOUR)
def board_card(request: HttpRequest, slug: str) -> HttpResponse:
    drawn = social_card(**board_words(benchmark_named(slug)))
    return HttpResponse(drawn, content_type="image/png")


@require_safe
@cache_control(public=True, max_age=HOUR)
def feed(request: HttpRequest, slug: str) -> HttpResponse:
    """The newest entries of a board, as Atom."""
    markup = board_feed(
        benchmark_named(slug),
        address=request.build_absolute_uri,
        board=reverse("board", args=[slug]),
    )
    return HttpResponse(markup, content_type="application/atom+xml; charset=utf-8")


@require_safe
@cache_control(public=True, max_age=HOUR)
def robots(request: HttpRequest) -> HttpResponse:
    """Public pages are for everybody; forms and files to compute with lead a crawler nowhere."""
    hidden = ("/admin/", "/accounts/", "/submissions/", "/submit/", "/search/")
    lines = [
        "User-agent: *",
        *(f"Disallow: {path}" for path in hidden),
        "Disallow: /*/export.",
        "Disallow: /*/answers.",
        f"Sitemap: {request.build_absolute_uri(reverse('sitemap'))}",
    ]
    return HttpResponse("\n".join(lines) + "\n", content_type="text/plain; charset=utf-8")


def board_to_share(request: HttpRequest, slug: str) -> dict[str, Any]:
    """The page that the address chooses, as its view has it; nothing of it is stored. A picture has
    no place for a note: what was not kept of a board is not found, a day that is none refused."""
    benchmark = benchmark_named(slug)
    choices = chosen_of(request, benchmark)
    if choices.as_of_fault:
        raise BadRequest(choices.as_of_fault)
    family = protocol(slug).board
    try:
        reading = reading_of(benchmark, choices, part_of(choices, family.BOARD, family.METRICS))
    except NoSuchSnapshotError as error:
        raise Http404(str(error)) from None
    return board_page(reading, choices)


@require_safe
@cache_control(public=True, max_age=HOUR)
@csp_update(PICTURE_CSP)  # type: ignore[arg-type]  # its types know only views without arguments
def board_chart(request: HttpRequest, slug: str, chart: str) -> HttpResponse:
    """A figure of the board as the address chooses it: `lead`, a chart by its slug, or its dots."""
    page = board_to_share(request, slug)
    charts = [drawn for drawn in (page["profile"], *page["charts"]) if drawn]
    drawings = {drawn.slug: drawn.svg for drawn in charts if drawn.svg}
    drawings |= {f"{drawn.slug}-dots": drawn.dots for drawn in charts if drawn.dots}
    if page["lead"]:
        drawings["lead"] = page["lead"].wide
    if chart not in drawings:
        raise Http404("This board has no such figure now.")
    reading: BoardReading = page["reading"]
    release = reading.era.release.title if reading.era else ""
    title = f"{reading.benchmark.title}: {release}"
    return HttpResponse(standalone(drawings[chart], title=title), content_type="image/svg+xml")


@require_safe
@cache_control(public=True, max_age=HOUR)
@xframe_options_exempt
@csp_replace({"frame-ancestors": ["*"]})  # type: ignore[arg-type]  # as said above
def embedded_board(request: HttpRequest, slug: str) -> HttpResponse:
    """The figure a board opens with, for pages of others: without cookies, scripts and forms."""
    return render(request, "boards/embed.html", {"page": board_to_share(request, slug)})


def public_sheet(submission_id: UUID, judge: str = "") -> Scoresheet:
    """What everybody sees, whoever asks: badges and cards are kept by others. Raises Http404."""
    return visible_sheet(AnonymousUser(), submission_id, judge)


def entry_words(sheet: Scoresheet) -> dict[str, str]:
    """`figure`: "645.2 (641.1 to 649.3)"; `rank`: "rank 2-4 of 21", or why there is none."""
    release = sheet.submission.release
    board = protocol_of(release).board
    metric = board.METRICS[board.BOARD.ranking]
    packed = sheet.board_figures.get(metric.name)
    figure = MetricValue.unpacked(packed) if packed else None
    return {
        "benchmark": release.benchmark.title,
        "model": sheet.submission.model.name,
        "measure": metric.title,
        "figure": figure_words(metric, sheet.ranking, figure),
        "rank": rank_words(sheet),
        "era": f"{release.title}, judged by {judge_seal(sheet.judge_spec).label}",
    }


def figure_words(metric: Metric, value: float | None, figure: MetricValue | None) -> str:
    interval = print_interval(metric, figure) if figure else ""
    return print_value(metric, value) + (f" ({interval})" if interval else "")


def rank_words(sheet: Scoresheet) -> str:
    reading = reading_with(sheet)
    entry = entry_of(reading, sheet.submission_id) if reading else None
    if reading is None or entry is None or entry.scored_since:
        return "being placed"
    if not entry.rank:
        return "not ranked"
    if reading.is_hidden_test:
        return ROUNDED
    return f"rank {print_rank(entry.rank_best, entry.rank_worst)} of {reading.counts.ranked_rows:,}"


def board_words(benchmark: Benchmark) -> dict[str, str]:
    """Who leads, by the board that is shown first: the lines of a card. Of a hidden test nobody."""
    above = f"{benchmark.title}: leading"
    reading = first_of_board(benchmark, TOP)
    ranked = reading.counts.ranked_rows if reading else 0
    counted = f"{ranked:,} ranked {'entry' if ranked == 1 else 'entries'}" if reading else ""
    leader = reading.leader if reading else None
    if reading is None or leader is None or leader.scored_since:
        title = "No ranked entry yet"
        return {"above": above, "title": title, "figure": MISSING, "below": counted}
    if reading.is_hidden_test:
        title, below = "A hidden test", "Its entries have one rounded score each"
        return {"above": benchmark.title, "title": title, "figure": MISSING, "below": below}
    metric = reading.metrics[reading.board.ranking]
    rank = f"rank {print_rank(leader.rank_best, leader.rank_worst)} of {counted}"
    return {
        "above": above,
        "title": leader.model,
        "figure": figure_words(metric, leader.value(metric.name), leader.figure(metric.name)),
        "below": rank,
    }
