"""What a badge and a card say of an entry or a board: as its page does, in fewer words."""

from dataclasses import dataclass
from uuid import UUID

from django.contrib.auth.models import AnonymousUser

from benchmarks.models import Benchmark
from benchmarks.scoring.sheets import MetricValue
from benchmarks.selectors import protocol_of
from leaderboard.models import Scoresheet
from leaderboard.results.formatting import MISSING, print_interval, print_rank, print_value
from leaderboard.results.judges.seals import judge_seal
from leaderboard.results.selectors import visible_sheet
from leaderboard.web.pages.entries.entry import entry_of, reading_with
from leaderboard.web.pages.models.places import first_of_board
from leaderboard.web.pages.site.home import TOP, card_of


@dataclass(frozen=True, slots=True)
class EntryWords:
    """`figure`: "645.2 ± 4.1"; `rank`: "rank 2-4 of 21", or why there is none."""

    benchmark: str
    model: str
    measure: str
    figure: str
    rank: str
    era: str


def public_sheet(submission_id: UUID, judge: str = "") -> Scoresheet:
    """What everybody sees, whoever asks: badges and cards are kept by others. Raises Http404."""
    return visible_sheet(AnonymousUser(), submission_id, judge)


def entry_words(sheet: Scoresheet) -> EntryWords:
    release = sheet.submission.release
    board = protocol_of(release).board
    metric = board.METRICS[board.BOARD.ranking]
    packed = sheet.board_figures.get(metric.name)
    interval = print_interval(metric, MetricValue.unpacked(packed)) if packed else ""
    return EntryWords(
        benchmark=release.benchmark.title,
        model=sheet.submission.model.name,
        measure=metric.title,
        figure=f"{print_value(metric, sheet.ranking)} {interval}".strip(),
        rank=rank_words(sheet),
        era=f"{release.title}, judged by {judge_seal(sheet.judge_spec).label}",
    )


def rank_words(sheet: Scoresheet) -> str:
    reading = reading_with(sheet)
    entry = entry_of(reading, sheet.submission_id) if reading else None
    if reading is None or entry is None or entry.scored_since:
        return "being placed"
    if not entry.rank:
        return "not ranked"
    return f"rank {print_rank(entry.rank_best, entry.rank_worst)} of {reading.counts.ranked_rows:,}"


@dataclass(frozen=True, slots=True)
class BoardWords:
    title: str
    leader: str
    figure: str
    counted: str


def board_words(benchmark: Benchmark) -> BoardWords:
    """Who leads, by the board that is shown first."""
    reading = first_of_board(benchmark, TOP)
    card = card_of(benchmark, reading)
    models = "model" if card.ranked == 1 else "models"
    counted = f"{card.ranked:,} {models}" if reading else ""
    leader = card.leader
    if reading is None or leader is None:
        return BoardWords(card.title, "No ranked entry yet", MISSING, counted)
    metric = reading.metrics[reading.board.ranking]
    score = leader.figure(metric.name)
    interval = print_interval(metric, score) if score else ""
    figure = f"{print_value(metric, leader.value(metric.name))} {interval}".strip()
    rank = print_rank(leader.rank_best, leader.rank_worst)
    return BoardWords(card.title, leader.model, figure, f"rank {rank} of {counted}")
