"""What the board shows: the share of right answers, over all and by subtask."""

from collections.abc import Mapping

from benchmarks.protocols.base import Board, BoardTable, ColumnGroup, Metric

from .dataset import TAXONOMY

ACCURACY = Metric("accuracy", "Accuracy", "Share of answers that are right.")
SUBTASKS = tuple(
    Metric(
        f"accuracy@{entry.slug}",
        entry.title,
        f"Share of right answers to “{entry.title}” questions.",
        empty="no such question has a verdict",
    )
    for ability in TAXONOMY
    for entry in ability.subtasks
)
BOARD = Board(
    summary="Questions that a word or two answer.",
    how="A model says whether an answer says the same as the reference. An answer of which "
    "nobody could read what it said counts neither as right nor as wrong.",
    ranking=ACCURACY.name,
    min_coverage=0.99,
    tables=(
        BoardTable(
            "accuracy",
            "Accuracy",
            "Shares of right answers.",
            (ColumnGroup("Ranking", (ACCURACY,)), ColumnGroup("Subtasks", SUBTASKS)),
        ),
    ),
)
METRICS: Mapping[str, Metric] = {metric.name: metric for metric in BOARD.metrics()}
