"""The page that says how a benchmark's scores are made."""

from dataclasses import dataclass

from benchmarks.protocols.base import BenchmarkProtocol
from benchmarks.submissions.marks.flagging import RULES
from leaderboard.results.judges.seals import WorthTable, worth_table


@dataclass(frozen=True, slots=True)
class MethodPage:
    slug: str
    title: str
    summary: str
    how: str
    metrics: tuple[tuple[str, str, str], ...]
    marks: tuple[tuple[str, str], ...]
    worth: WorthTable | None


def method_page(family: BenchmarkProtocol) -> MethodPage:
    board = family.board.BOARD
    directions = {True: "higher is better", False: "lower is better", None: "no better direction"}
    return MethodPage(
        slug=family.slug,
        title=family.title,
        summary=board.summary,
        how=board.how,
        metrics=tuple((m.title, m.about, directions[m.higher_is_better]) for m in board.metrics()),
        marks=tuple((rule.title, rule.about) for rule in RULES.values()),
        worth=worth_table(board, family.judging.RULES_VERSION),
    )
