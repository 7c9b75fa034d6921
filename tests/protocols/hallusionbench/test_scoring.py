from collections.abc import Iterable
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.protocols.base import Contributions, QuestionRow, QuestionView, ScoringPort
from benchmarks.protocols.hallusionbench import dataset, scoring
from tests.each_case import each_case

OFFICIAL_FILE = (
    Path(__file__).resolve().parents[4] / "shared/data/hallusionbench/HallusionBench.json"
)
VERDICTS = {"0": "incorrect", "1": "correct", "2": "unclear", "-": None}
COMPARISONS = {"d": "different", "s": "same", "-": None}


def view(
    public_id: str, visual_input: int, truth: int | None, original: str | None = ""
) -> QuestionView:
    category, subcategory, set_id, figure_id, question_id = public_id.split("/")
    group = f"{category}/{subcategory}/{set_id}"
    return QuestionView(
        public_id=public_id,
        ability=category,
        subtask=f"{category}/{subcategory}",
        figure=f"{group}/{figure_id}" if visual_input else "",
        group=group,
        text="Is it so?",
        facts={
            "category": category,
            "subcategory": subcategory,
            "visual_input": visual_input,
            "set_id": int(set_id),
            "figure_id": int(figure_id),
            "question_id": int(question_id),
            "original": f"{group}/0/{question_id}" if original == "" else original,
        },
        truth={} if truth is None else {"gt_answer": truth},
    )


TINY = (
    view("VD/figure/0/0/0", 1, 1),
    view("VD/figure/0/0/1", 1, 0),
    view("VD/figure/0/1/0", 2, 0),
    view("VD/figure/0/1/1", 2, 1),
    view("VS/chart/0/0/0", 0, 1),
    view("VS/chart/0/1/0", 1, 1),
    view("VS/chart/0/2/0", 2, 0),
    view("VD/video/1/0/0", 1, 1),
)
ANSWERS = ("Yes.", "Yes.", "Yes.", "Yes.", "I cannot tell.", "Yes.", "It is unclear.", "Yes.")
RIGHT, WRONG, SAME = "11111111", "00000000", "ssssssss"
MIXED_VERDICTS = "10012101"


def judged(*runs: tuple[str, str]) -> dict[str, list[str | None]]:
    """Verdicts by slot key from one (verdicts, comparisons) pair of letters per run."""
    found: dict[str, list[str | None]] = {}
    for repeat, (verdicts, same) in enumerate(runs, start=1):
        found[f"correctness.{repeat}"] = [VERDICTS[letter] for letter in verdicts]
        found[f"same.{repeat}"] = [COMPARISONS[letter] for letter in same]
    return found


def score(verdicts: str, same: str = SAME, questions=TINY, answers=ANSWERS) -> Contributions:
    return scoring.contributions(questions, answers, judged((verdicts, same)))


def ratio(found: Contributions, name: str, run: int = 0) -> tuple[float, float]:
    """(sum of the numerator, sum of the denominator) of one metric."""
    place = found.names.index(name)
    return found.numerator[run, :, place].sum(), found.denominator[run, :, place].sum()


def hits(found: Contributions, names: Iterable[str]) -> tuple[float, ...]:
    return tuple(ratio(found, name)[0] for name in names)


# --- a table worked out by hand -------------------------------------------------------------------


BY_HAND = {
    "aAcc": (5, 8),  # the unclear row has no image: right
    "fAcc": (2, 5),  # VS figure 0 is no figure
    "qAcc": (1, 4),
    "easy": (3, 4),
    "hard": (1, 3),
    "unedited_rows": (4, 5),
    "edited_rows": (1, 3),
    "consistent": (2, 5),
    "inconsistent": (2, 5),
    "all_wrong": (1, 5),
    "consistency_score": (3, 5),
    "pct_diff": (1, 8),  # 6 answers say yes, 5 truths are yes
    "fp_ratio": (2, 3),
    "uncertain_answers": (2, 8),
    "pct_diff_code": (3, 8),
    "fp_ratio_code": (3, 3),
    "diag_lh": (0, 3),
    "diag_vi": (2, 3),
    "diag_mixed": (1, 3),
    "diag_group_lh": (0, 3),
    "diag_group_vi": (2, 3),
    "diag_group_mixed": (1, 3),
    "pair_lh": (1, 3),
    "pair_vi": (2, 3),
    "pair_mixed": (0, 3),
    "aAcc@VD": (3, 5),
    "aAcc@VS": (2, 3),
    "aAcc@VD/figure": (2, 4),
    "aAcc@VD/video": (1, 1),
    "fAcc@VS/chart": (1, 2),
    "qAcc@VD": (1, 3),
    "hard@VD/video": (0, 0),
    "pair_lh@VS": (0, 1),
}


