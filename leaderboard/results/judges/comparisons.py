"""The judges of a benchmark beside each other: what their public entries tell of each, and how much
the ranking changes from one to another.

Made by the sweep after it stored a benchmark's boards, and kept: pages read one row per benchmark.
Everything looks at a bounded number of scoresheets, and at no judgement.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from itertools import combinations
from typing import Any

import numpy as np
from django.db.models import QuerySet
from django.db.models.fields.json import KeyTransform

from benchmarks.kept_documents import from_mapping
from benchmarks.models import Benchmark
from benchmarks.protocols.base import Board, Metric
from benchmarks.registry import protocol
from benchmarks.scoring.sheets import MetricValue
from benchmarks.statistics.orders import (
    Signs,
    kendall_interval,
    kendall_tau_b,
    share_significant,
    significant_signs,
)
from benchmarks.statistics.resampling import Floats
from benchmarks.submissions.models import Submission
from judging.coordination.clock import database_now
from judging.models import JudgeSpec
from judging.panel.models import RatingFile
from leaderboard.models import BoardEdition, BoardRow, JudgeComparison, Scoresheet
from leaderboard.results.judges.length_effect import MOST_ENTRIES, length_figure
from leaderboard.results.judges.records import counted_runs
from leaderboard.results.selectors import Era, fully_shown_sheets, is_higher_better
from leaderboard.results.selectors.ranking import stored_draws

MOST_JUDGES = 20
"""Of a benchmark, those of its first eras: a table that somebody reads."""
MOST_ERAS = 10
"""Of a release, whose rankings are compared two by two: 45 pairs."""
MOST_COMPARED = 1_000
"""Entries of a release, those that most judges saw first: half a million pairs, and 8 MB of draws
per judge."""
FEWEST_COMMON = 5
"""Entries in common below which nothing is said of two rankings: of five in the same order the
interval of tau begins at 0.23, of four at 0.04."""


@dataclass(frozen=True, slots=True)
class MeanOver:
    """A metric over a judge's newest public entries: the mean. low, high: of its interval, None
    where any entry has none. n: what is counted in all of them. least, most: of the entries, None
    where a version that did not keep them stored this; spread: the mean of theirs, None where none
    has one."""

    value: float
    low: float | None
    high: float | None
    n: int
    entries: int
    least: float | None = None
    most: float | None = None
    spread: float | None = None


@dataclass(frozen=True, slots=True)
class SignificantPairs:
    """How many pairs of ranked entries the judge's main era tells apart, as a share."""

    release: str
    share: float
    entries: int


@dataclass(frozen=True, slots=True)
class JudgeFigures:
    """What the entries of a judge tell of it. entries: on boards, baselines left out; scored: all
    of which it has a scoresheet. length: value and note of `length_figure`."""

    spec: int
    entries: int
    scored: int
    length: tuple[str, str]
    reliability: Mapping[str, MeanOver]
    agreement: Mapping[str, MeanOver]
    told: SignificantPairs | None

    @classmethod
    def unpacked(cls, packed: Mapping[str, Any]) -> "JudgeFigures":
        return cls(
            packed["spec"],
            packed["entries"],
            packed["scored"],
            tuple(packed["length"]),
            {name: from_mapping(MeanOver, mean) for name, mean in packed["reliability"].items()},
            {name: from_mapping(MeanOver, mean) for name, mean in packed["agreement"].items()},
            from_mapping(SignificantPairs, packed["told"]) if packed["told"] else None,
        )


@dataclass(frozen=True, slots=True)
class PairOfJudges:
    """Two judges of a release on the entries that both ranked.

    tau: Kendall's, with its interval; None with fewer than FEWEST_COMMON entries, or where one of
    them ties all. told: the share of pairs that each tells apart. turned: of all `pairs` those that
    both tell apart, in opposite order.
    """

    release: str
    one: int
    other: int
    common: int
    tau: float | None
    low: float | None
    high: float | None
    told: tuple[float, float]
    turned: int
    pairs: int


@dataclass(frozen=True, slots=True)
class Comparison:
    judges: tuple[JudgeFigures, ...]
    pairs: tuple[PairOfJudges, ...]
    left_out: int
    computed: datetime


@dataclass(frozen=True, slots=True)
class RankedEra:
    """The compared entries of an era: submissions in one order, their scores, and whom the era
    tells to be better."""

    spec: int
    submissions: tuple[Any, ...]
    scores: Floats
    signs: Signs

    def of(self, submissions: Iterable[Any]) -> tuple[Floats, Signs]:
        places = {submission: place for place, submission in enumerate(self.submissions)}
        some = np.array([places[submission] for submission in submissions], dtype=np.int64)
        return self.scores[some], self.signs[np.ix_(some, some)]


# --- storing and reading --------------------------------------------------------------------------


