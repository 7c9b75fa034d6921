"""Reading what is shown. Page, export and API take a board from `read_board`, and nothing from anywhere else."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any
from uuid import UUID

import numpy as np
from django.db.models import Count, Q
from django.http import Http404

from benchmarks.models import Benchmark, Release
from benchmarks.protocols.base import Board, Measure, Metric, PublishedRow
from benchmarks.registry import protocol
from benchmarks.statistics.differences import (
    Difference,
    Differences,
    assumed_error,
    critical_of_two,
    paired_differences,
    smallest_difference,
    typical,
)
from benchmarks.statistics.ranks import competition_ranks
from benchmarks.statistics.resampling import Floats
from benchmarks.submissions.models import RankingDecision, Submission
from benchmarks.submissions.naming.public_names import handed_in_by
from judging.models import JudgeSpec
from judging.texts import ContentEdition, content_edition
from leaderboard.models import Scoresheet
from leaderboard.older_texts import TextsBehind, texts_behind
from leaderboard.scoring import MetricValue
from leaderboard.standing import (
    UNREMARKABLE,
    Standing,
    first_of_equals,
    first_of_names,
    kept_out_before,
    name_mark,
    standing_of,
    verification_words,
)

EACH, TOGETHER = "each", "together"


UP_TO_DATE = TextsBehind()


@dataclass(frozen=True, slots=True)
class Era:
    """Scores of one release by one judge spec: the only scores that are comparable."""

    release: Release
    judge_spec: JudgeSpec
    entries: int


class PackedFigures(Mapping[str, MetricValue]):
    """Figures as a scoresheet stores them, each unpacked when it is looked at: a page shows few of many."""

    __slots__ = ("packed",)

    def __init__(self, packed: Mapping[str, Sequence[Any]]) -> None:
        self.packed = packed

    def __getitem__(self, name: str) -> MetricValue:
        return MetricValue(*self.packed[name])

    def get(self, name: str, default: Any = None) -> Any:
        """As of any mapping, without an exception for each of the many that are missing."""
        packed = self.packed.get(name)
        return MetricValue(*packed) if packed else default

    def __iter__(self) -> Iterator[str]:
        return iter(self.packed)

    def __len__(self) -> int:
        return len(self.packed)


@dataclass(frozen=True, slots=True)
class BoardEntry:
    """One public submission on a board. Baselines, entries under the board's coverage and those that their standing
    keeps out have no rank.

    `handed_in_by` is a public name; `verified` says when, by whom and why, and is empty where it is not.
    Entries of equal answers share the place of one of them, under which a page folds the others: these name it in
    `same_answers_as`. to_leader: how far the entry is ahead of the one that leads; None for that one, and without a
    rank. losses: what its changed answers cost, as `Scoresheet.losses` has it.
    by_older_texts: in words, how many answers were judged by other texts than today's.
    """

    id: UUID
    model_id: int
    model: str
    organisation: str
    is_open_weights: bool
    origin: str
    submitted: datetime
    rank: int | None
    rank_best: int | None
    rank_worst: int | None
    coverage: float
    judged: int
    unreadable: int
    failed: int
    excluded: int
    figures: Mapping[str, MetricValue]
    standing: Standing = UNREMARKABLE
    same_answers_as: UUID | None = None
    handed_in_by: str = ""
    verified: str = ""
    to_leader: Difference | None = None
    losses: bytes = b""
    texts: TextsBehind = UP_TO_DATE
    by_older_texts: str = ""

    @property
    def may_be_first(self) -> bool:
        """Whether its rank range holds place 1; False without a rank."""
        return self.rank_best == 1

    def figure(self, name: str) -> MetricValue | None:
        return self.figures.get(name)

    def value(self, name: str) -> float | None:
        figure = self.figures.get(name)
        return figure.value if figure else None


@dataclass(frozen=True, slots=True)
class SmallestDifference:
    """The true difference of two typical models that a board tells apart in 80 % of cases, in stored units.
    is_assumed: from the errors of single entries, there being no pair of two submitters."""

    value: float
    is_assumed: bool


@dataclass(frozen=True, slots=True)
class Ranking:
    """Entries in board order, and the smallest difference that two of them show."""

    entries: tuple[BoardEntry, ...]
    smallest: SmallestDifference | None


@dataclass(frozen=True, slots=True)
class Place:
    """Of an entry among those it is compared with: its rank, the ends of its rank range, and how far it is ahead of the
    one that leads, None for that one."""

    rank: int
    best: int
    worst: int
    to_leader: Difference | None


@dataclass(frozen=True, slots=True)
class BoardReading:
    """A board as of now: entries in ranking order, then those without a rank by the same score.

    Read by a measure (see `read_by_measure`), `shown` is its part of the board, and entries stand in its order.
    `ranges` is EACH where each rank range holds the true rank of its entry with 95 %, and TOGETHER where all of the
    board do at once.
    """

    benchmark: Benchmark
    board: Board
    metrics: Mapping[str, Metric]
    era: Era | None
    eras: tuple[Era, ...]
    entries: tuple[BoardEntry, ...]
    published: tuple[PublishedRow, ...]
    computed: datetime | None
    measure: Measure | None = None
    edition: ContentEdition | None = None
    ranges: str = EACH
    smallest: SmallestDifference | None = None

    @property
    def order(self) -> str:
        """Name of the metric whose order the entries stand in."""
        return self.measure.order if self.measure else self.board.ranking

    @property
    def is_in_rank_order(self) -> bool:
        return self.order == self.board.ranking

    @property
    def rows(self) -> tuple[BoardEntry, ...]:
        """The entries without those that share another one's place."""
        return tuple(entry for entry in self.entries if entry.same_answers_as is None)

    @property
    def shown(self) -> Board:
        return board_by(self.board, self.measure) if self.measure else self.board


