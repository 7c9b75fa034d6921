"""The contexts of a judge's card and of a benchmark's method page."""

from benchmarks.protocols.base import BenchmarkProtocol
from benchmarks.registry import protocol
from judging.models import Judgement, JudgeSpec
from leaderboard.models import Scoresheet
from leaderboard.pages import JudgePage, JudgeSeal, MethodPage
from leaderboard.selectors import public_sheets


def judge_seal(spec: JudgeSpec) -> JudgeSeal:
    label = "offline rules" if spec.is_offline else spec.model
    return JudgeSeal(spec.slug, label, spec.is_offline)


def judge_page(spec: JudgeSpec) -> JudgePage:
    prompts = spec.prompt_set
    return JudgePage(
        slug=spec.slug,
        kind="offline rules" if spec.is_offline else "language model",
        benchmark_slug=spec.protocol,
        benchmark=protocol(spec.protocol).title,
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
    )