def store_comparison(benchmark: Benchmark, eras: Sequence[Era]) -> None:
    """What stands on the page about judges is of the boards that are stored, but for those of
    hidden tests: how judges differ about one entry tells how they judged it."""
    eras = [era for era in eras if era.release.verdicts_are_public]
    board = protocol(benchmark.slug).board.BOARD
    specs = list({era.judge_spec.pk: era.judge_spec for era in eras}.values())
    ranked = ranked_eras(benchmark, eras, board)
    significant = significant_pairs_by_judge(ranked)
    judges = [judge_figures(spec, board, eras, significant) for spec in specs[:MOST_JUDGES]]
    pairs = [
        pair_of(release, one, other)
        for release, of_release in ranked.items()
        for one, other in combinations(of_release, 2)
    ]
    JudgeComparison.of_any_schema.update_or_create(
        benchmark=benchmark,
        defaults={
            "judges": [asdict(judge) for judge in judges],
            "pairs": [asdict(pair) for pair in pairs if pair.common],
            "left_out": max(0, len(specs) - MOST_JUDGES),
            "computed": database_now(),
        },
    )


def read_comparisons() -> Mapping[str, Comparison]:
    """By the slug of the benchmark; one query."""
    rows = JudgeComparison.objects.select_related("benchmark")
    return {
        row.benchmark.slug: Comparison(
            tuple(map(JudgeFigures.unpacked, row.judges)),
            tuple(
                from_mapping(PairOfJudges, {**pair, "told": tuple(pair["told"])})
                for pair in row.pairs
            ),
            row.left_out,
            row.computed,
        )
        for row in rows
    }


def read_figures(spec: JudgeSpec) -> JudgeFigures | None:
    """None where no worker has looked at the judge yet, or it is one of those left out."""
    rows = JudgeComparison.objects.filter(benchmark__slug=spec.protocol)
    judges = rows.values_list("judges", flat=True).first() or ()
    found = (judge for judge in judges if judge["spec"] == spec.pk)
    packed = next(found, None)
    return JudgeFigures.unpacked(packed) if packed else None


# --- what entries tell of a judge -----------------------------------------------------------------


def judge_figures(
    spec: JudgeSpec, board: Board, eras: Sequence[Era], significant: Mapping[int, SignificantPairs]
) -> JudgeFigures:
    stored = BoardEdition.objects.filter(
        judge_spec=spec, release__in=[era.release for era in eras], replaced__isnull=True
    )
    length = length_figure(spec)
    return JudgeFigures(
        spec=spec.pk,
        entries=sum(stored.values_list("handed_in", flat=True)),
        scored=counted_runs(spec).filter(scoresheet__isnull=False).count(),
        length=(length.value, length.note),
        reliability=means_over(handed_in_sheets(spec), board.reliability),
        agreement=means_over(labelled_sheets(spec), board.agreement, by_n=True),
        told=significant.get(spec.pk),
    )


def handed_in_sheets(spec: JudgeSpec) -> QuerySet[Scoresheet]:
    """Of its public entries; baselines, made to be judged oddly, are left out, and so are hidden
    tests."""
    sheets = Scoresheet.objects.filter(fully_shown_sheets(), judge_spec=spec)
    return sheets.exclude(submission__origin=Submission.Origin.BASELINE)


def labelled_sheets(spec: JudgeSpec) -> QuerySet[Scoresheet]:
    """Of its public entries that people were asked about, hidden tests left out."""
    rated = RatingFile.objects.filter(submissions__isnull=False).values("submissions")
    return Scoresheet.objects.filter(fully_shown_sheets(), judge_spec=spec, submission__in=rated)


def newest_of(sheets: QuerySet[Scoresheet], most: int) -> QuerySet[Scoresheet]:
    """The newest, in no order. By their keys: a database that sorts rows reads all that is asked of
    each, and a thousand sheets have tens of megabytes of figures."""
    newest = sheets.order_by("-submission__created", "submission_id").values_list("pk", flat=True)
    return Scoresheet.objects.filter(pk__in=list(newest[:most]))


def means_over(
    sheets: QuerySet[Scoresheet], metrics: Sequence[Metric], *, by_n: bool = False
) -> dict[str, MeanOver]:
    """Of the newest MOST_ENTRIES, by the name of each metric that any of them has; entries count
    alike, or by their n. The interval of a mean is the mean of theirs: entries answer the same
    questions, and may err alike."""
    if not metrics:
        return {}
    columns = {f"m{place}": KeyTransform(m.name, "figures") for place, m in enumerate(metrics)}
    rows = list(newest_of(sheets, MOST_ENTRIES).annotate(**columns).values_list(*columns))
    found = {}
    for place, metric in enumerate(metrics):
        packed = [row[place] for row in rows]
        figures = [MetricValue.unpacked(one) for one in packed if one and one[0] is not None]
        if figures:
            found[metric.name] = mean_over(figures, by_n=by_n)
    return found