class NoSuchEraError(LookupError):
    """The release or judge asked for has no public entries on this board."""


def public_sheets() -> Q:
    return Q(submission__visibility="public", submission__withdrawn__isnull=True)


def eras_of(benchmark: Benchmark) -> tuple[Era, ...]:
    """Eras with public entries: those with more than baselines first, of these the main release first,
    then the judge with most entries. Every release has baselines by the offline rules, which must not
    lead a board away from what was handed in."""
    counts = (
        Scoresheet.objects.filter(public_sheets(), submission__release__benchmark=benchmark)
        .values_list("submission__release", "judge_spec")
        .annotate(
            entries=Count("pk"),
            handed_in=Count("pk", filter=~Q(submission__origin=Submission.Origin.BASELINE)),
        )
    )
    found = list(counts)
    releases = list(Release.objects.filter(pk__in={row[0] for row in found}).main_first())
    specs = JudgeSpec.objects.select_related("prompt_set").in_bulk({row[1] for row in found})
    places = {release.pk: place for place, release in enumerate(releases)}
    found.sort(key=lambda row: (not row[3], places[row[0]], -row[3], -row[2], -row[1]))
    return tuple(
        Era(releases[places[release]], specs[spec], entries) for release, spec, entries, _ in found
    )


def choose_era(eras: Sequence[Era], release: str = "", judge: str = "") -> Era | None:
    """The first era that fits the slugs asked for; None where the benchmark has none at all."""
    fitting = [
        e for e in eras if release in ("", e.release.slug) and judge in ("", e.judge_spec.slug)
    ]
    if fitting:
        return fitting[0]
    if release or judge:
        raise NoSuchEraError(
            f"This board has no entries for release {release!r} and judge {judge!r}."
        )
    return None


