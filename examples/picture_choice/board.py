"""What the board shows: the share of right choices, where it comes from, and what guessing would
get."""

from collections.abc import Mapping

from benchmarks.protocols.base import Board, BoardTable, ColumnGroup, Heatmap, Metric

from .dataset import TAXONOMY

ACCURACY = Metric("accuracy", "Accuracy", "Share of questions whose right option was chosen.")
NO_CHOICE = Metric(
    "no_choice",
    "No option",
    "Share of answers that name no option, or several. They count as wrong.",
    higher_is_better=None,
)
CHANCE = Metric(
    "chance", "Chance", "What guessing gets on average: one over the number of options.", None
)
ABOVE_CHANCE = Metric(
    "above_chance", "Above chance", "Accuracy less what guessing gets.", unit="ratio", digits=3
)


def _accuracy_of(slug: str, title: str) -> Metric:
    about = f"Share of right options among “{title}” questions."
    return Metric(f"accuracy@{slug}", title, about, empty="no such question has a verdict")


ABILITIES = tuple(_accuracy_of(ability.slug, ability.title) for ability in TAXONOMY)
SUBTASKS = tuple(
    ColumnGroup(
        ability.title, tuple(_accuracy_of(entry.slug, entry.title) for entry in ability.subtasks)
    )
    for ability in TAXONOMY
)
BOARD = Board(
    summary="Small pictures with a question each, and two to four answers to choose from.",
    how=(
        "The option that an answer names is read by rules, and no judge is asked: its letter, or "
        "its text. An answer that names none or several is wrong."
    ),
    ranking=ACCURACY.name,
    min_coverage=1.0,
    tables=(
        BoardTable(
            "accuracy",
            "Overview",
            "Shares of right options.",
            (
                ColumnGroup("Ranking", (ACCURACY,)),
                ColumnGroup("Abilities", ABILITIES),
                ColumnGroup("Beside it", (ABOVE_CHANCE, CHANCE, NO_CHOICE)),
            ),
        ),
        BoardTable("subtasks", "Subtasks", "The same share by subtask.", SUBTASKS),
    ),
    charts=(
        Heatmap("subtask-map", "Subtasks of all entries", "Share by subtask.", SUBTASKS, 0, 1),
    ),
)
METRICS: Mapping[str, Metric] = {metric.name: metric for metric in BOARD.metrics()}
