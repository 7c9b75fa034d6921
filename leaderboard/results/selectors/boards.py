"""Reading a board. Page, export and API take it from `read_board`, and from nowhere else."""

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, replace
from datetime import datetime

from benchmarks.models import Benchmark
from benchmarks.protocols.base import Board
from benchmarks.registry import protocol, protocols
from judging.texts import content_edition
from leaderboard.models import BoardEdition, BoardSnapshot
from leaderboard.results.entries.older_texts import outdated_texts_by_submission
from leaderboard.results.selectors.eras import choose_era, eras_of, stored_eras
from leaderboard.results.selectors.part import cut
from leaderboard.results.selectors.ranking import (
    board_order,
    era_sheets,
    packed_values,
    rank_entries,
)
from leaderboard.results.selectors.readings import (
    EACH,
    EVERYTHING,
    TOGETHER,
    BoardEntry,
    BoardNotStoredError,
    BoardPart,
    BoardReading,
    Era,
    NoSuchEraError,
    PackedFigures,
)
from leaderboard.results.selectors.snapshots import (
    NoSuchSnapshotError,
    first_kept,
    read_snapshot,
    snapshot_at,
    snapshot_named,
)
from leaderboard.results.selectors.stored import editions_of, read_stored
from leaderboard.results.versions.code import board_code
from leaderboard.results.versions.numbers import Numbers, number_shown, numbers_of, slugs_shown

Packed = Sequence[float | int | None]
COMPUTED_ON_READ = 200
"""Entries of a board that changed, up to which it is computed for whoever reads it: what is
published shows at once, in half a second at most. A larger one shows as it was stored until the
sweep, seconds later, has stored it anew, and not at all before it was stored once."""


@dataclass(frozen=True, slots=True)
class KnownBoards:
    """What tells of several benchmarks which of their stored boards are of now: read once for a
    page that shows them all."""

    numbers: Mapping[str, Numbers]
    editions: Mapping[int, Sequence[BoardEdition]]


def known_boards(benchmarks: Sequence[Benchmark]) -> KnownBoards:
    """Two queries, however many benchmarks."""
    slugs = {name for benchmark in benchmarks for name in slugs_shown(benchmark.slug)}
    numbers = numbers_of(slugs)  # before the boards: one stored meanwhile is of no number here
    editions: dict[int, list[BoardEdition]] = {}
    written = [benchmark for benchmark in benchmarks if numbers[benchmark.slug].written]
    for edition in editions_of(*written) if written else ():
        editions.setdefault(edition.release.benchmark_id, []).append(edition)
    return KnownBoards(numbers, editions)


def read_board(
    benchmark: Benchmark,
    *,
    release: str = "",
    judge: str = "",
    ranges: str = EACH,
    part: BoardPart = EVERYTHING,
    moment: datetime | None = None,
    snapshot: str = "",
    known: KnownBoards | None = None,
) -> BoardReading:
    """Raises NoSuchEraError where `release` or `judge` (slugs) name an era without public entries,
    and BoardNotStoredError where its board is large and was never stored.

    `ranges` is EACH or TOGETHER; anything else is EACH. moment: what stood then; snapshot: what was
    kept under that name, of whichever era. Raises NoSuchSnapshotError where nothing was. known: of
    this and other benchmarks, where it was read before.
    """
    ranges = TOGETHER if ranges == TOGETHER else EACH
    if snapshot:
        return kept_reading(benchmark, ranges, snapshot_named(benchmark, snapshot), part)
    if moment:
        kept = snapshot_of_moment(benchmark, release, judge, moment)
        return kept_reading(benchmark, ranges, kept, part)
    known = known or known_boards([benchmark])
    numbers, stored = known.numbers, known.editions.get(benchmark.pk, ())
    number = number_shown(benchmark.slug, numbers)
    is_complete = (numbers[benchmark.slug].made, numbers[benchmark.slug].code) == (
        number,
        board_code(),
    )
    eras = known_eras(benchmark, stored, is_complete=is_complete)
    try:
        era = choose_era(eras, release, judge)
    except NoSuchEraError:  # one that came after the boards were stored
        eras = eras_of(benchmark)
        era = choose_era(eras, release, judge)
    edition = edition_to_show(stored, era, number)
    reading = replace(
        empty_reading(benchmark, ranges, era, eras), chain=numbers[benchmark.slug].chain
    )
    if edition is not None:
        as_of = None if is_current(edition, number) else edition.computed
        return read_stored(replace(reading, as_of=as_of, newest=edition.snapshot), edition, part)
    if era is None:
        return reading
    if era.entries > COMPUTED_ON_READ:
        raise BoardNotStoredError
    return cut(computed(reading, era), part)


def empty_reading(
    benchmark: Benchmark, ranges: str, era: Era | None, eras: tuple[Era, ...]
) -> BoardReading:
    family = protocol(benchmark.slug).board
    language = era.release.language if era else "en"
    return BoardReading(
        benchmark=benchmark,
        board=family.BOARD,
        metrics=family.METRICS,
        era=era,
        eras=eras,
        entries=(),
        published=tuple(row for row in family.BOARD.published if row.language == language),
        computed=None,
        ranges=ranges,
    )


