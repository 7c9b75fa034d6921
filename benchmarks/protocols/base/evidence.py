"""The port of `evidence.py`: what is needed to compute a board's figures anew without this
project."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.protocols.base.dataset import QuestionView
from benchmarks.protocols.base.judging import TextKind
from benchmarks.protocols.base.scoring import Ratings
from benchmarks.protocols.runs import Verdicts

Reading = Mapping[str, object]
"""What the scorer reads of one answer beside its verdicts, by a short name; plain JSON values."""
Readings = Callable[[Sequence[QuestionView], Sequence[str], Verdicts, Ratings], Sequence[Reading]]
"""As ScoringPort.contributions, with a reading for each answer."""


@dataclass(frozen=True, slots=True)
class Tells:
    """A reading that tells of a text which may be hidden, and the metrics, by the part of their
    names before "@", that cannot be computed without it."""

    text: TextKind
    metrics: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Evidence:
    """recount: a Python file, NumPy alone, that is handed out as it is. Its function `recount`
    makes contributions of exported questions, answers and verdicts (leaderboard/evidence/).
    tells: by name, readings that are left out where a text is hidden."""

    recount: Path
    readings: Readings
    tells: Mapping[str, Tells] = field(default_factory=dict)
