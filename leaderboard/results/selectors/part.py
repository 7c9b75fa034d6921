"""The one reader of boards: what a part asks for of the rows of a board, whether it is stored
(`stored`), kept of the past (`snapshots`), or computed for its reader."""

import math
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import replace
from functools import cached_property
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from benchmarks.protocols.base import Metric
from leaderboard.results.selectors.readings import (
    MOST_FOLDED,
    SIZES,
    BoardEntry,
    BoardPart,
    BoardReading,
    Folded,
    in_order,
    of_known_organisation,
    of_known_page,
)
from leaderboard.results.selectors.whole import EntryValues, Firsts, WholeBoard
from leaderboard.results.snapshots.columns import Columns

Marks = NDArray[np.bool_]
ROWS_AT_ONCE = 500
"""Rows that are streamed together, some megabytes with their figures."""


class BoardRows:
    """The rows of a board by their places in its order, from 0; few of them are read.

    leads: of each the place of the row whose place on the board it shares, below 0 where it stands
    by itself. is_left: False for what is not to be shown.
    """

    def __init__(self, *, leads: NDArray[np.int64], is_ranked: Marks, is_baseline: Marks) -> None:
        self.leads, self.is_ranked, self.is_baseline = leads, is_ranked, is_baseline
        self.is_left = np.ones(len(leads), dtype=bool)

    def at(self, places: Iterable[int]) -> tuple[BoardEntry, ...]:
        """Those of them that may be shown."""
        raise NotImplementedError

    def places_of(self, entries: Set[UUID]) -> Iterable[int]:
        raise NotImplementedError

    @cached_property
    def every(self) -> Sequence[BoardEntry]:
        return self.at(range(len(self.leads)))

    def first_counts(self, ranking: str) -> Mapping[str, int]:
        """By metric, how many of all rows may be first in its column, where `firsts` names only
        those of them that were read."""
        return {}

    def best_of(self, models: Set[int]) -> Sequence[BoardEntry]:
        ranked = [entry for entry in self.every if entry.rank and entry.model_id in models]
        return list({entry.model_id: entry for entry in reversed(ranked)}.values())

    def fitting(self, part: BoardPart) -> Marks:
        return np.array([fits(entry, part) for entry in self.every], dtype=bool)

    def ordered(self, metric: str, *, ascending: bool) -> NDArray[np.int64]:
        found = in_order(self.every, metric, ascending=ascending)
        return np.array([entry.position for entry in found], dtype=np.int64)

    def shown(self, part: BoardPart, fitting: Marks) -> list[int]:
        """Places of what fits, in the order of the part. Where those that share a place are folded,
        the row that stands for any that fits, so that it is found by the name of each."""
        found, is_folded = self.is_left & fitting, self.leads >= 0
        if part.fold:
            found[self.leads[found & is_folded]] = True
            found &= self.is_left & ~is_folded
        if not part.order:
            return list(np.flatnonzero(found).tolist())
        places = self.ordered(part.order, ascending=part.ascending)
        return list(places[found[places]].tolist())

    def also(self, part: BoardPart, ranking: Metric) -> Set[int]:
        """Places of what the part wants wherever it stands."""
        found = set(self.places_of(part.also)) if part.also else set()
        baselines = self.is_baseline & self.is_left & part.baselines
        return (
            found | self.neighbours(found, part, ranking) | set(np.flatnonzero(baselines).tolist())
        )

    def neighbours(self, found: Set[int], part: BoardPart, ranking: Metric) -> Set[int]:
        """Rows with a place on both sides of these and of the part's score, however many rows the
        board has: a score is sought by halving."""
        if not part.near:
            return set()
        placed = self.placed[self.is_left[self.placed]].tolist()
        among = [bisect_left(placed, place) for place in found if self.is_ranked[place]]
        if part.score is not None:
            sign = -1.0 if ranking.higher_is_better is not False else 1.0

            def value(place: int) -> float:
                row = next(iter(self.at([place])), None)
                score = row.value(ranking.name) if row else None
                return math.inf if score is None else sign * score

            among.append(bisect_left(placed, sign * part.score, key=value))
        return {
            place
            for middle in among
            for place in placed[max(middle - part.near, 0) : middle + part.near + 1]
        }

    @cached_property
    def placed(self) -> NDArray[np.int64]:
        """The ranked rows without those that share the place of another."""
        return np.flatnonzero(self.is_ranked & (self.leads < 0))

    def first_two(self) -> list[int]:
        """Places of the first two ranked rows; none where the entry that all were compared with is
        not left."""
        ranked = self.placed
        if not self.is_left[ranked[:1]].all():
            return []
        return list(ranked[self.is_left[ranked]][:2].tolist())

    def folded(self, read: Sequence[BoardEntry], fitting: Marks) -> Mapping[UUID, Folded]:
        """What shares the place of these, before all others what fits."""
        ids = {entry.position: entry.id for entry in read}
        below = np.flatnonzero(np.isin(self.leads, list(ids)) & self.is_left)
        groups: defaultdict[int, list[int]] = defaultdict(list)
        for place in below[np.argsort(~fitting[below], kind="stable")].tolist():
            groups[int(self.leads[place])].append(place)
        return {
            ids[lead]: Folded(len(places), self.at(places[:MOST_FOLDED]))
            for lead, places in groups.items()
        }

    def in_parts(self, places: Sequence[int]) -> Iterator[BoardEntry]:
        for start in range(0, len(places), ROWS_AT_ONCE):
            yield from self.at(places[start : start + ROWS_AT_ONCE])


