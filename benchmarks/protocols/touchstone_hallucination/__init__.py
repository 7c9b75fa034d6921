"""The hallucination score of TouchStone (arXiv 2308.16890, section 4.3): how much of a description
is invented."""

from pathlib import Path

from benchmarks.bundled.touchstone import BUNDLED
from benchmarks.protocols.base import MADE_FOR_ASSAY, BenchmarkProtocol, BundledRelease
from benchmarks.protocols.touchstone.synthetic import synthesise_description

from . import anchoring, board, comparing, dataset, judging, panel, predictions, scoring

PROTOCOL = BenchmarkProtocol(
    slug="touchstone_hallucination",
    title="TouchStone hallucination",
    part_of="touchstone",
    dataset=dataset,
    predictions=predictions,
    judging=judging,
    scoring=scoring,
    board=board,
    prompts=Path(__file__).parent / "prompts",
    default_prompts="v2",
    panel=panel,
    anchoring=anchoring,
    comparing=comparing.compare,
    expecting=comparing.expect,
    right_means="to the extent that it invents nothing: fully at a degree of 0, not at all at 10",
    synthesise=synthesise_description,
    bundled=(
        BundledRelease(
            slug="touchstone-hallucination-mini",
            title="TouchStone hallucination mini, written for Assay",
            dataset=BUNDLED / "questions.json",
            pictures=BUNDLED / "pictures",
            terms=MADE_FOR_ASSAY,
        ),
    ),
)
