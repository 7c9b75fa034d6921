"""How often rank ranges held in simulations, for boards to say of their own groups and entries.

Made by `python -m bench.ranks --held`: entries that are equal in truth, on groups of four questions
of which some are hard for all entries and some for one of them. Of the largest boards a share has a
standard error of 1.5.
"""

import math
from dataclasses import dataclass

ENTRIES = (2, 5, 10, 28, 100)
# By groups, for each of ENTRIES: percent of the ranges that held the true rank, and percent of the
# boards on which those that are to hold at once all did.
HELD: dict[int, tuple[tuple[float, float], ...]] = {
    3: ((98.4, 98.0), (100.0, 100.0), (100.0, 100.0), (100.0, 100.0), (100.0, 100.0)),
    5: ((96.8, 95.5), (97.1, 94.4), (95.2, 98.8), (99.0, 100.0), (99.6, 100.0)),
    8: ((95.0, 95.0), (95.9, 96.0), (96.2, 96.1), (95.5, 95.0), (96.7, 100.0)),
    11: ((96.0, 94.6), (95.9, 95.9), (95.7, 97.4), (95.6, 95.8), (95.9, 93.0)),
    15: ((95.1, 93.5), (96.1, 96.3), (95.5, 96.4), (95.9, 96.4), (96.0, 91.5)),
    20: ((95.2, 96.2), (95.4, 96.2), (96.2, 95.9), (96.5, 94.4), (96.4, 95.5)),
    30: ((95.3, 95.2), (95.6, 95.2), (95.1, 94.6), (96.2, 94.8), (96.9, 95.5)),
    50: ((96.0, 94.7), (95.1, 95.4), (95.2, 95.7), (95.8, 95.4), (96.2, 95.0)),
    100: ((94.8, 94.7), (95.0, 95.4), (95.7, 95.8), (95.1, 94.6), (95.5, 95.0)),
    200: ((95.0, 95.2), (96.5, 95.0), (95.5, 95.9), (94.9, 94.6), (95.5, 97.0)),
    500: ((95.5, 95.8), (95.2, 95.7), (94.4, 94.5), (94.9, 95.0), (95.1, 92.0)),
    1000: ((95.3, 95.0), (94.2, 94.4), (94.3, 94.1), (95.2, 94.8), (96.0, 96.0)),
}


@dataclass(frozen=True, slots=True)
class Simulated:
    """each, together: percent, as in HELD."""

    groups: int
    entries: int
    each: float
    together: float


def nearest(groups: float, entries: int) -> Simulated:
    """The case that is nearest to a board, by the ratios of groups and of entries.

    >>> nearest(20.8, 24)
    Simulated(groups=20, entries=28, each=96.5, together=94.4)
    """
    own = min(HELD, key=lambda case: abs(math.log(case / groups)))
    place = min(range(len(ENTRIES)), key=lambda i: abs(math.log(ENTRIES[i] / entries)))
    return Simulated(own, ENTRIES[place], *HELD[own][place])
