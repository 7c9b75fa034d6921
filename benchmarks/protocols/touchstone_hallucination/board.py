"""What the board of TouchStone's hallucination score shows, and the printed figures beside."""

from collections.abc import Mapping
from pathlib import Path

from benchmarks.protocols.base import (
    FROM_ZERO,
    Board,
    BoardTable,
    ColumnGroup,
    Measure,
    Metric,
)
from benchmarks.protocols.base.anchoring import (
    HOW_ANCHORED,
    MEASURE,
    anchored,
    human_anchored,
    labels_column,
)
from benchmarks.protocols.published import read_published
from benchmarks.protocols.touchstone.board import H_SCORE

ANSWER_LENGTH = Metric(
    "answer_length",
    "Length",
    "Mean number of characters of a description (ours: a short one has less room to invent).",
    higher_is_better=None,
    unit="score",
    digits=0,
    empty="there is no answer",
    bounds=FROM_ZERO,
)


ANSWER_WORDS = Metric(
    "answer_words",
    "Words",
    "Mean number of words of a description (ours).",
    higher_is_better=None,
    unit="score",
    digits=0,
    empty="there is no answer",
    bounds=FROM_ZERO,
)
MENTIONS = Metric(
    "mentions",
    "Mentions",
    "Mean share of the content words of the description people wrote that the answer has (ours). "
    "An answer of one word invents nothing and mentions nothing.",
    unit="percent",
    digits=1,
    empty="no figure has a description",
)

ANCHORED_SCORE = anchored(
    H_SCORE,
    "h_score",
    "H-score, human-anchored",
    "The H-score that people would give: the judge's with its error taken out by the ratings "
    "people gave to some descriptions of the entry (ours). Lower is better.",
)

BOARD = Board(
    summary="TouchStone's hallucination score: how much a model invents when it is asked to "
    "describe a picture.",
    how=(
        "A text-only judge compares a model's description of a picture with a detailed one "
        "written by people and says, from 0 to 10, how much of the model's description is not in "
        "the people's. The H-score is the mean times 100.\n"
        "\n"
        "Read it with care: a true detail that people left out counts as invented, and short "
        "answers are favoured, as the paper itself says: by its formula the one word “picture” "
        "invents nothing. So the board also shows how long the answers are and how much of the "
        "description they mention. Answers under a tenth of the description's length, or that name "
        "less than a twentieth of it, are marked. An answer that says nothing gets 10 without a "
        "call; the offline rules also give 10 to an answer without content words. The paper prints "
        "neither its questions nor its sample, so published figures are no yardstick for these.\n"
        "\n"
        f"{HOW_ANCHORED} The label of a description is the mean of its raters, who see the picture "
        "and use the same scale from 0 to 10."
    ),
    ranking=H_SCORE.name,
    min_coverage=0.99,
    tables=(
        BoardTable(
            "hallucination",
            "Hallucination",
            "One description per picture. Lower is better.",
            (
                ColumnGroup("Ranking", (H_SCORE,)),
                ColumnGroup("Answers", (MENTIONS, ANSWER_WORDS, ANSWER_LENGTH)),
            ),
        ),
        BoardTable(
            MEASURE,
            "Human-anchored",
            "The H-score with the judge's error taken out, beside the plain one. Lower is better.",
            (
                ColumnGroup("Human-anchored", (ANCHORED_SCORE,)),
                ColumnGroup("Judge alone", (H_SCORE,)),
                ColumnGroup("Human labels used", (labels_column("h_score"),)),
            ),
            measure=MEASURE,
        ),
    ),
    measures=(
        Measure(
            "plain",
            "As published",
            "Sorted by H-score, the mean judge score.",
            H_SCORE.name,
        ),
        human_anchored(ANCHORED_SCORE),
    ),
    published=read_published(Path(__file__).parent),
)

METRICS: Mapping[str, Metric] = {metric.name: metric for metric in BOARD.metrics()}
