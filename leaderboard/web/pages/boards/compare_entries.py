"""The two to six entries of a comparison, as its page names them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from django.utils.safestring import SafeString

from benchmarks.submissions.naming.lookalike_names import skeleton
from leaderboard.results.formatting import MISSING, print_interval, print_rank, print_value
from leaderboard.results.selectors import BoardEntry, BoardReading
from leaderboard.web.board.charts import chosen_models
from leaderboard.web.board.comparison import name_with_origin
from leaderboard.web.pages.boards.compare_choices import CompareChoices


@dataclass(frozen=True, slots=True)
class ComparedEntry:
    """`without` is the address of the comparison without it."""

    entry: BoardEntry
    marker: SafeString
    name: str
    score: str
    interval: str
    rank: str
    without: str


def compared_entries(
    reading: BoardReading, entries: Sequence[BoardEntry], choices: CompareChoices
) -> tuple[ComparedEntry, ...]:
    metric = reading.metrics[reading.board.ranking]
    names, legend = names_among(entries), chosen_models(reading, entries)
    found = []
    for entry, line in zip(entries, legend, strict=True):
        figure = entry.figure(metric.name)
        rank = print_rank(entry.rank_best, entry.rank_worst)
        others = [str(one.id) for one in entries if one is not entry]
        found.append(
            ComparedEntry(
                entry=entry,
                marker=line.marker,
                name=names[entry.id],
                score=print_value(metric, figure.value) if figure else MISSING,
                interval=print_interval(metric, figure) if figure else "",
                rank=MISSING if entry.scored_since else rank,
                without=choices.url(m=others, won="", lost=""),
            )
        )
    return tuple(found)


def names_among(entries: Sequence[BoardEntry]) -> Mapping[UUID, str]:
    """By their models; those that are easily taken for another one also by who handed them in, and
    by the day where that is the same too."""
    found = {}
    for entry in entries:
        alike = [
            e for e in entries if e is not entry and skeleton(e.model) == skeleton(entry.model)
        ]
        days = any(other.handed_in_by == entry.handed_in_by for other in alike)
        found[entry.id] = name_with_origin(entry, day=days) if alike else entry.model
    return found
