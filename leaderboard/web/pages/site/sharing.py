"""What a badge and a card say of an entry or a board: as its page does, in fewer words."""

from uuid import UUID

from django.contrib.auth.models import AnonymousUser

from benchmarks.models import Benchmark
from benchmarks.protocols.base import Metric
from benchmarks.scoring.sheets import MetricValue
from benchmarks.selectors import protocol_of
from leaderboard.models import Scoresheet
from leaderboard.results.formatting import MISSING, print_interval, print_rank, print_value
from leaderboard.results.judges.seals import judge_seal
from leaderboard.results.selectors import visible_sheet
from leaderboard.web.pages.entries.entry import entry_of, reading_with
from leaderboard.web.pages.models.places import first_of_board
from leaderboard.web.pages.site.home import TOP

ROUNDED = "rounded score of a hidden test"


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
    """Who leads, by the board that is shown first: the lines of a card."""
    above = f"{benchmark.title}: leading"
    reading = first_of_board(benchmark, TOP)
    ranked = reading.counts.ranked_rows if reading else 0
    counted = f"{ranked:,} ranked {'entry' if ranked == 1 else 'entries'}" if reading else ""
    leader = reading.leader if reading else None
    if reading is None or leader is None or leader.scored_since:
        title = "No ranked entry yet"
        return {"above": above, "title": title, "figure": MISSING, "below": counted}
    metric = reading.metrics[reading.board.ranking]
    rank = f"rank {print_rank(leader.rank_best, leader.rank_worst)} of {counted}"
    return {
        "above": above,
        "title": leader.model,
        "figure": figure_words(metric, leader.value(metric.name), leader.figure(metric.name)),
        "below": ROUNDED if reading.is_hidden_test else rank,
    }
