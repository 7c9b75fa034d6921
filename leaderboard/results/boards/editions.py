"""Storing boards: ranks, ranges and orders of an era, computed once after something changed and not
by its readers.

A stage of the sweep. It looks at one row per benchmark, and at no scoresheet, until a number there
has moved.
"""

import logging
import math
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from contextlib import suppress
from dataclasses import asdict, astuple, dataclass
from datetime import datetime, timedelta
from itertools import count
from typing import Any
from uuid import UUID

import numpy as np
from django.db import DatabaseError, InterfaceError, OperationalError, transaction
from django.db.models import F, Q
from django.db.models.functions import Now

from benchmarks.models import Benchmark
from benchmarks.protocols.base import Board
from benchmarks.registry import protocol, protocols
from benchmarks.scoring.sheets import MetricValue
from benchmarks.statistics.resampling import Floats
from judging.coordination.clock import database_now
from judging.services.attempts import describe_error
from judging.texts import content_edition
from leaderboard.models import BoardEdition, BoardOrder, BoardRow, BoardVersion, Scoresheet
from leaderboard.results.boards.question_statistics import (
    forget_other_statistics,
    make_question_statistics,
    store_question_statistics,
)
from leaderboard.results.judges.comparisons import store_comparison
from leaderboard.results.selectors.boards import with_neighbours, with_texts
from leaderboard.results.selectors.eras import eras_of
from leaderboard.results.selectors.part import searched_text
from leaderboard.results.selectors.ranking import (
    Order,
    SheetReader,
    board_entry,
    board_order,
    both_places_on,
    era_sheets,
    have_draws,
    read_in_parts,
    stored_draws,
)
from leaderboard.results.selectors.readings import (
    BoardEntry,
    Era,
    PackedFigures,
    SmallestDifference,
)
from leaderboard.results.selectors.whole import PackedValues, WholeBoard
from leaderboard.results.snapshots.keeping import (
    Kept,
    Ranked,
    digest_of,
    figures_text,
    keep_snapshot,
)
from leaderboard.results.versions.code import board_code
from leaderboard.results.versions.numbers import (
    Numbers,
    add_up,
    number_shown,
    numbers_of,
    slugs_shown,
)

log = logging.getLogger(__name__)
LEASE = timedelta(minutes=10)
"""How long one worker has the boards of a benchmark to itself: ten thousand entries take it some
minutes."""
RETRY = timedelta(minutes=1)
"""After a board that could not be computed, or whose worker was stopped: neither a fault that a
person mends nor a locked database is asked for again at once."""
RESTS = 4
"""Times as long as storing took nobody does it again: boards of a few hundred entries are stored
within seconds of every change, and one of ten thousand costs a worker a fifth of its time at
most."""
SIDE_BY_SIDE = timedelta(minutes=10)
"""For which boards of another version of the code are left: while a site is upgraded both run, and
would take turns."""
ROWS_AT_ONCE = 500
READ_FOR = timedelta(minutes=5)
"""How long a stored board stays after another one took its place: a page reads it in a few queries,
and a file of ten thousand entries is sent for as long as its reader's line takes."""


def refresh_boards() -> int:
    """Store every board whose rows have changed, except those that another worker is storing;
    returns how many were stored."""
    return sum(store_boards(slug) for slug in stale_boards())


def stale_boards() -> list[str]:
    """Slugs of benchmarks whose data has changed since their boards were stored; one query."""
    numbers = numbers_of(protocols())
    return [slug for slug in numbers if is_stale(slug, numbers)]


def is_stale(slug: str, numbers: Mapping[str, Numbers]) -> bool:
    own = numbers[slug]
    return own.made != number_shown(slug, numbers) or own.code != board_code()


def store_boards(slug: str) -> int:
    """Store the boards of the benchmark's eras; returns how many were written. A failure of one
    does not stop the others."""
    benchmark = Benchmark.objects.get(slug=slug)
    add_up(benchmark)
    if not take_turn(benchmark, number_shown(slug, numbers_of(slugs_shown(slug)))):
        return 0
    try:
        return store_claimed(benchmark)
    except BaseException:  # the database is away, or the worker is told to stop
        end_turn(benchmark)
        raise


