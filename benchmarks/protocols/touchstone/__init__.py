"""TouchStone (arXiv 2308.16890): open questions about pictures; a text-only judge scores answers
beside a reference."""

from pathlib import Path

from benchmarks.bundled.touchstone import BUNDLED
from benchmarks.protocols.base import (
    MADE_FOR_ASSAY,
    BenchmarkProtocol,
    BundledRelease,
    PreparedRelease,
    SampleModel,
)

from . import (
    anchoring,
    board,
    comparing,
    conformance,
    dataset,
    judging,
    panel,
    predictions,
    references,
    rewriting,
    scoring,
    synthetic,
)
from .hasty_rules import HASTY


def _sample(name: str, about: str, file: str) -> SampleModel:
    return SampleModel(name, about, BUNDLED / "answers" / file)


PROTOCOL = BenchmarkProtocol(
    slug="touchstone",
    title="TouchStone",
    dataset=dataset,
    predictions=predictions,
    judging=judging,
    scoring=scoring,
    board=board,
    prompts=Path(__file__).parent / "prompts",
    default_prompts="v2",
    references=references,
    panel=panel,
    anchoring=anchoring,
    comparing=comparing.compare,
    conformance=conformance.CONFORMANCE,
    right_means=(
        "to the extent that its score reaches the reference's: fully if it is as high, not at all"
        " at the lowest score"
    ),
    synthesise=synthetic.synthesise,
    rewriting=rewriting.rewritten,
    other_rules=(HASTY,),
    bundled=(
        BundledRelease(
            slug="touchstone-mini",
            title="TouchStone mini, written for Assay",
            dataset=BUNDLED / "questions.json",
            pictures=BUNDLED / "pictures",
            terms=MADE_FOR_ASSAY,
            samples=(
                _sample(
                    "Lucid 9B", "Sample answers by somebody who looks closely.", "lucid-9b.jsonl"
                ),
                _sample(
                    "Parrot 7B",
                    "Sample answers from prior knowledge, often wrong.",
                    "parrot-7b.jsonl",
                ),
                _sample("Terse 2B", "Sample answers of a few words.", "terse-2b.jsonl"),
            ),
            studies=(BUNDLED / "study.csv",),
        ),
        BundledRelease(
            slug="touchstone-mini-zh",
            title="TouchStone mini in Chinese, written for Assay",
            dataset=BUNDLED / "questions_zh.json",
            pictures=BUNDLED / "pictures",
            terms=MADE_FOR_ASSAY,
            samples=(
                _sample(
                    "Lucid 9B", "Sample answers by somebody who looks closely.", "lucid-9b-zh.jsonl"
                ),
                _sample(
                    "Parrot 7B",
                    "Sample answers from prior knowledge, often wrong.",
                    "parrot-7b-zh.jsonl",
                ),
            ),
            language="zh",
        ),
    ),
    prepared=PreparedRelease(
        slug="touchstone-mini-next",
        title="TouchStone mini, questions in preparation",
        dataset=BUNDLED / "prepared.json",
        texts=BUNDLED / "prepared_texts.json",
        pictures=BUNDLED / "pictures",
        terms=MADE_FOR_ASSAY,
    ),
)