def test_the_small_table_has_the_figures_worked_out_by_hand():
    port: ScoringPort = scoring
    found = port.contributions(TINY, ANSWERS, judged((MIXED_VERDICTS, SAME)))
    assert found.groups == ("VD/figure/0", "VD/video/1", "VS/chart/0")
    assert {name: ratio(found, name) for name in BY_HAND} == BY_HAND
    assert found.numerator[0, :, found.names.index("aAcc")].tolist() == [2, 1, 2]
    assert found.denominator[0, :, found.names.index("aAcc@VS")].tolist() == [0, 0, 3]
    asked = {"aAcc": 8, "fAcc": 7, "qAcc": 8, "easy": 5, "hard": 3, "fAcc@VS": 2}
    asked |= {"pair_vi": 3, "diag_vi": 3}  # wrong rows alone
    for looked_at in (found.asked, found.judged):
        assert {name: looked_at[found.names.index(name)] for name in asked} == asked


def test_overall_is_the_mean_of_three_accuracies_of_its_scope_and_counts_every_row_once():
    derived = score(MIXED_VERDICTS).derived
    overall = derived["overall"]
    values = {"aAcc": np.array(5 / 8), "fAcc": np.array(2 / 5), "qAcc": np.array(1 / 4)}
    assert set(overall.parts) == set(values)
    assert overall.function(values) == pytest.approx(0.425)
    assert overall.counted == ("aAcc",)
    parts = {"aAcc@VS/chart", "fAcc@VS/chart", "qAcc@VS/chart"}
    assert set(derived["overall@VS/chart"].parts) == parts
    gappy = np.array([0.5, np.nan])
    undefined = overall.function({"aAcc": gappy, "fAcc": gappy, "qAcc": np.array([0.5, 0.5])})
    assert np.isnan(undefined).tolist() == [False, True]


def test_runs_stay_apart_and_counts_are_units_of_the_first():
    runs = ((MIXED_VERDICTS, SAME), (RIGHT, SAME), (WRONG, SAME), ("--------", SAME))
    found = scoring.contributions(TINY, ANSWERS, judged(*runs))
    accuracies = [ratio(found, "aAcc", run) for run in range(4)]
    assert accuracies == [(5, 8), (8, 8), (0, 8), (0, 0)]
    counts = {"aAcc": 8, "fAcc": 5, "qAcc": 4, "diag_vi": 3}
    assert {name: found.counts[found.names.index(name)] for name in counts} == counts


# --- both trees, cell by cell (docs/hallusionbench.md 8) ------------------------------------------

CELLS = (
    # category, original, other, image, same; official label of the original, of the other; paper's
    # label
    ("VD", "02", "02", "oe", "ds", "VI", "VI", "VI"),
    ("VD", "02", "1", "oe", "ds", "VI", "", "VI"),
    ("VD", "1", "0", "oe", "s", "", "Mixed", "LH"),
    ("VD", "1", "0", "oe", "d", "", "VI", "VI"),
    ("VD", "1", "2", "oe", "ds", "", "VI", "VI"),
    ("VD", "1", "1", "oe", "ds", "", "", ""),
    ("VS", "2", "02", "oe", "ds", "", "VI", "VI"),
    ("VS", "2", "1", "oe", "ds", "", "", ""),
    ("VS", "1", "2", "oe", "ds", "", "VI", "VI"),
    ("VS", "1", "0", "o", "ds", "", "VI", "VI"),
    ("VS", "1", "0", "e", "d", "", "VI", "VI"),
    ("VS", "1", "0", "e", "s", "", "LH", "LH"),
    ("VS", "1", "1", "oe", "ds", "", "", ""),
    ("VS", "0", "1", "oe", "ds", "LH", "", "LH"),
    ("VS", "0", "0", "oe", "s", "LH", "LH", "LH"),
    ("VS", "0", "0", "oe", "d", "LH", "Mixed", "Mixed"),
    ("VS", "0", "2", "oe", "ds", "LH", "Mixed", "Mixed"),
)
EVERY_CELL = [
    (category, *values, *labels)
    for category, original, other, image, same, *labels in CELLS
    for values in product(original, other, image, same)
]
KINDS = ("LH", "VI", "Mixed")


