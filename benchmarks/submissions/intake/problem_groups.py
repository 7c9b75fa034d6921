"""Problems of a file by kind: a thousand rows with the same fault are one line."""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from benchmarks.protocols.base import Problem

EXAMPLES = 3
_PLACE = re.compile(r"(?:byte|character) \d+")
"""What readers write as the column where it is no field: it differs from row to row."""


@dataclass(frozen=True, slots=True)
class ProblemGroup:
    """Problems with one code and field. `examples`: the first three of them."""

    code: str
    column: str
    count: int
    examples: tuple[Problem, ...]

    @property
    def rest(self) -> int:
        """Those that are no examples."""
        return self.count - len(self.examples)

    @property
    def rows(self) -> int:
        """Of a table that shows the examples and says how many more there are."""
        return len(self.examples) + bool(self.rest)


def grouped(problems: Iterable[Problem]) -> tuple[ProblemGroup, ...]:
    """In the order of their first problems. What is said of the whole file stands by itself."""
    found: dict[object, list[Problem]] = {}
    for problem in problems:
        column = "" if _PLACE.fullmatch(problem.column) else problem.column
        key = (problem.code, column) if problem.line else problem
        found.setdefault(key, []).append(problem)
    return tuple(
        ProblemGroup(
            those[0].code,
            "" if _PLACE.fullmatch(those[0].column) else those[0].column,
            len(those),
            tuple(those[:EXAMPLES]),
        )
        for those in found.values()
    )