def read_board(
    benchmark: Benchmark, *, release: str = "", judge: str = "", ranges: str = EACH
) -> BoardReading:
    """Raises NoSuchEraError where `release` or `judge` (slugs) name an era without public entries.

    `ranges` is EACH or TOGETHER; anything else is EACH.
    """
    ranges = TOGETHER if ranges == TOGETHER else EACH
    family = protocol(benchmark.slug)
    board = family.board.BOARD
    eras = eras_of(benchmark)
    era = choose_era(eras, release, judge)
    sheets = era_sheets(era) if era else []
    ranking = rank_entries(sheets, board, ranges=ranges)
    return BoardReading(
        benchmark=benchmark,
        board=board,
        metrics=family.board.METRICS,
        era=era,
        eras=eras,
        entries=with_texts(with_neighbours(ranking.entries, board), era),
        edition=content_edition(era.release, era.judge_spec) if era else None,
        published=tuple(
            row
            for row in board.published
            if row.language == (era.release.language if era else "en")
        ),
        computed=max((sheet.computed for sheet in sheets), default=None),
        ranges=ranges,
        smallest=ranking.smallest,
    )


def read_by_measure(reading: BoardReading, slug: str) -> BoardReading:
    """The reading by that measure, or by the default one if there is no such; as it is where there are none.

    Ranks stay those of the board. Where the measure orders by another metric, entries without a value come last.
    """
    if not reading.board.measures:
        return reading
    measures = {measure.slug: measure for measure in reading.board.measures}
    measure = measures.get(slug, reading.board.measures[0])
    entries = reading.entries
    if measure.order != reading.board.ranking:
        lower_is_better = reading.metrics[measure.order].higher_is_better is False
        entries = in_order(entries, measure.order, ascending=lower_is_better)
    return replace(reading, entries=entries, measure=measure)


def board_by(board: Board, measure: Measure) -> Board:
    """The board with what names this measure, and what names none."""
    return replace(
        board,
        tables=tuple(table for table in board.tables if table.measure in ("", measure.slug)),
        charts=tuple(chart for chart in board.charts if chart.measure in ("", measure.slug)),
    )


def in_order(
    entries: Sequence[BoardEntry], metric: str, *, ascending: bool
) -> tuple[BoardEntry, ...]:
    """By one metric; entries without a value come last either way, ties keep the order they have."""

    def key(entry: BoardEntry) -> tuple[bool, float]:
        value = entry.value(metric)
        return value is None, (value or 0.0) * (1 if ascending else -1)

    return tuple(sorted(entries, key=key))


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


def with_texts(entries: tuple[BoardEntry, ...], era: Era | None) -> tuple[BoardEntry, ...]:
    """The entries of the era, each with how many of its answers were judged by other texts than today's."""
    found = texts_behind(release=era.release, spec=era.judge_spec) if era else {}
    if era is None or not found:
        return entries
    answers = era.release.question_count
    return tuple(
        replace(entry, texts=behind, by_older_texts=behind.sentence(answers))
        if (behind := found.get(entry.id))
        else entry
        for entry in entries
    )


def behind_of(sheet: Scoresheet) -> TextsBehind:
    """How many answers of one entry, public or not, were judged by other texts than today's."""
    submission = sheet.submission
    found = texts_behind(
        release=submission.release, spec=sheet.judge_spec, submission=submission.pk
    )
    return found.get(submission.pk, UP_TO_DATE)


def era_sheets(era: Era) -> list[Scoresheet]:
    return list(
        Scoresheet.objects.filter(
            public_sheets(), submission__release=era.release, judge_spec=era.judge_spec
        )
        .select_related(
            "submission__model",
            "submission__decision",
            "submission__owner__public_name",
            "submission__verification__decided_by__public_name",
            "judge_spec",
        )
        .defer("figures", "lengths")
        .order_by("submission__created", "submission_id")
    )