def store_boards_as_of(slug: str, *, now: datetime) -> int:
    """`store_boards` at once and as of a given time: for content that is loaded with its
    history. Nobody else may be at these boards."""
    benchmark = Benchmark.objects.get(slug=slug)
    add_up(benchmark)
    return store_claimed(benchmark, now)


def store_claimed(benchmark: Benchmark, now: datetime | None = None) -> int:
    started, written, failed = time.monotonic(), 0, False
    # From here on what changes is counted: the boards are behind again, and stored once more.
    number = number_shown(benchmark.slug, numbers_of(slugs_shown(benchmark.slug)))
    eras = eras_of(benchmark)
    forget_others(benchmark, eras)
    for era in eras:
        try:
            written += store_board(era, number, now)
        except (OperationalError, InterfaceError):
            raise
        except Exception as error:
            failed = True
            log.error(
                "Board of %s by %s: %s",
                era.release.slug,
                era.judge_spec.slug,
                describe_error(error),
            )
    try:
        store_comparison(benchmark, eras)
    except (OperationalError, InterfaceError):
        raise
    except Exception as error:  # boards stand without it, and the next change makes it again
        log.error("Judges of %s: %s", benchmark.slug, describe_error(error))
    rest = RETRY if failed else timedelta(seconds=RESTS * (time.monotonic() - started))
    version = BoardVersion.objects.filter(benchmark=benchmark)
    made = {} if failed else {"made": number, "code": board_code()}
    version.update(next_at=Now() + rest, **made)
    return written


def end_turn(benchmark: Benchmark) -> None:
    """Another worker may store the boards soon: not only when the lease of one that was stopped has
    run out. Where the database cannot be reached the lease stands."""
    with suppress(DatabaseError, InterfaceError):
        BoardVersion.objects.filter(benchmark=benchmark).update(next_at=Now() + RETRY)


def take_turn(benchmark: Benchmark, number: int) -> bool:
    """Whether this worker stores the benchmark's boards now."""
    free = Q(next_at__isnull=True) | Q(next_at__lte=Now())
    long_ago = Q(next_at__isnull=True) | Q(next_at__lte=Now() - SIDE_BY_SIDE)
    due = (free & (Q(made__isnull=True) | ~Q(made=number))) | (long_ago & ~Q(code=board_code()))
    rows = BoardVersion.objects.filter(due, benchmark=benchmark)
    return bool(rows.update(next_at=Now() + LEASE))


def forget_others(benchmark: Benchmark, eras: Sequence[Era]) -> None:
    """Delete stored boards of eras that have no public entry any more."""
    kept = {(era.release.pk, era.judge_spec.pk) for era in eras}
    stored = BoardEdition.of_any_schema.filter(release__benchmark=benchmark)
    gone = [row for row in stored if (row.release_id, row.judge_spec_id) not in kept]
    with transaction.atomic():
        for edition in gone:
            if edition.replaced is None and edition.snapshot_id is not None:
                keep_snapshot(Kept(emptied(edition), (), (), ()), lambda _: iter(()))
        BoardEdition.of_any_schema.filter(pk__in=[row.pk for row in gone]).delete()
    forget_other_statistics(benchmark, kept)


def emptied(edition: BoardEdition) -> BoardEdition:
    """A board of the same era and texts that nobody stands on any more; not written."""
    return BoardEdition(
        release=edition.release,
        judge_spec=edition.judge_spec,
        computed=database_now(),
        entries=0,
        handed_in=0,
        ranked=0,
        folded=0,
        behind=0,
        ranked_rows=0,
        valued=[],
        asked={},
        spans={},
        organisations=[],
        content_number=edition.content_number,
        content_since=edition.content_since,
    )


