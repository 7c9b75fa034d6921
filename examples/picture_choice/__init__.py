"""Picture Choice: multiple choice about small drawings, the worked example of
docs/developer/adding_a_benchmark.md.

No site shows it unless `PROTOCOLS` names it.
"""

from pathlib import Path

from benchmarks.protocols.base import BenchmarkProtocol, BundledRelease

from . import board, dataset, judging, predictions, scoring

FOLDER = Path(__file__).parent

PROTOCOL = BenchmarkProtocol(
    slug="picture_choice",
    title="Picture Choice",
    dataset=dataset,
    predictions=predictions,
    judging=judging,
    scoring=scoring,
    board=board,
    prompts=FOLDER / "prompts",
    default_prompts="",
    right_means="where it chooses the right option",
    bundled=(
        BundledRelease(
            slug="picture-choice-mini",
            title="Picture Choice mini, written for Assay",
            dataset=FOLDER / "questions.json",
            pictures=FOLDER / "pictures",
        ),
    ),
)
