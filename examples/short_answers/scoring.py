"""Shares of right answers, over everything and over a subtask ("accuracy@words")."""

from collections.abc import Sequence

import numpy as np

from benchmarks.protocols.base import Contributions, QuestionView, ScoredRow
from benchmarks.protocols.runs import Verdicts, read_runs
from benchmarks.protocols.tallies import Tally, assembled, share

from .dataset import TAXONOMY
from .judging import RIGHT, SLOT


def contributions(
    questions: Sequence[QuestionView], answers: Sequence[str], verdicts: Verdicts
) -> Contributions:
    """All are shares in [0, 1]. An answer without a verdict is outside of them, neither right nor
    wrong."""
    runs = [column for (column,) in read_runs(verdicts, [SLOT], len(questions))]
    shape = len(runs), len(questions)
    judged = [[said is not None for said in column] for column in runs]
    right = [[said == RIGHT for said in column] for column in runs]
    has_verdict = np.array(judged, dtype=np.bool_).reshape(shape)
    is_right = np.array(right, dtype=np.bool_).reshape(shape)
    subtasks = np.array([question.subtask for question in questions], dtype=np.str_)
    everything = np.ones(len(questions), dtype=np.bool_)
    tallies: dict[str, Tally] = {"accuracy": share(is_right, has_verdict, everything)}
    for entry in (entry for ability in TAXONOMY for entry in ability.subtasks):
        here = subtasks == entry.slug
        tallies[f"accuracy@{entry.slug}"] = share(is_right, has_verdict & here, here)
    coverage = float(has_verdict.mean()) if questions else 0.0
    return assembled(questions, tallies, runs=len(runs), coverage=coverage)


def explain(
    questions: Sequence[QuestionView], answers: Sequence[str], verdicts: Verdicts
) -> tuple[ScoredRow, ...]:
    """The verdict of the first run that has one."""
    runs = [column for (column,) in read_runs(verdicts, [SLOT], len(questions))]
    return tuple(_explained(said) for said in zip(*runs, strict=True))


def _explained(runs: Sequence[str | None]) -> ScoredRow:
    said = next((verdict for verdict in runs if verdict is not None), None)
    return ScoredRow("no verdict", None) if said is None else ScoredRow(said, said == RIGHT)