def rank_entries(sheets: Sequence[Scoresheet], board: Board, *, ranges: str = EACH) -> Ranking:
    """Entries in board order: by rank, ties by who came first; then those without a rank.

    Of equal answers the first ranked entry is compared with all others, and its place is that of every one of them
    that is ranked: to hand the same answers in again moves nobody.
    """
    firsts = first_of_equals(sheet.submission for sheet in sheets)
    named = first_of_names([sheet.submission for sheet in sheets])
    kept_out = kept_out_before(firsts.values())
    standings = {
        sheet.pk: sheet_standing(sheet, firsts[sheet.submission_id], named, kept_out)
        for sheet in sheets
    }
    ranked = [s for s in sheets if is_ranked(s, board) and not standings[s.pk].is_kept_out]
    has_rank = {sheet.pk for sheet in ranked}
    by_answers: dict[UUID, Scoresheet] = {}
    for sheet in (*ranked, *sheets):
        by_answers.setdefault(firsts[sheet.submission_id].pk, sheet)
    leads = {sheet.pk: by_answers[firsts[sheet.submission_id].pk] for sheet in sheets}
    higher = is_higher_better(board)
    compared = [s for s in ranked if leads[s.pk] is s]
    places, found = places_of(
        compared,
        higher_is_better=higher,
        simultaneous=ranges == TOGETHER,
        groups=fewest_groups(compared, board.ranking),
    )
    smallest = smallest_of_pairs(found, compared, higher_is_better=higher) if found else None
    if smallest is None:
        smallest = smallest_assumed(ranked or sheets, board)
    entries = [
        board_entry(
            sheet,
            places[leads[sheet.pk].pk] if sheet.pk in has_rank else None,
            standings[sheet.pk],
            lead=leads[sheet.pk],
        )
        for sheet in sheets
    ]
    sign = -1 if higher else 1

    def place(entry: BoardEntry) -> tuple[bool, float, bool, datetime, str]:
        value = entry.value(board.ranking)
        score = sign * np.inf if value is None else value
        is_folded = entry.same_answers_as is not None
        key = entry.rank is None, entry.rank or sign * score
        return *key, is_folded, entry.submitted, str(entry.id)

    return Ranking(tuple(sorted(entries, key=place)), smallest)


def places_of(
    compared: Sequence[Scoresheet],
    *,
    higher_is_better: bool,
    simultaneous: bool = False,
    groups: int | None = None,
) -> tuple[dict[int, Place], Differences | None]:
    """By key of the sheet, and all differences in the order of the sheets. `groups`: see `ranks.rank_ranges`."""
    if not compared:
        return {}, None
    scores = np.array([sheet.ranking for sheet in compared], dtype=np.float64)
    ranks = competition_ranks(scores, higher_is_better=higher_is_better)
    found = paired_differences(
        scores,
        draws_of(compared),
        higher_is_better=higher_is_better,
        simultaneous=simultaneous,
        groups=groups,
    )
    leader = int(ranks.argmin())
    places = {
        sheet.pk: Place(
            rank=int(ranks[i]),
            best=int(found.best[i]),
            worst=int(found.worst[i]),
            to_leader=None if i == leader else found.between(i, leader),
        )
        for i, sheet in enumerate(compared)
    }
    return places, found


def draws_of(sheets: Sequence[Scoresheet]) -> Floats:
    """Of one or more sheets, (resamples, sheets)."""
    return np.array([np.frombuffer(s.draws, dtype="<f8") for s in sheets], dtype=np.float64).T


def smallest_of_pairs(
    found: Differences, compared: Sequence[Scoresheet], *, higher_is_better: bool
) -> SmallestDifference | None:
    """By the typical error and critical value of one entry per submitter; None where no pair of them tells."""
    ones = once_per_owner(compared, higher_is_better=higher_is_better)
    error = typical(found.error[np.ix_(ones, ones)])
    critical = typical(found.critical[ones])
    if error is None or critical is None:
        return None
    return SmallestDifference(smallest_difference(error, critical), is_assumed=False)


def smallest_assumed(sheets: Sequence[Scoresheet], board: Board) -> SmallestDifference | None:
    """By the errors of single sheets, one per submitter, as of two that are compared alone; None where none tells."""
    scored = [sheet for sheet in sheets if sheet.ranking is not None]
    ones = once_per_owner(scored, higher_is_better=is_higher_better(board))
    critical = critical_of_two(groups=fewest_groups(scored, board.ranking))
    error = assumed_error(draws_of([scored[i] for i in ones])) if ones else None
    if error is None or critical is None:
        return None
    return SmallestDifference(smallest_difference(error, critical), is_assumed=True)


