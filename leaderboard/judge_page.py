"""The contexts of a judge's card and of a benchmark's method page."""

from collections.abc import Sequence

from django.db.models.fields.json import KeyTransform

from benchmarks.protocols.base import BenchmarkProtocol, Metric
from benchmarks.registry import protocol
from judging.models import Judgement, JudgeSpec
from leaderboard.judge_figures import canary_table, judge_figures, read_replies, reliability_lines, reported_models
from leaderboard.models import Scoresheet
from leaderboard.numbers import MISSING, print_interval, print_range, print_value
from leaderboard.pages import AgreementCell, AgreementRow, AgreementTable, JudgePage, JudgeSeal, MethodPage
from leaderboard.scoring import Figure
from leaderboard.selectors import public_sheets


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
        parameters=(
            *((name, str(value)) for name, value in sorted(spec.parameters.items())),
            ("repeats", str(spec.repeats)),
            ("reply parser", f"{spec.parser}, version {spec.parser_version}"),
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
        agreement=agreement_table(spec, board.agreement),
    )


def agreement_table(spec: JudgeSpec, metrics: Sequence[Metric]) -> AgreementTable | None:
    """A row per public entry on which at least one of the metrics is defined. Only these are read of a scoresheet,
    which has hundreds of figures."""
    if not metrics:
        return None
    sheets = (
        Scoresheet.objects.filter(public_sheets(), judge_spec=spec)
        .order_by("submission__model__name", "submission__created", "submission_id")
        .values_list(
            "submission_id",
            "submission__model__name",
            "submission__release__title",
            *(KeyTransform(metric.name, "figures") for metric in metrics),
        )
    )
    rows = []
    for submission_id, model, release, *packed in sheets:
        figures = [Figure(*found) if found else None for found in packed]
        if any(figure is not None and figure.value is not None for figure in figures):
            cells = tuple(agreement_cell(*pair) for pair in zip(metrics, figures, strict=True))
            rows.append(AgreementRow(submission_id, model, release, cells))
    return AgreementTable(tuple((metric.title, metric.about) for metric in metrics), tuple(rows))


def agreement_cell(metric: Metric, figure: Figure | None) -> AgreementCell:
    if figure is None or figure.value is None:
        return AgreementCell(MISSING, "", "", "", metric.empty if figure else "not measured")
    interval, span = print_interval(metric, figure), print_range(metric, figure)
    return AgreementCell(print_value(metric, figure.value), interval, span, f"{figure.n:,}", "")


def method_page(family: BenchmarkProtocol) -> MethodPage:
    board = family.board.BOARD
    directions = {True: "higher is better", False: "lower is better", None: "no better direction"}
    return MethodPage(
        slug=family.slug,
        title=family.title,
        summary=board.summary,
        how=board.how,
        metrics=tuple((m.title, m.about, directions[m.higher_is_better]) for m in board.metrics()),
    )
