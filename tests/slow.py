"""Which cases of a long test `make test` runs: a few of them; `make test-slow` and CI run the
rest."""

from collections.abc import Callable, Iterable
from itertools import count
from typing import Any

import pytest


def slow_except(values: Iterable[Any], is_kept: Callable[[Any], bool]) -> list[Any]:
    """The values as parameters, in their order; those that are not kept are slow. A tuple is one
    case of several."""
    return [value if is_kept(value) else slow(value) for value in values]


def slow_except_every(step: int, values: Iterable[Any]) -> list[Any]:
    """The first, and every so many after it, are quick."""
    number = count()
    return slow_except(values, lambda _: next(number) % step == 0)


def slow(value: Any) -> Any:
    case = value if isinstance(value, tuple) else (value,)
    return pytest.param(*case, marks=pytest.mark.slow)