def mean_over(figures: Sequence[MetricValue], *, by_n: bool) -> MeanOver:
    """Each with a value; at least one."""
    weights = np.maximum([figure.n if by_n else 1 for figure in figures], 1)

    def mean(ends: Sequence[float | None]) -> float | None:
        known = [end for end in ends if end is not None]
        return float(np.average(known, weights=weights)) if len(known) == len(ends) else None

    values = [figure.value for figure in figures if figure.value is not None]
    spreads = [figure.spread for figure in figures if figure.spread is not None]
    return MeanOver(
        value=mean(values) or 0.0,
        low=mean([figure.low for figure in figures]),
        high=mean([figure.high for figure in figures]),
        n=sum(figure.n for figure in figures),
        entries=len(figures),
        least=min(values),
        most=max(values),
        spread=sum(spreads) / len(spreads) if spreads else None,
    )


# --- how alike rankings are -----------------------------------------------------------------------


def ranked_eras(
    benchmark: Benchmark, eras: Sequence[Era], board: Board
) -> dict[str, list[RankedEra]]:
    """By the title of the release, its first eras in which any two entries are ranked."""
    by_release: defaultdict[int, list[Era]] = defaultdict(list)
    for era in eras:
        by_release[era.release.pk].append(era)
    found = {}
    for of_release in by_release.values():
        rows = [(era, ranked_rows(era)) for era in of_release[:MOST_ERAS]]
        chosen = most_common([place for _, places in rows for place in places])
        made = [
            ranked_era(era, {s: row for s, row in places.items() if s in chosen}, board)
            for era, places in rows
        ]
        found[of_release[0].release.title] = [era for era in made if len(era.submissions) > 1]
    return {title: ranked for title, ranked in found.items() if ranked}


def ranked_rows(era: Era) -> dict[Any, tuple[int, float]]:
    """By submission, in board order, key and score of the sheets that are ranked, of equal answers
    one, as the stored board has them."""
    rows = BoardRow.objects.filter(
        edition__release=era.release,
        edition__judge_spec=era.judge_spec,
        edition__replaced__isnull=True,
        rank__isnull=False,
        same_answers_as__isnull=True,
        sheet__ranking__isnull=False,
    )
    columns = ("sheet__submission", "sheet", "sheet__ranking")
    return {
        submission: (sheet, score)
        for submission, sheet, score in rows.order_by("position").values_list(*columns)
    }


def most_common(submissions: Sequence[Any]) -> frozenset[Any]:
    """MOST_COMPARED of them at most: those that most eras have, then those that stand first."""
    counts = Counter(submissions)  # in the order of their first
    return frozenset(submission for submission, _ in counts.most_common(MOST_COMPARED))


def ranked_era(era: Era, rows: Mapping[Any, tuple[int, float]], board: Board) -> RankedEra:
    scores = np.array([score for _, score in rows.values()], dtype=np.float64)
    keys = [sheet for sheet, _ in rows.values()]
    signs = np.zeros((len(keys), len(keys)), dtype=np.int8)
    if len(keys) > 1:
        signs = significant_signs(
            scores,
            stored_draws([Scoresheet(pk=key) for key in keys]),
            higher_is_better=is_higher_better(board),
            groups=fewest_groups(keys, board.ranking),
        )
    return RankedEra(era.judge_spec.pk, tuple(rows), scores, signs)


def fewest_groups(keys: Sequence[int], ranking: str) -> float | None:
    """The `ranking.fewest_groups` of sheets by their keys."""
    sheets = Scoresheet.objects.filter(pk__in=keys[:MOST_COMPARED]).annotate(
        packed=KeyTransform(ranking, "board_figures")
    )
    packed = sheets.values_list("packed", flat=True)
    groups = (MetricValue.unpacked(figure).groups for figure in packed if figure)
    return min((known for known in groups if known is not None), default=None)


def significant_pairs_by_judge(
    ranked: Mapping[str, Sequence[RankedEra]],
) -> dict[int, SignificantPairs]:
    """By judge, of the first release that it ranked entries of."""
    found: dict[int, SignificantPairs] = {}
    for release, eras in ranked.items():
        for era in eras:
            share = share_significant(era.signs)
            if share is not None:
                found.setdefault(era.spec, SignificantPairs(release, share, len(era.submissions)))
    return found


def pair_of(release: str, one: RankedEra, other: RankedEra) -> PairOfJudges:
    theirs = set(other.submissions)
    common = [submission for submission in one.submissions if submission in theirs]
    (first, signs), (second, others) = one.of(common), other.of(common)
    tau = kendall_tau_b(first, second) if len(common) >= FEWEST_COMMON else None
    low, high = (None, None) if tau is None else kendall_interval(tau, len(common))
    return PairOfJudges(
        release=release,
        one=one.spec,
        other=other.spec,
        common=len(common),
        tau=tau,
        low=low,
        high=high,
        told=(share_significant(signs) or 0.0, share_significant(others) or 0.0),
        turned=int(np.count_nonzero(signs * others < 0)) // 2,
        pairs=len(common) * (len(common) - 1) // 2,
    )
