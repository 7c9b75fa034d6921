"""What the HallusionBench board shows: its columns, what each one means, and the printed figures
beside."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from benchmarks.protocols.base import (
    Board,
    BoardTable,
    ColumnGroup,
    ColumnSet,
    LeadPanel,
    Measure,
    Metric,
    RulesWorth,
    StackedBar,
    WorthLine,
)
from benchmarks.protocols.base.anchoring import (
    HOW_ANCHORED,
    MEASURE,
    anchored,
    human_anchored,
    labels_column,
    rates_columns,
)
from benchmarks.protocols.hallusionbench.dataset import TAXONOMY
from benchmarks.protocols.published import read_facts, read_published

FOLDER = Path(__file__).parent

# --- accuracies -----------------------------------------------------------------------------------

OVERALL = Metric(
    "overall",
    "Overall",
    "Plain mean of aAcc, fAcc and qAcc, as in the official leaderboard file.",
    empty="aAcc, fAcc or qAcc is not defined",
)
ROWS = Metric(
    "aAcc",
    "aAcc",
    "Share of all rows that are right: judged correct, or unclear where the question is asked "
    "without its image (paper, all accuracy).",
    empty="no row has a verdict",
)
FIGURES = Metric(
    "fAcc",
    "fAcc",
    "Share of figures on which every question is right; questions without an image belong to no "
    "figure (official code; the paper's formula counts the missing image as a figure too).",
    empty="no figure has all its verdicts",
)
PAIRS = Metric(
    "qAcc",
    "qAcc",
    "Share of question pairs that are right on all their rows: with every figure the question "
    "is asked about, and without a figure (paper, question pair accuracy).",
    empty="no pair has all its verdicts",
)
EASY = Metric(
    "easy",
    "Easy (pairs)",
    "Share of question pairs whose rows without an edited image are all right (official code, "
    "which prints it as “easy aAcc”).",
    empty="no pair has the verdicts of all its unedited rows",
)
HARD = Metric(
    "hard",
    "Hard (pairs)",
    "Share of question pairs whose rows with an edited image are all right, among pairs that have "
    "one (official code, which prints it as “hard aAcc”).",
    empty="no pair has edited rows with all their verdicts",
)
UNEDITED_ROWS = Metric(
    "unedited_rows",
    "Unedited rows",
    "Share of right rows among those with an original image or none (ours: the easy rows, one by "
    "one).",
    empty="no unedited row has a verdict",
)
EDITED_ROWS = Metric(
    "edited_rows",
    "Edited rows",
    "Share of right rows among those with an edited image (ours: the hard rows, one by one).",
    empty="no edited row has a verdict",
)

# --- yes/no bias ----------------------------------------------------------------------------------

ANSWERED_DIFFERENCE = Metric(
    "pct_diff",
    "Pct. Diff (answers)",
    "Number of yes answers minus number of questions whose true answer is yes, divided by the "
    "number of rows. Zero is best; above zero, the model says yes too often (the paper's formula, "
    "read from the answers).",
    higher_is_better=None,
    unit="ratio",
    digits=3,
    empty="no row has a label",
)
INFERRED_DIFFERENCE = Metric(
    "pct_diff_code",
    "Pct. Diff (code)",
    "The same difference, with each answer inferred from its verdict: a right row is taken to say "
    "its label, a wrong row the opposite. Zero is best (official code; the published figures are "
    "of this kind).",
    higher_is_better=None,
    unit="ratio",
    digits=3,
    empty="no labelled row has a verdict",
)
ANSWERED_RATIO = Metric(
    "fp_ratio",
    "FP ratio (answers)",
    "Among wrong rows, the share whose answer says yes; one half is balanced (the paper's formula, "
    "read from the answers).",
    higher_is_better=None,
    unit="ratio",
    bounds=(0.0, 1.0),
    empty="no row was judged wrong",
)
INFERRED_RATIO = Metric(
    "fp_ratio_code",
    "FP ratio (code)",
    "Among wrong rows, the share whose true answer is no; one half is balanced (official code; the "
    "published figures are of this kind).",
    higher_is_better=None,
    unit="ratio",
    bounds=(0.0, 1.0),
    empty="no labelled row was judged wrong",
)
BIAS = (ANSWERED_DIFFERENCE, INFERRED_DIFFERENCE, ANSWERED_RATIO, INFERRED_RATIO)
UNCERTAIN_ANSWERS = Metric(
    "uncertain_answers",
    "Uncertain answers",
    "Share of answers in which neither yes nor no can be read (ours: the more there are, the less "
    "the bias read from the answers rests on).",
    higher_is_better=None,
    empty="there is no answer",
)

# --- as the common kits score ---------------------------------------------------------------------

_BY_KIT = (
    "yes or no is read as VLMEvalKit reads it, by whole words and without a judge, over the "
    "questions with an image"
)
KIT_OVERALL = Metric(
    "kit_overall",
    "Overall (kits)",
    "Plain mean of the three accuracies beside it, as VLMEvalKit reports it.",
    empty="one of the three is not defined",
)
KIT_ROWS = Metric(
    "kit_aAcc",
    "aAcc (kits)",
    f"Share of rows whose answer matches the label; {_BY_KIT}. An answer that says neither or "
    "both is wrong.",
    empty="no row with an image has a label",
)
KIT_FIGURES = Metric(
    "kit_fAcc",
    "fAcc (kits)",
    f"Share of figures on which every answer matches the label; {_BY_KIT}.",
    empty="no figure has all its labels",
)
KIT_PAIRS = Metric(
    "kit_qAcc",
    "qAcc (kits)",
    f"Share of question pairs whose answers match the label on every figure; {_BY_KIT}.",
    empty="no pair has all its labels",
)
KIT_UNKNOWN = Metric(
    "kit_unknown",
    "Neither or both",
    "Share of answers that contain neither or both of the words yes and no. The kit can have a "
    "model extract the answer from such texts; here they count as wrong.",
    higher_is_better=None,
    empty="no question has an image",
)

# --- consistency ----------------------------------------------------------------------------------

CONSISTENT = Metric(
    "consistent",
    "Figures correct",
    "Share of figures on which every question is right; equal to fAcc (paper, table 3).",
    empty="no figure has all its verdicts",
)
INCONSISTENT = Metric(
    "inconsistent",
    "Figures inconsistent",
    "Share of figures on which some questions are right and others wrong (paper, table 3).",
    higher_is_better=None,
    empty="no figure has all its verdicts",
)
ALL_WRONG = Metric(
    "all_wrong",
    "Figures wrong",
    "Share of figures on which no question is right (paper, table 3).",
    higher_is_better=False,
    empty="no figure has all its verdicts",
)
CONSISTENCY_SCORE = Metric(
    "consistency_score",
    "Consistency score",
    "Mean over figures of the share of their questions that are right (official code).",
    empty="no figure has all its verdicts",
)

# --- diagnosis ------------------------------------------------------------------------------------

_KINDS = {"lh": "Language", "vi": "Visual", "mixed": "Mixed"}
_KIND_NAMES = {"lh": "language hallucination", "vi": "visual illusion", "mixed": "mixed"}


def _diagnosis(prefix: str, unit: str, whole: str, source: str, empty: str) -> tuple[Metric, ...]:
    """Three shares of one whole; none of them is better high or low, for the others make up the
    rest."""
    return tuple(
        Metric(
            f"{prefix}_{kind}",
            f"{title} ({unit})",
            f"Share of {whole} whose failure is labelled {_KIND_NAMES[kind]} ({source}).",
            higher_is_better=None,
            empty=empty,
        )
        for kind, title in _KINDS.items()
    )


ROW_DIAGNOSIS = _diagnosis(
    "diag",
    "rows",
    "wrong rows",
    "official code; printed in the paper's table 3",
    "no row was judged wrong, or none here can fail this way",
)
CONTROL_DIAGNOSIS = _diagnosis(
    "pair",
    "pairs",
    "failed control pairs",
    "tree of the paper's appendix B",
    "no control pair failed, or none here can fail this way",
)
GROUP_DIAGNOSIS = _diagnosis(
    "diag_group",
    "groups",
    "question pairs with a wrong row",
    "official code, computed there but not printed",
    "no question pair has a wrong row, or none here can fail this way",
)


def _bar(title: str, metrics: tuple[Metric, ...]) -> StackedBar:
    return StackedBar(title, tuple((m.name, _KINDS[m.name.rpartition("_")[2]]) for m in metrics))


# --- one accuracy per subcategory -----------------------------------------------------------------


def _row_accuracy(scope: str, title: str, where: str) -> Metric:
    about = f"Share of the rows of {where} that are right (paper, all accuracy; official code)."
    return replace(ROWS, name=f"{ROWS.name}@{scope}", title=title, about=about)


CATEGORIES = {
    "VD": "VD: questions that cannot be answered without their picture, which is an original or an "
    "edited one.",
    "VS": "VS: questions that can be answered from knowledge alone; the picture adds to that or "
    "contradicts it, or there is none.",
}
SUBCATEGORIES = tuple(
    ColumnGroup(
        ability.title,
        (
            _row_accuracy(
                ability.slug,
                f"All {ability.title.lower()}",
                f"all {ability.title.lower()} questions",
            ),
            *(
                _row_accuracy(s.slug, s.title, f"{ability.slug} {s.title}")
                for s in ability.subtasks
            ),
        ),
        CATEGORIES[ability.slug],
    )
    for ability in TAXONOMY
)


# --- the board ------------------------------------------------------------------------------------


def _has_no_labels(asked: Mapping[str, int]) -> bool:
    return asked.get(ANSWERED_DIFFERENCE.name) == 0


def _is_images_only(asked: Mapping[str, int]) -> bool:
    """Every row has an image: the kits' table looks at those alone."""
    rows = asked.get(ROWS.name)
    return rows is not None and asked.get(KIT_UNKNOWN.name) == rows


