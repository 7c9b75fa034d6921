"""The two to six entries of a comparison, as its page names them."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.utils.safestring import SafeString

from leaderboard.results.formatting import MISSING, print_interval, print_rank, print_value
from leaderboard.results.selectors import BoardEntry, BoardReading
from leaderboard.web.board.charts import chosen_models
from leaderboard.web.board.comparison import names_of
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
    legend = chosen_models(reading, entries)
    found = []
    for entry, line, name in zip(entries, legend, names_of(*entries), strict=True):
        figure = entry.figure(metric.name)
        rank = print_rank(entry.rank_best, entry.rank_worst)
        others = [str(one.id) for one in entries if one is not entry]
        found.append(
            ComparedEntry(
                entry=entry,
                marker=line.marker,
                name=name,
                score=print_value(metric, figure.value) if figure else MISSING,
                interval=print_interval(metric, figure) if figure else "",
                rank=MISSING if entry.scored_since else rank,
                without=choices.url(m=others, won="", lost=""),
            )
        )
    return tuple(found)
