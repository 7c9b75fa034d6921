"""Answers of models that do not exist: some clauses of a right text, and some of another."""

import re

import numpy as np

from benchmarks.protocols.base import AnswerSource

_CLAUSE = re.compile(r"[^.,;:!?。，；：！？]+[.,;:!?。，；：！？]*")
_MOST_KEPT = 0.75
"""Of its clauses, by the best of all answers: whoever gives the whole text back copies it."""
_LEAST_CLAUSES = 1


def synthesise(
    source: AnswerSource, other: AnswerSource, quality: float, rng: np.random.Generator
) -> str:
    return blended(source.reference, other.reference, quality, rng)


def synthesise_description(
    source: AnswerSource, other: AnswerSource, quality: float, rng: np.random.Generator
) -> str:
    """`synthesise` for whoever describes the picture."""
    return blended(source.description, other.description, quality, rng)


def blended(text: str, foreign: str, quality: float, rng: np.random.Generator) -> str:
    """Clauses of both in their order: the better the answer the more of the text, the fewer of
    the foreign one. Never empty where the text is not."""
    own = _some(text, quality * _MOST_KEPT, rng)
    wrong = _some(foreign, (1 - quality) * _MOST_KEPT / 2, rng) if quality < 1 else []
    clauses = [*own, *wrong] if rng.random() < quality else [*wrong, *own]
    said = "".join(clauses).strip().rstrip(",;:，；：")
    return said[:1].upper() + said[1:]


def _some(text: str, share: float, rng: np.random.Generator) -> list[str]:
    clauses = _CLAUSE.findall(text)
    kept = min(len(clauses), max(_LEAST_CLAUSES, round(share * len(clauses))))
    return [clauses[i] for i in sorted(rng.permutation(len(clauses))[:kept])]
