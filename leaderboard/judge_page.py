"""The contexts of a judge's card and of a benchmark's method page."""

from collections.abc import Mapping, Sequence
from typing import Any

from django.db.models.fields.json import KeyTransform

from benchmarks.protocols.base import AbilityEntry, BenchmarkProtocol, Board, Metric, WorthLine
from benchmarks.registry import protocol
from benchmarks.submissions.flagging import RULES
from judging.models import Judgement, JudgeSpec
from leaderboard.judge_figures import (
    canary_table,
    judge_figures,
    read_replies,
    reliability_lines,
    reported_models,
)
from leaderboard.models import Scoresheet
from leaderboard.numbers import MISSING, no_interval, print_interval, print_range, print_value
from leaderboard.pages import (
    AgreementCell,
    AgreementRow,
    AgreementTable,
    JudgePage,
    JudgeSeal,
    MethodPage,
    WorthTable,
)
from leaderboard.scoring import Figure
from leaderboard.selectors import public_sheets

Packed = Sequence[Any]


def judge_seal(spec: JudgeSpec) -> JudgeSeal:
    label = "offline rules" if spec.is_offline else spec.model
    return JudgeSeal(spec.slug, label, spec.is_offline)


def judge_page(spec: JudgeSpec) -> JudgePage:
    prompts = spec.prompt_set
    family = protocol(spec.protocol)
    board = family.board.BOARD
    replies = read_replies(spec)
    return JudgePage(
        slug=spec.slug,
        kind="offline rules" if spec.is_offline else "language model",
        benchmark_slug=spec.protocol,
        benchmark=family.title,
        model=spec.model,
        is_offline=spec.is_offline,
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
        entries=Scoresheet.objects.filter(public_sheets(), judge_spec=spec).count(),
        judgements=Judgement.objects.filter(judge_spec=spec, state=Judgement.State.JUDGED).count(),
        figures=judge_figures(spec, replies),
        reliability=reliability_lines(spec, board.reliability),
        reported=() if spec.is_offline else reported_models(replies),
        canary=canary_table(spec),
        agreement=agreement_table(spec, board.agreement, family.dataset.TAXONOMY),
        worth=worth_table(board, spec.model) if spec.is_offline else None,
    )


def worth_table(
    board: Board, version: str, asked: Mapping[str, int] | None = None
) -> WorthTable | None:
    """`version`: of the rules that the page is about. `asked`: how many rows of the release that it is about each
    metric looks at, by name; None where it is about no release."""
    worth = board.worth
    if worth is None:
        return None
    line = worth.line_of(asked or {})
    return WorthTable(
        sentence=f"These rules and people gave the same verdict on {print_worth(line, line.rules)} of"
        f" {line.n:,} recorded answers{line.of}.",
        about=worth.about,
        version=worth.version,
        is_this_version=worth.version == version,
        source=worth.source,
        url=worth.url,
        lines=tuple(
            (
                line.title,
                line.about,
                f"{line.n:,}",
                print_worth(line, line.rules),
                "" if line.people is None else print_worth(line, line.people),
            )
            for line in worth.lines
        ),
    )


def print_worth(line: WorthLine, value: float) -> str:
    return f"{value * 100:.1f} %" if line.unit == "percent" else f"{value:.2f}"


def agreement_table(
    spec: JudgeSpec, metrics: Sequence[Metric], taxonomy: Sequence[AbilityEntry]
) -> AgreementTable | None:
    """A row per public entry on which at least one of the metrics is defined. Of other scoresheets, which have hundreds
    of figures, only these are read."""
    if not metrics:
        return None
    sheets = (
        Scoresheet.objects.filter(public_sheets(), judge_spec=spec)
        .order_by("submission__model__name", "submission__created", "submission_id")
        .values_list(
            "pk",
            "submission_id",
            "submission__model__name",
            "submission__release__title",
            *(KeyTransform(metric.name, "figures") for metric in metrics),
        )
    )
    defined = [
        sheet for sheet in sheets if any(packed and packed[0] is not None for packed in sheet[4:])
    ]
    figures = dict(
        Scoresheet.objects.filter(pk__in=[pk for pk, *_ in defined]).values_list("pk", "figures")
    )
    rows = tuple(
        AgreementRow(
            submission_id,
            model,
            release,
            agreement_cells(metrics, packed),
            agreement_parts(metrics, figures[pk], taxonomy),
        )
        for pk, submission_id, model, release, *packed in defined
    )
    return AgreementTable(tuple((metric.title, metric.about) for metric in metrics), rows)


def agreement_parts(
    metrics: Sequence[Metric], figures: Mapping[str, Packed], taxonomy: Sequence[AbilityEntry]
) -> tuple[tuple[str, tuple[AgreementCell, ...]], ...]:
    """The metrics of each ability and subtask for which at least one was computed, by the title of the scope."""
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
        agreement_cell(metric, Figure(*figure) if figure else None) for metric, figure in pairs
    )


def agreement_cell(metric: Metric, figure: Figure | None) -> AgreementCell:
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


def method_page(family: BenchmarkProtocol) -> MethodPage:
    board = family.board.BOARD
    directions = {True: "higher is better", False: "lower is better", None: "no better direction"}
    return MethodPage(
        slug=family.slug,
        title=family.title,
        summary=board.summary,
        how=board.how,
        metrics=tuple((m.title, m.about, directions[m.higher_is_better]) for m in board.metrics()),
        marks=tuple((rule.title, rule.about) for rule in RULES.values()),
        worth=worth_table(board, family.judging.RULES_VERSION),
    )