def store_board(era: Era, number: int, now: datetime | None = None) -> int:
    """1 where the era's board was written, 0 where it is stored as it is now."""
    of_era = BoardEdition.of_any_schema.filter(release=era.release, judge_spec=era.judge_spec)
    current = of_era.filter(replaced__isnull=True)
    if current.filter(version=number, code=board_code()).exists():
        return 0
    made = make_board(era, number, now)
    computed = made.edition.computed
    questions = (
        make_question_statistics(era, made.order, version=number, computed=computed)
        if era.release.verdicts_are_public
        else None
    )
    with transaction.atomic():
        made.edition.snapshot = keep_snapshot(made.kept, made.figures_at)
        of_era.filter(replaced__lt=Now() - READ_FOR).delete()
        current.update(replaced=Now())
        made.edition.save(force_insert=True)
        for row in made.rows:
            row.edition = made.edition
        for order in made.orders:
            order.edition = made.edition
        BoardRow.objects.bulk_create(made.rows, batch_size=ROWS_AT_ONCE)
        BoardOrder.objects.bulk_create(made.orders, batch_size=ROWS_AT_ONCE)
        if questions is not None:
            store_question_statistics(questions)
        version = BoardVersion.objects.filter(benchmark=era.release.benchmark_id)
        version.update(written=F("written") + 1)
    return 1


@dataclass(frozen=True, slots=True)
class MadeBoard:
    """A board as rows that are not written yet, the sheets that it was made of, and what is kept of
    it for good."""

    edition: BoardEdition
    rows: Sequence[BoardRow]
    orders: Sequence[BoardOrder]
    order: Order
    kept: Kept

    def figures_at(self, places: Sequence[int]) -> Iterator[Mapping[str, Any]]:
        """Of the rows at these positions, as their scoresheets have them."""
        sheets = [self.rows[place].sheet for place in places]
        return (figures for _, figures in read_in_parts(sheets, "board_figures"))


def make_board(era: Era, number: int, now: datetime | None = None) -> MadeBoard:
    family = protocol(era.release.benchmark.slug)
    board, metrics = family.board.BOARD, family.board.METRICS
    now = now or database_now()
    order = board_order(era_sheets(era, light=True), board)
    values = SheetValues(order.sheets, board.ranking)
    reader = SheetReader(stored_draws, values.fewest) if have_draws(era, order.sheets) else None
    found = both_places_on(order, board, reader=reader)
    (each, smallest_each), (together, smallest_together) = found
    alone = [board_entry(sheet, order, each, light=True) for sheet in order.sheets]
    entries = with_texts(with_neighbours(alone, board), era)
    for position, entry in enumerate(entries):
        values.add(position, beside_of(entry))
    whole = WholeBoard(entries, values)
    edition = board_edition(era, number, order, whole, values, board)
    edition.computed = now
    set_smallest(edition, smallest_each, smallest_together)
    at_once = (board_entry(sheet, order, together, light=True) for sheet in order.sheets)
    rows = board_rows(order.sheets, entries, at_once)
    for name in edition.valued:
        if name in metrics and name != board.ranking:  # of that the rank ranges tell
            mark_firsts(rows, name, whole.firsts(metrics[name], ranking=board.ranking))
    orders = [order_by(name, values.ends(name)[:, 0]) for name in edition.valued]
    ranking = [Ranked(*map(none_if_nan, ends)) for ends in values.ends(board.ranking).tolist()]
    kept = Kept(edition, rows, [values.digests[sheet.pk] for sheet in order.sheets], ranking)
    return MadeBoard(edition, rows, orders, order, kept)


class SheetValues(PackedValues):
    """Of the stored scoresheets, read once. By their keys, digests: of the figures that boards show
    of each; groups: how many are behind its score."""

    def __init__(self, sheets: Sequence[Scoresheet], ranking: str) -> None:
        super().__init__(len(sheets))
        self.groups: dict[int, float | None] = {}
        self.digests: dict[int, str] = {}
        for position, (key, packed) in enumerate(read_in_parts(sheets, "board_figures")):
            self.add(position, packed)
            self.digests[key] = digest_of(figures_text(packed))
            score = packed.get(ranking)
            self.groups[key] = MetricValue.unpacked(score).groups if score else None

    def fewest(self, sheets: Sequence[Scoresheet], _ranking: str) -> float | None:
        """The `ranking.fewest_groups` of light sheets."""
        known = (self.groups[sheet.pk] for sheet in sheets)
        return min((groups for groups in known if groups is not None), default=None)


