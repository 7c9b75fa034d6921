import pytest

from benchmarks.protocols.base import BoardPort, Facts, QuestionView
from benchmarks.protocols.base.anchoring import names_of
from benchmarks.protocols.hallusionbench import anchoring, board, dataset, scoring
from benchmarks.protocols.hallusionbench.board import BOARD, METRICS

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


def test_every_scored_metric_is_described_once_in_one_sentence(scored_names):
    port: BoardPort = board
    assert (port.BOARD.ranking, port.BOARD.min_coverage) == ("overall", 0.99)
    assert set(BOARD.metric_names()) <= scored_names
    described = {name: metric for name, metric in METRICS.items() if "@" not in name}
    assert set(described) == {name for name in scored_names if "@" not in name}
    assert len({metric.title for metric in described.values()}) == len(described)
    for name, metric in METRICS.items():
        assert metric.name == name
        assert metric.about.endswith(".")
        assert metric.empty
        assert not metric.empty.endswith(".")
    for name in ("pct_diff", "pct_diff_code"):
        assert (METRICS[name].unit, METRICS[name].higher_is_better) == ("ratio", None)
        assert "zero is best" in METRICS[name].about.lower()
    for name in ("fp_ratio", "diag_vi"):
        assert METRICS[name].empty.startswith("no row was judged wrong")


def test_tables_have_the_promised_columns_and_bars():
    together, row_by_row = (
        ["qAcc", "fAcc", "easy", "hard"],
        ["aAcc", "unedited_rows", "edited_rows"],
    )
    assert columns("accuracy") == ["overall", *together, *row_by_row]
    slugs = [slug for a in dataset.TAXONOMY for slug in (a.slug, *(s.slug for s in a.subtasks))]
    assert columns("subcategories") == [f"aAcc@{slug}" for slug in slugs]
    assert [metric.title for metric in TABLES["diagnosis"].groups[0].metrics] == [
        "Pct. Diff (answers)",
        "Pct. Diff (code)",
        "FP ratio (answers)",
        "FP ratio (code)",
    ]
    assert [[name for name, _ in bar.parts] for bar in TABLES["diagnosis"].bars] == [
        ["consistent", "inconsistent", "all_wrong"],
        ["diag_lh", "diag_vi", "diag_mixed"],
        ["pair_lh", "pair_vi", "pair_mixed"],
    ]


# --- printed figures ------------------------------------------------------------------------------


def published(model: str, source: str, judge: str):
    (found,) = [
        p for p in BOARD.published if (p.model, p.judge) == (model, judge) and source in p.source
    ]
    return found


def test_both_tables_of_the_paper_are_one_row_for_each_model_and_judge():
    rows = {(row.model, row.source, row.judge) for row in BOARD.published}
    assert len(rows) == len(BOARD.published) == 29
    assert published("GPT4V (Oct 2023)", PAPER, "GPT-4").values == {
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
    assert published("LLaVA-1.5", PAPER, "Human").values["qAcc"] == 0.0945
    assert published("LLaVA-1.5", PAPER, "GPT-4").values["qAcc"] == 0.1055
    assert "diag_vi" not in published("Random Chance", PAPER, "GPT-4").values


def test_printed_values_have_a_metric_lie_in_its_range_and_overall_is_the_mean_of_three():
    for row in BOARD.published:
        assert row.url.startswith("https://")
        assert row.values.keys() <= METRICS.keys()
        assert all(-1 <= value <= 1 for value in row.values.values())
    rows = [row.values for row in BOARD.published if "overall" in row.values]
    assert len(rows) == 9
    for values in rows:
        mean = sum(values[name] for name in ("aAcc", "fAcc", "qAcc")) / 3
        assert values["overall"] == pytest.approx(mean, abs=0.001)


def test_printed_bias_is_the_codes():
    """All rows but two satisfy the identity of the code's formulas to their digits
    (docs/hallusionbench.md 6)."""
    rows = [(row.model, row.values) for row in BOARD.published if "fp_ratio_code" in row.values]
    inferred = [(1 - values["aAcc"]) * (2 * values["fp_ratio_code"] - 1) for _, values in rows]
    printed = [values["pct_diff_code"] for _, values in rows]
    gaps = [abs(ours - theirs) for ours, theirs in zip(inferred, printed, strict=True)]
    apart = [model for (model, _), gap in zip(rows, gaps, strict=True) if gap > 0.015]
    assert apart == ["MiniGPT5", "mPLUG_Owl-v2"]
