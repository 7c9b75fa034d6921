"""What is exported of an answer so that others compute its scores: what word matching says."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from benchmarks.protocols.base import Evidence, QuestionView, Ratings
from benchmarks.protocols.runs import Verdicts
from benchmarks.protocols.tiny_lvlm_ehub.dataset import references_of
from benchmarks.protocols.tiny_lvlm_ehub.word_matching import matches


def readings(
    questions: Sequence[QuestionView], answers: Sequence[str], verdicts: Verdicts, ratings: Ratings
) -> Sequence[Mapping[str, object]]:
    """`matched`: by word matching as published. Entry pages show it of every answer."""
    return [
        {"matched": matches(answer, references_of(question))}
        for question, answer in zip(questions, answers, strict=True)
    ]


EVIDENCE = Evidence(Path(__file__).with_name("recount.py"), readings)