_SUITS = {"no labels": _has_no_labels, "images only": _is_images_only}
"""Releases of which rules_worth.json has a figure of their own, in a line's "suits"."""


def _worth_line(line: Mapping[str, Any]) -> WorthLine:
    suits = line.get("suits")
    return WorthLine(**{**line, "suits": _SUITS[suits] if suits else None})


def _worth() -> RulesWorth:
    """How reliable are the offline rules?; tests/protocols/hallusionbench/test_rules_worth.py
    recomputes it."""
    facts = read_facts(FOLDER, "rules_worth.json")
    return RulesWorth(**{**facts, "lines": tuple(_worth_line(line) for line in facts["lines"])})


JUDGED = "judged"
KITS = "kits"

KIT_TABLE = BoardTable(
    "kits",
    "As the common kits score",
    "What VLMEvalKit reports if no model extracts the answers, recomputed for each entry over the "
    "questions with an image (951 in the official file). No judge takes part, and these scores "
    "rank nothing. Beside them is the judged overall score, which on a release with all questions "
    "also counts those without an image. Thoughts in <think> tags before an answer are removed "
    "first; the kit reads them unless told not to, so the kit's own score for such a model can be "
    "far lower.",
    (
        ColumnGroup(
            "Yes or no read from the text", (KIT_OVERALL, KIT_PAIRS, KIT_FIGURES, KIT_ROWS)
        ),
        ColumnGroup("How much was read", (KIT_UNKNOWN,)),
        ColumnGroup("Beside it", (OVERALL,)),
    ),
    measure=KITS,
)
ACCURACY_TABLE = BoardTable(
    "accuracy",
    "Overview",
    "Overall is the mean of qAcc, fAcc and aAcc. “Easy” and “hard” count pairs of questions "
    "although the paper calls them aAcc; the columns beside them count the same rows singly.",
    (
        ColumnGroup("Ranking", (OVERALL,)),
        ColumnGroup("All right together", (PAIRS, FIGURES, EASY, HARD)),
        ColumnGroup("Row by row", (ROWS, UNEDITED_ROWS, EDITED_ROWS)),
    ),
    measure=JUDGED,
    sets=(
        ColumnSet("paper", "Columns as in the paper", (OVERALL, PAIRS, FIGURES, EASY, HARD, ROWS)),
    ),
)
DIAGNOSIS_TABLE = BoardTable(
    "diagnosis",
    "Bias and diagnosis",
    "The paper's formulas read what an answer says; the official code, which made the published "
    "figures, infers it from the verdict. The diagnosis sorts failures into language hallucination "
    "(the model answers from what it knows), visual illusion (it misreads the image) and mixed: "
    "once per wrong row and once per failed control pair.",
    (
        ColumnGroup("Yes/no bias", BIAS),
        ColumnGroup("Consistency", (CONSISTENT, INCONSISTENT, ALL_WRONG)),
        ColumnGroup("Diagnosis per wrong row", ROW_DIAGNOSIS),
        ColumnGroup("Diagnosis per failed control pair", CONTROL_DIAGNOSIS),
    ),
    bars=(
        StackedBar(
            "Figures",
            (
                (CONSISTENT.name, "Correct"),
                (INCONSISTENT.name, "Inconsistent"),
                (ALL_WRONG.name, "Wrong"),
            ),
            is_verdict=True,
        ),
        _bar("Wrong rows", ROW_DIAGNOSIS),
        _bar("Failed control pairs", CONTROL_DIAGNOSIS),
    ),
    measure=JUDGED,
    sets=(
        ColumnSet("bias", "Yes/no bias", BIAS),
        ColumnSet("consistency", "Consistency", (CONSISTENT, INCONSISTENT, ALL_WRONG)),
        ColumnSet("diagnosis", "Diagnosis", (*ROW_DIAGNOSIS, *CONTROL_DIAGNOSIS)),
    ),
)
SUBCATEGORY_TABLE = BoardTable(
    "subcategories",
    "Subcategories",
    "aAcc by category and subcategory. Visual dependent questions cannot be answered without the "
    "image; visual supplement questions can, and the image adds to or contradicts what a model "
    "knows.",
    SUBCATEGORIES,
    measure=JUDGED,
)

