"""The published rows of both Tiny LVLM-eHub benchmarks say what the paper's tables and the README
print."""

import json
from pathlib import Path
from typing import Any

import pytest

from benchmarks.protocols.base import PublishedRow
from benchmarks.protocols.tiny_lvlm_ehub.panel import RATED
from benchmarks.protocols.tiny_lvlm_ehub.suite import BY_SLUG, JUDGED, datasets_of, find_dataset
from tests.each_case import each_case

PROJECT = Path(__file__).resolve().parents[3]
PROTOCOLS = PROJECT / "benchmarks/protocols"
FACTS = PROJECT.parent / "shared/data/published_results.json"

TABLES = {
    "Table 1": "perception",
    "Table 2": "knowledge",
    "Table 3": "reasoning",
    "Table 4": "commonsense",
    "Table 5": "hallucination",
}
ABILITY_TABLES = {
    "Ability-level: Overall Score": "words",
    "Ability-level: Visual Perception": "words@perception",
    "Ability-level: Visual Knowledge Acquisition": "words@knowledge",
    "Ability-level: Visual Reasoning": "words@reasoning",
    "Ability-level: Visual Commonsense": "words@commonsense",
    "Ability-level: Object Hallucination": "words@hallucination",
}
POPE_METRICS = {
    "Accuracy": "pope_accuracy",
    "Precision": "pope_precision",
    "Recall": "pope_recall",
    "Yes ratio": "pope_yes",
}
ALIGNMENT_METRICS = {
    "alignment with human: CEE": "people_cee",
    "alignment with human: Word Matching": "people_words",
}


def read(folder: str) -> tuple[PublishedRow, ...]:
    text = (PROTOCOLS / folder / "published.json").read_text(encoding="utf-8")
    return tuple(PublishedRow(**row) for row in json.loads(text, object_pairs_hook=without_doubles))


