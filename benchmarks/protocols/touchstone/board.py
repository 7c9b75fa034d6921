"""What the TouchStone board shows: its columns, what each one means, and the printed figures
beside."""

from collections.abc import Mapping
from pathlib import Path

from benchmarks.protocols.base import (
    FROM_ZERO,
    Beside,
    Board,
    BoardTable,
    ColumnGroup,
    Heatmap,
    Metric,
    Radar,
    StackedBar,
)
from benchmarks.protocols.published import read_published
from benchmarks.protocols.touchstone.taxonomy import TAXONOMY

# --- scores ---------------------------------------------------------------------------------------

LOWEST, HIGHEST = 100.0, 1000.0


def _score(
    name: str, title: str, about: str, empty: str, higher_is_better: bool | None = True
) -> Metric:
    return Metric(name, title, about, higher_is_better, "score", 1, empty, (LOWEST, HIGHEST))


OVERALL = _score(
    "overall",
    "Overall",
    "Mean score of the model's answers over all rounds, times 100; from 100 to 1000 (official "
    "code).",
    "no round has a verdict",
)
ABILITIES = tuple(
    _score(
        f"overall@{ability.slug}",
        ability.title,
        f"Mean score over the rounds of {ability.title} questions, times 100; a question of "
        "several categories counts in each (official code).",
        "no question of this ability has a verdict",
    )
    for ability in TAXONOMY
)
SUBTASKS = tuple(
    ColumnGroup(
        ability.title,
        tuple(
            _score(
                f"overall@{subtask.slug}",
                subtask.title,
                f"Mean score over the rounds of “{subtask.title}” questions, times 100 (the "
                "paper's figure 6).",
                "no question of this subtask has a verdict",
            )
            for subtask in ability.subtasks
        ),
    )
    for ability in TAXONOMY
)
REFERENCE = _score(
    "reference",
    "Reference",
    "Mean score of the reference answers in the same rounds, times 100; it depends on what they "
    "are compared with (official code).",
    "no round scores the reference",
    higher_is_better=None,
)
REFERENCE_ABILITIES = tuple(
    _score(
        f"reference@{ability.slug}",
        f"Reference, {ability.title}",
        f"Mean score of the reference answers over the rounds of {ability.title} questions, times "
        "100 (official code).",
        "no round of this ability scores the reference",
        higher_is_better=None,
    )
    for ability in TAXONOMY
)

# --- comparison with the reference, and what the order does ---------------------------------------

_NO_PAIR = "no question has both rounds"

WIN = Metric(
    "win",
    "Win",
    "Share of questions where the answer's mean of two rounds is above the reference's (ours).",
    digits=1,
    empty=_NO_PAIR,
)
TIE = Metric(
    "tie",
    "Tie",
    "Share of questions where the two means are equal (ours).",
    higher_is_better=None,
    digits=1,
    empty=_NO_PAIR,
)
LOSS = Metric(
    "loss",
    "Loss",
    "Share of questions where the answer's mean of two rounds is below the reference's; an empty "
    "answer loses (ours).",
    higher_is_better=False,
    digits=1,
    empty=_NO_PAIR,
)
FLIP = Metric(
    "flip",
    "Flips",
    "Share of questions whose two rounds disagree on who is ahead, or whether anybody is (ours: "
    "it says how much the judge heeds the order).",
    higher_is_better=None,
    digits=1,
    empty=_NO_PAIR,
)
ORDER_EFFECT = Metric(
    "order_effect",
    "Order effect",
    "Mean score of an answer shown second less that of the same answer shown first, times 100; "
    "zero is best, above it the judge favours what it reads last (ours).",
    higher_is_better=None,
    unit="score",
    digits=1,
    empty=_NO_PAIR,
    bounds=(LOWEST - HIGHEST, HIGHEST - LOWEST),
)
ANSWER_LENGTH = Metric(
    "answer_length",
    "Length",
    "Mean number of characters of an answer (ours: judges tend to favour long answers).",
    higher_is_better=None,
    unit="score",
    digits=0,
    empty="there is no answer",
    bounds=FROM_ZERO,
)

# --- the neighbour --------------------------------------------------------------------------------

H_SCORE = Metric(
    "h_score",
    "H-score",
    "Mean degree of hallucination of a model's descriptions, times 100; 0 to 1000, lower is "
    "better (paper, table 2).",
    higher_is_better=False,
    unit="score",
    digits=1,
    empty="no description has a verdict",
    bounds=(0.0, 1000.0),
)


# --- the board ------------------------------------------------------------------------------------

_ABILITY_AXES = (ColumnGroup("Abilities", ABILITIES),)

SCORE_TABLE = BoardTable(
    "score",
    "Score",
    "Each answer is scored from 1 to 10 beside a reference answer, twice, in both orders. Overall "
    "and the abilities are means of these scores times 100.",
    (
        ColumnGroup("Ranking", (OVERALL,)),
        ColumnGroup("Abilities", ABILITIES),
        ColumnGroup("Against the reference", (WIN, TIE, LOSS, REFERENCE)),
        ColumnGroup("How far to trust it", (FLIP, ORDER_EFFECT, ANSWER_LENGTH)),
        ColumnGroup("Beside it", (H_SCORE,)),
    ),
    bars=(
        StackedBar(
            "Against the reference", ((WIN.name, "Win"), (TIE.name, "Tie"), (LOSS.name, "Loss"))
        ),
    ),
)
SUBTASK_TABLE = BoardTable(
    "subtasks",
    "Subtasks",
    "The same mean over the questions of each of the 27 subtasks, named as in the official "
    "picture. Many hold few questions: look at the interval before the value.",
    SUBTASKS,
)

BOARD = Board(
    summary=(
        "TouchStone asks open questions about pictures, from recognition to storytelling and the "
        "comparison of several images, and has a language model score the answers."
    ),
    how=(
        "The judge reads text only: a detailed description of the picture written by people "
        "stands in for the picture. It compares the model's answer with a reference answer made "
        "from the same description and gives each a score from 1 to 10 for helpfulness, "
        "relevance, accuracy and comprehensiveness.\n"
        "\n"
        "Every answer is judged in two rounds with the two answers in either order, since judges "
        "heed the order; how much this one does is shown as flips and order effect. A score is "
        "the mean over rounds times 100, from 100 to 1000. A round without a readable verdict is "
        "left out, and entries with less than 99 % of their verdicts are not ranked. An answer "
        "that says nothing gets 1 without a call.\n"
        "\n"
        "The hallucination score beside it is a benchmark of its own: descriptions of the same "
        "pictures, scored by what they invent."
    ),
    ranking=OVERALL.name,
    min_coverage=0.99,
    tables=(SCORE_TABLE, SUBTASK_TABLE),
    published=read_published(Path(__file__).parent),
    charts=(
        Radar("abilities", "Abilities", "Mean score by ability.", _ABILITY_AXES, LOWEST, HIGHEST),
        Radar("subtasks", "Subtasks", "Mean score by subtask.", SUBTASKS, LOWEST, HIGHEST),
        Heatmap(
            "subtask-map",
            "Subtasks of all entries",
            "Mean score by subtask.",
            SUBTASKS,
            LOWEST,
            HIGHEST,
        ),
    ),
    beside=(Beside("touchstone_hallucination", H_SCORE),),
    reliability=(OVERALL, FLIP, ORDER_EFFECT),
)

METRICS: Mapping[str, Metric] = {
    metric.name: metric for metric in (*BOARD.metrics(), *REFERENCE_ABILITIES)
}
