"""Tiny LVLM-eHub (arXiv 2308.03729): 42 datasets in six capabilities, judged by the votes of five
prompts (CEE)."""

from pathlib import Path

from benchmarks.bundled.tiny_lvlm_ehub import BUNDLED
from benchmarks.protocols.base import MADE_FOR_ASSAY, BenchmarkProtocol, BundledRelease, SampleModel

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
    word_matching,
)


def _sample(name: str, about: str, file: str) -> SampleModel:
    ratings = (BUNDLED / "ratings" / f"{file}.csv", BUNDLED / "labels" / f"{file}.csv")
    return SampleModel(name, about, BUNDLED / "answers" / f"{file}.jsonl", ratings)


PROTOCOL = BenchmarkProtocol(
    slug="tiny_lvlm_ehub",
    title="Tiny LVLM-eHub",
    dataset=dataset,
    predictions=predictions,
    judging=judging,
    labels=labels,
    scoring=scoring,
    board=board,
    prompts=Path(__file__).parent / "prompts",
    default_prompts="v2",
    parameters={"temperature": 0.5},
    panel=panel,
    anchoring=anchoring,
    scores_ratings=True,
    conformance=conformance.CONFORMANCE,
    expecting=judging.expect,
    equal_form=word_matching.equal_form,
    right_means="if most of its labels say so; answers that only people rate do not count",
    synthesise=synthetic.synthesise,
    bundled=(
        BundledRelease(
            slug="tiny-lvlm-ehub-mini",
            title="Tiny LVLM-eHub mini, written for Assay",
            dataset=BUNDLED / "questions.json",
            pictures=BUNDLED / "pictures",
            terms=MADE_FOR_ASSAY,
            samples=(
                _sample("Lucid 9B", "Sample answers by somebody who looks closely.", "lucid-9b"),
                _sample(
                    "Parrot 7B", "Sample answers from prior knowledge, often wrong.", "parrot-7b"
                ),
                _sample("Terse 2B", "Sample answers of a few words.", "terse-2b"),
            ),
        ),
    ),
)
