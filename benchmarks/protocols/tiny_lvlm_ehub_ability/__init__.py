"""The ability-level benchmark of Tiny LVLM-eHub: five subsets scored by word matching, and their sum.

A benchmark of its own, for its scores compare with no others: other records, another score, another overall.
"""

from pathlib import Path

from benchmarks.protocols.base import BenchmarkProtocol

from . import board, dataset, judging, predictions, scoring

PROTOCOL = BenchmarkProtocol(
    slug="tiny_lvlm_ehub_ability",
    title="Tiny LVLM-eHub, ability level",
    dataset=dataset,
    predictions=predictions,
    judging=judging,
    scoring=scoring,
    board=board,
    prompts=Path(__file__).parent,
    default_prompts="",
)
