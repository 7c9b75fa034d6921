"""Which cases of a long test `make test` runs: a few of them; `make test-slow` and CI run the rest."""

from collections.abc import Callable, Iterable
from typing import Any

import pytest


def slow_except(values: Iterable[Any], is_kept: Callable[[Any], bool]) -> list[Any]:
    """The values as parameters, in their order; those that are not kept are slow."""
    return [
        value if is_kept(value) else pytest.param(value, marks=pytest.mark.slow) for value in values
    ]


def slow_except_every(step: int, values: Iterable[Any]) -> list[Any]:
    """The first, and every so many after it, are quick."""
    numbered = list(enumerate(values))
    return [v if n % step == 0 else pytest.param(v, marks=pytest.mark.slow) for n, v in numbered]
