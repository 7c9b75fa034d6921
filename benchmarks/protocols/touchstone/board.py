"""What the TouchStone board shows: its columns, what each one means, and the printed figures
beside."""

import math
from collections.abc import Mapping
from pathlib import Path

from benchmarks.protocols.base import (
    FROM_ZERO,
    Beside,
    Board,
    BoardTable,
    ColumnGroup,
    ColumnSet,
    Heatmap,
    Measure,
    Metric,
    Radar,
    StackedBar,
)
from benchmarks.protocols.base.anchoring import (
    HOW_ANCHORED,
    MEASURE,
    anchored,
    figure_name,
    human_anchored,
    labels_column,
    rates_columns,
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
    "Share of questions whose two rounds disagree on which answer is better, or on whether one is "
    "better at all (ours: it shows how much the order affects the judge).",
    higher_is_better=None,
    digits=1,
    empty=_NO_PAIR,
)
ORDER_EFFECT = Metric(
    "order_effect",
    "Order effect",
    "Mean score of answers when shown second minus that of the same answers when shown first, "
    "times 100. Zero is best; above zero, the judge favours what it reads last (ours).",
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

LENGTH_CONTROLLED = _score(
    "length_controlled",
    "Length-controlled",
    "What Overall would be if every answer were as long as its reference, estimated from how the "
    "entry's own scores vary with answer length (ours, after length-controlled AlpacaEval).",
    "too few answers, or too similar in length, to estimate what length is worth",
)
LENGTH_SLOPE = Metric(
    "length_slope",
    "Length slope",
    "How much higher an answer far longer than its reference scores than one of the same length "
    "as its reference, times 100, among the entry's answers within one subtask. Zero if length "
    "makes no difference (ours).",
    higher_is_better=None,
    unit="score",
    digits=1,
    empty="answers hardly differ in length, or no reference is known",
    bounds=(-math.inf, math.inf),  # a slope has no ends: few answers that hardly differ tell any
)
LENGTH_EDGE = Metric(
    "length_edge",
    "Length edge",
    "How much longer answers are than their references, on average: from −1 (far shorter) to 1 "
    "(far longer) (ours).",
    higher_is_better=None,
    unit="ratio",
    empty="no round has a verdict, or no reference is known",
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
    "Overview",
    "Each answer is scored from 1 to 10 beside a reference answer, twice, in both orders. Overall "
    "and the abilities are means of these scores times 100.",
    (
        ColumnGroup("Ranking", (OVERALL,)),
        ColumnGroup("Abilities", ABILITIES),
        ColumnGroup("Beside it", (LENGTH_CONTROLLED, H_SCORE)),
    ),
)
DIAGNOSIS_TABLE = BoardTable(
    "diagnosis",
    "Bias and diagnosis",
    "How answers compare with the references, how much the order affects the judge, and how long "
    "the answers are.",
    (
        ColumnGroup("Against the reference", (WIN, TIE, LOSS, REFERENCE)),
        ColumnGroup("How reliable it is", (FLIP, ORDER_EFFECT, LENGTH_SLOPE, ANSWER_LENGTH)),
    ),
    bars=(
        StackedBar(
            "Against the reference",
            ((WIN.name, "Win"), (TIE.name, "Tie"), (LOSS.name, "Loss")),
            is_verdict=True,
        ),
    ),
)
SUBTASK_TABLE = BoardTable(
    "subtasks",
    "Subtasks",
    "The same mean over the questions of each of the 27 subtasks, named as in the official "
    "picture. Many have few questions: check the interval before the value.",
    SUBTASKS,
    sets=tuple(
        ColumnSet(ability.slug, ability.title, group.metrics)
        for ability, group in zip(TAXONOMY, SUBTASKS, strict=True)
    ),
)

_HOW_VOTES = (
    "People say which of two answers is better, the model's or the reference, and give no scores "
    "from 1 to 10. So what is anchored are two shares: how often an answer is at least as good as "
    "the reference, and how often it is better. Overall and the abilities have no human-anchored "
    "value."
)
AT_LEAST = Metric(
    figure_name("judged", "at_least"),
    "At least as good, judged",
    "Share of questions where the answer's mean of two rounds is the reference's or above it "
    "(ours: win and tie).",
    digits=1,
    empty=_NO_PAIR,
)
ANCHORED_AT_LEAST = anchored(
    AT_LEAST,
    "at_least",
    "At least as good, human-anchored",
    "Share of questions where people would find the answer at least as good as the reference: "
    "the judge's share, corrected for its error with people's votes on some answers of the "
    "entry (ours).",
)
ANCHORED_WIN = anchored(
    WIN,
    "win",
    "Win, human-anchored",
    "Share of questions where people would find the answer better than the reference: Win with "
    "the judge's error taken out by the votes people gave on some answers of the entry (ours).",
)
ANCHORED_TABLE = BoardTable(
    MEASURE,
    "Human-anchored",
    f"How answers fare beside the references with the judge's error taken out. {_HOW_VOTES}",
    (
        ColumnGroup("Human-anchored", (ANCHORED_AT_LEAST, ANCHORED_WIN)),
        ColumnGroup("Judge alone", (AT_LEAST, WIN)),
        ColumnGroup(
            "Human labels used",
            (labels_column("at_least"), *rates_columns("at_least", "At least as good")),
        ),
    ),
    measure=MEASURE,
)

BOARD = Board(
    summary=(
        "Open questions about pictures, from recognition to storytelling, scored against a "
        "human-written description."
    ),
    how=(
        "The judge reads text only: a detailed description of the picture, written by people, "
        "replaces the picture. The judge compares the model's answer with a reference answer made "
        "from the same description and gives each a score from 1 to 10 for helpfulness, "
        "relevance, accuracy and comprehensiveness.\n"
        "\n"
        "Every answer is judged in two rounds, one for each order of the two answers, because the "
        "order affects judges. The columns Flips and Order effect show by how much. A score is the "
        "mean over rounds times 100, from 100 to 1000. A round without a readable verdict is "
        "left out, and entries with less than 99 % of their verdicts are not ranked. An answer "
        "that says nothing gets 1 without a model call.\n"
        "\n"
        "Judges tend to favour long answers, whatever the answers say. So the board also shows a "
        "second score, controlled for length. For each entry separately, a straight line is fitted "
        "to its scores: score = subtask + slope · edge, by least squares over its rounds. "
        "The edge of an answer is tanh((its length - that of its reference) / "
        "mean length of the references): 0 for an answer as long as its reference, near 1 for "
        "one far longer. Length-controlled = Overall - slope · mean edge, what the line says of "
        "answers as long as their references. Answers that say nothing keep their 1 and do not "
        "enter the line.\n"
        "\n"
        "AlpacaEval controls for length in this way (Dubois, Galambosi, Liang and Hashimoto "
        "2024, “Length-Controlled AlpacaEval”, arXiv 2404.04475). Four things differ "
        "here. Scores take a straight line; preferences need a logistic one. Subtasks replace a "
        "difficulty per question, which only many models could show. All entries share one unit "
        "of length. Each entry has its own line, without a penalty, so no figure moves because "
        "others were added. This has a price. If all answers of an entry exceed their references "
        "by about the same length, its line is hardly known and the interval is wide. A model "
        "that says more where it knows more loses some of what it earned. And the interval is "
        "only as right as the line: with a simulated judge that rewards length up to that of the "
        "reference and not beyond, it contained the true score for 7 in 10 entries with 101 "
        "questions, and for 1 in 10 with 900.\n"
        "\n"
        "The hallucination score shown with it is a separate benchmark: descriptions of the same "
        "pictures, scored by what they invent.\n"
        "\n"
        f"{HOW_ANCHORED} {_HOW_VOTES} The majority of an answer's raters decides; without a "
        "majority, the answer has no label."
    ),
    ranking=OVERALL.name,
    min_coverage=0.99,
    tables=(SCORE_TABLE, DIAGNOSIS_TABLE, SUBTASK_TABLE, ANCHORED_TABLE),
    published=read_published(Path(__file__).parent),
    charts=(
        Radar("abilities", "Abilities", "Mean score by ability.", _ABILITY_AXES, LOWEST, HIGHEST),
        Radar(
            "subtasks",
            "27 subtasks",
            "Mean score by subtask, grouped by ability.",
            SUBTASKS,
            LOWEST,
            HIGHEST,
        ),
        Heatmap(
            "subtask-map",
            "Subtasks by model",
            "Mean score by subtask.",
            SUBTASKS,
            LOWEST,
            HIGHEST,
        ),
    ),
    beside=(Beside("touchstone_hallucination", H_SCORE),),
    measures=(
        Measure(
            "plain",
            "As published",
            "Sorted by Overall, the mean judge score.",
            OVERALL.name,
        ),
        Measure(
            "length-controlled",
            "Length-controlled",
            "Sorted by what Overall would be if every answer were as long as its reference. Ranks "
            "are those of Overall.",
            LENGTH_CONTROLLED.name,
        ),
        human_anchored(ANCHORED_AT_LEAST),
    ),
    reliability=(OVERALL, FLIP, ORDER_EFFECT, LENGTH_SLOPE),
)

METRICS: Mapping[str, Metric] = {
    metric.name: metric for metric in (*BOARD.metrics(), *REFERENCE_ABILITIES, LENGTH_EDGE)
}