def once_per_owner(sheets: Sequence[Scoresheet], *, higher_is_better: bool) -> list[int]:
    """Places of the sheets that stand for their submitters: the best of each account, and every sample and every sheet
    of the operators. What is typical of a board must not be moved by one account that hands in near copies."""
    sign = -1 if higher_is_better else 1
    kept: dict[tuple[str, int], int] = {}
    for i in sorted(range(len(sheets)), key=lambda i: sign * (sheets[i].ranking or 0.0)):
        submission = sheets[i].submission
        is_upload = submission.origin == Submission.Origin.UPLOAD
        owner = submission.owner_id if is_upload else None
        kept.setdefault(("sheet", i) if owner is None else ("account", owner), i)
    return sorted(kept.values())


def fewest_groups(sheets: Sequence[Scoresheet], ranking: str) -> int | None:
    """How many resampling groups are behind the score of the sheet that has fewest; None where none tells it."""
    figures = (PackedFigures(sheet.board_figures).get(ranking) for sheet in sheets)
    return min((f.groups for f in figures if f and f.groups is not None), default=None)


def sheet_standing(
    sheet: Scoresheet,
    first: Submission,
    named: Mapping[str, Submission],
    kept_out: Mapping[str, RankingDecision],
) -> Standing:
    submission = sheet.submission
    return standing_of(
        submission,
        name_mark=name_mark(submission, named[submission.model.skeleton]),
        kept_out=kept_out.get(submission.answers_digest),
        is_by_rules=sheet.judge_spec.is_offline,
        first=None if first.pk == sheet.submission_id else first,
    )


def is_ranked(sheet: Scoresheet, board: Board) -> bool:
    return (
        sheet.ranking is not None
        and sheet.coverage >= board.min_coverage
        and sheet.submission.origin != sheet.submission.Origin.BASELINE
    )


def is_higher_better(board: Board) -> bool:
    found = {metric.name: metric for metric in board.metrics()}.get(board.ranking)
    return found is None or found.higher_is_better is not False


def board_entry(
    sheet: Scoresheet,
    place: Place | None,
    standing: Standing,
    *,
    lead: Scoresheet,
) -> BoardEntry:
    """`lead`: of the entries with the same answers the one that is compared with all others."""
    submission, model = sheet.submission, sheet.submission.model
    return BoardEntry(
        id=submission.id,
        model_id=model.pk,
        model=model.name,
        organisation=model.organisation,
        is_open_weights=model.is_open_weights,
        origin=submission.origin,
        submitted=submission.created,
        rank=place.rank if place else None,
        rank_best=place.best if place else None,
        rank_worst=place.worst if place else None,
        coverage=sheet.coverage,
        judged=sheet.judged,
        unreadable=sheet.unreadable,
        failed=sheet.failed,
        excluded=sheet.excluded,
        figures=PackedFigures(sheet.board_figures),
        standing=standing,
        same_answers_as=None if lead.pk == sheet.pk else lead.submission_id,
        handed_in_by=handed_in_by(submission),
        verified=verification_words(submission),
        to_leader=place.to_leader if place else None,
        losses=bytes(sheet.losses or b""),
    )


def visible_sheet(user: Any, submission_id: UUID, judge: str = "") -> Scoresheet:
    """The scoresheet of a submission the user may see, by the judge of that slug or the first. Raises Http404."""
    sheets = (
        Scoresheet.objects.filter(
            submission__in=Submission.objects.visible_to(user), submission=submission_id
        )
        .select_related(
            "run",
            "judge_spec__prompt_set",
            "submission__model",
            "submission__decision",
            "submission__owner__public_name",
            "submission__verification__decided_by__public_name",
            "submission__release__benchmark",
        )
        .order_by("pk")
    )
    sheet = next((sheet for sheet in sheets if judge in ("", sheet.judge_spec.slug)), None)
    if sheet is None:
        raise Http404("There is no such entry, or it is not judged yet.")
    return sheet
