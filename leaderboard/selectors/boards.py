"""Reading a board. Page, export and API take it from `read_board`, and from nowhere else."""

from dataclasses import replace

from benchmarks.models import Benchmark
from benchmarks.protocols.base import Board
from benchmarks.registry import protocol
from judging.texts import content_edition
from leaderboard.older_texts import texts_behind
from leaderboard.scoring import MetricValue
from leaderboard.selectors.eras import choose_era, eras_of
from leaderboard.selectors.part import cut
from leaderboard.selectors.ranking import era_sheets, rank_entries
from leaderboard.selectors.readings import (
    EACH,
    EVERYTHING,
    TOGETHER,
    BoardEntry,
    BoardPart,
    BoardReading,
    Era,
)


def read_board(
    benchmark: Benchmark,
    *,
    release: str = "",
    judge: str = "",
    ranges: str = EACH,
    part: BoardPart = EVERYTHING,
) -> BoardReading:
    """Raises NoSuchEraError where `release` or `judge` (slugs) name an era without public entries.

    `ranges` is EACH or TOGETHER; anything else is EACH.
    """
    ranges = TOGETHER if ranges == TOGETHER else EACH
    board = protocol(benchmark.slug).board.BOARD
    eras = eras_of(benchmark)
    era = choose_era(eras, release, judge)
    reading = BoardReading(
        benchmark=benchmark,
        board=board,
        metrics=protocol(benchmark.slug).board.METRICS,
        era=era,
        eras=eras,
        entries=(),
        published=tuple(
            row
            for row in board.published
            if row.language == (era.release.language if era else "en")
        ),
        computed=None,
        ranges=ranges,
    )
    return cut(computed(reading, era), part) if era else reading


def computed(reading: BoardReading, era: Era) -> BoardReading:
    """The reading with every entry of the era in board order, as of now."""
    sheets = era_sheets(era)
    ranking = rank_entries(sheets, reading.board, ranges=reading.ranges)
    entries = with_texts(with_neighbours(ranking.entries, reading.board), era)
    return replace(
        reading,
        entries=tuple(replace(entry, position=i) for i, entry in enumerate(entries)),
        edition=content_edition(era.release, era.judge_spec),
        computed=max((sheet.computed for sheet in sheets), default=None),
        smallest=ranking.smallest,
    )


def with_neighbours(entries: tuple[BoardEntry, ...], board: Board) -> tuple[BoardEntry, ...]:
    """The entries with what `board.beside` names: the same model's best-placed figure on another benchmark's board."""
    for neighbour in board.beside:
        benchmark = Benchmark.objects.filter(slug=neighbour.benchmark).first()
        era = choose_era(eras_of(benchmark)) if benchmark else None
        if era is None:
            continue
        found: dict[int, MetricValue] = {}
        for entry in rank_entries(
            era_sheets(era), protocol(neighbour.benchmark).board.BOARD
        ).entries:
            if figure := entry.figure(neighbour.metric.name):
                found.setdefault(entry.model_id, figure)
        name = neighbour.metric.name
        entries = tuple(
            replace(entry, figures={**entry.figures, name: found[entry.model_id]})
            if entry.model_id in found
            else entry
            for entry in entries
        )
    return entries


def with_texts(entries: tuple[BoardEntry, ...], era: Era) -> tuple[BoardEntry, ...]:
    """The entries of the era, each with how many of its answers were judged by other texts than today's."""
    found = texts_behind(release=era.release, spec=era.judge_spec)
    if not found:
        return entries
    answers = era.release.question_count
    return tuple(
        replace(entry, texts=behind, by_older_texts=behind.sentence(answers))
        if (behind := found.get(entry.id))
        else entry
        for entry in entries
    )