_HOW_ROWS = (
    "People label single rows. A pair or a figure is right only if all its rows are, so qAcc, "
    "fAcc and Overall, which includes them, have no human-anchored value: that would need labels "
    "for whole pairs and figures."
)
ANCHORED_ROWS = anchored(
    ROWS,
    "aAcc",
    "aAcc, human-anchored",
    "Share of rows that people would call right: aAcc with the judge's error taken out by the "
    "labels people gave to some rows of the entry (ours).",
)
ANCHORED_CATEGORIES = tuple(
    anchored(
        ROWS,
        f"aAcc@{ability.slug}",
        f"All {ability.title.lower()}, human-anchored",
        f"{ANCHORED_ROWS.about} Over the rows of {ability.title.lower()}.",
    )
    for ability in TAXONOMY
)
_RATES = rates_columns("aAcc", "aAcc", digits=2)
ANCHORED_TABLE = BoardTable(
    MEASURE,
    "Human-anchored",
    f"aAcc with the judge's error taken out, beside the plain one. {_HOW_ROWS}",
    (
        ColumnGroup("Human-anchored", (ANCHORED_ROWS, *ANCHORED_CATEGORIES)),
        ColumnGroup("Judge alone", (ROWS,)),
        ColumnGroup("Human labels used", (labels_column("aAcc"), *_RATES)),
    ),
    measure=MEASURE,
)

