"""How the time that something takes grows with a text, told by processor seconds."""

import importlib
import pkgutil
import time
from collections.abc import Callable, Iterator, Sequence
from types import ModuleType

import benchmarks
import examples
import judging
import leaderboard

SIZES = (5_000, 20_000, 80_000)
"""The middle one is the longest answer that a file may hold."""
MOST_GROWTH = 8.0
"""Of the time, where the text grows fourfold: linear is 4, quadratic 16."""
NOISE_SECONDS = 0.004  # what a busy machine adds to the time of nothing
DISTURBED_SECONDS = 5.0
"""What takes less is timed again: a collection of garbage in a process of tests may take 1.6."""
TRIES = 3
UNITS = (
    " ",
    "\n",
    "\t",
    "a",
    "A",
    "1",
    "_",
    ".",
    ",",
    "-",
    "'",
    '"',
    "(",
    ")",
    "[",
    "{",
    "<",
    "\\",
    "a ",
    "a.",
    "a,",
    "1,",
    "1.",
    "a-",
    "a'",
    "yes ",
    "no ",
    "yes or no ",
    "not ",
    " , ",
    "\\color",
    "\\color ",
    "<!-",
    "https:",
    "\u200d",
    "\u202e\u202d",
    "\U0001f1e6",
    "e\u0301",
    "\u4e00",
    "\ufdfa",
    "a\n",
    "\r\n",
    "}\n",
    "{}\n",
    '{"a": ',
    "\\n",
)
"""What texts against something are made of, again and again."""


def seconds(act: Callable[[], object], tries: int = 1) -> float:
    """Of processor time; the best of several tries is the one that nothing disturbed."""
    best = float("inf")
    for _ in range(tries):
        start = time.process_time()
        act()
        best = min(best, time.process_time() - start)
    return best


def growth_fault(act: Callable[[int], object], sizes: Sequence[int] = SIZES) -> str:
    """How the time that `act` takes for a size grows worse than the size; empty where it does
    not."""
    before = seconds(lambda: act(sizes[0]), TRIES)
    for size in sizes[1:]:
        took = seconds(lambda: act(size))  # noqa: B023 - used at once
        if is_worse(took, before) and took < DISTURBED_SECONDS:
            before = seconds(lambda: act(size // 4), TRIES)  # noqa: B023
            took = seconds(lambda: act(size), TRIES)  # noqa: B023
        if is_worse(took, before):
            return f"{took:.3f} s for {size:,} characters, {before:.3f} s for a quarter of them"
        before = took
    return ""


def is_worse(took: float, before: float) -> bool:
    return took > MOST_GROWTH * before + NOISE_SECONDS


def repeated(unit: str, length: int) -> str:
    """Exactly so many characters."""
    return (unit * (length // max(1, len(unit)) + 1))[: max(0, length)]


def modules() -> Iterator[ModuleType]:
    """Every one of the project."""
    for package in (benchmarks, examples, judging, leaderboard):
        for found in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            yield importlib.import_module(found.name)
