"""The page that sets the judges of each benchmark beside each other."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from benchmarks.protocols.base import BenchmarkProtocol, Board, Metric, WorthLine
from benchmarks.registry import protocols
from benchmarks.scoring.sheets import MetricValue
from judging.models import CanaryRun, JudgeSpec
from leaderboard.models import StudyAnswer
from leaderboard.results.formatting import (
    MISSING,
    StripFigure,
    interval_text,
    print_interval,
    print_number,
    print_share,
    print_value,
)
from leaderboard.results.judges.comparisons import (
    FEWEST_COMMON,
    Comparison,
    JudgeFigures,
    MeanOver,
    PairOfJudges,
    SignificantPairs,
    read_comparisons,
)
from leaderboard.results.judges.records import Record, records_of
from leaderboard.results.judges.seals import judge_seal, judge_words, print_worth, worth_table
from leaderboard.web.pages.judges.record import (
    ledger_of,
    newest_canaries,
    no_verdict_figure,
    price_figure,
    unreadable_figure,
)
from leaderboard.web.pages.judges.studies import own_studies
from leaderboard.web.pages.judges.verdict import Verdict, reliability_verdict
from leaderboard.web.pages.studies.cells import Cell

AGREEMENT = (
    "Agreement with people",
    "How often the judge and people agree on the same answers: Cohen's kappa where known (1 is "
    "always, 0 as often as by chance), otherwise the share of answers. n counts answers; an "
    "interval over several entries is the mean of theirs.",
)

LENGTH = (
    "Length and score",
    "Rank correlation of an answer's length with its score, from −1 to 1. Above 0, long answers "
    "score higher: either the judge favours them or they are better.",
)

NO_VERDICT = (
    "Without a verdict",
    "Share of the judge's replies without a readable verdict. They count as neither right nor "
    "wrong.",
)

PRICE = ("Price per entry", "What its requests cost on average for one entry.")

APART = (
    "Clear differences",
    "Share of all pairs of ranked entries whose difference has a 95 % interval without zero, "
    "pair by pair: the higher, the finer the judge's ranking.",
)


@require_safe
def judges(request: HttpRequest) -> HttpResponse:
    return render(request, "judges/judges.html", {"page": judges_page()})


@dataclass(frozen=True, slots=True)
class Known:
    """What is read of all judges at once, by their keys."""

    records: Mapping[int, Record]
    studies: Mapping[int, Sequence[StudyAnswer]]
    canaries: Mapping[int, CanaryRun]


def judges_page() -> dict[str, Any]:
    comparisons = read_comparisons()
    keys = {judge.spec for found in comparisons.values() for judge in found.judges}
    specs = JudgeSpec.objects.select_related("prompt_set").in_bulk(keys)
    known = Known(records_of(keys), own_studies(keys), newest_canaries(keys))
    sections = [
        judges_section(family, comparisons.get(slug), specs, known)
        for slug, family in protocols().items()
    ]
    return {
        "verdict": verdict_on_all([line["verdict"] for one in sections for line in one["lines"]]),
        # benchmarks that nobody was judged on come last
        "sections": sorted(sections, key=lambda one: not one["lines"]),
        "fewest_common": FEWEST_COMMON,
    }


def verdict_on_all(verdicts: Sequence[Verdict]) -> str:
    """How many judges people were compared with, and how often those agree."""
    shares = sorted(one.share for one in verdicts if one.share is not None)
    if not shares:
        return "No judge has been compared with people yet: how reliable they are is unknown."
    least, most = print_share(shares[0]), print_share(shares[-1])
    between = least if least == most else f"{least} to {most}"
    of = f"{len(shares):,} of {len(verdicts):,} judges"
    return f"People have checked {of}, and agree with {between} of the verdicts they saw."


def judges_section(
    family: BenchmarkProtocol,
    found: Comparison | None,
    specs: Mapping[int, JudgeSpec],
    known: Known,
) -> dict[str, Any]:
    """`heads` are title and meaning of each column, in the order of the lines' cells. `found` is
    None where no worker has looked at the benchmark yet."""
    board = family.board.BOARD
    judges = [judge for judge in found.judges if judge.spec in specs] if found else []
    metrics = [m for m in board.reliability if any(m.name in j.reliability for j in judges)]
    pairs = [p for p in found.pairs if {p.one, p.other} <= specs.keys()] if found else []
    return {
        "family": family,
        "heads": [
            AGREEMENT,
            *((metric.title, f"Mean over entries. {metric.about}") for metric in metrics),
            LENGTH,
            NO_VERDICT,
            PRICE,
            APART,
        ],
        "lines": [judge_line(specs[one.spec], one, known, board, metrics) for one in judges],
        "pairs": [
            {
                "judges": [judge_seal(specs[key]) for key in (pair.one, pair.other)],
                "pair": pair,
                "tau": tau_cell(pair),
            }
            for pair in pairs
        ],
        "found": found,
    }


def judge_line(
    spec: JudgeSpec,
    judge: JudgeFigures,
    known: Known,
    board: Board,
    metrics: Sequence[Metric],
) -> dict[str, Any]:
    """cells: with the title of the column, for rows of a narrow page are cards without heads."""
    record = known.records.get(spec.pk, Record())
    ledger = ledger_of(record)
    without = no_verdict_figure(ledger) if ledger.replies else unreadable_figure(record)
    if spec.is_offline:
        without = StripFigure(NO_VERDICT[0], "0 %", "rules are always read")
    worth = worth_table(board, spec.model) if spec.has_usual_rules else None
    return {
        "seal": judge_seal(spec),
        "about": judge_words(spec),
        "verdict": reliability_verdict(
            board.agreement,
            judge.agreement,
            known.studies.get(spec.pk, ()),
            worth,
            known.canaries.get(spec.pk),
        ),
        "entries": judge.entries,
        "cells": [
            (AGREEMENT[0], agreement_cell(spec, judge.agreement, board)),
            *((one.title, mean_cell(one, judge.reliability.get(one.name))) for one in metrics),
            (LENGTH[0], StripFigure(LENGTH[0], *judge.length)),
            (NO_VERDICT[0], without),
            (PRICE[0], price_figure(spec, ledger, judge.scored)),
            (APART[0], significant_cell(judge.told)),
        ],
    }


def mean_cell(metric: Metric, mean: MeanOver | None) -> Cell:
    if mean is None:
        return Cell(MISSING, note=metric.empty)
    return Cell(print_value(metric, mean.value), note=print_entries(mean.entries))


def agreement_cell(spec: JudgeSpec, found: Mapping[str, MeanOver], board: Board) -> Cell:
    """By kappa where there is one, else the first metric; of rules that nobody looked at here, what
    was measured elsewhere of this version."""
    known = [metric for metric in board.agreement if metric.name in found]
    for metric in sorted(known, key=lambda metric: metric.unit != "ratio"):
        mean = found[metric.name]
        figure = MetricValue(mean.value, mean.low, mean.high, None, mean.n, mean.n, mean.n)
        note = f"{metric.title}, n {mean.n:,}, {print_entries(mean.entries)}"
        return Cell(print_value(metric, mean.value), print_interval(metric, figure), note)
    worth = board.worth if spec.has_usual_rules else None
    if worth is None:
        return Cell(MISSING, note="no human labels on its entries")
    if worth.version != spec.model:
        return Cell(MISSING, note=f"measured for version {worth.version} of the rules")
    line = best_line(worth.lines)
    note = f"{line.title}, n {line.n:,}, recorded answers"
    return Cell(print_worth(line, line.rules), note=note)


def best_line(lines: Iterable[WorthLine]) -> WorthLine:
    """The first kappa, else the first agreement, else the first."""
    return min(lines, key=lambda line: (line.people is not None, line.unit != "ratio"))


def significant_cell(pairs_found: SignificantPairs | None) -> Cell:
    if pairs_found is None:
        return Cell(MISSING, note="fewer than two ranked entries")
    pairs = pairs_found.entries * (pairs_found.entries - 1) // 2
    note = f"of {pairs:,} pair{'' if pairs == 1 else 's'}, {pairs_found.release}"
    return Cell(print_share(pairs_found.share), note=note)


def tau_cell(pair: PairOfJudges) -> Cell:
    note = print_entries(pair.common)
    if pair.tau is None or pair.low is None or pair.high is None:
        few = pair.common < FEWEST_COMMON
        reason = f"{FEWEST_COMMON} are needed" if few else "one judge ties all entries"
        return Cell(MISSING, note=f"{note}, {reason}")

    def printed(value: float) -> str:
        return print_number(value, 2, signed=True)

    return Cell(printed(pair.tau), interval_text(pair.low, pair.high, printed), note)


def print_entries(count: int) -> str:
    return f"{count:,} entr{'y' if count == 1 else 'ies'}"
