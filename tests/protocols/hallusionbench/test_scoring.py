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


def test_module_satisfies_the_port():
    port: ScoringPort = scoring
    assert port.contributions(TINY, ANSWERS, {}).groups == (
        "VD/figure/0",
        "VD/video/1",
        "VS/chart/0",
    )


# --- a table worked out by hand -------------------------------------------------------------------


@each_case(
    "name, expected",
    [
        ("aAcc", (5, 8)),  # the unclear row has no image: right
        ("fAcc", (2, 5)),  # VS figure 0 is no figure
        ("qAcc", (1, 4)),
        ("easy", (3, 4)),
        ("hard", (1, 3)),
        ("unedited_rows", (4, 5)),
        ("edited_rows", (1, 3)),
        ("consistent", (2, 5)),
        ("inconsistent", (2, 5)),
        ("all_wrong", (1, 5)),
        ("consistency_score", (3, 5)),
        ("pct_diff", (1, 8)),  # 6 answers say yes, 5 truths are yes
        ("fp_ratio", (2, 3)),
        ("uncertain_answers", (2, 8)),
        ("pct_diff_code", (3, 8)),
        ("fp_ratio_code", (3, 3)),
        ("diag_lh", (0, 3)),
        ("diag_vi", (2, 3)),
        ("diag_mixed", (1, 3)),
        ("diag_group_lh", (0, 3)),
        ("diag_group_vi", (2, 3)),
        ("diag_group_mixed", (1, 3)),
        ("pair_lh", (1, 3)),
        ("pair_vi", (2, 3)),
        ("pair_mixed", (0, 3)),
        ("aAcc@VD", (3, 5)),
        ("aAcc@VS", (2, 3)),
        ("aAcc@VD/figure", (2, 4)),
        ("aAcc@VD/video", (1, 1)),
        ("fAcc@VS/chart", (1, 2)),
        ("qAcc@VD", (1, 3)),
        ("hard@VD/video", (0, 0)),
        ("pair_lh@VS", (0, 1)),
    ],
)
def test_metric_of_the_small_table(name, expected):
    assert ratio(score(MIXED_VERDICTS), name) == expected


def test_overall_is_the_mean_of_three_accuracies():
    overall = score(MIXED_VERDICTS).derived["overall"]
    values = {"aAcc": np.array(5 / 8), "fAcc": np.array(2 / 5), "qAcc": np.array(1 / 4)}
    assert set(overall.parts) == set(values)
    assert overall.function(values) == pytest.approx(0.425)


def test_overall_counts_every_row_once():
    assert score(MIXED_VERDICTS).derived["overall"].counted == ("aAcc",)


def test_overall_of_a_scope_is_made_of_the_scope():
    assert set(score(MIXED_VERDICTS).derived["overall@VS/chart"].parts) == {
        "aAcc@VS/chart",
        "fAcc@VS/chart",
        "qAcc@VS/chart",
    }


def test_overall_is_undefined_where_a_part_is():
    function = score(MIXED_VERDICTS).derived["overall"].function
    values = {name: np.array([0.5, np.nan]) for name in ("aAcc", "fAcc")} | {
        "qAcc": np.array([0.5, 0.5])
    }
    assert np.isnan(function(values)).tolist() == [False, True]


def test_group_sums_stand_in_the_row_of_their_group():
    found = score(MIXED_VERDICTS)
    assert found.numerator[0, :, found.names.index("aAcc")].tolist() == [2, 1, 2]
    assert found.denominator[0, :, found.names.index("aAcc@VS")].tolist() == [0, 0, 3]


def test_runs_stay_apart():
    verdicts = judged((MIXED_VERDICTS, SAME), (RIGHT, SAME), (WRONG, SAME))
    found = scoring.contributions(TINY, ANSWERS, verdicts)
    assert [ratio(found, "aAcc", run) for run in range(3)] == [(5, 8), (8, 8), (0, 8)]


@each_case(
    "name, asked",
    [
        ("aAcc", 8),
        ("fAcc", 7),
        ("qAcc", 8),
        ("easy", 5),
        ("hard", 3),
        ("pair_vi", 3),
        ("fAcc@VS", 2),
    ],
)
def test_asked_counts_the_rows_a_metric_looks_at(name, asked):
    found = score(MIXED_VERDICTS)
    place = found.names.index(name)
    assert (found.asked[place], found.judged[place]) == (asked, asked)