def kept_reading(
    benchmark: Benchmark, ranges: str, kept: BoardSnapshot, part: BoardPart
) -> BoardReading:
    """What was kept, among the eras that there are today."""
    stored = editions_of(benchmark)
    eras = stored_eras(stored) if stored else eras_of(benchmark)
    era = Era(kept.release, kept.judge_spec, kept.entries)
    return read_snapshot(empty_reading(benchmark, ranges, era, eras), kept, part)


def snapshot_of_moment(
    benchmark: Benchmark, release: str, judge: str, moment: datetime
) -> BoardSnapshot:
    """Of the era that is shown today, or of one by these names that was shown then. Raises
    NoSuchSnapshotError."""
    stored = editions_of(benchmark)
    eras = stored_eras(stored) if stored else eras_of(benchmark)
    try:
        era = choose_era(eras, release, judge)
    except NoSuchEraError:
        era = None
    if era:
        kept = snapshot_at(moment, release=era.release, judge_spec=era.judge_spec)
    else:  # also one that nobody stands on any more
        slugs = {"release__slug": release, "judge_spec__slug": judge}
        named = {field: slug for field, slug in slugs.items() if slug}
        kept = snapshot_at(moment, release__benchmark=benchmark, **named)
    if kept is None:
        since = first_kept(era) if era else None
        moment_words = f"before {since:%Y-%m-%d %H:%M} UTC" if since else "of that moment"
        raise NoSuchSnapshotError(f"Nothing was kept of this board {moment_words}.")
    return kept


def is_current(edition: BoardEdition, number: int) -> bool:
    return edition.version == number and edition.code == board_code()


def known_eras(
    benchmark: Benchmark, stored: Sequence[BoardEdition], *, is_complete: bool
) -> tuple[Era, ...]:
    """Those of the stored boards where all are of now, or where counting what there is now takes
    long."""
    if is_complete or sum(edition.entries for edition in stored) > COMPUTED_ON_READ:
        return stored_eras(stored)
    return eras_of(benchmark)


def edition_to_show(
    stored: Sequence[BoardEdition], era: Era | None, number: int
) -> BoardEdition | None:
    """The stored board of the era where it is of now, or too large to be computed for its
    reader."""
    if era is None:
        return None
    of_era = (e for e in stored if (e.release, e.judge_spec) == (era.release, era.judge_spec))
    edition = next(of_era, None)
    if edition is None:
        return None
    is_large = max(edition.entries, era.entries) > COMPUTED_ON_READ
    return edition if is_large or is_current(edition, number) else None


def computed(reading: BoardReading, era: Era) -> BoardReading:
    """The reading with every entry of the era in board order, as of now."""
    sheets = era_sheets(era)
    ranking = rank_entries(sheets, reading.board, era, ranges=reading.ranges)
    return replace(
        reading,
        entries=tuple(with_texts(with_neighbours(ranking.entries, reading.board), era)),
        edition=content_edition(era.release, era.judge_spec),
        computed=max((sheet.computed for sheet in sheets), default=None),
        smallest=ranking.smallest,
    )


def with_neighbours(entries: Sequence[BoardEntry], board: Board) -> tuple[BoardEntry, ...]:
    """The entries with what `board.beside` names."""
    found = values_beside(board, {entry.model_id for entry in entries})
    return tuple(with_packed(entry, packed_of(found, entry.model_id)) for entry in entries)


def with_packed(entry: BoardEntry, more: Mapping[str, Packed]) -> BoardEntry:
    if not more:
        return entry
    assert isinstance(entry.figures, PackedFigures)
    return replace(entry, figures=PackedFigures({**entry.figures.packed, **more}))


def packed_of(found: Mapping[str, Mapping[int, Packed]], model: int) -> dict[str, Packed]:
    return {name: values[model] for name, values in found.items() if model in values}


def values_beside(board: Board, models: Set[int]) -> Mapping[str, Mapping[int, Packed]]:
    """By metric and model, packed: the same model's best-placed value on another benchmark's
    board."""
    found: dict[str, dict[int, Packed]] = {}
    for neighbour in board.beside:
        if neighbour.benchmark not in protocols():
            continue  # its releases may be here still, of a time when the site had it
        benchmark = Benchmark.objects.filter(slug=neighbour.benchmark).first()
        era = choose_era(eras_of(benchmark)) if benchmark else None
        if era is None:
            continue
        order = board_order(era_sheets(era, light=True), protocol(neighbour.benchmark).board.BOARD)
        theirs = [sheet for sheet in order.sheets if sheet.submission.model_id in models]
        values = found.setdefault(neighbour.metric.name, {})
        packed = packed_values(theirs)
        for sheet in theirs:
            if value := packed[sheet.pk].get(neighbour.metric.name):
                values.setdefault(sheet.submission.model_id, value)
    return found


def with_texts(entries: Sequence[BoardEntry], era: Era) -> Sequence[BoardEntry]:
    """The entries of the era, each with how many of its answers were judged by other texts than
    today's."""
    found = outdated_texts_by_submission(release=era.release, spec=era.judge_spec)
    if not found:
        return entries
    answers = era.release.question_count
    return tuple(
        replace(entry, texts=outdated, by_older_texts=outdated.sentence(answers))
        if (outdated := found.get(entry.id))
        else entry
        for entry in entries
    )
