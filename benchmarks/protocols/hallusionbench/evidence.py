"""What is exported of an answer so that others compute its scores: what it says, and the label of
its question."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from benchmarks.protocols.base import Evidence, QuestionView, Ratings, Tells
from benchmarks.protocols.base.anchoring import most_said, said_of
from benchmarks.protocols.hallusionbench.kits import said
from benchmarks.protocols.hallusionbench.panel import CORRECT
from benchmarks.protocols.runs import Verdicts
from benchmarks.protocols.yes_no import read_yes_no

NEED_LABELS = (
    "pct_diff",
    "pct_diff_code",
    "fp_ratio_code",
    "kit_aAcc",
    "kit_fAcc",
    "kit_qAcc",
    "kit_overall",
)


def readings(
    questions: Sequence[QuestionView], answers: Sequence[str], verdicts: Verdicts, ratings: Ratings
) -> Sequence[Mapping[str, object]]:
    """`says`: yes, no or uncertain by our rules; `kit`: yes, no or unknown as VLMEvalKit reads it;
    `label`: yes or no, absent of a question without one; `people`: what most raters say, the number
    of their scale, absent without them."""
    people = [most_said(scores) for scores in said_of(ratings, CORRECT.slug, len(questions))]
    return [
        {
            "says": read_yes_no(answer),
            "kit": said(answer),
            **label_of(question),
            **({} if most is None else {"people": most}),
        }
        for question, answer, most in zip(questions, answers, people, strict=True)
    ]


def label_of(question: QuestionView) -> Mapping[str, str]:
    label = question.truth.get("gt_answer")
    return {} if label is None else {"label": "yes" if label == 1 else "no"}


EVIDENCE = Evidence(
    Path(__file__).with_name("recount.py"),
    readings,
    tells={"label": Tells("reference", NEED_LABELS)},
)