def control_pair(category: str, image: str) -> tuple[QuestionView, ...]:
    subcategory = {"VD": "figure", "VS": "chart"}[category]
    first = view(f"{category}/{subcategory}/0/0/0", int(category == "VD"), 1)
    return first, view(f"{category}/{subcategory}/0/1/0", {"o": 1, "e": 2}[image], 0)


def test_the_table_has_every_cell_once():
    assert len({cell[:5] for cell in EVERY_CELL}) == len(EVERY_CELL) == 2 * 3 * 3 * 2 * 2


@each_case("category, original, other, image, same, of_original, of_other, of_pair", EVERY_CELL)
def test_cell_gets_its_labels(
    category, original, other, image, same, of_original, of_other, of_pair
):
    found = score(original + other, f"s{same}", control_pair(category, image), ["Yes.", "Yes."])
    assert hits(found, ("diag_lh", "diag_vi", "diag_mixed")) == tuple(
        (of_original == kind) + (of_other == kind) for kind in KINDS
    )
    assert hits(found, ("pair_lh", "pair_vi", "pair_mixed")) == tuple(
        int(of_pair == kind) for kind in KINDS
    )


@each_case("verdict, expected", [("0", (0, 1, 0)), ("1", (0, 0, 0)), ("2", (0, 1, 0))])
def test_single_row_pair_is_judged_by_its_original_alone(verdict, expected):
    found = score(verdict, "-", [view("VD/video/1/0/0", 1, 1)], ["No."])
    assert hits(found, ("diag_lh", "diag_vi", "diag_mixed")) == expected
    assert ratio(found, "pair_vi") == (0, 0)


# --- what is missing ------------------------------------------------------------------------------


def test_row_without_verdict_takes_its_figure_and_pair_out():
    found = score("-0012101")
    left: dict[str, tuple[float, float]]
    left = {"aAcc": (4, 7), "fAcc": (2, 4), "qAcc": (1, 3), "easy": (2, 3), "hard": (1, 3)}
    left |= {"consistency_score": (2.5, 4)}
    assert {name: ratio(found, name) for name in left} == left


def test_judged_counts_rows_with_a_verdict_in_every_run_where_a_verdict_is_needed():
    """What is read from the answer needs none."""
    found = scoring.contributions(TINY, ANSWERS, judged(("-1111111", SAME), ("1-111111", SAME)))
    rows = {"aAcc": 6, "aAcc@VS": 3, "fAcc": 5, "hard": 3}
    rows |= {"pct_diff": 8, "uncertain_answers": 8, "pct_diff_code": 6, "fp_ratio": 6}
    assert {name: found.judged[found.names.index(name)] for name in rows} == rows
    assert found.asked[found.names.index("fp_ratio")] == 8


@each_case(
    "runs, there",
    [
        ([("1" * 8, "s" * 8)], 16),
        ([("-1111111", "s" * 8)], 15),
        ([("1" * 8, "--ssssss"), ("-1111111", "s" * 8)], 29),
    ],
)
def test_the_coverage_is_the_share_of_all_verdicts_comparisons_included(runs, there):
    assert scoring.contributions(TINY, ANSWERS, judged(*runs)).coverage == pytest.approx(
        there / (16 * len(runs))
    )


@each_case(
    "category, original, other, image, same, wrong_rows, failed_pairs",
    [
        ("VD", "1", "0", "e", "-", 0, 0),  # mixed or visual: the comparison decides
        ("VD", "1", "2", "e", "-", 1, 1),  # visual in both cases
        ("VD", "0", "0", "e", "-", 2, 1),
        ("VD", "-", "2", "e", "s", 1, 1),  # visual whatever the original says
        ("VD", "-", "0", "e", "s", 0, 0),
        ("VD", "0", "-", "e", "s", 1, 1),  # a wrong original fails its pair
        ("VS", "1", "0", "o", "-", 1, 1),
        ("VS", "1", "0", "e", "-", 0, 0),
        ("VS", "0", "0", "e", "-", 1, 0),
        ("VS", "0", "2", "e", "-", 2, 1),
        ("VS", "-", "0", "o", "d", 0, 0),
        ("VS", "2", "-", "e", "d", 0, 0),
    ],
)
def test_diagnosis_leaves_out_what_a_missing_verdict_decides(
    category, original, other, image, same, wrong_rows, failed_pairs
):
    found = score(original + other, f"-{same}", control_pair(category, image), ["Yes.", "Yes."])
    assert ratio(found, "diag_vi")[1] == wrong_rows
    assert ratio(found, "pair_vi")[1] == failed_pairs


