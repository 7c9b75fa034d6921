"""Short Answers: questions that a word answers, where a model says whether an answer is right.

No site shows it unless `PROTOCOLS` names it; docs/adding_a_benchmark.md begins with a copy of it.
"""

from pathlib import Path

from benchmarks.protocols.base import BenchmarkProtocol, BundledRelease

from . import board, dataset, judging, predictions, scoring

FOLDER = Path(__file__).parent

PROTOCOL = BenchmarkProtocol(
    slug="short_answers",
    title="Short Answers",
    dataset=dataset,
    predictions=predictions,
    judging=judging,
    scoring=scoring,
    board=board,
    prompts=FOLDER / "prompts",
    default_prompts="v1",
    bundled=(
        BundledRelease(
            slug="short-answers-mini",
            title="Short Answers mini",
            dataset=FOLDER / "questions.json",
        ),
    ),
)
