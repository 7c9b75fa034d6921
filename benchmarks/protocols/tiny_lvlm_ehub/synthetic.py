"""Answers of models that do not exist: one that word matching finds right, or one that belongs to
another question."""

import re
from collections.abc import Iterator, Sequence

import numpy as np

from benchmarks.protocols.base import AnswerSource
from benchmarks.protocols.tiny_lvlm_ehub.dataset import references_of
from benchmarks.protocols.tiny_lvlm_ehub.guarded_matching import is_answered, is_polar
from benchmarks.protocols.tiny_lvlm_ehub.suite import EMBODIED
from benchmarks.protocols.tiny_lvlm_ehub.word_matching import normalise

_RIGHT = 0.5
_OPTION = re.compile(r"^- (.{1,80})$", re.MULTILINE)
_SENTENCES = ("{}", "{}.", "It is {}.", "I would say {}.", "This looks like {}.", "That is {}.")
_POLAR = ("{}", "Answer: {}", "{}, as far as I can see.", "{}, judging by the picture.")
_GUESSES = ("something else", "a tree", "blue", "nothing at all")
_STEPS = (
    "Look around the room and find what the task names.",
    "Walk to it and pick it up.",
    "Carry it to the place where it belongs.",
    "Put it down with care.",
    "Check that nothing is left, and begin again if something is.",
)


def synthesise(
    source: AnswerSource, other: AnswerSource, quality: float, rng: np.random.Generator
) -> str:
    if source.question.ability == EMBODIED:
        return _plan(quality, rng)
    references, is_right = references_of(source.question), quality >= _RIGHT
    candidates = (
        _right(references, rng) if is_right else _wrong(source, references_of(other.question), rng)
    )
    question = source.question.text
    return next((c for c in candidates if is_answered(question, c, references) == is_right), "")


def _plan(quality: float, rng: np.random.Generator) -> str:
    """The better, the more of the steps."""
    kept = max(1, round(quality * len(_STEPS)))
    chosen = sorted(rng.permutation(len(_STEPS))[:kept])
    return " ".join(f"{number}. {_STEPS[step]}" for number, step in enumerate(chosen, 1))


def _right(references: Sequence[str], rng: np.random.Generator) -> Iterator[str]:
    said = str(rng.choice(references))
    yield from _worded(said, is_polar(references), rng)
    yield from references


def _wrong(source: AnswerSource, others: Sequence[str], rng: np.random.Generator) -> Iterator[str]:
    """The opposite, an option that is not it, a number near by, what another question asks for."""
    references = references_of(source.question)
    if is_polar(references):
        opposite = "No" if normalise(references[0]) == "yes" else "Yes"
        yield from _worded(opposite, True, rng)
        return
    found = [*_OPTION.findall(source.question.text)]
    if references[0].isdecimal():
        found += [str(int(references[0]) + step) for step in (1, 2)]
    elif not found:
        found += [text for text in others if not is_polar([text])]
    for text in [*rng.permutation(found), *rng.permutation(_GUESSES)]:
        yield from _worded(str(text), False, rng)


def _worded(text: str, polar: bool, rng: np.random.Generator) -> Iterator[str]:
    """In a sentence, whichever comes first."""
    said = text.capitalize() if polar else text
    for sentence in rng.permutation(_POLAR if polar else _SENTENCES):
        yield str(sentence).format(said)
