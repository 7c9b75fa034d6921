from collections import Counter

import pytest

from benchmarks.protocols.base import BoardPort, Facts, QuestionView
from benchmarks.protocols.base.anchoring import names_of
from benchmarks.protocols.hallusionbench import anchoring, board, dataset, scoring
from benchmarks.protocols.hallusionbench.board import BOARD, METRICS
from tests.each_case import each_case

TABLES = {table.slug: table for table in BOARD.tables}
PAPER = "HallusionBench paper, tables 2 and 3"


def one_question(subtask: str) -> QuestionView:
    category, _, subcategory = subtask.partition("/")
    facts: Facts = {
        "category": category,
        "subcategory": subcategory,
        "visual_input": 1,
        "set_id": 0,
        "figure_id": 1,
        "question_id": 0,
        "original": None,
    }
    return QuestionView(f"{subtask}/0/1/0", category, subtask, "", f"{subtask}/0", "", facts, {})


@pytest.fixture(scope="module")
def scored_names() -> set[str]:
    questions = [one_question(s.slug) for ability in dataset.TAXONOMY for s in ability.subtasks]
    found = scoring.contributions(questions, ["Yes."] * len(questions), {})
    labels = {"correct": [(1,)] * len(questions)}
    anchors = anchoring.anchors(questions, ["Yes."] * len(questions), {}, labels)
    return {*found.names, *found.derived, *names_of(anchors) & METRICS.keys()}


def columns(slug: str) -> list[str]:
    return [metric.name for group in TABLES[slug].groups for metric in group.metrics]


def test_module_satisfies_the_port():
    port: BoardPort = board
    assert port.BOARD.ranking == "overall"
    assert port.BOARD.min_coverage == 0.99


def test_every_name_on_the_board_is_scored(scored_names):
    assert set(BOARD.metric_names()) <= scored_names


def test_every_scored_metric_is_described_once(scored_names):
    assert {name for name in METRICS if "@" not in name} == {
        name for name in scored_names if "@" not in name
    }


def test_metrics_stand_under_their_own_names():
    assert all(metric.name == name for name, metric in METRICS.items())


def test_titles_tell_metrics_apart():
    titles = Counter(metric.title for name, metric in METRICS.items() if "@" not in name)
    assert max(titles.values()) == 1


def test_accuracy_table_has_the_promised_columns():
    together, row_by_row = (
        ["qAcc", "fAcc", "easy", "hard"],
        ["aAcc", "unedited_rows", "edited_rows"],
    )
    assert columns("accuracy") == ["overall", *together, *row_by_row]


def test_diagnosis_table_names_both_formulas():
    titles = [metric.title for metric in TABLES["diagnosis"].groups[0].metrics]
    assert titles == [
        "Pct. Diff (answers)",
        "Pct. Diff (code)",
        "FP ratio (answers)",
        "FP ratio (code)",
    ]


def test_bars_divide_one_whole_in_three():
    bars = [[name for name, _ in bar.parts] for bar in TABLES["diagnosis"].bars]
    assert bars == [
        ["consistent", "inconsistent", "all_wrong"],
        ["diag_lh", "diag_vi", "diag_mixed"],
        ["pair_lh", "pair_vi", "pair_mixed"],
    ]


def test_subcategory_table_follows_the_taxonomy():
    slugs = [slug for a in dataset.TAXONOMY for slug in (a.slug, *(s.slug for s in a.subtasks))]
    assert columns("subcategories") == [f"aAcc@{slug}" for slug in slugs]


@each_case("name", ["pct_diff", "pct_diff_code"])
def test_difference_is_a_signed_ratio_without_a_better_direction(name):
    assert (METRICS[name].unit, METRICS[name].higher_is_better) == ("ratio", None)
    assert "zero is best" in METRICS[name].about


@each_case("name", ["fp_ratio", "diag_vi"])
def test_share_of_wrong_rows_says_when_there_are_none(name):
    assert METRICS[name].empty.startswith("no row was judged wrong")


@each_case("metric", METRICS.values())
def test_metric_is_explained_in_one_sentence(metric):
    assert metric.about.endswith(".")
    assert metric.empty
    assert not metric.empty.endswith(".")


# --- printed figures ------------------------------------------------------------------------------


def published(model: str, source: str, judge: str):
    (found,) = [
        p for p in BOARD.published if (p.model, p.judge) == (model, judge) and source in p.source
    ]
    return found


def test_each_model_source_and_judge_has_one_row():
    assert (
        len({(row.model, row.source, row.judge) for row in BOARD.published})
        == len(BOARD.published)
        == 29
    )


def test_both_tables_of_the_paper_are_one_row():
    row = published("GPT4V (Oct 2023)", PAPER, "GPT-4")
    assert row.values == {
        "qAcc": 0.2879,
        "fAcc": 0.3988,
        "easy": 0.756,
        "hard": 0.3767,
        "aAcc": 0.6528,
        "pct_diff_code": 0.058,
        "fp_ratio_code": 0.58,
        "consistent": 0.3988,
        "inconsistent": 0.3815,
        "all_wrong": 0.2197,
        "diag_lh": 0.2219,
        "diag_vi": 0.4566,
        "diag_mixed": 0.3214,
    }


def test_people_and_judge_are_separate_rows():
    assert published("LLaVA-1.5", PAPER, "Human").values["qAcc"] == 0.0945
    assert published("LLaVA-1.5", PAPER, "GPT-4").values["qAcc"] == 0.1055


def test_random_chance_has_no_diagnosis():
    assert "diag_vi" not in published("Random Chance", PAPER, "GPT-4").values


def test_leaderboard_file_prints_the_mean_of_three():
    rows = [row for row in BOARD.published if "overall" in row.values]
    assert len(rows) == 9
    for row in rows:
        mean = sum(row.values[name] for name in ("aAcc", "fAcc", "qAcc")) / 3
        assert row.values["overall"] == pytest.approx(mean, abs=0.001)


def test_printed_values_have_a_metric_and_lie_in_its_range():
    for row in BOARD.published:
        assert row.url.startswith("https://")
        for name, value in row.values.items():
            assert name in METRICS
            assert -1 <= value <= 1


def test_printed_bias_is_the_codes():
    """All rows but two satisfy the identity of the code's formulas to their digits
    (docs/hallusionbench.md 6)."""
    rows = [(row.model, row.values) for row in BOARD.published if "fp_ratio_code" in row.values]
    inferred = [(1 - values["aAcc"]) * (2 * values["fp_ratio_code"] - 1) for _, values in rows]
    printed = [values["pct_diff_code"] for _, values in rows]
    gaps = [abs(ours - theirs) for ours, theirs in zip(inferred, printed, strict=True)]
    apart = [model for (model, _), gap in zip(rows, gaps, strict=True) if gap > 0.015]
    assert apart == ["MiniGPT5", "mPLUG_Owl-v2"]
