"""What is told of all entries of a board together: of one that is computed for its reader, and of
one that is to be stored."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from typing import Any
from uuid import UUID

import numpy as np

from benchmarks.protocols.base import Metric
from benchmarks.statistics.firsts import may_be_first
from benchmarks.statistics.resampling import Floats
from benchmarks.statistics.unpaired import Middle, middle_of
from leaderboard.results.selectors.readings import (
    BoardEntry,
    ColumnSpan,
    Counts,
    most_common,
    organisations_among,
)


class EntryValues:
    """The columns of entries that have their figures, each when it is looked at."""

    def __init__(self, entries: Sequence[BoardEntry]) -> None:
        self.entries = entries

    def ends(self, name: str) -> Floats:
        """Value, low and high of each entry in a metric, (entries, 3); nan where there is none."""
        figures = [entry.figure(name) for entry in self.entries]
        ends = [(f.value, f.low, f.high) if f else (None, None, None) for f in figures]
        return np.array(ends, dtype=np.float64).reshape(-1, 3)

    def counts(self, name: str) -> Mapping[int, int]:
        """How many values of a metric count over how many answers."""
        figures = (entry.figure(name) for entry in self.entries)
        return Counter(figure.n for figure in figures if figure and figure.value is not None)


class PackedValues:
    """The same of scoresheets that are read one after the other. asked: of the first, how many rows
    of the release each metric looks at."""

    def __init__(self, size: int) -> None:
        self.size = size
        self.arrays: dict[str, Floats] = {}
        self.counted: defaultdict[str, Counter[int]] = defaultdict(Counter)
        self.asked: dict[str, int] = {}

    def add(self, position: int, packed: Mapping[str, Sequence[Any]]) -> None:
        for name, value in packed.items():
            if name not in self.arrays:
                self.arrays[name] = np.full((self.size, 3), np.nan)
            self.arrays[name][position] = value[:3]  # None becomes nan
            if value[0] is not None:
                self.counted[name][int(value[4] or 0)] += 1
            if position == 0:
                self.asked[name] = int(value[5] or 0)

    def ends(self, name: str) -> Floats:
        return self.arrays.get(name, np.full((self.size, 3), np.nan))

    def counts(self, name: str) -> Mapping[int, int]:
        return self.counted.get(name, {})


class WholeBoard:
    """All entries of a board, in its order, and the values of its columns. What is told of a column
    is computed when it is asked for: a card needs none."""

    def __init__(self, entries: Sequence[BoardEntry], values: EntryValues | PackedValues) -> None:
        self.entries, self.values = entries, values
        self.ranked = [entry for entry in entries if entry.rank is not None]
        self.compared = [
            position
            for position, entry in enumerate(entries)
            if entry.rank is not None and entry.same_answers_as is None
        ]

    @property
    def counts(self) -> Counts:
        return Counts(
            entries=len(self.entries),
            ranked=len(self.ranked),
            folded=sum(entry.same_answers_as is not None for entry in self.entries),
            behind=sum(bool(entry.by_older_texts) for entry in self.entries),
            ranked_rows=len(self.compared),
        )

    @property
    def organisations(self) -> tuple[str, ...] | None:
        return organisations_among(entry.facts.organisation for entry in self.entries)

    def valued(self, names: Iterable[str]) -> list[str]:
        """Those of these metrics in which any entry has a value."""
        return [name for name in names if self.values.counts(name)]

    def span(self, name: str) -> ColumnSpan | None:
        """None where no entry has a value."""
        counts = self.values.counts(name)
        if not counts:
            return None
        ends = self.values.ends(name)
        return ColumnSpan(float(np.nanmin(ends)), float(np.nanmax(ends)), most_common(counts))

    def middle(self, name: str) -> Middle | None:
        """Over the entries with a rank, of equal answers one."""
        return middle_of(*self.values.ends(name)[self.compared].T)

    def firsts(self, metric: Metric, *, ranking: str) -> Set[UUID]:
        """Ids of the ranked entries that may be first in the column. The ranking's are told by
        paired draws, of others by the intervals that are stored (`statistics.firsts`); entries of
        equal answers are compared once."""
        if metric.name == ranking:
            return {entry.id for entry in self.ranked if entry.may_be_first}
        if metric.higher_is_better is None:
            return set()
        ends = self.values.ends(metric.name)[self.compared].T
        found = may_be_first(*ends, higher_is_better=metric.higher_is_better)
        ids = {self.entries[self.compared[place]].id for place in np.flatnonzero(found)}
        return ids | {entry.id for entry in self.ranked if entry.same_answers_as in ids}


class Firsts(Mapping[str, Set[UUID]]):
    """By metric who of a whole board may be first in its column."""

    def __init__(self, whole: WholeBoard, metrics: Mapping[str, Metric], ranking: str) -> None:
        self.whole, self.metrics, self.ranking = whole, metrics, ranking
        self.by_metric: dict[str, Set[UUID]] = {}

    def __getitem__(self, name: str) -> Set[UUID]:
        metric = self.metrics[name]
        if name not in self.by_metric:
            self.by_metric[name] = self.whole.firsts(metric, ranking=self.ranking)
        return self.by_metric[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.metrics)

    def __len__(self) -> int:
        return len(self.metrics)