def test_rows_whose_label_or_original_is_open_are_asked_but_not_judged():
    open_label = score("10", "--", control_pair("VD", "e"), ["Yes.", "Yes."])
    no_original = score(WRONG[:7], SAME[:7], IMAGES, ANSWERS[:7])
    for found, asked, known in ((open_label, 1, 0), (no_original, 7, 5)):
        place = found.names.index("diag_vi")
        assert (found.asked[place], found.judged[place]) == (asked, known)


IMAGES = tuple(
    view(q.public_id, int(str(q.facts["visual_input"])), 1, None if "VS" in q.public_id else "")
    for q in TINY
    if q.facts["visual_input"]
)


@each_case("verdict", ["0", "2"])
@each_case("same", ["s", "d"])
def test_kinds_that_no_row_can_have_are_not_defined(verdict, same):
    """Without the rows that have no image nothing tells what a model says without looking."""
    found = score(verdict * 7, same * 7, IMAGES, ANSWERS[:7])
    for name in ("diag_lh", "diag_group_lh", "pair_mixed"):
        place = found.names.index(name)
        assert (*ratio(found, name), found.asked[place], found.counts[place]) == (0, 0, 0, 0)
    for name in ("diag_vi", "diag_mixed", "pair_lh", "pair_vi"):
        assert ratio(found, name)[1] > 0


def test_pair_without_its_original_makes_no_control_pair():
    found = score("0", "-", [view("VS/chart/0/1/0", 1, 1, original=None)], ["No."])
    assert [ratio(found, name)[1] for name in ("pair_vi", "diag_vi", "qAcc")] == [0, 0, 1]


def test_without_labels_there_is_no_bias_and_without_wrong_rows_nothing_to_diagnose():
    unlabelled = [view(q.public_id, int(str(q.facts["visual_input"])), None) for q in TINY]
    bare, right = score(MIXED_VERDICTS, questions=unlabelled), score(RIGHT)
    biases = ("pct_diff", "pct_diff_code", "fp_ratio_code")
    assert [ratio(bare, name)[1] for name in biases] == [0, 0, 0]
    assert (ratio(bare, "fp_ratio"), ratio(bare, "aAcc")) == ((2, 3), (5, 8))
    of_wrong = ("fp_ratio", "fp_ratio_code", "diag_lh", "diag_vi", "diag_mixed", "pair_lh")
    assert {ratio(right, name) for name in (*of_wrong, "diag_group_vi")} == {(0, 0)}
    assert ratio(right, "pct_diff_code") == (0, 8)


def test_nothing_judged_is_one_run_without_denominators_and_no_questions_are_no_groups():
    found = scoring.contributions(TINY, ANSWERS, {})
    nothing = scoring.contributions((), (), {})
    assert found.numerator.shape[:2] == (1, 3)
    assert ratio(found, "aAcc") == ratio(found, "qAcc") == ratio(found, "diag_vi") == (0, 0)
    assert ratio(found, "pct_diff") == (1, 8)
    unasked = ("pct_diff", "uncertain_answers", "kit_")
    assert {n for n, j in zip(found.names, found.judged, strict=True) if j} == {
        name for name in found.names if name.startswith(unasked) and "_code" not in name
    }
    assert found.coverage == 0.0
    assert (nothing.groups, nothing.numerator.shape) == ((), (1, 0, len(nothing.names)))
    assert set(nothing.derived) == {"overall", "kit_overall"}


def test_the_accuracies_of_the_kit_are_those_of_plain_words_against_labels():
    """Of the seven rows with an image: right yes, right no, wrong yes, both words, right yes, right
    no, neither word."""
    said = ("Yes.", "No.", "Yes.", "Yes and no.", "No.", "Yes.", "No, it is not.", "Perhaps.")
    found = score(WRONG, answers=said)
    assert ratio(found, "kit_aAcc") == (4, 7)
    assert ratio(found, "kit_unknown") == (2, 7)


