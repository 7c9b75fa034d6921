"""How a board came to stand as it does: what changed, when and why, and scores over time.

All of it is read of snapshots, some at a time: of each the few entries that led, and the changes
that were kept with it. Names are those of entries that are public today.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db.models import QuerySet
from django.http import QueryDict
from django.urls import reverse
from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe

from benchmarks.models import Benchmark
from benchmarks.protocols.base import Metric
from benchmarks.registry import protocol
from benchmarks.submissions.models import Submission
from leaderboard.models import BoardSnapshot
from leaderboard.results.formatting import print_rank, print_value
from leaderboard.results.judges.seals import JudgeSeal, judge_seal
from leaderboard.results.selectors import Era, NoSuchEraError, choose_era
from leaderboard.results.selectors.eras import stored_eras
from leaderboard.results.selectors.stored import editions_of
from leaderboard.web.board.choices import Choice, bounded, page_of, query_url
from leaderboard.web.board.radar import marker

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


@dataclass(frozen=True, slots=True)
class Move:
    """`url` is empty of a withdrawn entry."""

    model: str
    url: str
    cause: str
    start: str
    end: str


@dataclass(frozen=True, slots=True)
class SnapshotLines:
    """What changed with one snapshot. `more_causes` and `more_moved` count what is not listed."""

    taken: datetime
    name: str
    url: str
    entries: int
    edition: int
    is_new_edition: bool
    is_first: bool
    causes: tuple[Move, ...]
    more_causes: int
    moved: tuple[Move, ...]
    more_moved: int


@dataclass(frozen=True, slots=True)
class ScoreLine:
    """The scores of one entry over time, the newest last; `series` from 1, `values` as printed,
    empty where it was not among those that lead."""

    model: str
    url: str
    series: int
    marker: SafeString
    values: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ScoresOverTime:
    """Two drawings, of which a page shows the one that fits, and the table behind them."""

    wide: SafeString
    narrow: SafeString
    title: str
    moments: tuple[datetime, ...]
    lines: tuple[ScoreLine, ...]


@dataclass(frozen=True, slots=True)
class BoardHistoryPage:
    benchmark: str
    slug: str
    board_url: str
    release: str
    release_slug: str
    judge: JudgeSeal | None
    eras: tuple[Choice, ...]
    scores: ScoresOverTime | None
    snapshots: tuple[SnapshotLines, ...]
    total: int
    page: int
    pages: int
    newer_url: str
    older_url: str
    notes: tuple[str, ...]


class NoSuchHistoryPageError(LookupError):
    """There are fewer pages."""


def board_history_page(benchmark: Benchmark, query: QueryDict) -> BoardHistoryPage:
    """Of the era that the address names, or the first one. Raises NoSuchHistoryPageError."""
    notes: list[str] = []
    eras = stored_eras(editions_of(benchmark))
    try:
        era = choose_era(eras, bounded(query, "release"), bounded(query, "judge"))
    except NoSuchEraError as error:
        notes.append(str(error))
        era = choose_era(eras)
    page = page_of(query, notes)
    kept = snapshots_of(era)
    total = kept.count()
    pages = max(1, -(-total // SNAPSHOTS))
    if page > pages:
        raise NoSuchHistoryPageError(f"This history has only {pages:,} pages.")
    first = (page - 1) * SNAPSHOTS
    shown = list(kept[first : first + SNAPSHOTS])
    chosen = {"release": era.release.slug, "judge": era.judge_spec.slug} if era else {}
    board_url = reverse("board", args=[benchmark.slug])
    return BoardHistoryPage(
        benchmark=benchmark.title,
        slug=benchmark.slug,
        board_url=f"{board_url}{query_url(chosen)}",
        release=era.release.title if era else "",
        release_slug=era.release.slug if era else "",
        judge=judge_seal(era.judge_spec) if era else None,
        eras=era_choices(eras, era),
        scores=scores_over_time(benchmark, era) if page == 1 else None,
        snapshots=lines_of(shown, board_url, is_last=page == pages),
        total=total,
        page=page,
        pages=pages,
        newer_url=query_url({**chosen, "page": str(page - 1)}) if page > 1 else "",
        older_url=query_url({**chosen, "page": str(page + 1)}) if page < pages else "",
        notes=tuple(notes),
    )


def snapshots_of(era: Era | None) -> QuerySet[BoardSnapshot]:
    """The newest first, without what is large."""
    rows = BoardSnapshot.objects.defer(*HEAVY).order_by("-taken", "-pk")
    if era is None:
        return rows.none()
    return rows.filter(release=era.release, judge_spec=era.judge_spec)


def era_choices(eras: Sequence[Era], current: Era | None) -> tuple[Choice, ...]:
    if len(eras) < 2:
        return ()
    return tuple(
        Choice(
            f"{era.release.title} · {judge_seal(era.judge_spec).label}",
            query_url({"release": era.release.slug, "judge": era.judge_spec.slug}),
            is_current=era == current,
        )
        for era in eras
    )


# --- changes --------------------------------------------------------------------------------------


def lines_of(
    shown: Sequence[BoardSnapshot], board_url: str, *, is_last: bool
) -> tuple[SnapshotLines, ...]:
    """is_last: whether the last of these is the first that was kept."""
    changes = [one for kept in shown for key in ("causes", "moved") for one in kept.changes[key]]
    names = public_names(UUID(one["id"]) for one in changes)

    def moves(kept: BoardSnapshot, key: str) -> tuple[Move, ...]:
        return tuple(move_of(one, names) for one in kept.changes[key])

    return tuple(
        SnapshotLines(
            taken=kept.taken,
            name=kept.name,
            url=f"{board_url}{query_url({'snapshot': kept.name})}",
            entries=kept.entries,
            edition=kept.content_number,
            is_new_edition=kept.changes["is_new_edition"],
            is_first=is_last and place == len(shown) - 1,
            causes=moves(kept, "causes"),
            more_causes=kept.changes["more_causes"],
            moved=moves(kept, "moved"),
            more_moved=kept.changes["more_moved"],
        )
        for place, kept in enumerate(shown)
    )


def public_names(ids: Iterable[UUID]) -> Mapping[UUID, str]:
    public = Submission.objects.public().filter(pk__in=set(ids)).order_by()
    return dict(public.values_list("pk", "model__name"))


def move_of(change: Mapping[str, Any], names: Mapping[UUID, str]) -> Move:
    key, cause = UUID(change["id"]), CAUSES.get(change["cause"], "")
    is_withdrawn = key not in names and change["cause"] == "withdrawn"
    return Move(
        model=WITHDRAWN if is_withdrawn else names.get(key, GONE),
        url=reverse("entry", args=[key]) if key in names else "",
        cause="" if is_withdrawn else cause,
        start=print_place(change["from"]),
        end=print_place(change["to"]),
    )


def print_place(place: Sequence[int] | None) -> str:
    """Empty without a rank."""
    return print_rank(place[0], place[1]) if place else ""


# --- scores over time -----------------------------------------------------------------------------

HEIGHT, ROOM = 200, 14
"""Of a drawing, in its own pixels, and what is left free around the lines: one of text."""
WIDTHS = {"wide": 640, "narrow": 328}
"""Of a drawing by its name; the narrow one is as wide as a page on a phone, or its text, scaled
down with the rest, could not be read."""


def scores_over_time(benchmark: Benchmark, era: Era | None) -> ScoresOverTime | None:
    """Of the entries that lead today and are public; None before there are two snapshots."""
    kept = list(snapshots_of(era)[:MOST_POINTS])[::-1]
    if len(kept) < 2:
        return None
    board = protocol(benchmark.slug).board
    metric = board.METRICS[board.BOARD.ranking]
    names = public_names(UUID(one["id"]) for one in kept[-1].leaders)
    leading = [one["id"] for one in kept[-1].leaders if UUID(one["id"]) in names][:MOST_DRAWN]
    found = [{one["id"]: one["score"][0] for one in row.leaders} for row in kept]
    series = {key: [row.get(key) for row in found] for key in leading}
    values = [value for row in series.values() for value in row if value is not None]
    if not values:
        return None
    moments = [row.taken for row in kept]
    drawn = {
        name: draw_scores(metric, moments, list(series.values()), min(values), max(values), name)
        for name in WIDTHS
    }
    return ScoresOverTime(
        wide=drawn["wide"],
        narrow=drawn["narrow"],
        title=metric.title,
        moments=tuple(moments),
        lines=tuple(
            ScoreLine(
                model=names[UUID(key)],
                url=reverse("entry", args=[key]),
                series=number,
                marker=marker(number),
                values=tuple(print_value(metric, value) for value in row),
            )
            for number, (key, row) in enumerate(series.items(), start=1)
        ),
    )


def draw_scores(
    metric: Metric,
    moments: Sequence[datetime],
    series: Sequence[Sequence[float | None]],
    lowest: float,
    highest: float,
    name: str,
) -> SafeString:
    """A line per entry, in steps: a score stands until it changes. name: one of WIDTHS."""
    width = WIDTHS[name]
    start, end = moments[0].timestamp(), moments[-1].timestamp()
    span, height = (end - start) or 1.0, (highest - lowest) or 1.0

    def across(moment: datetime) -> float:
        return ROOM + (moment.timestamp() - start) / span * (width - 2 * ROOM)

    def up(value: float) -> float:
        return HEIGHT - ROOM - (value - lowest) / height * (HEIGHT - 2 * ROOM)

    lines = []
    for number, row in enumerate(series, start=1):
        path, last = [], None
        for moment, value in zip(moments, row, strict=True):
            x = f"{across(moment):.1f}"
            if value is None:
                last = None
                continue
            path.append(f"M{x} {up(value):.1f}" if last is None else f"H{x}V{up(value):.1f}")
            last = value
        dots = "".join(
            f"M{across(moment):.1f} {up(value):.1f}h0"
            for moment, value in zip(moments, row, strict=True)
            if value is not None
        )
        lines.append(
            f'<g class="series-{number}"><path class="step" d="{"".join(path)}"/>'
            f'<path class="point" d="{dots}"/></g>'
        )
    label = escape(f"{metric.title} of the leading entries over time; see the table below")
    # Nothing in it comes from outside but numbers, and the title of a metric.
    return mark_safe(  # noqa: S308 # nosec B308 B703
        f'<svg class="over-time {name}" viewBox="0 0 {width} {HEIGHT}" role="img" '
        f'aria-label="{label}">'
        f'<text x="2" y="10">{print_value(metric, highest)}</text>'
        f'<text x="2" y="{HEIGHT - 2}">{print_value(metric, lowest)}</text>'
        f"{''.join(lines)}</svg>"
    )