@each_case("name, count", [("aAcc", 8), ("fAcc", 5), ("qAcc", 4), ("diag_vi", 3)])
def test_counts_are_units_of_the_first_run(name, count):
    verdicts = judged((MIXED_VERDICTS, SAME), ("--------", SAME))
    found = scoring.contributions(TINY, ANSWERS, verdicts)
    assert found.counts[found.names.index(name)] == count


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
    assert ratio(found, "aAcc") == (4, 7)
    assert ratio(found, "fAcc") == (2, 4)
    assert ratio(found, "qAcc") == (1, 3)
    assert ratio(found, "easy") == (2, 3)
    assert ratio(found, "hard") == (1, 3)
    assert ratio(found, "consistency_score") == (2.5, 4)


def test_judged_counts_rows_with_a_verdict_in_every_run():
    found = scoring.contributions(TINY, ANSWERS, judged(("-1111111", SAME), ("1-111111", SAME)))
    places = [found.names.index(name) for name in ("aAcc", "aAcc@VS", "fAcc", "hard")]
    assert found.judged[places].tolist() == [6, 3, 5, 3]


def test_what_is_read_from_the_answer_is_judged_without_a_verdict():
    found = scoring.contributions(TINY, ANSWERS, judged(("-1111111", SAME)))
    places = [
        found.names.index(name)
        for name in ("pct_diff", "uncertain_answers", "pct_diff_code", "fp_ratio")
    ]
    assert found.asked[places].tolist() == [8, 8, 8, 8]
    assert found.judged[places].tolist() == [8, 8, 7, 7]


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


def test_row_whose_label_is_open_is_asked_but_not_judged():
    found = score("10", "--", control_pair("VD", "e"), ["Yes.", "Yes."])
    place = found.names.index("diag_vi")
    assert (found.asked[place], found.judged[place]) == (1, 0)


def test_a_diagnosis_looks_at_wrong_rows_alone():
    found = score(MIXED_VERDICTS)
    asked = {name: found.asked[found.names.index(name)] for name in ("diag_vi", "pair_vi")}
    assert asked == {"diag_vi": 3, "pair_vi": 3}


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


def test_rows_whose_original_is_not_asked_are_missing_from_the_diagnosis():
    found = score(WRONG[:7], SAME[:7], IMAGES, ANSWERS[:7])
    place = found.names.index("diag_vi")
    assert (found.asked[place], found.judged[place]) == (7, 5)


def test_pair_without_its_original_makes_no_control_pair():
    alone = [view("VS/chart/0/1/0", 1, 1, original=None)]
    assert ratio(score("0", "-", alone, ["No."]), "pair_vi") == (0, 0)
    assert ratio(score("0", "-", alone, ["No."]), "diag_vi") == (0, 0)
    assert ratio(score("0", "-", alone, ["No."]), "qAcc") == (0, 1)


def test_questions_without_labels_have_no_bias_but_everything_else():
    unlabelled = [view(q.public_id, int(str(q.facts["visual_input"])), None) for q in TINY]
    found = score(MIXED_VERDICTS, questions=unlabelled)
    assert [ratio(found, name)[1] for name in ("pct_diff", "pct_diff_code", "fp_ratio_code")] == [
        0,
        0,
        0,
    ]
    assert ratio(found, "fp_ratio") == (2, 3)
    assert ratio(found, "aAcc") == (5, 8)


def test_all_right_has_nothing_to_diagnose():
    found = score(RIGHT)
    empty = (
        "fp_ratio",
        "fp_ratio_code",
        "diag_lh",
        "diag_vi",
        "diag_mixed",
        "diag_group_vi",
        "pair_lh",
    )
    assert [ratio(found, name) for name in empty] == [(0, 0)] * len(empty)
    assert ratio(found, "pct_diff_code") == (0, 8)


