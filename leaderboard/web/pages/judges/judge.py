"""The contexts of a judge's card and of a benchmark's method page."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.db.models import Sum

from benchmarks.protocols.base import (
    AbilityEntry,
    Metric,
)
from benchmarks.registry import protocol
from benchmarks.scoring.sheets import MetricValue
from judging.models import JudgeSpec
from leaderboard.models import BoardEdition, Scoresheet
from leaderboard.results.formatting import (
    MISSING,
    StripFigure,
    no_interval,
    print_interval,
    print_range,
    print_value,
)
from leaderboard.results.judges.comparisons import (
    labelled_sheets,
    means_over,
    newest_of,
    read_figures,
)
from leaderboard.results.judges.records import read_record
from leaderboard.results.judges.seals import WorthTable, judge_seal, judge_words, worth_table
from leaderboard.results.selectors import public_sheets
from leaderboard.web.pages.judges.record import (
    CanaryTable,
    ReliabilityLine,
    ReportedModel,
    canary_table,
    judge_figures,
    reliability_lines,
    reported_models,
)
from leaderboard.web.pages.judges.studies import PeopleComparison, people_comparisons
from leaderboard.web.pages.judges.verdict import Verdict, reliability_verdict


@dataclass(frozen=True, slots=True)
class AgreementCell:
    """`value` is "–" with `reason` where the metric is not defined."""

    value: str
    interval: str
    span: str
    no_interval: str
    n: str
    reason: str


@dataclass(frozen=True, slots=True)
class AgreementRow:
    """How far a judge and people agree on one entry; `parts` the same by ability and subtask, with
    the title of each, where the protocol measures it there."""

    id: UUID
    model: str
    release: str
    cells: tuple[AgreementCell, ...]
    parts: tuple[tuple[str, tuple[AgreementCell, ...]], ...]


@dataclass(frozen=True, slots=True)
class AgreementTable:
    """`heads` are title and meaning of each metric. No rows: nobody has said anything of these
    entries yet. newest: how many were looked at where there are more; else 0."""

    heads: tuple[tuple[str, str], ...]
    rows: tuple[AgreementRow, ...]
    newest: int = 0


@dataclass(frozen=True, slots=True)
class JudgePage:
    """`about` is what rules beside the usual ones do, "" of any other judge. `worth` is None for a
    model, and where nobody has measured the rules. `canary` is None where
    the judge was never asked again, `agreement` where nobody is asked about the answers. Several
    `reported` models: the endpoint did not always answer with the same one. `caution` is about its
    prompts."""

    slug: str
    title: str
    kind: str
    benchmark_slug: str
    benchmark: str
    model: str
    is_offline: bool
    about: str
    caution: str
    parameters: tuple[tuple[str, str], ...]
    hashes: tuple[tuple[str, str], ...]
    prompts: tuple[tuple[str, str], ...]
    entries: int
    judgements: int
    figures: tuple[StripFigure, ...]
    reliability: tuple[ReliabilityLine, ...]
    reported: tuple[ReportedModel, ...]
    canary: CanaryTable | None
    people_comparisons: tuple[PeopleComparison, ...]
    agreement: AgreementTable | None
    worth: WorthTable | None
    verdict: Verdict

    @property
    def is_measured(self) -> bool:
        """Whether anything tells how far people agree with it."""
        studied = any(row.study and not row.judge for row in self.people_comparisons)
        return studied or bool(self.agreement and self.agreement.rows)


Packed = Sequence[Any]
MOST_LABELLED = 50
"""Rows of the table about people, each with a fold of its own for the parts of the benchmark."""


def judge_title(spec: JudgeSpec) -> str:
    """ "Offline rules, version 3", "gpt-9, prompts 2, asked 3 times" """
    label = judge_seal(spec).label
    title = label.capitalize() if spec.is_offline else label
    return ", ".join(filter(None, (title, judge_words(spec))))


def judge_page(spec: JudgeSpec) -> JudgePage:
    prompts = spec.prompt_set
    family = protocol(spec.protocol)
    board = family.board.BOARD
    record, stored = read_record(spec), read_figures(spec)
    rules = family.rules(spec.rules_name) if spec.is_offline else None
    rated = stored.agreement if stored else {}
    rated = rated or means_over(labelled_sheets(spec), board.agreement, by_n=True)
    studies, canary = people_comparisons(spec), canary_table(spec)
    worth = worth_table(board, spec.model) if spec.has_usual_rules else None
    return JudgePage(
        slug=spec.slug,
        title=judge_title(spec),
        kind="offline rules" if spec.is_offline else "language model",
        benchmark_slug=spec.protocol,
        benchmark=family.title,
        model=spec.model,
        is_offline=spec.is_offline,
        about=rules.about if rules else "",
        caution=spec.caution,
        parameters=(
            *((name, str(value)) for name, value in sorted(spec.parameters.items())),
            ("repeats", str(spec.repeats)),
            ("reply parser", f"{spec.parser}, version {spec.parser_version}"),
            *([("must report as its model", spec.answers_as)] if spec.answers_as else []),
        ),
        hashes=(
            ("judge spec", spec.content_hash),
            *((("prompt set", prompts.content_hash),) if prompts else ()),
        ),
        prompts=tuple(sorted(prompts.texts.items())) if prompts else (),
        entries=public_entries(spec),
        judgements=record.judged,
        figures=judge_figures(spec, record, stored),
        reliability=reliability_lines(spec, board.reliability, stored),
        reported=() if spec.is_offline else reported_models(record),
        canary=canary,
        people_comparisons=studies,
        agreement=agreement_table(spec, board.agreement, family.dataset.TAXONOMY),
        worth=worth,
        verdict=reliability_verdict(
            board.agreement, rated, studies, worth, canary.lines[0] if canary else None
        ),
    )


def public_entries(spec: JudgeSpec) -> int:
    """Public entries by the judge's stored boards; counted where there are none yet."""
    stored = BoardEdition.objects.filter(judge_spec=spec, replaced__isnull=True)
    known = stored.aggregate(entries=Sum("entries"))["entries"]
    if known is not None:
        return int(known)
    return Scoresheet.objects.filter(public_sheets(), judge_spec=spec).count()