def without_doubles(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """json.loads would silently keep the last of two equal names."""
    names = [name for name, _ in pairs]
    assert len(set(names)) == len(names)
    return dict(pairs)


SUITE = read("tiny_lvlm_ehub")
ABILITY = read("tiny_lvlm_ehub_ability")
JUDGED_ROWS = [row for row in SUITE if row.source.endswith("tables 1-5")]
RATED_ROWS = [row for row in SUITE if row.source.endswith("table 6")]
ALIGNED_ROWS = [row for row in SUITE if row.source.endswith("table 7")]


# --- what the file of facts says ------------------------------------------------------------------


@pytest.fixture(scope="module")
def facts() -> list[dict[str, Any]]:
    if not FACTS.exists():
        pytest.skip("published_results.json is not beside this checkout (../shared/data)")
    found: list[dict[str, Any]] = json.loads(FACTS.read_text(encoding="utf-8"))["facts"]
    return found


def suite_name(fact: dict[str, Any]) -> str:
    table, metric = fact["table"], fact["metric"]
    if table == "Table 7":
        return ALIGNMENT_METRICS[metric]
    if table == "Table 6":
        return "rated" if metric == "Avg. Score" else f"rated@{metric.lower().replace(' ', '-')}"
    if "dataset" not in fact:
        return f"cee@{TABLES[table]}"
    prefix = "ImageNetVC " if table == "Table 4" else ""
    dataset = find_dataset(prefix + fact["dataset"])
    assert dataset is not None
    return f"{POPE_METRICS.get(metric, 'cee')}@{dataset.slug}"


def values_of(rows: tuple[PublishedRow, ...]) -> dict[tuple[str, str], float]:
    return {(row.model, name): value for row in rows for name, value in row.values.items()}


def test_every_figure_of_the_papers_tables_has_its_value(facts):
    tables = [
        f
        for f in facts
        if f["source"].startswith("Tiny LVLM-eHub paper") and f["table"].startswith("Table")
    ]
    printed = {(f["model"], suite_name(f)): f["value"] / 100 for f in tables}
    copies = {
        (model, name): value
        for (model, name), value in values_of(SUITE).items()
        if is_pope_copy(name)
    }
    rest = {key: value for key, value in values_of(SUITE).items() if key not in copies}
    assert len(printed) == len(tables) == 762
    assert rest == pytest.approx(printed, abs=1e-9)
    assert len(copies) == 36


def is_pope_copy(name: str) -> bool:
    return name.startswith("cee@MSCOCO_pope_")


def test_every_figure_of_the_ability_tables_has_its_value(facts):
    tables = [f for f in facts if f["table"] in ABILITY_TABLES]
    printed = {(f["model"], ABILITY_TABLES[f["table"]]): f["value"] / 100 for f in tables}
    assert len(printed) == len(tables) == 138
    assert values_of(ABILITY) == pytest.approx(printed, abs=1e-9)


# --- what the rows must satisfy by themselves -----------------------------------------------------


def test_each_model_has_one_row_per_source_with_every_printed_column_as_a_share():
    judged = {f"cee@{slug}" for slug, dataset in BY_SLUG.items() if dataset.capability in JUDGED}
    pope = datasets_of("hallucination")
    judged |= {f"cee@{capability}" for capability in JUDGED}
    judged |= {f"{metric}@{dataset.slug}" for metric in POPE_METRICS.values() for dataset in pope}
    rated = {"rated", *(f"rated@{dimension.slug}" for dimension in RATED)}
    aligned = set(ALIGNMENT_METRICS.values())
    for rows, number, names, judge in (
        (JUDGED_ROWS, 12, judged, "gpt-3.5-turbo, five prompts"),
        (RATED_ROWS, 13, rated, "people"),
        (ALIGNED_ROWS, 12, aligned, "people"),
    ):
        assert len({row.model for row in rows}) == len(rows) == number
        assert all((set(row.values), row.judge) == (names, judge) for row in rows)
    assert len(SUITE) == 12 + 13 + 12
    assert [row in RATED_ROWS for row in SUITE if row.model == "Bard (w/o Human)"] == [True]
    assert len({row.model for row in ABILITY}) == len(ABILITY) == 23
    assert all(row.url.startswith("https://") for row in (*SUITE, *ABILITY))
    shares = {**values_of(SUITE), **values_of(ABILITY)}
    assert all(0 <= value <= 1 for (_, name), value in shares.items() if name != "words")
    for row in JUDGED_ROWS:
        for dataset in pope:
            assert row.values[f"cee@{dataset.slug}"] == row.values[f"pope_accuracy@{dataset.slug}"]


@each_case("row", JUDGED_ROWS)
@each_case("capability", JUDGED)
def test_printed_capability_is_the_mean_of_its_datasets(row, capability):
    datasets = datasets_of(capability)
    mean = sum(row.values[f"cee@{dataset.slug}"] for dataset in datasets) / len(datasets)
    assert row.values[f"cee@{capability}"] == pytest.approx(mean, abs=0.0006)


def test_only_blip2_on_pets_is_not_a_share_of_fifty():
    """Of the datasets of tables 1 to 4; the paper's own slip (docs/tiny_lvlm_ehub.md, 9)."""
    slugs = [slug for slug, dataset in BY_SLUG.items() if dataset.capability in JUDGED[:4]]
    odd = [
        (row.model, slug)
        for row in JUDGED_ROWS
        for slug in slugs
        if not is_whole(row.values[f"cee@{slug}"] * 50)
    ]
    assert odd == [("BLIP2", "OxfordIIITPet")]


def is_whole(number: float) -> bool:
    return number == pytest.approx(round(number), abs=1e-9)


def mean_rating(row: PublishedRow) -> float:
    return sum(row.values[f"rated@{dimension.slug}"] for dimension in RATED) / len(RATED)


def test_printed_rating_is_a_mean_rounded_on_the_scale_of_five_and_five_plain_ones_differ():
    """Agreement is higher with CEE for all but Bard."""
    apart = []
    for row in RATED_ROWS:
        mean = mean_rating(row)
        assert row.values["rated"] == pytest.approx(round(mean * 5, 2) / 5, abs=1e-9)
        apart += [row.model] * (abs(mean - row.values["rated"]) > 0.0006)
    assert apart == ["BLIP2", "LLaVA", "OF-V2", "Otter", "Bard"]
    agreement = {row.model: row.values for row in ALIGNED_ROWS}
    ahead = [m for m, found in agreement.items() if found["people_words"] > found["people_cee"]]
    assert ahead == ["Bard"]


@each_case("row", ABILITY)
def test_printed_overall_is_the_sum_of_five_abilities(row):
    """Up to the rounding of printed percentages to two decimals."""
    assert row.values["words"] == pytest.approx(
        sum(row.values[f"words@{slug}"] for slug in JUDGED), abs=0.0002
    )
