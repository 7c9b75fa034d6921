"""How far compared entries are ahead of each other: in one sentence, in words for every pair, and
drawn, each with its interval."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any
from uuid import UUID

from django.utils.safestring import SafeString
from django.utils.text import get_text_list

from benchmarks.protocols.base import Metric
from benchmarks.statistics.differences import Difference
from benchmarks.submissions.marks.near_equals import DETAILS
from leaderboard.models import Scoresheet
from leaderboard.results.selectors import BoardReading, differences_between
from leaderboard.web.board.comparison import (
    ALL_AT_ONCE,
    difference_words,
    of_values,
    print_difference,
    print_ends,
)
from leaderboard.web.board.strips import difference_axis, difference_strip
from leaderboard.web.pages.boards.compare_entries import ComparedEntry

FEWEST = 2
MOST_NAMED = 3
"""Abilities that the sentence names; of more it says how many they are."""
MOST_DRAWN = 12
"""Abilities; the table below has them all."""
ALONE = "95 % interval"
SAME_ANSWERS = f"equal, because the two files contain the same answers, {DETAILS}"


@dataclass(frozen=True, slots=True)
class PairLine:
    """How far the one is ahead of the other, also in words."""

    one: ComparedEntry
    other: ComparedEntry
    difference: Difference
    words: str


def pair_lines(
    reading: BoardReading, entries: Sequence[ComparedEntry], sheets: Sequence[Scoresheet]
) -> tuple[PairLine, ...]:
    """Every pair of those that have a score, in the order of the page."""
    metric = reading.metrics[reading.board.ranking]
    scored = [i for i, sheet in enumerate(sheets) if sheet.ranking is not None]
    if len(scored) < FEWEST:
        return ()
    figures = [entries[i].entry.figure(metric.name) for i in scored]
    known = [figure.groups for figure in figures if figure and figure.groups is not None]
    differences = differences_between(
        [sheets[i] for i in scored], reading.board, groups=min(known, default=None)
    )
    lines = []
    for place, behind in combinations(range(len(scored)), 2):
        one, other = entries[scored[place]], entries[scored[behind]]
        difference = differences.between(place, behind)
        same = answers_of(one) == answers_of(other)
        holds = ALONE if len(scored) == FEWEST else ALL_AT_ONCE
        words = SAME_ANSWERS if same else difference_words(metric, difference, holds=holds)
        lines.append(PairLine(one, other, difference, words))
    return tuple(lines)


def answers_of(entry: ComparedEntry) -> UUID:
    """The same for entries with the same answers."""
    return entry.entry.same_answers_as or entry.entry.id


# --- in a sentence --------------------------------------------------------------------------------


def answer_of(
    metric: Metric,
    entries: Sequence[ComparedEntry],
    pairs: Sequence[PairLine],
    tables: Sequence[Mapping[str, Any]],
) -> str:
    """ "Alder is 14.4 points ahead of Birch (−0.3 to +29.1, 95 % interval): too close to call.",
    and what either is clearly better at; of more than two who leads them, and by how much. Empty
    where fewer than two have a score."""
    if not pairs:
        return ""
    scored = {entry.entry.id for pair in pairs for entry in (pair.one, pair.other)}
    lead = best_pair(pairs)
    equal = equals_of(lead, pairs)
    if len(equal) > FEWEST:
        lead_these = "are" if len(equal) == len(scored) else f"lead these {len(scored)} models,"
        return f"{get_text_list(equal, 'and')} {lead_these} equal."
    sentence = lead_sentence(metric, lead, len(scored))
    if len(entries) > FEWEST or not tables:
        return sentence
    return f"{sentence} {abilities_sentence(lead, entries, tables[0])}"


def best_pair(pairs: Sequence[PairLine]) -> PairLine:
    """The best against the next, the better one first."""
    behind: Counter[UUID] = Counter()
    for pair in pairs:
        behind[pair.one.entry.id] += pair.difference.ahead < 0
        behind[pair.other.entry.id] += pair.difference.ahead > 0
    found = min(pairs, key=lambda pair: behind[pair.one.entry.id] + behind[pair.other.entry.id])
    if found.difference.ahead >= 0:
        return found
    return replace(
        found, one=found.other, other=found.one, difference=found.difference.turned_round
    )


def equals_of(lead: PairLine, pairs: Sequence[PairLine]) -> list[str]:
    """Names of the best and of all that score the same."""
    beside = [pair for pair in pairs if lead.one in (pair.one, pair.other)]
    others = [
        pair.other if pair.one is lead.one else pair.one
        for pair in beside
        if not pair.difference.ahead
    ]
    return [lead.one.name, *(entry.name for entry in others)]


def lead_sentence(metric: Metric, lead: PairLine, count: int) -> str:
    one, other = lead.one.name, lead.other.name
    among = f" these {count} models," if count > FEWEST else ""
    if lead.words != SAME_ANSWERS and lead.difference.ahead:
        holds = ALL_AT_ONCE if among else ALONE
        words = difference_words(metric, lead.difference, of=other, holds=holds)
        return f"{one} {'leads' if among else 'is'}{among} {words}."
    return f"{one} and {other} {'lead' if among else 'are'}{among} {lead.words}."


def abilities_sentence(
    lead: PairLine, entries: Sequence[ComparedEntry], table: Mapping[str, Any]
) -> str:
    """Of two: what either is clearly better at."""
    found = []
    for entry, side in zip(entries, ("behind", "ahead"), strict=True):
        clear = [row for row in table["rows"] if row["cells"][1]["side"] == side]
        titles = [row["metric"].title for row in clear]
        if len(titles) > MOST_NAMED:
            titles = [f"{len(titles)} of {table['looked_at']} abilities"]
        if titles:
            name = "It" if lead.difference.ahead and entry is lead.one else entry.name
            found.append(f"{name} is clearly better at {get_text_list(titles, 'and')}.")
    if found or not table["looked_at"]:
        return " ".join(found)
    return "No single ability differs clearly."


# --- drawn ----------------------------------------------------------------------------------------


def difference_rows(
    metric: Metric,
    entries: Sequence[ComparedEntry],
    pairs: Sequence[PairLine],
    tables: Sequence[Mapping[str, Any]],
) -> list[dict[str, Any]]:
    """The first entry against each other; of two also by ability, as far as that is measured in the
    same unit. `points`: what the first one has more, with the `ends` of its interval."""
    first, is_pair = entries[0], len(entries) == FEWEST
    told = [
        (
            metric,
            "All questions" if is_pair else pair.other.name,
            SafeString() if is_pair else pair.other.marker,
            (pair.one.score, pair.other.score),
            pair.difference,
        )
        for pair in pairs
        if pair.one is first
    ]
    for row in tables[0]["rows"][:MOST_DRAWN] if is_pair and tables else ():
        (one, other), scope = row["cells"], row["metric"]
        if other["ahead"] and scope.unit == metric.unit:
            values, difference = (one["value"], other["value"]), other["ahead"].turned_round
            told.append((scope, scope.title, SafeString(), values, difference))
    axis = difference_axis([difference for *_, difference in told])
    return [
        {
            "title": title,
            "marker": marker,
            "values": values,
            "points": print_difference(of, of_values(of, difference).ahead),
            "ends": print_ends(of, of_values(of, difference)),
            "is_clear": difference.is_significant,
            "strip": difference_strip(axis, difference),
        }
        for of, title, marker, values, difference in told
    ]
