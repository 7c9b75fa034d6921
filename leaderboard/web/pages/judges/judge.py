"""The page of a judge."""

from collections.abc import Mapping, Sequence
from typing import Any

from django.db.models import Sum
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_safe

from benchmarks.models import Release
from benchmarks.protocols.base import AbilityEntry, Metric
from benchmarks.registry import protocol
from benchmarks.scoring.sheets import MetricValue
from benchmarks.statistics.replacing import LEAST_ITEMS, LEAST_RATERS
from judging.models import JudgeSpec
from leaderboard.models import BoardEdition, Scoresheet
from leaderboard.results.judges.comparisons import (
    labelled_sheets,
    means_over,
    newest_of,
    read_figures,
)
from leaderboard.results.judges.records import read_record
from leaderboard.results.judges.seals import judge_seal, judge_words, worth_table
from leaderboard.results.selectors import fully_shown_sheets
from leaderboard.web.pages.judges.record import (
    canary_table,
    judge_figures,
    reliability_means,
    reported_models,
)
from leaderboard.web.pages.judges.studies import people_rows
from leaderboard.web.pages.judges.verdict import reliability_verdict

MOST_LABELLED = 50
"""Rows of the table about people, each with a fold of its own for the parts of the benchmark."""


@require_safe
def judge(request: HttpRequest, slug: str) -> HttpResponse:
    spec = get_object_or_404(JudgeSpec.objects.select_related("prompt_set"), slug=slug)
    return render(request, "judges/judge.html", {"page": judge_page(spec)})


def judge_title(spec: JudgeSpec) -> str:
    """ "Offline rules, version 3", "gpt-9, prompts 2, asked 3 times" """
    label = judge_seal(spec).label
    title = label.capitalize() if spec.is_offline else label
    return ", ".join(filter(None, (title, judge_words(spec))))


def judge_page(spec: JudgeSpec) -> dict[str, Any]:
    """`about` is what rules beside the usual ones do, "" of any other judge. `worth` is None for a
    model, and where nobody has measured the rules. `agreement` is None where nobody is asked about
    the answers; is_measured: anything tells how far people agree with the judge. Several `reported`
    models: the endpoint did not always answer with the same one."""
    family = protocol(spec.protocol)
    board = family.board.BOARD
    record, stored = read_record(spec), read_figures(spec)
    rules = family.rules(spec.rules_name) if spec.is_offline else None
    rated = stored.agreement if stored else {}
    rated = rated or means_over(labelled_sheets(spec), board.agreement, by_n=True)
    comparisons, canary = people_rows(spec), canary_table(spec)
    answers = [row["answer"] for row in comparisons if row["answer"]]
    own = [answer for answer in answers if answer.judge_spec_id == spec.pk]
    worth = worth_table(board, spec.model) if spec.has_usual_rules else None
    agreement = agreement_table(spec, board.agreement, family.dataset.TAXONOMY)
    return {
        "spec": spec,
        "title": judge_title(spec),
        "family": family,
        "about": rules.about if rules else "",
        "entries": public_entries(spec),
        "judgements": record.judged,
        "figures": judge_figures(spec, record, stored),
        "reliability": reliability_means(spec, board.reliability, stored),
        "reported": [] if spec.is_offline else reported_models(record),
        "canary": canary,
        "comparisons": comparisons,
        "least_labels": LEAST_RATERS * LEAST_ITEMS,
        "agreement": agreement,
        "worth": worth,
        "is_measured": bool(own or (agreement and agreement["rows"])),
        "verdict": reliability_verdict(
            board.agreement, rated, own, worth, canary["lines"][0][0] if canary else None
        ),
    }


def public_entries(spec: JudgeSpec) -> int:
    """Public entries by the judge's stored boards, counted where there are none yet; without those
    of hidden tests, whose judgements its record leaves out as well."""
    hidden = Release.Disclosure.HIDDEN_TEST
    current = BoardEdition.objects.filter(judge_spec=spec, replaced__isnull=True)
    stored = current.exclude(release__disclosure=hidden)
    known = stored.aggregate(entries=Sum("entries"))["entries"]
    if known is not None:
        return int(known)
    return Scoresheet.objects.filter(fully_shown_sheets(), judge_spec=spec).count()


Cells = list[tuple[Metric, MetricValue | None]]


def agreement_table(
    spec: JudgeSpec, metrics: Sequence[Metric], taxonomy: Sequence[AbilityEntry]
) -> dict[str, Any] | None:
    """How far the judge and people agree, a row per public entry on which at least one of the
    metrics is defined, in the order of their names; of those that people were asked about, the
    newest. newest: how many were looked at where there are more; else 0."""
    if not metrics:
        return None
    sheets = labelled_sheets(spec)
    newest = (
        newest_of(sheets, MOST_LABELLED)
        .select_related("submission__model", "submission__release")
        .only("figures", "submission__model__name", "submission__release__title")
    )
    rows = []
    for sheet in newest.order_by("submission__created", "pk"):
        cells = agreement_cells(metrics, sheet.figures)
        if any(figure and figure.value is not None for _, figure in cells):
            parts = agreement_parts(metrics, sheet.figures, taxonomy)
            rows.append({"entry": sheet.submission, "cells": cells, "parts": parts})
    return {
        "metrics": metrics,
        "rows": sorted(rows, key=lambda row: row["entry"].model.name),
        "newest": MOST_LABELLED if sheets[MOST_LABELLED:].exists() else 0,
    }


def agreement_parts(
    metrics: Sequence[Metric], figures: Mapping[str, Any], taxonomy: Sequence[AbilityEntry]
) -> list[tuple[str, Cells]]:
    """The metrics of each ability and subtask for which at least one was computed, by the title of
    the scope."""
    scopes = [
        scope
        for a in taxonomy
        for scope in ((a.slug, a.title), *((part.slug, part.title) for part in a.subtasks))
    ]
    found = [(title, agreement_cells(metrics, figures, f"@{slug}")) for slug, title in scopes]
    return [(title, cells) for title, cells in found if any(figure for _, figure in cells)]


def agreement_cells(
    metrics: Sequence[Metric], figures: Mapping[str, Any], scope: str = ""
) -> Cells:
    """Figures as a scoresheet stores them; None where there is none."""
    packed = ((metric, figures.get(f"{metric.name}{scope}")) for metric in metrics)
    return [(metric, MetricValue.unpacked(found) if found else None) for metric, found in packed]