@each_case(
    "answers, verdicts, error",
    [
        (["Yes."], ["correct", "correct"], ValueError),
        (["Yes.", "No."], ["correct"], ValueError),
        (["Yes.", "No."], ["correct", "perhaps"], KeyError),
    ],
)
def test_verdicts_of_no_parser_and_sequences_of_other_lengths_are_refused(answers, verdicts, error):
    with pytest.raises(error, match=r"reshape|there are 2 questions|perhaps"):
        scoring.contributions(control_pair("VD", "e"), answers, {"correctness.1": verdicts})


# --- one row --------------------------------------------------------------------------------------


def test_each_row_is_explained_in_order():
    nothing = [""] * len(TINY)
    found = scoring.explain(TINY, nothing, judged((MIXED_VERDICTS, SAME)))
    group = "As a pair with the original: visual illusion (paper)."
    assert [(row.verdict, row.is_right, row.remark) for row in found] == [
        ("correct", True, ""),
        ("incorrect", False, "Failure type: visual illusion (official code)."),
        (
            "incorrect",
            False,
            "Failure type: mixed (official code)."
            " As a pair with the original: language hallucination (paper).",
        ),
        ("correct", True, group),
        ("unclear", True, "Counts as right: the question was asked without its image."),
        ("correct", True, ""),
        ("incorrect", False, f"Failure type: visual illusion (official code). {group}"),
        ("correct", True, ""),
    ]
    (row, *_) = scoring.explain(TINY, nothing, judged(("-" * 8, SAME)))
    assert (row.verdict, row.is_right) == ("no verdict", None)
    _, row = scoring.explain(control_pair("VD", "e"), ["", ""], judged(("10", "--")))
    assert row.remark == "Failure type (official code): unknown, a verdict it needs is missing."
    (row,) = scoring.explain(TINY[:1], [""], judged(("0", "s"), ("1", "s"), ("-", "s")))
    assert row.remark.endswith("Runs differ: incorrect, correct, no verdict.")


@each_case(
    "runs, verdict",
    [
        ("011", "correct"),
        ("100", "incorrect"),
        ("21-", "unclear"),
        ("--1", "correct"),
        ("---", "no verdict"),
    ],
)
def test_row_shows_the_majority_or_the_earliest_of_equals(runs, verdict):
    rows = scoring.explain(TINY[:1], [""], judged(*((letter, "s") for letter in runs)))
    assert rows[0].verdict == verdict


# --- properties -----------------------------------------------------------------------------------

BASE_NAMES = scoring.contributions((), (), {}).names
SIGNED = {"pct_diff", "pct_diff_code"}


def letters(alphabet: str):
    return st.text(alphabet, min_size=len(TINY), max_size=len(TINY))


def runs_of(verdicts: str, same: str):
    return st.lists(st.tuples(letters(verdicts), letters(same)), min_size=1, max_size=3)


GAPPY, COMPLETE = runs_of("012-", "ds-"), runs_of("012", "ds")
AN_ANSWER = st.sampled_from(["Yes.", "No.", "Perhaps."])
answers_of_all = st.lists(AN_ANSWER, min_size=len(TINY), max_size=len(TINY))


@given(GAPPY, answers_of_all)
def test_parts_make_their_wholes_whatever_is_missing(runs, answers):
    found = scoring.contributions(TINY, answers, judged(*runs))
    signed = np.array([name.partition("@")[0] in SIGNED for name in found.names])
    assert (np.abs(found.numerator) <= found.denominator).all()
    assert (found.numerator[..., ~signed] >= 0).all()
    assert (found.judged <= found.asked).all()
    for prefix in ("diag", "diag_group", "pair"):
        places = [found.names.index(f"{prefix}_{kind}") for kind in ("lh", "vi", "mixed")]
        whole = found.denominator[..., places[0]]
        np.testing.assert_array_equal(found.numerator[..., places].sum(axis=-1), whole)
    for run in range(len(runs)):
        right, rows = ratio(found, "aAcc", run)
        labelled_no, wrong = ratio(found, "fp_ratio_code", run)
        assert ratio(found, "pct_diff_code", run) == (2 * labelled_no - wrong, rows)
        assert wrong == rows - right
    place = {name: number for number, name in enumerate(found.names)}
    scopes = [[place[f"{name}@{scope}"] for name in BASE_NAMES] for scope in ("VD", "VS")]
    whole = found.numerator[..., [place[name] for name in BASE_NAMES]]
    parts = sum(found.numerator[..., scope] for scope in scopes)
    np.testing.assert_allclose(parts, whole)


