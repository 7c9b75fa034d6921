"""The context of the home page."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from benchmarks.models import Benchmark
from benchmarks.registry import protocol, protocols
from benchmarks.submissions.models import Answer, EvaluatedModel
from judging.models import Judgement
from leaderboard.formatting import print_interval, print_rank, print_value
from leaderboard.models import Scoresheet
from leaderboard.scoring import MetricValue
from leaderboard.selectors import BoardReading, public_sheets, read_board


@dataclass(frozen=True, slots=True)
class CardLine:
    id: UUID
    rank: str
    model: str
    score: str
    interval: str


@dataclass(frozen=True, slots=True)
class BoardCard:
    """A benchmark on the home page with its top five."""

    slug: str
    title: str
    summary: str
    score_title: str
    top: tuple[CardLine, ...]
    entry_count: int


@dataclass(frozen=True, slots=True)
class LatestLine:
    id: UUID
    model: str
    organisation: str
    benchmark: str
    score_title: str
    score: str
    submitted: datetime


@dataclass(frozen=True, slots=True)
class HomePage:
    cards: tuple[BoardCard, ...]
    latest: tuple[LatestLine, ...]
    models: str
    answers: str
    judgements: str


TOP = 5
LATEST = 8


def home_page() -> HomePage:
    benchmarks = Benchmark.objects.filter(slug__in=protocols(), releases__state="open").distinct()
    return HomePage(
        cards=tuple(board_card(read_board(benchmark)) for benchmark in benchmarks),
        latest=latest_lines(),
        models=f"{EvaluatedModel.objects.filter(submissions__visibility='public').distinct().count():,}",
        answers=f"{Answer.objects.filter(submission__confirmed__isnull=False).count():,}",
        judgements=f"{Judgement.objects.filter(state=Judgement.State.JUDGED).count():,}",
    )


def board_card(reading: BoardReading) -> BoardCard:
    metric = reading.metrics[reading.board.ranking]
    lines = []
    for entry in [entry for entry in reading.rows if entry.rank][:TOP]:
        figure = entry.figures[reading.board.ranking]
        lines.append(
            CardLine(
                id=entry.id,
                rank=print_rank(entry.rank_best, entry.rank_worst),
                model=entry.model,
                score=print_value(metric, figure.value),
                interval=print_interval(metric, figure),
            )
        )
    return BoardCard(
        slug=reading.benchmark.slug,
        title=reading.benchmark.title,
        summary=reading.board.summary,
        score_title=metric.title,
        top=tuple(lines),
        entry_count=len(reading.entries),
    )


def latest_lines() -> tuple[LatestLine, ...]:
    """The newest public entries that are not baselines, under whichever judge scored them last."""
    sheets = (
        Scoresheet.objects.filter(public_sheets())
        .exclude(submission__origin="baseline")
        .select_related("submission__model", "submission__release__benchmark")
        .defer("figures", "draws", "lengths", "losses")
        .order_by("-submission__created", "-computed")
    )
    found: dict[object, LatestLine] = {}
    for sheet in sheets[: LATEST * 4]:
        found.setdefault(sheet.submission_id, latest_line(sheet))
    return tuple(found.values())[:LATEST]


def latest_line(sheet: Scoresheet) -> LatestLine:
    submission = sheet.submission
    benchmark = submission.release.benchmark
    family = protocol(benchmark.slug)
    ranking = family.board.BOARD.ranking
    metric = family.board.METRICS[ranking]
    return LatestLine(
        id=submission.id,
        model=submission.model.name,
        organisation=submission.model.organisation,
        benchmark=benchmark.title,
        score_title=metric.title,
        score=print_value(metric, MetricValue(*sheet.board_figures[ranking]).value),
        submitted=submission.created,
    )