def beside_of(entry: BoardEntry) -> Mapping[str, Sequence[Any]]:
    """What an entry of a light sheet has: the values from boards beside this one."""
    assert isinstance(entry.figures, PackedFigures)
    return entry.figures.packed


def none_if_nan(value: float) -> float | None:
    return None if math.isnan(value) else value


def board_rows(
    sheets: Sequence[Scoresheet], entries: Sequence[BoardEntry], at_once: Iterable[BoardEntry]
) -> list[BoardRow]:
    """at_once: the entries with the ranges that hold for all of the board."""
    numbers = count()
    return [
        BoardRow(
            sheet=sheet,
            position=position,
            row=next(numbers) if entry.same_answers_as is None else None,
            **shown_of(entry),
            **places_of_both(entry, together),
            firsts=[],
            scored=sheet.computed,
        )
        for position, (sheet, entry, together) in enumerate(
            zip(sheets, entries, at_once, strict=True)
        )
    ]


def shown_of(entry: BoardEntry) -> dict[str, Any]:
    assert entry.submitted is not None  # as of every board of now
    return {
        "model": entry.model_id,
        "name": entry.model,
        **entry.facts._asdict(),
        "text": searched_text(entry),
        "is_verified": bool(entry.verified),
        "origin": entry.origin,
        "submitted": entry.submitted,
        "handed_in_by": entry.handed_in_by,
        "verified": entry.verified,
        "verified_team": entry.verified_team,
        "is_kept_out": entry.standing.is_kept_out,
        "codes": list(entry.standing.codes),
        "marks": list(entry.standing.marks),
        "sentence": entry.standing.sentence,
        "same_answers_as": entry.same_answers_as,
        "older_texts": entry.texts.older,
        "unknown_texts": entry.texts.unknown,
        "beside": beside_of(entry),
    }


def places_of_both(entry: BoardEntry, at_once: BoardEntry) -> dict[str, Any]:
    alone, joint = entry.to_leader, at_once.to_leader
    return {
        "rank": entry.rank,
        "best": entry.rank_best,
        "worst": entry.rank_worst,
        "best_together": at_once.rank_best,
        "worst_together": at_once.rank_worst,
        "ahead": alone.ahead if alone else None,
        "low": alone.low if alone else None,
        "high": alone.high if alone else None,
        "low_together": joint.low if joint else None,
        "high_together": joint.high if joint else None,
    }


def mark_firsts(rows: Sequence[BoardRow], name: str, firsts: Set[UUID]) -> None:
    for row in rows:
        if row.sheet.submission_id in firsts:
            row.firsts.append(name)


def board_edition(
    era: Era, number: int, order: Order, whole: WholeBoard, values: PackedValues, board: Board
) -> BoardEdition:
    content = content_edition(era.release, era.judge_spec)
    names = whole.valued(board.metric_names())
    spans = {name: whole.span(name) for name in values.arrays}
    middles = {name: whole.middle(name) for name in names}
    return BoardEdition(
        release=era.release,
        judge_spec=era.judge_spec,
        version=number,
        code=board_code(),
        newest_sheet=max((sheet.computed for sheet in order.sheets), default=None),
        handed_in=sum(entry.origin != "baseline" for entry in whole.entries),
        **asdict(whole.counts),
        valued=names,
        asked=values.asked,
        spans={name: span for name, span in spans.items() if span},
        middles={name: astuple(middle) for name, middle in middles.items() if middle},
        organisations=whole.organisations,
        content_number=content.number,
        content_since=content.since,
    )


def set_smallest(
    edition: BoardEdition, each: SmallestDifference | None, together: SmallestDifference | None
) -> None:
    if each:
        edition.smallest_each, edition.each_is_assumed = each.value, each.is_assumed
    if together:
        edition.smallest_together, edition.together_is_assumed = (
            together.value,
            together.is_assumed,
        )


def order_by(metric: str, values: Floats) -> BoardOrder:
    """Positions by `selectors.in_order`. values: (entries,) in board order, nan where there is
    none."""
    return BoardOrder(
        metric=metric,
        descending=np.argsort(-values, kind="stable").astype("<i4").tobytes(),
        ascending=np.argsort(values, kind="stable").astype("<i4").tobytes(),
    )
