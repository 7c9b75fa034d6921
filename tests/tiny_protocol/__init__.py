"""Spelling: a benchmark for tests, with everything that one may have. No template:
docs/developer/adding_a_benchmark.md is.

Dataset lines are "id|word|spelling" or "id|word|spelling|picture"; an answer is right when it is
the spelling.
"""

from pathlib import Path

from benchmarks.protocols.base import BenchmarkProtocol
from tests.tiny_protocol import board, dataset, judging, panel, predictions, references, scoring

PROTOCOL = BenchmarkProtocol(
    slug="spelling",
    title="Spelling",
    dataset=dataset,
    predictions=predictions,
    judging=judging,
    scoring=scoring,
    board=board,
    prompts=Path(__file__).parent / "prompts",
    default_prompts="v1",
    references=references,
    panel=panel,
    scores_ratings=True,
)
