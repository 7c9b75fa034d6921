"""The context of the home page."""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import islice
from uuid import UUID

from django.db.models import Count, Exists, OuterRef, Prefetch, QuerySet

from benchmarks.models import Benchmark
from benchmarks.registry import protocol, protocols
from benchmarks.scoring.sheets import MetricValue
from benchmarks.submissions.models import Submission
from leaderboard.models import JudgeRecord, Scoresheet
from leaderboard.results.formatting import MISSING, print_interval, print_rank, print_value
from leaderboard.results.judges.records import Record
from leaderboard.results.selectors import (
    BoardNotStoredError,
    BoardPart,
    BoardReading,
    KnownBoards,
    known_boards,
    read_board,
)
from leaderboard.web.board.lead_figure import LeadFigure, lead_figure
from leaderboard.web.pages.site.home_example import Example, example_of


@dataclass(frozen=True, slots=True)
class CardLine:
    id: UUID
    rank: str
    model: str
    score: str
    interval: str


@dataclass(frozen=True, slots=True)
class BoardCard:
    """A benchmark on the home page with its top five, drawn and in words. ranked: None where the
    board is large and was never stored; part_of: title of the benchmark whose paper describes it,
    "" for one of its own."""

    slug: str
    title: str
    summary: str
    score_title: str
    top: tuple[CardLine, ...]
    ranked: int | None
    part_of: str = ""
    figure: LeadFigure | None = None


@dataclass(frozen=True, slots=True)
class LatestLine:
    """The newest entry of a model; more: how many other public ones it has, on all boards."""

    submission: Submission
    more: int
    score_title: str
    score: str


@dataclass(frozen=True, slots=True)
class HomePage:
    cards: tuple[BoardCard, ...]
    latest: tuple[LatestLine, ...]
    models: int
    answers: int
    judgements: int
    example: Example | None

    @property
    def has_figures(self) -> bool:
        return any(card.figure for card in self.cards)


TOP = 5  # of each board: as many as stand beside its summary
LATEST = 5  # models: as many as stand beside a card
NEWEST_READ = 100
"""Entries, of which the newest of each model are shown: one model stands on some six boards."""


def home_page() -> HomePage:
    benchmarks = Benchmark.objects.filter(slug__in=protocols(), releases__state="open").distinct()
    public = Submission.objects.public().order_by()
    shown = papers_first(benchmarks)
    known = known_boards(shown)
    readings = {benchmark: reading_of(benchmark, known) for benchmark in shown}
    return HomePage(
        cards=tuple(card_of(benchmark, reading) for benchmark, reading in readings.items()),
        latest=latest_lines(),
        models=public.aggregate(models=Count("model", distinct=True))["models"],
        answers=answers_confirmed(),
        judgements=verdicts_scored(),
        example=example_among(filter(None, readings.values())),
    )


def example_among(readings: Iterable[BoardReading]) -> Example | None:
    """One number followed down, of the first board on which somebody leads; one with a picture and
    a reference that everybody may read, if there is any. Boards behind that one are not asked."""
    first = None
    for reading in readings:
        found = example_of(reading)
        if found and found.image and found.reference:
            return found
        first = first or found
    return first


def papers_first(benchmarks: Iterable[Benchmark]) -> list[Benchmark]:
    """Those with a paper of their own by title, then what are parts of these in the same order."""
    titles = {benchmark.slug: benchmark.title for benchmark in benchmarks}

    def place(benchmark: Benchmark) -> tuple[bool, str, str]:
        whole = protocol(benchmark.slug).part_of
        return whole in titles, titles.get(whole, ""), benchmark.title

    return sorted(benchmarks, key=place)


def title_of_whole(slug: str) -> str:
    whole = protocol(slug).part_of
    return protocols()[whole].title if whole in protocols() else ""


def verdicts_scored() -> int:
    """Verdicts by the records of judges: a row per judge, not one per scoresheet."""
    totals = JudgeRecord.objects.values_list("totals", flat=True)
    return sum(Record.unpacked(packed).judged for packed in totals)


