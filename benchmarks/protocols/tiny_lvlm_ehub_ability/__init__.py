"""The ability-level benchmark of Tiny LVLM-eHub: five subsets scored by word matching, and their
sum.

A benchmark of its own, for its scores compare with no others: other records, another score, another
overall.
"""

from pathlib import Path

from benchmarks.bundled import tiny_lvlm_ehub
from benchmarks.bundled.tiny_lvlm_ehub_ability import BUNDLED
from benchmarks.protocols.base import MADE_FOR_ASSAY, BenchmarkProtocol, BundledRelease, SampleModel
from benchmarks.protocols.tiny_lvlm_ehub import labels
from benchmarks.protocols.tiny_lvlm_ehub.judging import expect
from benchmarks.protocols.tiny_lvlm_ehub.synthetic import synthesise
from benchmarks.protocols.tiny_lvlm_ehub.word_matching import equal_form

from . import board, dataset, judging, predictions, scoring


def _sample(name: str, about: str, file: str) -> SampleModel:
    return SampleModel(name, about, BUNDLED / "answers" / f"{file}.jsonl")


PROTOCOL = BenchmarkProtocol(
    slug="tiny_lvlm_ehub_ability",
    title="Tiny LVLM-eHub, ability level",
    part_of="tiny_lvlm_ehub",
    dataset=dataset,
    predictions=predictions,
    judging=judging,
    labels=labels,
    scoring=scoring,
    board=board,
    prompts=Path(__file__).parent,
    default_prompts="",
    expecting=expect,
    equal_form=equal_form,
    right_means="where a correct answer is found in it",
    synthesise=synthesise,
    bundled=(
        BundledRelease(
            slug="tiny-lvlm-ehub-ability-mini",
            title="Tiny LVLM-eHub ability mini, written for Assay",
            dataset=BUNDLED / "questions.json",
            pictures=tiny_lvlm_ehub.BUNDLED / "pictures",
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
