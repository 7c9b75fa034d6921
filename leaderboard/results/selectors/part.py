"""A part of a board that was read whole."""

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import replace
from functools import partial
from uuid import UUID

import numpy as np

from benchmarks.protocols.base import Metric
from benchmarks.statistics.firsts import may_be_first
from leaderboard.results.selectors.readings import (
    MOST_FOLDED,
    SIZES,
    BoardEntry,
    BoardPart,
    BoardReading,
    Counts,
    Folded,
    in_order,
    middle_over,
    of_known_organisation,
    organisations_among,
    span_over,
)


def cut(whole: BoardReading, part: BoardPart) -> BoardReading:
    """What `part` asks for of a reading that holds all entries in board order, and what is told of
    the whole board."""
    every = whole.entries
    organisations = organisations_among(entry.facts.organisation for entry in every)
    part = of_known_organisation(part, organisations)
    ordered = in_order(every, part.order, ascending=part.ascending) if part.order else every
    found = places_that_fit(every, part)
    fitting = [entry for entry in ordered if entry.id in found]
    end = None if part.count is None else part.first + part.count
    shown = tuple(fitting[part.first : end])
    read = {entry.id for entry in shown}
    also = tuple(
        entry
        for entry in every
        if entry.id not in read
        and (entry.id in part.also or (part.baselines and entry.origin == "baseline"))
    )
    ranked_rows = [e for e in every if e.rank is not None and e.same_answers_as is None]
    leader, second, *_ = (*ranked_rows[:2], None, None)
    return replace(
        whole,
        entries=shown,
        part=part,
        also=also,
        matching=len(fitting),
        counts=counts_of(every),
        valued=valued_of(whole.board.metric_names(), every),
        organisations=organisations,
        firsts=Firsts(whole),
        folded=folded_below(every, part, read | {entry.id for entry in also}),
        leader=leader,
        second=second,
        span=partial(span_over, every),
        middle=partial(middle_over, every),
        stream=lambda: iter(fitting[part.first :]),
        asked={name: figure.asked for name, figure in every[0].figures.items()} if every else {},
    )


def places_that_fit(entries: Iterable[BoardEntry], part: BoardPart) -> Set[UUID]:
    """Ids of the entries to show: where those that share a place are folded, of the one that stands
    for any that fits, so that it is found by the name of each."""
    return {
        entry.same_answers_as if part.fold and entry.same_answers_as else entry.id
        for entry in entries
        if fits(entry, part)
    }


def fits(entry: BoardEntry, part: BoardPart) -> bool:
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


def counts_of(entries: Sequence[BoardEntry]) -> Counts:
    ranked = [entry for entry in entries if entry.rank is not None]
    return Counts(
        entries=len(entries),
        ranked=len(ranked),
        folded=sum(entry.same_answers_as is not None for entry in entries),
        behind=sum(bool(entry.by_older_texts) for entry in entries),
        ranked_rows=sum(entry.same_answers_as is None for entry in ranked),
    )


def valued_of(metrics: Iterable[str], entries: Sequence[BoardEntry]) -> frozenset[str]:
    return frozenset(
        name for name in metrics if any(entry.value(name) is not None for entry in entries)
    )


def folded_below(
    entries: Iterable[BoardEntry], part: BoardPart, leads: Set[UUID]
) -> Mapping[UUID, Folded]:
    """Those that are searched for before all others."""
    found: dict[UUID, list[BoardEntry]] = {}
    for entry in entries:
        if entry.same_answers_as is not None and entry.same_answers_as in leads:
            found.setdefault(entry.same_answers_as, []).append(entry)
    for some in found.values():
        some.sort(key=lambda entry: not fits(entry, part))
    return {lead: Folded(len(some), tuple(some[:MOST_FOLDED])) for lead, some in found.items()}


class Firsts(Mapping[str, Set[UUID]]):
    """By metric who of a whole board may be first in its column, told when it is asked for: a card
    needs no column."""

    def __init__(self, whole: BoardReading) -> None:
        self.whole = whole
        self.by_metric: dict[str, Set[UUID]] = {}

    def __getitem__(self, name: str) -> Set[UUID]:
        metric = self.whole.metrics[name]
        if name not in self.by_metric:
            ranking = self.whole.board.ranking
            self.by_metric[name] = firsts_of(metric, self.whole.entries, ranking=ranking)
        return self.by_metric[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.whole.metrics)

    def __len__(self) -> int:
        return len(self.whole.metrics)


def firsts_of(metric: Metric, entries: Sequence[BoardEntry], *, ranking: str) -> Set[UUID]:
    """Ids of the ranked entries that may be first in the column. The ranking's are told by paired
    draws, of others by the intervals that are stored (`statistics.firsts`); entries of equal
    answers are compared once."""
    ranked = [entry for entry in entries if entry.rank is not None]
    if metric.name == ranking:
        return {entry.id for entry in ranked if entry.may_be_first}
    if metric.higher_is_better is None:
        return set()
    compared = [entry for entry in ranked if entry.same_answers_as is None]
    figures = [entry.figure(metric.name) for entry in compared]
    ends = [(f.value, f.low, f.high) if f else (None, None, None) for f in figures]
    values, low, high = np.array(ends, dtype=np.float64).reshape(-1, 3).T
    found = may_be_first(values, low, high, higher_is_better=metric.higher_is_better)
    ids = {entry.id for entry, is_first in zip(compared, found, strict=True) if is_first}
    return ids | {entry.id for entry in ranked if entry.same_answers_as in ids}
