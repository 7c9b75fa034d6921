"""What `lines` measured at each size, printed side by side."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

FLAT = 1.2
"""A line that costs at most a fifth more at any size than at the smallest is flat."""
TRIVIAL = "a trivial view"
NOT_COMPARED = ("database", "migrated in")


@dataclass(frozen=True, slots=True)
class Value:
    """None where the site has no such thing."""

    value: float | None
    unit: str
    queries: int | None


@dataclass(frozen=True, slots=True)
class Result:
    """A site of one size. lines: by name; dearest: lines about the queries of each."""

    database: str
    size: int
    lines: Mapping[str, Value]
    faults: tuple[str, ...]
    dearest: Mapping[str, Sequence[str]]
    load: float

    @classmethod
    def read(cls, report: Mapping[str, Any]) -> "Result":
        return cls(
            report["database"],
            report["size"],
            {
                line["name"]: Value(line["value"], line["unit"], line["queries"])
                for line in report["lines"]
            },
            tuple(report["faults"]),
            report["dearest"],
            report["load"],
        )


def table(results: Sequence[Result]) -> str:
    """A row per line: its value at each size, its ratios to the smallest, the queries, and how many
    trivial views of the same process the largest one costs."""
    smallest, largest = results[0], results[-1]
    heads = [
        f"{smallest.database}: submissions",
        *(f"{result.size:,}" for result in results),
        *(f"{result.size:,} / {smallest.size:,}" for result in results[1:]),
        "queries",
        "trivial views",
        "",
    ]
    rows = [heads, *(row(name, results) for name in largest.lines)]
    widths = [max(len(line[column]) for line in rows) for column in range(len(heads))]
    loads = ", ".join(f"{result.load:.1f}" for result in results)
    return "\n".join(
        [
            *(
                "  ".join(
                    cell.rjust(width) if column else cell.ljust(width)
                    for column, (cell, width) in enumerate(zip(line, widths, strict=True))
                ).rstrip()
                for line in rows
            ),
            f"Load of the machine while it was measured: {loads}.",
        ]
    )


def row(name: str, results: Sequence[Result]) -> list[str]:
    values = [result.lines.get(name) for result in results]
    base, last = values[0], values[-1]
    unit = last.unit if last else ""
    ratios = [ratio(value, base) for value in values[1:]]
    trivial = results[-1].lines[TRIVIAL].value
    return [
        f"{name}, {unit}",
        *("not there" if v is None or v.value is None else number(v.value) for v in values),
        *("" if r is None or name in NOT_COMPARED else f"{r:.2f}" for r in ratios),
        queries(values),
        f"{last.value / trivial:,.0f}"
        if last and last.value is not None and trivial and unit == "ms"
        else "",
        "" if name in NOT_COMPARED else verdict(ratios),
    ]


def ratio(value: Value | None, base: Value | None) -> float | None:
    if value is None or base is None or value.value is None or not base.value:
        return None
    return value.value / base.value


def verdict(ratios: Sequence[float | None]) -> str:
    known = [found for found in ratios if found is not None]
    if not known:
        return ""
    return "flat" if max(known) <= FLAT else "GROWS"


def queries(values: Sequence[Value | None]) -> str:
    counts = [value.queries for value in values if value and value.queries is not None]
    if not counts:
        return ""
    return str(counts[0]) if len(set(counts)) == 1 else f"{counts[0]} to {counts[-1]}"


def number(value: float) -> str:
    """Three digits that tell something."""
    if value >= 100:
        return f"{value:,.0f}"
    return f"{value:.1f}" if value >= 10 else f"{value:.2f}"


def faults_of(results: Sequence[Result]) -> str:
    found = list(dict.fromkeys(fault for result in results for fault in result.faults))
    if not found:
        return "No query of an idle sweep reads all of answers, judgements or calls."
    return "\n".join(f"FAULT: {fault}" for fault in found)


def dear_queries(results: Sequence[Result]) -> str:
    return "\n".join(told(results))


def told(results: Sequence[Result]) -> Iterator[str]:
    for result in results:
        for name, lines in result.dearest.items():
            yield f"\n{result.database}, {result.size:,} submissions: {name}"
            yield from lines