@given(GAPPY, answers_of_all, st.permutations(range(len(TINY))))
def test_order_of_rows_changes_nothing(runs, answers, order):
    def shuffled(letters):
        return "".join(letters[i] for i in order)

    found = scoring.contributions(TINY, answers, judged(*runs))
    moved = scoring.contributions(
        [TINY[i] for i in order],
        [answers[i] for i in order],
        judged(*((shuffled(verdicts), shuffled(same)) for verdicts, same in runs)),
    )
    assert (moved.names, moved.groups) == (found.names, found.groups)
    np.testing.assert_allclose(moved.numerator, found.numerator)
    np.testing.assert_array_equal(moved.denominator, found.denominator)
    np.testing.assert_array_equal(moved.judged, found.judged)


@given(COMPLETE)
def test_wholes_agree_where_nothing_is_missing(runs):
    found = scoring.contributions(TINY, ANSWERS, judged(*runs))
    for run in range(len(runs)):
        right, rows = ratio(found, "aAcc", run)
        assert ratio(found, "diag_vi", run)[1] == rows - right
        assert ratio(found, "diag_group_vi", run)[1] == 4 - ratio(found, "qAcc", run)[0]
        assert ratio(found, "consistent", run) == ratio(found, "fAcc", run)


# --- the official file ----------------------------------------------------------------


@pytest.fixture(scope="module")
def official() -> list[QuestionView]:
    if not OFFICIAL_FILE.exists():
        pytest.skip("the official file is not beside this checkout (../shared/data/hallusionbench)")
    with OFFICIAL_FILE.open("rb") as stream:
        rows = [item for item in dataset.read(stream) if isinstance(item, QuestionRow)]
    return [
        QuestionView(r.public_id, r.ability, r.subtask, r.figure, r.group, r.text, r.facts, r.truth)
        for r in rows  # as the importer stores them
    ]


def score_official(questions: list[QuestionView], verdicts: str, same: str = "s") -> Contributions:
    return score(verdicts, same * len(questions), questions, ["Yes."] * len(questions))


@each_case(
    "letters, accuracies, bias",
    [
        ("01", (42.87, 7.23, 3.96, 46.37, 34.19, 12.14), (0.5713, 1.0)),
        ("10", (57.13, 12.14, 19.34, 53.19, 58.14, 7.23), (-0.4287, 0.0)),
        ("22", (15.77, 0.00, 0.00, 1.76, 0.00, 100.00), (0.1320, 0.5783)),
    ],
)
def test_always_yes_no_and_unclear_have_the_figures_of_the_official_code(
    official, letters, accuracies, bias
):
    said = "".join(letters[int(str(question.truth["gt_answer"]))] for question in official)
    found = score_official(official, said)
    pairs = [ratio(found, name) for name in ("aAcc", "fAcc", "qAcc", "easy", "hard", "all_wrong")]
    assert tuple(round(100 * right / total, 2) for right, total in pairs) == accuracies
    assert [total for _, total in pairs] == [1129, 346, 455, 455, 430, 346]
    pairs = [ratio(found, name) for name in ("pct_diff_code", "fp_ratio_code")]
    assert tuple(round(hit / total, 4) for hit, total in pairs) == bias


@each_case("same, expected", [("s", (538, 591, 0)), ("d", (178, 591, 360))])
def test_all_wrong_has_the_diagnosis_of_the_official_code(official, same, expected):
    found = score_official(official, "0" * len(official), same)
    assert hits(found, ("diag_lh", "diag_vi", "diag_mixed")) == expected
    assert ratio(found, "pair_vi")[1] == 674


def test_official_file_has_its_counts_and_always_yes_is_read_from_the_answers(official):
    found = score_official(official, "1" * len(official))
    assert ratio(found, "pct_diff") == (1129 - 484, 1129)
    assert ratio(found, "uncertain_answers") == (0, 1129)
    places = [found.names.index(name) for name in ("aAcc", "fAcc", "easy", "hard")]
    assert found.asked[places].tolist() == [1129, 951, 625, 504]
    assert len(found.groups) == 167


@given(GAPPY)
def test_what_is_called_impossible_never_happens(runs):
    verdicts = {key: column[:7] for key, column in judged(*runs).items()}
    found = scoring.contributions(IMAGES, ANSWERS[:7], verdicts)
    for place in np.flatnonzero(found.denominator.sum(axis=(0, 1)) == 0):
        assert not found.numerator[..., place].any()
