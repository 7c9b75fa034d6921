"""How a board came to stand as it does: what changed, when and why, and scores over time.

All of it is read of snapshots, some at a time: of each the few entries that led, and the changes
that were kept with it. Names are those of entries that are public today.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from itertools import takewhile
from typing import Any
from uuid import UUID

from django.core.paginator import Paginator
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe
from django.views.decorators.http import require_safe

from benchmarks.models import Benchmark
from benchmarks.protocols.base import Metric
from benchmarks.registry import protocol
from benchmarks.submissions.models import Submission
from leaderboard.models import BoardSnapshot
from leaderboard.results.formatting import print_rank, print_value
from leaderboard.results.judges.seals import judge_seal
from leaderboard.results.selectors import Era
from leaderboard.results.selectors.eras import stored_eras
from leaderboard.results.selectors.snapshots import first_kept
from leaderboard.results.selectors.stored import editions_of
from leaderboard.web.board.asked import Asked, page_or_last
from leaderboard.web.board.choices import query_url
from leaderboard.web.board.radar import MARKERS, marker, tidy
from leaderboard.web.pages.boards.board import benchmark_named
from leaderboard.web.pages.questions.eras import asked_era, era_choices

SNAPSHOTS = 20
"""Of a page. Each tells a hundred entries at most."""

MOST_DRAWN = 6
"""Entries whose scores are drawn: as many as there are series colours."""

MOST_POINTS = 60
"""Snapshots that the drawing goes back: more of them would not be told apart on 640 pixels."""

CAUSES = {
    "new": "new entry",
    "withdrawn": "withdrawn",
    "replaced": "replaced by a new version",
    "private": "made private",
    "judged": "judged again",
    "formulas": "computed by newer formulas",
    "edition": "judged with a new edition of the reference texts",
    "kept_out": "kept out of the ranking",
    "ranked": "ranked again",
    "older": "more of its answers were judged with older texts",
    "newer": "fewer of its answers were judged with older texts",
    "recorded": "the texts it was judged with are now recorded",
    "beside": "a value shown from another board changed",
    "described": "its name, size, badge or mark changed",
    "moved": "moved because others changed",
}

GONE = "an entry that is no longer public"
WITHDRAWN = "a withdrawn entry"
HEAVY = ("columns", "head")

CHANGES = ("causes", "moved")
"""Of a snapshot: of entries with a cause of their own, and of those that others moved."""


@require_safe
def board_history(request: HttpRequest, slug: str) -> HttpResponse:
    page = board_history_page(benchmark_named(slug), request.GET)
    return render(request, "boards/history.html", {"page": page})


def board_history_page(benchmark: Benchmark, query: QueryDict) -> dict[str, Any]:
    """Of the era that the address names, or the first one."""
    asked = Asked(query)
    eras = stored_eras(editions_of(benchmark))
    era = asked_era(eras, asked)
    shown = page_or_last(Paginator(snapshots_of(era), SNAPSHOTS), asked.page(), asked.notes)
    chosen = {"release": era.release.slug, "judge": era.judge_spec.slug} if era else {}
    board_url = f"{reverse('board', args=[benchmark.slug])}{query_url(chosen)}"
    newest = newest_leaders(era) if shown.number == 1 else []
    told = [one for kept in shown for key in CHANGES for one in kept.changes[key]]
    names = public_names([*told, *(newest[-1].leaders if newest else ())])
    return {
        "benchmark": benchmark,
        "board_url": board_url,
        "era": era,
        "judge": judge_seal(era.judge_spec) if era else None,
        "sentence": sentence_of(era, newest, names, timezone.now()) if era and newest else "",
        "first_day": first_kept(era) if era else None,
        "today": timezone.now(),
        "eras": era_choices(eras, era, ""),
        "scores": scores_over_time(benchmark, newest, names),
        "snapshots": [
            (kept, *([move_of(one, names) for one in kept.changes[key]] for key in CHANGES))
            for kept in shown
        ],
        "shown": shown,
        "query": query_url(chosen),
        "notes": asked.notes,
    }


def snapshots_of(era: Era | None) -> QuerySet[BoardSnapshot]:
    """The newest first, without what is large."""
    rows = BoardSnapshot.objects.defer(*HEAVY).order_by("-taken", "-pk")
    if era is None:
        return rows.none()
    return rows.filter(release=era.release, judge_spec=era.judge_spec)


# --- changes --------------------------------------------------------------------------------------


def public_names(entries: Iterable[Mapping[str, Any]]) -> Mapping[UUID, str]:
    """By id, of those that are public today."""
    wanted = {UUID(entry["id"]) for entry in entries}
    public = Submission.objects.public().filter(pk__in=wanted).order_by()
    return dict(public.values_list("pk", "model__name"))


def move_of(change: Mapping[str, Any], names: Mapping[UUID, str]) -> dict[str, str]:
    """`url` is empty of an entry that is no longer public."""
    key, cause = UUID(change["id"]), CAUSES.get(change["cause"], "")
    is_withdrawn = key not in names and change["cause"] == "withdrawn"
    return {
        "model": WITHDRAWN if is_withdrawn else names.get(key, GONE),
        "url": reverse("entry", args=[key]) if key in names else "",
        "cause": "" if is_withdrawn else cause,
        "start": print_place(change["from"]),
        "end": print_place(change["to"]),
    }


def print_place(place: Sequence[int] | None) -> str:
    """Empty without a rank."""
    return print_rank(place[0], place[1]) if place else ""


# --- who leads ------------------------------------------------------------------------------------

LATELY = timedelta(days=30)


def newest_leaders(era: Era | None) -> list[BoardSnapshot]:
    """The newest snapshots (MOST_POINTS), the newest last, with who led."""
    return list(snapshots_of(era).only("taken", "leaders")[:MOST_POINTS])[::-1]


def first_of(kept: BoardSnapshot) -> str:
    """The id of the entry that led; empty where nobody had a rank."""
    return str(kept.leaders[0]["id"]) if kept.leaders else ""


def sentence_of(
    era: Era, newest: Sequence[BoardSnapshot], names: Mapping[UUID, str], now: datetime
) -> str:
    """ "Alder has led since 2026-11-20; 3 entries joined in the last 30 days." Without the leader
    where nobody has a rank, the one who led is not public any more, or equal scores of a hidden
    test stand in the order of their days."""
    lately = f"in the last {LATELY.days} days"
    found = [f"no entry joined {lately}"]
    joined = Submission.objects.public().filter(
        release=era.release, scoresheets__judge_spec=era.judge_spec, created__gte=now - LATELY
    )
    count = joined.exclude(origin=Submission.Origin.BASELINE).count()
    if count:
        found = [f"{count:,} entr{'y' if count == 1 else 'ies'} joined {lately}"]
    elif newest[-1].taken < now - LATELY:
        found = [f"nothing has changed {lately}"]
    first = first_of(newest[-1]) if era.release.verdicts_are_public else ""
    if first and (name := names.get(UUID(first))):
        led = list(takewhile(lambda one: first_of(one) == first, newest[::-1]))
        since = "since at least" if len(led) == MOST_POINTS else "since"
        found.insert(0, f"{name} has led {since} {led[-1].taken:%Y-%m-%d}")
    sentence = "; ".join(found)
    return f"{sentence[0].upper()}{sentence[1:]}."


# --- scores over time -----------------------------------------------------------------------------

HEIGHT, ROOM, FOOT = 200, 14, 20
"""Of a drawing, in its own pixels, what is left free around the lines, one of text, and the height
of the dates below."""

SIZES = {"wide": (640, 5), "narrow": (328, 3)}
"""The width of a drawing by its name, and how many dates are below it; the narrow one is as wide as
a page on a phone, or its text, scaled down with the rest, could not be read."""


def scores_over_time(
    benchmark: Benchmark, newest: Sequence[BoardSnapshot], names: Mapping[UUID, str]
) -> dict[str, Any]:
    """Of the entries that lead today and are public: two drawings, of which a page shows the one
    that fits, and the table behind them. Nothing before there are two snapshots."""
    if len(newest) < 2:
        return {}
    board = protocol(benchmark.slug).board
    metric = board.METRICS[board.BOARD.ranking]
    leading = [one["id"] for one in newest[-1].leaders if UUID(one["id"]) in names][:MOST_DRAWN]
    found = [{one["id"]: one["score"][0] for one in row.leaders} for row in newest]
    series = {key: [row.get(key) for row in found] for key in leading}
    if not any(value is not None for row in series.values() for value in row):
        return {}
    moments = [row.taken for row in newest]
    return {
        **{name: draw_scores(metric, moments, list(series.values()), name) for name in SIZES},
        "title": metric.title,
        "moments": moments,
        "lines": [
            (
                names[UUID(key)],
                reverse("entry", args=[key]),
                marker(number),
                [print_value(metric, value) for value in row],
            )
            for number, (key, row) in enumerate(series.items(), start=1)
        ],
    }


def draw_scores(
    metric: Metric, moments: Sequence[datetime], series: Sequence[Sequence[float | None]], name: str
) -> SafeString:
    """A line per entry, in steps: a score stands until it changes, where it has its entry's sign.
    name: one of SIZES."""
    width, days = SIZES[name]
    start, end = moments[0], moments[-1]
    values = [value for row in series for value in row if value is not None]
    lowest, highest = min(values), max(values)
    height = (highest - lowest) or 1.0

    def across(moment: datetime) -> str:
        share = (moment - start) / (end - start) if end > start else 0.0
        return f"{ROOM + share * (width - 2 * ROOM):.1f}"

    def up(value: float) -> str:
        return f"{HEIGHT - ROOM - (value - lowest) / height * (HEIGHT - 2 * ROOM):.1f}"

    lines = []
    for number, row in enumerate(series, start=1):
        path, signs, last = "", "", None
        for moment, value in zip(moments, row, strict=True):
            if value is not None:
                x, y = across(moment), up(value)
                path += f"M{x} {y}" if last is None else f"H{x}V{y}"
                if value != last or moment == end:
                    signs += f"M{x} {y}{MARKERS[number - 1]}"
            last = value
        lines.append(
            f'<g class="series-{number}"><path class="step" d="{path}"/>'
            f'<path class="marks" d="{signs}"/></g>'
        )
    label = escape(f"{metric.title} of the leading entries over time; see the table below")
    # Nothing in it comes from outside but numbers, and the title of a metric.
    return mark_safe(  # noqa: S308 # nosec B308 B703
        f'<svg class="over-time {name}" viewBox="0 0 {width} {HEIGHT + FOOT}" role="img" '
        f'aria-label="{label}">'
        f'<text x="2" y="10">{print_value(metric, highest)}</text>'
        f'<text x="2" y="{HEIGHT - 2}">{print_value(metric, lowest)}</text>'
        f"{''.join(dates(start, end, width, days))}{''.join(lines)}</svg>"
    )


def dates(start: datetime, end: datetime, width: int, count: int) -> Iterator[str]:
    """A line and the day for some moments of the time that is drawn; where that is short, the time
    of day in place of the year."""
    last = count - 1
    form = "%m-%d %H:%M" if end - start < timedelta(days=last) else "%Y-%m-%d"
    for number in range(count):
        x = tidy(ROOM + number / last * (width - 2 * ROOM))
        anchor = "start" if not number else "end" if number == last else "middle"
        day = start + number / last * (end - start)
        yield f'<path class="day" d="M{x} {ROOM}V{HEIGHT - ROOM}"/>'
        yield f'<text class="{anchor}" x="{x}" y="{HEIGHT + 14}">{day:{form}}</text>'
