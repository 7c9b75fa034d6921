"""A measured figure, its target and its reference, printed as one line."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Measured:
    """`value` against `target` (at most, or at least for a rate); `reference` has the same unit and
    is of this run."""

    name: str
    value: float
    unit: str
    target: float
    is_rate: bool = False
    reference_name: str = ""
    reference: float | None = None


def seconds(work: Callable[[], object], *, repeats: int = 3) -> float:
    """Median wall time of `repeats` calls."""
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return sorted(times)[len(times) // 2]


def table(lines: Sequence[Measured]) -> str:
    heads = ("what", "measured", "target", "of target", "reference", "ratio to it")
    rows = [heads, *(row(line) for line in lines)]
    widths = [max(len(row[i]) for row in rows) for i in range(len(heads))]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        for row in rows
    )


def row(line: Measured) -> tuple[str, ...]:
    share = line.value / line.target if line.is_rate else line.target / line.value
    reference, ratio = "", ""
    if line.reference is not None:
        reference = f"{line.reference_name} {line.reference:.4g} {line.unit}"
        better = line.value / line.reference if line.is_rate else line.reference / line.value
        ratio = f"{better:.2f}x"
    bound = "≥" if line.is_rate else "≤"
    verdict = f"{share:.1f}x {'ok' if share >= 1 else 'MISSED'}"
    return (
        line.name,
        f"{line.value:.4g} {line.unit}",
        f"{bound} {line.target:g} {line.unit}",
        verdict,
        reference,
        ratio,
    )
