"""The models of the demo. None of them exists: their answers are made of the references of bundled
questions, right at a rate that is told here, so that the boards, comparisons and history of a fresh
clone have something to show.

Plain Python: who they are, how good, what came on which day, and which answers are to be right.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

DAYS = 3
ABOUT = (
    "This model does not exist. Its answers are made of the references of the bundled questions: "
    "about {rate:.0%} of them right, the others wrong on purpose."
)
TRAINING_DATA = "None: there is nothing to train."

_ABILITY_SPREAD, _NOISE_SPREAD = 0.35, 0.9
"""Of a model's abilities and of its luck, where the difficulty of questions has 1: so abilities
stand out on a radar of a dozen questions each, and no model is right wherever a better one is."""
_RATE_SPREAD = 0.01
"""By how much a model is better or worse on one release: neighbours change places, no others do."""
_GOOD, _BAD = (0.6, 1.0), (0.0, 0.4)
"""How good answers are that are to be right, and the others (`Synthesising`)."""


@dataclass(frozen=True, slots=True)
class SyntheticModel:
    """`rate`: share of its answers that are right. `day`: from 1 to DAYS, when it handed in;
    `withdrawn`: the day it took that back, 0 for never. `shares_luck_of`: another model that is
    right wherever this one is, and more often."""

    name: str
    organisation: str
    rate: float
    day: int
    billions: str = ""
    licence: str = "proprietary"
    withdrawn: int = 0
    shares_luck_of: str = ""

    @property
    def is_open(self) -> bool:
        return self.licence != "proprietary"


@dataclass(frozen=True, slots=True)
class SyntheticEntry:
    """What a model handed in on a day, to every bundled release."""

    model: SyntheticModel
    day: int
    rate: float

    @property
    def name(self) -> str:
        """Of no other entry."""
        return f"{self.model.name}/{self.day}"


_NORTHLIGHT = "Northlight Institute (invented)"
_QUILL = "Quill and Lens (invented)"
_BASALT = "Basalt Systems (invented)"
_HARBOUR = "Harbour University (invented)"
_NOWHERE = "University of Nowhere (invented)"

# In the order of their rates, and of the alphabet: a reader sees at once where a board has another.
# Birch and Cedar are to be told apart though their intervals overlap, Elm and Fir are not.
MODELS: tuple[SyntheticModel, ...] = (
    SyntheticModel("Synthetic Alder 110B", _BASALT, 0.95, 2, "110"),
    SyntheticModel("Synthetic Birch 34B", _NORTHLIGHT, 0.90, 1, "34", "Apache-2.0"),
    SyntheticModel(
        "Synthetic Cedar 34B",
        _NORTHLIGHT,
        0.79,
        2,
        "34",
        "Apache-2.0",
        shares_luck_of="Synthetic Birch 34B",
    ),
    SyntheticModel("Synthetic Dogwood", _QUILL, 0.77, 3),
    SyntheticModel("Synthetic Elm 13B", _HARBOUR, 0.73, 1, "13", "MIT"),
    SyntheticModel("Synthetic Fir 14B", _BASALT, 0.72, 2, "14", "research only"),
    SyntheticModel("Synthetic Ginkgo 20B", _HARBOUR, 0.68, 3, "20", "MIT"),
    SyntheticModel("Synthetic Hazel 8B", _QUILL, 0.63, 1, "8", "CC-BY-NC-4.0"),
    SyntheticModel("Synthetic Iris 9B", _BASALT, 0.61, 2, "9", "research only"),
    SyntheticModel("Synthetic Juniper 7B", _NORTHLIGHT, 0.58, 3, "7", "Apache-2.0"),
    SyntheticModel("Synthetic Katsura 7B", _NOWHERE, 0.55, 2, "7", "MIT", withdrawn=3),
    SyntheticModel("Synthetic Larch", _QUILL, 0.53, 1),
    SyntheticModel("Synthetic Myrtle 4B", _HARBOUR, 0.50, 3, "4", "Apache-2.0"),
    SyntheticModel("Synthetic Nutmeg 3B", _NOWHERE, 0.47, 1, "3", "MIT"),
    SyntheticModel("Synthetic Oleander 1.5B", _NORTHLIGHT, 0.44, 1, "1.5", "Apache-2.0"),
)
_SECOND_TRIES = (("Synthetic Hazel 8B", 3, 0.70),)
"""Better answers of a model that had handed in before, and their rate."""


def entries_of_day(day: int) -> tuple[SyntheticEntry, ...]:
    first = [SyntheticEntry(model, day, model.rate) for model in MODELS if model.day == day]
    by_name = {model.name: model for model in MODELS}
    again = [
        SyntheticEntry(by_name[name], day, rate) for name, on, rate in _SECOND_TRIES if on == day
    ]
    return (*first, *again)


def withdrawn_on(day: int) -> tuple[SyntheticEntry, ...]:
    return tuple(SyntheticEntry(m, m.day, m.rate) for m in MODELS if m.withdrawn == day)


def generator(*names: str) -> np.random.Generator:
    """The same for the same names, in every process and version of Python."""
    return np.random.default_rng([crc32(name.encode()) for name in names])


def qualities(entry: SyntheticEntry, release: str, abilities: Sequence[str]) -> NDArray[np.float64]:
    """How good each answer is to be, from 0 to 1; abilities: that of each question of the release.

    As many are right as the rate says, those that are easiest for the model: questions differ in
    difficulty, the same for all models, and models in what they are good at.
    """
    size, luck = len(abilities), entry.model.shares_luck_of or entry.model.name
    difficulty = generator(release).standard_normal(size)
    skills = {a: generator(luck, a).normal(0, _ABILITY_SPREAD) for a in sorted({*abilities})}
    noise = generator(luck, release).normal(0, _NOISE_SPREAD, size)
    ease = np.array([skills[ability] for ability in abilities]) + noise - difficulty
    own = generator(entry.name, release)
    rate = entry.rate + own.uniform(-_RATE_SPREAD, _RATE_SPREAD)
    is_right = np.zeros(size, dtype=bool)
    is_right[np.argsort(-ease)[: round(rate * size)]] = True
    return np.where(is_right, own.uniform(*_GOOD, size), own.uniform(*_BAD, size))
