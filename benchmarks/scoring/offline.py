"""What a file of answers scores by the offline rules of its benchmark, without a site: the same
figures as on a board where rules judge."""

from collections.abc import Sequence
from dataclasses import asdict
from importlib import import_module
from pathlib import Path
from typing import Any, BinaryIO

from benchmarks.protocols.base import (
    NOT_RATED,
    BenchmarkProtocol,
    Gap,
    JudgeCase,
    Problem,
    QuestionRow,
    QuestionView,
    Rules,
    Upload,
)
from benchmarks.protocols.runs import Verdicts
from benchmarks.scoring.entries import score_entry
from benchmarks.scoring.sheets import release_seed

PROTOCOLS = Path(__file__).parents[1] / "protocols"


class NotScoredError(ValueError):
    """`problems`: sentences that say why, one at least."""

    def __init__(self, problems: Sequence[str]) -> None:
        self.problems = list(problems)
        super().__init__("\n".join(problems))


def family_named(slug: str) -> BenchmarkProtocol:
    """Raises NotScoredError where the library has none of that name."""
    known = sorted({path.parent.name for path in PROTOCOLS.glob("*/scoring.py")} - {"base"})
    if slug not in known:
        raise NotScoredError([f"There is no benchmark {slug!r}. Known: {', '.join(known)}."])
    found: BenchmarkProtocol = import_module(f"benchmarks.protocols.{slug}").PROTOCOL
    return found


def score_file(
    slug: str, file: Path, *, release: str = "", dataset: Path | None = None, rules: str = ""
) -> dict[str, Any]:
    """Judge, coverage and figures of the answers in `file`, and the metrics of the board.

    release: one that ships with the benchmark, the first of them where it is not named; with
    `dataset`, an official file, what a site calls it, for resamples are drawn by that name. rules:
    others than the usual ones. Raises NotScoredError, and OSError.
    """
    family = family_named(slug)
    judge = family.rules(rules)
    if judge is None:
        raise NotScoredError([f"{family.title} has no rules {rules!r}."])
    if dataset is None:
        shipped = {one.slug: one for one in family.bundled}
        release = release or next(iter(shipped), "no release")
        if release not in shipped:
            raise NotScoredError(
                [f"{release} does not ship with the benchmark. Name its file with --dataset."]
            )
        dataset = shipped[release].dataset
    with dataset.open("rb") as stream:
        rows = rows_of(family, stream)
    views = [row.view() for row in rows]
    reading = family.predictions.read(Upload(file.name, file.read_bytes()), views)
    if reading.problems:
        raise NotScoredError([str(problem) for problem in reading.problems])
    answers = [reading.answers[view.public_id] for view in views]
    references, descriptions = (
        [getattr(row, kind) for row in rows] for kind in ("reference", "description")
    )
    verdicts = rule_verdicts(family, judge, views, answers, references, descriptions)
    if family.comparing:
        verdicts = {**verdicts, **family.comparing(views, answers, descriptions, references)}
    scored = score_entry(family, views, answers, verdicts, NOT_RATED, seed=release_seed(release))
    return {
        "benchmark": slug,
        "release": release,
        "judge": f"rules {judge.model}",
        "coverage": scored.contributions.coverage,
        "ranking": family.board.BOARD.ranking,
        "metrics": [
            {"name": one.name, "title": one.title, "unit": one.unit}
            for one in family.board.BOARD.metrics()
        ],
        "figures": {name: asdict(figure) for name, figure in scored.sheet.figures.items()},
    }


def rows_of(family: BenchmarkProtocol, stream: BinaryIO) -> list[QuestionRow]:
    items = list(family.dataset.read(stream))
    problems = [str(item) for item in items if isinstance(item, Problem)]
    if not problems and any(isinstance(item, Gap) for item in items):
        problems = [
            f"The rules of {family.title} judge by texts that this file lacks, so that its answers "
            "need a model's verdicts, or a site on which people write these texts."
        ]
    if problems:
        raise NotScoredError(problems)
    return [item for item in items if isinstance(item, QuestionRow)]


def rule_verdicts(
    family: BenchmarkProtocol,
    rules: Rules,
    questions: Sequence[QuestionView],
    answers: Sequence[str],
    references: Sequence[str],
    descriptions: Sequence[str],
) -> Verdicts:
    """By slot. Of the texts the rules get those that they read. Sequences follow `questions`."""
    judging, columns = family.judging, dict[str, list[str | None]]()
    kinds = judging.texts_read(None)
    answer_by_id = {view.public_id: answer for view, answer in zip(questions, answers, strict=True)}
    for place, view in enumerate(questions):
        for slot in judging.slots(view, 1):
            peer = judging.peer(view, slot)
            case = JudgeCase(
                slot=slot,
                question=view,
                reference=references[place] if "reference" in kinds else "",
                description=descriptions[place] if "description" in kinds else "",
                answer=answers[place],
                peer_answer=answer_by_id.get(peer) if peer else None,
            )
            plain = judging.plain_verdict(case)
            column = columns.setdefault(slot.key, [None] * len(questions))
            column[place] = (
                plain.verdict
                if plain
                else judging.parse(slot, rules.rule(case), judging.PARSERS[0])
            )
    return columns
