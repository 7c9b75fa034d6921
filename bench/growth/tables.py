"""What `lines` measured at each size, printed side by side."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

FLAT = 1.2
"""A line that costs at most a fifth more at any size than at the smallest is flat."""
TRIVIAL, SWEEP = "a trivial view", "idle sweep"
LIST, WHOLE = "list", "whole"
"""Lines that bench.growth.lines names so."""
FULL = 100
"""Rows of a full page: what lists fewer has less to do."""
NOT_COMPARED = ("database", "migrated in", "memory while scoring", "memory kept")


@dataclass(frozen=True, slots=True)
class Value:
    """None where the site has no such thing."""

    value: float | None
    unit: str
    queries: int | None
    kind: str = ""
    is_over: bool = False


@dataclass(frozen=True, slots=True)
class Result:
    """A site of one size, as bench.growth.lines has it; lines by name."""

    database: str
    size: int
    lines: Mapping[str, Value]
    faults: Mapping[str, Sequence[str]]
    dearest: Mapping[str, Sequence[str]]
    load: float

    @classmethod
    def read(cls, report: Mapping[str, Any]) -> "Result":
        return cls(
            report["database"],
            report["size"],
            {
                line["name"]: Value(
                    line["value"],
                    line["unit"],
                    line["queries"],
                    kind=line["kind"],
                    is_over=line["is_over"],
                )
                for line in report["lines"]
            },
            report["faults"],
            report["dearest"],
            report["load"],
        )


def table(results: Sequence[Result]) -> str:
    """A row per line: its value at each size, its ratios to the smallest, the queries, and how many
    trivial views of the same process the largest one costs."""
    smallest = results[0]
    heads = [
        f"{smallest.database}: submissions",
        *(f"{result.size:,}" for result in results),
        *(f"{result.size:,} / {smallest.size:,}" for result in results[1:]),
        "queries",
        "trivial views",
        "",
    ]
    names = dict.fromkeys(name for result in results for name in result.lines)
    rows = [heads, *(row(name, results) for name in names)]
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
    unit = next(value.unit for value in values if value)
    ratios = [ratio(value, base) for value in values[1:]]
    trivial = results[-1].lines[TRIVIAL].value
    return [
        f"{name}, {unit}",
        *(cell(value) for value in values),
        *("" if r is None or name in NOT_COMPARED else f"{r:.2f}" for r in ratios),
        queries(values),
        f"{last.value / trivial:,.0f}"
        if last and last.value is not None and trivial and unit == "ms"
        else "",
        "" if name in NOT_COMPARED else verdict(name, results),
    ]


def cell(value: Value | None) -> str:
    if value is None or value.value is None:
        return "not there"
    return f"> {number(value.value)}" if value.is_over else number(value.value)


def ratio(value: Value | None, base: Value | None) -> float | None:
    if value is None or base is None or value.value is None or not base.value:
        return None
    return value.value / base.value


def verdict(name: str, results: Sequence[Result]) -> str:
    """Whether the line is flat: from the smallest site on, a list from the first full page on. What
    does something with the whole board is held to n log n."""
    kinds = {result.lines[name].kind for result in results if name in result.lines}
    since = [result for result in results if result.size >= FULL or LIST not in kinds]
    found = [
        (one / allowed(since[0].size, result.size) if WHOLE in kinds else one)
        for result in since[1:]
        if (one := ratio(result.lines.get(name), since[0].lines.get(name))) is not None
    ]
    if not found:
        return ""
    is_flat = max(found) <= FLAT
    if WHOLE in kinds:
        return "at most n log n" if is_flat else "GROWS FASTER than n log n"
    where = f", a list, from {since[0].size:,} on" if LIST in kinds else ""
    return ("flat" if is_flat else "GROWS") + where


def allowed(smallest: int, size: int) -> float:
    """What n log n grows by."""
    return size * math.log(size) / (smallest * math.log(smallest))


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
    """A line per query that reads all of a large table, those of sweeps first. Of the largest site:
    of few rows a database reads all, whatever indexes there are."""
    found = {
        f"{name}: {fault}": name != SWEEP
        for name, faults in results[-1].faults.items()
        for fault in faults
    }
    lines = [f"FAULT: {fault}" for fault, _ in sorted(found.items(), key=lambda item: item[1])]
    if all(found.values()):
        lines.insert(0, "No query of an idle sweep reads all of answers, judgements or calls.")
    return "\n".join(lines)


def dear_queries(results: Sequence[Result]) -> str:
    return "\n".join(told(results))


def told(results: Sequence[Result]) -> Iterator[str]:
    for result in results:
        for name, lines in result.dearest.items():
            yield f"\n{result.database}, {result.size:,} submissions: {name}"
            yield from lines
