"""What was done in a run, and how it ended."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime

from tests.chaos.faults import Fault

KILLS = (Fault.KILL_CHILD, Fault.KILL_WORKER)


@dataclass(slots=True)
class Course:
    """`last_fault` by database time. `causes`, `most_unknown`: before a person had anything asked
    again."""

    done: Counter[Fault] = field(default_factory=Counter)
    revived: int = 0
    early_scores: int = 0
    fault_seconds: float = 0.0
    judged_before: int = 0
    last_fault: datetime | None = None
    terminal_seconds: float | None = None
    causes: Sequence[str] = ()
    most_unknown: int = 0
    asked_again: int = 0
    again_seconds: float | None = 0.0

    @property
    def kills(self) -> int:
        return sum(self.done[kill] for kill in KILLS)

    def report(self) -> str:
        lines = [f"{self.done[fault]:4} × {fault.value}" for fault in Fault if self.done[fault]]
        lines.append(f"{self.revived:4} × a worker ended by itself and was started again")
        lines.append(
            f"{self.kills:4} kills in {self.fault_seconds:.0f} s; {self.judged_before} were "
            "judged by then"
        )
        lines += [f"     {cause}" for cause in self.causes]
        return "\n".join(lines)