def agreement_table(
    spec: JudgeSpec, metrics: Sequence[Metric], taxonomy: Sequence[AbilityEntry]
) -> AgreementTable | None:
    """A row per public entry on which at least one of the metrics is defined, in the order of their
    names; of those that people were asked about, the newest."""
    if not metrics:
        return None
    sheets = labelled_sheets(spec)
    read = newest_of(sheets, MOST_LABELLED).values_list(
        "submission_id", "submission__model__name", "submission__release__title", "figures"
    )
    rows = [
        AgreementRow(
            submission_id,
            model,
            release,
            agreement_cells(metrics, [figures.get(metric.name) for metric in metrics]),
            agreement_parts(metrics, figures, taxonomy),
        )
        for submission_id, model, release, figures in read.order_by("submission__created", "pk")
    ]
    shown = [row for row in rows if any(cell.n for cell in row.cells)]
    return AgreementTable(
        heads=tuple((metric.title, metric.about) for metric in metrics),
        rows=tuple(sorted(shown, key=lambda row: row.model)),
        newest=MOST_LABELLED if sheets[MOST_LABELLED:].exists() else 0,
    )


def agreement_parts(
    metrics: Sequence[Metric], figures: Mapping[str, Packed], taxonomy: Sequence[AbilityEntry]
) -> tuple[tuple[str, tuple[AgreementCell, ...]], ...]:
    """The metrics of each ability and subtask for which at least one was computed, by the title of
    the scope."""
    scopes = [
        scope
        for a in taxonomy
        for scope in ((a.slug, a.title), *((part.slug, part.title) for part in a.subtasks))
    ]
    found = [
        (title, [figures.get(f"{metric.name}@{slug}") for metric in metrics])
        for slug, title in scopes
    ]
    return tuple(
        (title, agreement_cells(metrics, packed)) for title, packed in found if any(packed)
    )


def agreement_cells(
    metrics: Sequence[Metric], packed: Sequence[Packed | None]
) -> tuple[AgreementCell, ...]:
    """A cell for each metric, from its figure as a scoresheet stores it."""
    pairs = zip(metrics, packed, strict=True)
    return tuple(
        agreement_cell(metric, MetricValue.unpacked(figure) if figure else None)
        for metric, figure in pairs
    )


def agreement_cell(metric: Metric, figure: MetricValue | None) -> AgreementCell:
    if figure is None or figure.value is None:
        return AgreementCell(MISSING, "", "", "", "", metric.empty if figure else "not measured")
    return AgreementCell(
        value=print_value(metric, figure.value),
        interval=print_interval(metric, figure),
        span=print_range(metric, figure),
        no_interval=no_interval(figure),
        n=f"{figure.n:,}",
        reason="",
    )
