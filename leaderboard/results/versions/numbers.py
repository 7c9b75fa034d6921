"""The number of what a benchmark's boards show: another one whenever anything of it was written."""

from collections.abc import Collection, Mapping
from typing import NamedTuple

from django.db import connection, transaction
from django.db.models import F, Subquery, Sum
from django.db.models.functions import Coalesce

from benchmarks.models import Benchmark
from benchmarks.registry import protocol, protocols
from leaderboard.models import BoardChange, BoardVersion, ChainHead
from leaderboard.results.chain.links import Head


class Numbers(NamedTuple):
    """number: of the rows that its boards show; chain: the newest link, which is the same for all;
    the rest as `BoardVersion` has it."""

    number: int
    made: int | None
    code: str
    written: int
    chain: Head | None


def numbers_of(slugs: Collection[str]) -> Mapping[str, Numbers]:
    """By slug of a benchmark. One query, so that no change is counted twice or not at all while
    sweeps add up."""
    head = ChainHead.objects.filter(pk=ChainHead.ONLY)
    found = (
        Benchmark.objects.filter(slug__in=slugs)
        .order_by()
        .annotate(
            number=Coalesce("board_version__number", 0) + Coalesce(Sum("board_changes__step"), 0),
            chain_number=Subquery(head.values("number")),
            chain_digest=Subquery(head.values("digest")),
            chain_linked=Subquery(head.values("linked")),
        )
        .values_list(
            "slug",
            "number",
            "board_version__made",
            "board_version__code",
            "board_version__written",
            "chain_number",
            "chain_digest",
            "chain_linked",
        )
    )
    return {
        slug: Numbers(
            int(number),
            made,
            code or "",
            written or 0,
            Head(*chain) if chain[2] else None,
        )
        for slug, number, made, code, written, *chain in found
    }


def slugs_shown(slug: str) -> tuple[str, ...]:
    """The benchmark and those that stand beside it on its boards, as far as the site has them."""
    beside = (neighbour.benchmark for neighbour in protocol(slug).board.BOARD.beside)
    return tuple(dict.fromkeys((slug, *(name for name in beside if name in protocols()))))


def number_shown(slug: str, numbers: Mapping[str, Numbers]) -> int:
    """The number of all that the benchmark's boards show."""
    return sum(numbers[name].number for name in slugs_shown(slug) if name in numbers)


MOST_ADDED = 5_000  # keys in one statement; SQLite takes 32,766 values


def add_up(benchmark: Benchmark) -> None:
    """What changed is in the benchmark's one number; readers see the same sum before and after."""
    while add_some(benchmark) == MOST_ADDED:
        pass


def add_some(benchmark: Benchmark) -> int:
    """How many changes were added up, MOST_ADDED at most. Rows go by their keys: one that is
    committed meanwhile may have a lower key than these."""
    with transaction.atomic():
        BoardVersion.objects.get_or_create(benchmark=benchmark)
        held = BoardVersion.objects.select_for_update().filter(benchmark=benchmark)
        held.get()
        changes = BoardChange.objects.filter(benchmark=benchmark).order_by("pk")
        steps = dict(changes.values_list("pk", "step")[:MOST_ADDED])
        if steps:
            held.update(number=F("number") + sum(steps.values()))
            BoardChange.objects.filter(pk__in=steps).delete()
    return len(steps)


def add_up_others() -> None:
    """Of the changes of no benchmark one row is left, with the sum of all; a sweep that finds
    another one at it leaves them."""
    with transaction.atomic():
        changes = BoardChange.objects.filter(benchmark=None).order_by("pk")
        held = changes.select_for_update(
            skip_locked=connection.features.has_select_for_update_skip_locked
        )
        steps = dict(held.values_list("pk", "step")[:MOST_ADDED])
        if len(steps) > 1:
            BoardChange.objects.filter(pk__in=steps).delete()
            BoardChange.objects.create(step=sum(steps.values()))
