"""Questions and verdicts for the tests of this protocol."""

import json
from collections.abc import Sequence

from benchmarks.protocols.base import JudgeCase, QuestionView, Slot
from benchmarks.protocols.tiny_lvlm_ehub.judging import SCORE_KEYS
from benchmarks.protocols.tiny_lvlm_ehub.suite import BY_SLUG


def question(dataset: str, number: int, *references: str) -> QuestionView:
    key = f"{dataset}/{number:06}"
    truth = {"references": json.dumps(references)}
    return QuestionView(
        key, BY_SLUG[dataset].capability, dataset, "", key, "What is it?", {}, truth
    )


def case(answer: str, view: QuestionView, slot: str = "prompt1") -> JudgeCase:
    return JudgeCase(
        Slot(slot), view, "; ".join(json.loads(str(view.truth["references"]))), "", answer
    )


def labelled(*rows: str, run: int = 1) -> dict[str, list[str | None]]:
    """Five labels per answer as "11010"; "-" is a missing label, "x" the official parser's -1."""
    names = {"-": None, "x": "-1"}
    columns: Sequence[Sequence[str]] = list(zip(*rows, strict=True))
    return {
        f"{name}.{run}": [names.get(label, label) for label in column]
        for name, column in zip(SCORE_KEYS, columns, strict=True)
    }
