"""What a page takes without any cache: time, queries, and size on the wire."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial

import brotli  # type: ignore[import-untyped]  # it has no types
from django.core.cache import caches
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from bench.measuring import seconds
from benchmarks.models import Benchmark
from leaderboard.models import Scoresheet
from leaderboard.results.selectors import BoardPart, read_board

REPEATS = 5
TRIVIAL = "/health/live"
QUALITY = 4  # of brotli, about what a server spends on a page that it makes anew


@dataclass(frozen=True, slots=True)
class PageCost:
    """ms: wall time, the median of some; packed: kB as sent."""

    name: str
    address: str
    ms: float
    queries: int
    packed: float


def addresses(slug: str) -> Iterator[tuple[str, str]]:
    """The first view of each kind of public page, and what a reader comes to next on a board."""
    benchmark = Benchmark.objects.get(slug=slug)
    reading = read_board(benchmark, part=BoardPart(count=6, fold=True))
    assert reading.era is not None
    release, spec, first = reading.era.release, reading.era.judge_spec, reading.entries[0]
    models = "&".join(f"m={entry.id}" for entry in reading.entries)
    model = Scoresheet.objects.get(submission=first.id, judge_spec=spec).submission.model
    question = release.questions.order_by("pk")[0].pk
    board = reverse("board", args=[slug])
    yield from (
        ("home", reverse("home")),
        ("board", board),
        ("board, sorted, page 2", f"{board}?sort={reading.board.ranking}&order=asc&page=2"),
        ("board, search", f"{board}?q=1"),
        ("board as CSV", f"{board}export.csv"),
        ("questions of a board", reverse("board-questions", args=[slug])),
        ("matrix of a board", reverse("board-matrix", args=[slug])),
        ("history of a board", reverse("board-history", args=[slug])),
        ("figure to embed", reverse("embedded-board", args=[slug])),
        ("feed of a board", reverse("board-feed", args=[slug])),
        ("entry", reverse("entry", args=[first.id])),
        ("compare, empty", reverse("compare")),
        ("compare, six", f"{reverse('compare')}?{models}&release={release.slug}&judge={spec.slug}"),
        ("models", reverse("models")),
        ("model", reverse("model", args=[model.slug])),
        ("question", reverse("question", args=[question])),
        ("releases", reverse("releases")),
        ("release", reverse("release", args=[release.slug])),
        ("judges", reverse("judges")),
        ("judge", reverse("judge", args=[spec.slug])),
        ("method", reverse("method", args=[slug])),
        ("search", f"{reverse('search')}?q=model"),
        ("status", reverse("status")),
    )


def cost_of(client: Client, name: str, address: str, *, repeats: int = REPEATS) -> PageCost:
    """Raises AssertionError for a page that is not answered."""

    def uncached() -> bytes:
        for cache in caches.all():
            cache.clear()
        response = client.get(address)
        if response.status_code != 200:
            raise AssertionError(f"{address} answers {response.status_code}")
        return b"".join(response) if response.streaming else bytes(response.content)

    body = uncached()  # templates are read and compiled
    with CaptureQueriesContext(connection) as found:
        uncached()
    asked = len(found)  # before other requests empty what was noted
    took = 1000 * seconds(uncached, repeats=repeats) if repeats else 0.0
    packed = len(brotli.compress(body, quality=QUALITY)) / 1000
    return PageCost(name, address, took, asked, packed)


def costs(slug: str, *, repeats: int = REPEATS) -> list[PageCost]:
    get = partial(cost_of, Client(SERVER_NAME="localhost"), repeats=repeats)
    return [get("a trivial view", TRIVIAL), *(get(*page) for page in addresses(slug))]


def table(found: Sequence[PageCost]) -> str:
    trivial = found[0].ms
    lines = [f"{'page':24} {'ms':>7} {'trivial':>8} {'queries':>8} {'kB sent':>8}"]
    for cost in found:
        times = cost.ms / trivial
        lines.append(
            f"{cost.name:24} {cost.ms:7.1f} {times:7.1f}x {cost.queries:8} {cost.packed:8.1f}"
        )
    return "\n".join(lines)
