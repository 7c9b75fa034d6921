"""Shares of right choices, over everything, over an ability ("accuracy@scenes") and over a
subtask."""

from collections.abc import Mapping, Sequence

import numpy as np

from benchmarks.protocols.base import Contributions, Derived, Floats, QuestionView, ScoredRow
from benchmarks.protocols.runs import Verdicts, read_runs
from benchmarks.protocols.tallies import Flags, assembled, mean, share

from .dataset import TAXONOMY
from .judging import NONE, SLOT, letters_of


def contributions(
    questions: Sequence[QuestionView], answers: Sequence[str], verdicts: Verdicts
) -> Contributions:
    """All are shares in [0, 1] but "above_chance", in [-1, 1]: accuracy less what guessing gets. A
    question without a verdict is outside of all but chance. Groups are the pictures."""
    found = read_runs(verdicts, [SLOT.name], len(questions))[0][0]
    has_verdict = np.array([letter is not None for letter in found], dtype=np.bool_)
    is_right = np.array(
        [letter == q.truth.get("letter") for q, letter in zip(questions, found, strict=True)],
        dtype=np.bool_,
    )
    chooses_none = np.array([letter == NONE for letter in found], dtype=np.bool_)
    chances = np.array([1 / len(letters_of(q)) for q in questions], dtype=np.float64)
    everything = np.ones(len(questions), dtype=np.bool_)
    tallies = {
        "accuracy": share(is_right, has_verdict, everything),
        "no_choice": share(chooses_none, has_verdict, everything),
        "chance": mean(chances, everything),
    }
    for scope, here in _scopes(questions).items():
        tallies[f"accuracy@{scope}"] = share(is_right, has_verdict & here, here)
    return assembled(
        questions,
        tallies,
        runs=1,
        coverage=float(has_verdict.mean()) if questions else 0.0,
        derived={"above_chance": Derived(_above_chance, ("accuracy", "chance"), ("accuracy",))},
    )


def _scopes(questions: Sequence[QuestionView]) -> dict[str, Flags]:
    """The questions of every ability and subtask, (N,)."""
    abilities = np.array([question.ability for question in questions], dtype=np.str_)
    subtasks = np.array([question.subtask for question in questions], dtype=np.str_)
    return {
        **{ability.slug: abilities == ability.slug for ability in TAXONOMY},
        **{
            entry.slug: subtasks == entry.slug for ability in TAXONOMY for entry in ability.subtasks
        },
    }


def _above_chance(values: Mapping[str, Floats]) -> Floats:
    return values["accuracy"] - values["chance"]


def explain(
    questions: Sequence[QuestionView], answers: Sequence[str], verdicts: Verdicts
) -> tuple[ScoredRow, ...]:
    """Which option each answer chose, and whether it is the right one."""
    found = read_runs(verdicts, [SLOT.name], len(questions))[0][0]
    return tuple(
        ScoredRow("no verdict", None)
        if letter is None
        else ScoredRow(
            "no option" if letter == NONE else f"option {letter}", letter == q.truth.get("letter")
        )
        for q, letter in zip(questions, found, strict=True)
    )