class ColumnRows(BoardRows):
    """Of a board whose rows are kept as columns. together: which of both rank ranges counts."""

    def __init__(self, columns: Columns, *, together: bool) -> None:
        super().__init__(**columns.of_rows())
        self.columns, self.together = columns, together

    def first_counts(self, ranking: str) -> Mapping[str, int]:
        return self.columns.first_counts(ranking, together=self.together)


def read_part(head: BoardReading, rows: BoardRows, part: BoardPart) -> BoardReading:
    """`head`, which says what is told of the whole board, with what `part` asks for."""
    part = of_known_organisation(part, head.organisations)
    fitting = rows.fitting(part) if part.is_filtered else np.ones(len(rows.leads), dtype=bool)
    places = rows.shown(part, fitting)
    part = of_known_page(part, len(places))
    end = None if part.count is None else part.first + part.count
    wanted, first_two = places[part.first : end], rows.first_two()
    also = sorted(rows.also(part, head.metrics[head.board.ranking]) - set(wanted))
    others = [place for place in first_two if place not in {*wanted, *also}]
    read = {entry.position: entry for entry in rows.in_parts([*wanted, *also, *others])}
    told = [entry for place, entry in read.items() if place not in others]
    leader, second, *_ = (*(read[place] for place in first_two), None, None)
    return replace(
        head,
        entries=tuple(read[place] for place in wanted if place in read),
        part=part,
        also=tuple(read[place] for place in also if place in read),
        matching=len(places),
        firsts=head.firsts or firsts_among(told, head.board.ranking),
        first_counts=rows.first_counts(head.board.ranking),
        folded=rows.folded(told, fitting),
        leader=leader,
        second=second,
        stream=lambda: rows.in_parts(places[part.first :]),
        best_of=rows.best_of,
    )


def firsts_among(read: Iterable[BoardEntry], ranking: str) -> Mapping[str, Set[UUID]]:
    """By metric, who of these may be first in its column; of what ranks the kind of rank range
    decides."""
    found: defaultdict[str, set[UUID]] = defaultdict(set)
    for entry in read:
        for name in (*entry.firsts, *([ranking] if entry.may_be_first else [])):
            found[name].add(entry.id)
    return found


def cut(head: BoardReading, part: BoardPart) -> BoardReading:
    """What `part` asks for of a reading that holds all entries in board order."""
    every = head.entries
    whole = WholeBoard(every, EntryValues(every))
    told = replace(
        head,
        counts=whole.counts,
        valued=frozenset(whole.valued(head.board.metric_names())),
        firsts=Firsts(whole, head.metrics, head.board.ranking),
        organisations=whole.organisations,
        span=whole.span,
        middle=whole.middle,
        asked={name: figure.asked for name, figure in every[0].figures.items()} if every else {},
    )
    return read_part(told, HeldRows(every), part)


class HeldRows(BoardRows):
    """Of entries that were all computed."""

    def __init__(self, entries: Sequence[BoardEntry]) -> None:
        self.entries = [replace(entry, position=place) for place, entry in enumerate(entries)]
        places = self.places = {entry.id: entry.position for entry in self.entries}
        leads = [places[e.same_answers_as] if e.same_answers_as else -1 for e in entries]
        super().__init__(
            leads=np.array(leads, dtype=np.int64),
            is_ranked=np.array([entry.rank is not None for entry in entries], dtype=bool),
            is_baseline=np.array([entry.origin == "baseline" for entry in entries], dtype=bool),
        )

    def at(self, places: Iterable[int]) -> tuple[BoardEntry, ...]:
        return tuple(self.entries[place] for place in places)

    def places_of(self, entries: Set[UUID]) -> Iterable[int]:
        return (self.places[key] for key in entries & self.places.keys())


def fits(entry: BoardEntry, part: BoardPart) -> bool:
    """What is not told is not found either, by its absence no more than by itself."""
    if entry.is_gone:
        return False
    if part.open_weights and not entry.facts.is_open_weights:
        return False
    if part.size and not SIZES[part.size].holds(entry.facts.billions):
        return False
    if part.organisation and part.organisation != entry.facts.organisation:
        return False
    text = searched_text(entry)
    return (not part.verified or bool(entry.verified)) and all(word in text for word in part.words)


def searched_text(entry: BoardEntry) -> str:
    return f"{entry.model}\n{entry.facts.organisation}".casefold()
