"""HallusionBench (arXiv 2310.14566): yes/no questions in control pairs that separate language and
visual illusion."""

from pathlib import Path

from benchmarks.bundled.hallusionbench import BUNDLED
from benchmarks.protocols.base import (
    MADE_FOR_ASSAY,
    BenchmarkProtocol,
    BundledRelease,
    DatasetPart,
    SampleModel,
)

from . import (
    anchoring,
    board,
    conformance,
    dataset,
    judging,
    labels,
    panel,
    predictions,
    scoring,
    synthetic,
)
from .first_sentence import FIRST_SENTENCE

FOLDER = Path(__file__).parent

PROTOCOL = BenchmarkProtocol(
    slug="hallusionbench",
    title="HallusionBench",
    dataset=dataset,
    predictions=predictions,
    judging=judging,
    labels=labels,
    scoring=scoring,
    board=board,
    prompts=FOLDER / "prompts",
    default_prompts="v2",
    panel=panel,
    anchoring=anchoring,
    conformance=conformance.CONFORMANCE,
    expecting=judging.expect,
    pairing=dataset.pairing,
    parts={"images": DatasetPart("images only", dataset.read_images_only)},
    right_means="if it is judged correct or, on a question without an image, judged unclear",
    synthesise=synthetic.synthesise,
    other_rules=(FIRST_SENTENCE,),
    bundled=(
        BundledRelease(
            slug="hallusionbench-mini",
            title="HallusionBench mini, written for Assay",
            dataset=BUNDLED / "questions.json",
            pictures=BUNDLED / "pictures",
            terms=MADE_FOR_ASSAY,
            samples=(
                SampleModel(
                    "Lucid 9B",
                    "Sample answers in full sentences.",
                    BUNDLED / "answers" / "lucid-9b.jsonl",
                ),
                SampleModel(
                    "Parrot 7B",
                    "Sample answers from prior knowledge.",
                    BUNDLED / "answers" / "parrot-7b.jsonl",
                ),
                SampleModel(
                    "Terse 2B",
                    "Sample answers of one word.",
                    BUNDLED / "answers" / "terse-2b.jsonl",
                ),
            ),
            studies=(BUNDLED / "study.csv",),
        ),
    ),
)