def test_nothing_judged_is_one_run_without_denominators():
    found = scoring.contributions(TINY, ANSWERS, {})
    assert found.numerator.shape[:2] == (1, 3)
    assert ratio(found, "aAcc") == ratio(found, "qAcc") == ratio(found, "diag_vi") == (0, 0)
    assert ratio(found, "pct_diff") == (1, 8)
    unread = [
        place
        for place, name in enumerate(found.names)
        if not name.startswith(("pct_diff", "uncertain_answers", "kit_"))
    ]
    assert found.judged[unread].sum() == 0
    assert found.coverage == 0.0


def test_no_questions_give_no_groups():
    found = scoring.contributions((), (), {})
    assert found.groups == ()
    assert found.numerator.shape == (1, 0, len(found.names))
    assert set(found.derived) == {"overall", "kit_overall"}


def test_the_accuracies_of_the_kit_are_those_of_plain_words_against_labels():
    """Of the seven rows with an image: right yes, right no, wrong yes, both words, right yes, right
    no, neither word."""
    said = ("Yes.", "No.", "Yes.", "Yes and no.", "No.", "Yes.", "No, it is not.", "Perhaps.")
    found = score(WRONG, answers=said)
    assert ratio(found, "kit_aAcc") == (4, 7)
    assert ratio(found, "kit_unknown") == (2, 7)


def test_verdict_that_no_parser_gives_is_refused():
    with pytest.raises(KeyError, match="perhaps"):
        scoring.contributions(TINY[:1], ["Yes."], {"correctness.1": ["perhaps"]})


@each_case("answers, verdicts", [(["Yes."], "11"), (["Yes.", "No."], "1")])
def test_sequences_of_other_lengths_are_refused(answers, verdicts):
    with pytest.raises(ValueError, match=r"reshape|there are 2 questions"):
        scoring.contributions(control_pair("VD", "e"), answers, judged((verdicts, "ss")))


# --- one row --------------------------------------------------------------------------------------


def test_each_row_is_explained_in_order():
    rows = scoring.explain(TINY, [""] * len(TINY), judged(("100121-1", SAME)))
    assert [row.verdict for row in rows] == [
        "correct",
        "incorrect",
        "incorrect",
        "correct",
        "unclear",
        "correct",
        "no verdict",
        "correct",
    ]
    assert [row.is_right for row in rows] == [True, False, False, True, True, True, None, True]


def test_remarks_name_the_trees():
    rows = scoring.explain(TINY, [""] * len(TINY), judged((MIXED_VERDICTS, SAME)))
    assert [row.remark for row in rows] == [
        "",
        "Visual illusion (official tree).",
        "Mixed (official tree). With the original row: language hallucination (paper tree).",
        "With the original row: visual illusion (paper tree).",
        "Counts as right: the question was asked without its image.",
        "",
        "Visual illusion (official tree). With the original row: visual illusion (paper tree).",
        "",
    ]


def test_row_without_its_comparison_is_not_diagnosed():
    rows = scoring.explain(control_pair("VD", "e"), ["", ""], judged(("10", "--")))
    assert rows[1].remark == "Not diagnosed (official tree): a verdict it needs is missing."


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


def test_runs_that_differ_are_told():
    rows = scoring.explain(TINY[:1], [""], judged(("0", "s"), ("1", "s"), ("-", "s")))
    assert rows[0].remark.endswith("Runs differ: incorrect, correct, no verdict.")


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
def test_numerators_stay_within_their_denominators(runs, answers):
    found = scoring.contributions(TINY, answers, judged(*runs))
    signed = np.array([name.partition("@")[0] in SIGNED for name in found.names])
    assert (np.abs(found.numerator) <= found.denominator).all()
    assert (found.numerator[..., ~signed] >= 0).all()
    assert (found.judged <= found.asked).all()


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


@given(GAPPY)
def test_kinds_of_failure_are_parts_of_one_whole(runs):
    found = scoring.contributions(TINY, ANSWERS, judged(*runs))
    for prefix in ("diag", "diag_group", "pair"):
        places = [found.names.index(f"{prefix}_{kind}") for kind in ("lh", "vi", "mixed")]
        whole = found.denominator[..., places[0]]
        np.testing.assert_array_equal(found.numerator[..., places].sum(axis=-1), whole)