BOARD = Board(
    summary=(
        "Yes/no questions about an image, an edited copy of it, or no image: does the model look, "
        "or answer from what it knows?"
    ),
    how=(
        "A text-only judge compares each answer with a reference sentence and says correct, "
        "incorrect or unclear. Where the question comes without its image, an unclear answer is "
        "right. A second question to the judge, whether an answer says the same as the answer to "
        "the original row, is used only for the diagnosis. The offline rules are another judge: "
        "they read yes or no in the answer and compare it with the question's label, not with the "
        "reference sentence. Below we show how reliable that is.\n"
        "\n"
        "A pair or a figure counts as right only if all its rows are, so guessing pays little: on "
        "the 455 pairs of the official file, a fair coin gets 19 % qAcc on average. A judge that "
        "is a language model is asked three times; metrics are averaged over the three runs and "
        "their spread is shown. If a row has no verdict, its pair and its figure are not counted. "
        "Entries with less than 99 % of their verdicts are not ranked.\n"
        "\n"
        "Where paper and official code differ, both are shown and named: the yes/no bias read "
        "from the answers and inferred from verdicts, the diagnosis by control pair and by row.\n"
        "\n"
        f"{HOW_ANCHORED} {_HOW_ROWS} The majority of a row's raters decides. As for the judge, "
        "“unclear” is right where the question came without its image, and wrong elsewhere."
    ),
    ranking=OVERALL.name,
    min_coverage=0.99,
    tables=(ACCURACY_TABLE, DIAGNOSIS_TABLE, SUBCATEGORY_TABLE, KIT_TABLE, ANCHORED_TABLE),
    published=read_published(FOLDER),  # percentages as shares, the bias as printed
    measures=(
        Measure(
            JUDGED,
            "Judged",
            "Ranked by judged accuracy.",
            order=OVERALL.name,
        ),
        Measure(
            KITS,
            "As the common kits score",
            "Reads yes or no from the words of the answer, over the questions with an image, as "
            "VLMEvalKit does without a model. No judge. Thoughts before an answer are left out; "
            "the kit reads them unless told not to.",
            order=KIT_OVERALL.name,
        ),
        human_anchored(ANCHORED_ROWS),
    ),
    reliability=(OVERALL, ROWS, FIGURES, PAIRS),
    worth=_worth(),
    panel=LeadPanel(
        ColumnGroup("Accuracy", (ROWS, FIGURES, PAIRS)),
        _bar("Why answers are wrong", ROW_DIAGNOSIS),
        ROWS,
    ),
)

_ELSEWHERE = (UNCERTAIN_ANSWERS, CONSISTENCY_SCORE, *GROUP_DIAGNOSIS)
METRICS: Mapping[str, Metric] = {metric.name: metric for metric in (*BOARD.metrics(), *_ELSEWHERE)}
