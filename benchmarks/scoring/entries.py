"""All figures of an entry, from its answers and what judge and people say of them."""

from collections.abc import Sequence
from dataclasses import dataclass

from benchmarks.protocols.base import BenchmarkProtocol, Contributions, QuestionView, Ratings
from benchmarks.protocols.runs import Verdicts
from benchmarks.scoring.anchoring import anchored_figures
from benchmarks.scoring.sheets import Sheet, score_sheet


@dataclass(frozen=True, slots=True)
class Scored:
    sheet: Sheet
    contributions: Contributions


def score_entry(
    family: BenchmarkProtocol,
    questions: Sequence[QuestionView],
    answers: Sequence[str],
    verdicts: Verdicts,
    ratings: Ratings,
    *,
    seed: int,
) -> Scored:
    """All sequences follow `questions`; `verdicts` has the columns of `comparing` too. seed: see
    `sheets.release_seed`."""
    board = family.board
    contributions = family.contributions(questions, answers, verdicts, ratings)
    sheet = score_sheet(
        contributions, metrics=board.METRICS, ranking=board.BOARD.ranking, seed=seed
    )
    anchors = family.anchors(questions, answers, verdicts, ratings)
    sheet.figures.update(anchored_figures(anchors, questions, board.METRICS))
    return Scored(sheet, contributions)