@given(GAPPY)
def test_bias_of_the_code_follows_from_accuracy_and_fp_ratio(runs):
    found = scoring.contributions(TINY, ANSWERS, judged(*runs))
    for run in range(len(runs)):
        right, rows = ratio(found, "aAcc", run)
        labelled_no, wrong = ratio(found, "fp_ratio_code", run)
        assert ratio(found, "pct_diff_code", run) == (2 * labelled_no - wrong, rows)
        assert wrong == rows - right


@given(COMPLETE)
def test_wholes_agree_where_nothing_is_missing(runs):
    found = scoring.contributions(TINY, ANSWERS, judged(*runs))
    for run in range(len(runs)):
        right, rows = ratio(found, "aAcc", run)
        assert ratio(found, "diag_vi", run)[1] == rows - right
        assert ratio(found, "diag_group_vi", run)[1] == 4 - ratio(found, "qAcc", run)[0]
        assert ratio(found, "consistent", run) == ratio(found, "fAcc", run)


@given(GAPPY)
def test_scopes_add_up(runs):
    found = scoring.contributions(TINY, ANSWERS, judged(*runs))
    for name in BASE_NAMES:
        parts = [found.names.index(f"{name}@{category}") for category in ("VD", "VS")]
        whole = found.numerator[..., found.names.index(name)]
        np.testing.assert_allclose(found.numerator[..., parts].sum(axis=-1), whole)


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
    "behaviour, expected",
    [
        ("yes", (42.87, 7.23, 3.96, 46.37, 34.19, 12.14)),
        ("no", (57.13, 12.14, 19.34, 53.19, 58.14, 7.23)),
        ("unclear", (15.77, 0.00, 0.00, 1.76, 0.00, 100.00)),
    ],
)
def test_fixed_behaviour_has_the_accuracies_of_the_official_code(official, behaviour, expected):
    letters = {"yes": "01", "no": "10", "unclear": "22"}[behaviour]
    found = score_official(
        official, "".join(letters[int(str(q.truth["gt_answer"]))] for q in official)
    )
    pairs = [ratio(found, name) for name in ("aAcc", "fAcc", "qAcc", "easy", "hard", "all_wrong")]
    assert tuple(round(100 * right / total, 2) for right, total in pairs) == expected
    assert [total for _, total in pairs] == [1129, 346, 455, 455, 430, 346]


@each_case(
    "letters, expected", [("01", (0.5713, 1.0)), ("10", (-0.4287, 0.0)), ("22", (0.1320, 0.5783))]
)
def test_fixed_behaviour_has_the_bias_of_the_official_code(official, letters, expected):
    found = score_official(
        official, "".join(letters[int(str(q.truth["gt_answer"]))] for q in official)
    )
    pairs = [ratio(found, name) for name in ("pct_diff_code", "fp_ratio_code")]
    assert tuple(round(hit / total, 4) for hit, total in pairs) == expected


@each_case("same, expected", [("s", (538, 591, 0)), ("d", (178, 591, 360))])
def test_all_wrong_has_the_diagnosis_of_the_official_code(official, same, expected):
    found = score_official(official, "0" * len(official), same)
    assert hits(found, ("diag_lh", "diag_vi", "diag_mixed")) == expected
    assert ratio(found, "pair_vi")[1] == 674


def test_always_yes_is_read_from_the_answers(official):
    found = score_official(official, "1" * len(official))
    assert ratio(found, "pct_diff") == (1129 - 484, 1129)
    assert ratio(found, "uncertain_answers") == (0, 1129)


def test_official_file_has_the_counts_of_rows_and_groups(official):
    found = score_official(official, "0" * len(official))
    places = [found.names.index(name) for name in ("aAcc", "fAcc", "easy", "hard", "pair_lh")]
    assert found.asked[places].tolist() == [1129, 951, 625, 504, 674]
    assert len(found.groups) == 167


@given(GAPPY)
def test_what_is_called_impossible_never_happens(runs):
    verdicts = {key: column[:7] for key, column in judged(*runs).items()}
    found = scoring.contributions(IMAGES, ANSWERS[:7], verdicts)
    for place in np.flatnonzero(found.denominator.sum(axis=(0, 1)) == 0):
        assert not found.numerator[..., place].any()