def answers_confirmed() -> int:
    """Counted by submissions, each of which answers every question of its release: of the answers
    themselves there are a thousand times as many."""
    confirmed = Submission.objects.confirmed().order_by().values_list("release__question_count")
    return sum(questions * count for questions, count in confirmed.annotate(Count("pk")))


def reading_of(benchmark: Benchmark, known: KnownBoards | None = None) -> BoardReading | None:
    """The first of its board; None where it is large and was never stored."""
    try:
        return read_board(benchmark, part=BoardPart(count=TOP, fold=True), known=known)
    except BoardNotStoredError:
        return None


def card_of(benchmark: Benchmark, reading: BoardReading | None) -> BoardCard:
    if reading is not None:
        return board_card(reading)
    board = protocol(benchmark.slug).board
    return BoardCard(
        slug=benchmark.slug,
        title=benchmark.title,
        summary=board.BOARD.summary,
        score_title=board.METRICS[board.BOARD.ranking].title,
        top=(),
        ranked=None,
        part_of=title_of_whole(benchmark.slug),
    )


def board_card(reading: BoardReading) -> BoardCard:
    metric = reading.metrics[reading.board.ranking]
    lines = []
    for entry in [entry for entry in reading.rows if entry.rank][:TOP]:
        figure = entry.figure(reading.board.ranking)
        lines.append(
            CardLine(
                id=entry.id,
                rank=(
                    MISSING if entry.scored_since else print_rank(entry.rank_best, entry.rank_worst)
                ),
                model=entry.model,
                score=print_value(metric, figure.value) if figure else MISSING,
                interval=print_interval(metric, figure) if figure else "",
            )
        )
    return BoardCard(
        slug=reading.benchmark.slug,
        title=reading.benchmark.title,
        summary=reading.board.summary,
        score_title=metric.title,
        top=tuple(lines),
        ranked=reading.counts.ranked,
        part_of=title_of_whole(reading.benchmark.slug),
        figure=lead_figure(reading, reading.board.ranking, ()),
    )


def latest_lines() -> tuple[LatestLine, ...]:
    """The newest public entries that are not baselines, one of each model, under whichever judge
    scored them last."""
    shown = entries_of_models()
    newest: dict[int, UUID] = {}
    for pk, model in shown.order_by("-created", "-pk").values_list("pk", "model")[:NEWEST_READ]:
        newest.setdefault(model, pk)
    ids = dict(islice(newest.items(), LATEST))
    counts = dict(shown.filter(model__in=ids).order_by().values_list("model").annotate(Count("pk")))
    sheets = Scoresheet.objects.defer(
        "figures", "draws", "lengths", "item_scores", "ability_moves"
    ).order_by("computed")
    found = (
        Submission.objects.filter(pk__in=ids.values())
        .select_related("model", "release__benchmark")
        .prefetch_related(Prefetch("scoresheets", sheets))
        .order_by("-created", "-pk")
    )
    return tuple(latest_line(one, counts[one.model_id] - 1) for one in found)


def entries_of_models() -> QuerySet[Submission]:
    """The public entries with a score that are not baselines."""
    judged = Exists(Scoresheet.objects.filter(submission=OuterRef("pk")))
    public = Submission.objects.public().filter(judged)
    return public.exclude(origin=Submission.Origin.BASELINE)


def latest_line(submission: Submission, more: int) -> LatestLine:
    *_, sheet = submission.scoresheets.all()
    benchmark = submission.release.benchmark
    family = protocol(benchmark.slug)
    ranking = family.board.BOARD.ranking
    metric = family.board.METRICS[ranking]
    # A sheet of older formulas, until it is made anew, may lack what its board is ranked by now.
    packed = sheet.board_figures.get(ranking)
    return LatestLine(
        submission=submission,
        more=more,
        score_title=metric.title,
        score=print_value(metric, MetricValue.unpacked(packed).value) if packed else MISSING,
    )
