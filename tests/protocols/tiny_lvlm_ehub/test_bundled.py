"""The self-written suite: every dataset asked, every answer, label and rating in its place."""

import csv
import json
import random
import re
from collections import Counter
from itertools import product
from typing import Any

import numpy as np

from benchmarks.bundled.tiny_lvlm_ehub import BUNDLED
from benchmarks.protocols.tiny_lvlm_ehub.suite import BY_SLUG, DATASETS, POPE
from benchmarks.statistics.anchored import LEAST_GROUPS, LEAST_LABELS
from benchmarks.statistics.intervals import effective_groups
from tests.each_case import each_case

MODELS = ("lucid-9b", "parrot-7b", "terse-2b")
LABELLED_WHOLE = ("VCR1_MCI", "IC15", "VSR", "ImageNetVC_shape", "MSCOCO_pope_adversarial")
RATERS = {"r1", "r2", "r3", "r4"}
DIMENSIONS = {
    "object-recognition",
    "spatial-relationship",
    "conciseness",
    "reasonability",
    "executability",
}


FIELDS = {"question_id", "question", "gt_answers", "image_path", "task_type"}


def suite() -> dict[str, list[dict[str, Any]]]:
    found: dict[str, list[dict[str, Any]]] = json.loads(
        (BUNDLED / "questions.json").read_text(encoding="utf-8")
    )
    return found


def items() -> list[str]:
    return [
        f"{slug}/{record['question_id']}" for slug, records in suite().items() for record in records
    ]


def plans() -> set[str]:
    return {item for item in items() if item.startswith("VirtualHome/")}


def answers(model: str) -> dict[str, str]:
    lines = (BUNDLED / "answers" / f"{model}.jsonl").read_text(encoding="utf-8").splitlines()
    records = [json.loads(line) for line in lines]
    found = {f"{record['dataset']}/{record['question_id']}": record["answer"] for record in records}
    assert len(found) == len(records)
    return found


def table(folder: str, model: str) -> list[dict[str, str]]:
    with (BUNDLED / folder / f"{model}.csv").open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream))


def pictures() -> set[str]:
    return {record["image_path"] for records in suite().values() for record in records}


# --- questions


def test_every_dataset_is_asked_in_the_official_fields():
    """Two questions or more of each, and so every capability and task group."""
    assert set(suite()) == {dataset.slug for dataset in DATASETS}
    assert sum(map(len, suite().values())) >= 72
    for slug, records in suite().items():
        assert len(records) >= 2
        ids = [record["question_id"] for record in records]
        assert ids == [f"{number:06d}" for number in range(1, len(records) + 1)]
        for record in records:
            assert set(record) == FIELDS
            assert record["task_type"] == BY_SLUG[slug].group.short
            assert record["question"].strip()


def test_references_are_words_among_the_options_and_of_plans_there_are_none():
    """Pope asks for as many objects that are there as that are not."""
    found = [record["gt_answers"] for records in suite().values() for record in records]
    several = [answer for answer in found if isinstance(answer, list)]
    assert 10 <= len(several) < len(found)
    assert all(len(set(answer)) >= 2 for answer in several)
    assert all(isinstance(answer, str) and answer for answer in found if answer not in several)
    assert [record["gt_answers"] for record in suite()["VirtualHome"]] == ["BLANK"] * 3
    for dataset in DATASETS:
        records = suite()[dataset.slug]
        if dataset.group is POPE:
            counts = Counter(record["gt_answers"] for record in records)
            assert set(counts) == {"yes", "no"}
            assert counts["yes"] == counts["no"]
        if dataset.prompt == "options":
            for record in records:
                options = re.findall(r"^- (.+)$", record["question"], re.MULTILINE)
                assert record["gt_answers"] in options


# --- pictures


def test_every_picture_is_in_the_list_of_sources():
    sources = (BUNDLED / "SOURCES.md").read_text(encoding="utf-8")
    stems = {name.removesuffix(".png") for name in pictures()}
    assert {
        stem for stem in stems if stem not in sources and stem.removeprefix("word") not in sources
    } == set()


# --- sample answers, labels, ratings


@each_case("model", MODELS)
def test_sample_answers_are_complete(model):
    found = answers(model)
    assert set(found) == set(items())
    assert all(answer.strip() for answer in found.values())


@each_case("model", MODELS)
def test_labels_are_of_five_whole_datasets_and_of_a_random_half_of_every_other(model):
    rows = table("labels", model)
    labelled = [row["item"] for row in rows]
    assert labelled[: len(labelled) - len(drawn_half())] == [
        item for slug in LABELLED_WHOLE for item in items() if item.split("/")[0] == slug
    ]
    assert labelled[-len(drawn_half()) :] == drawn_half()
    assert {(row["rater"], row["label"]) for row in rows} == {
        ("r1", "correct"),
        ("r1", "incorrect"),
    }


def drawn_half() -> list[str]:
    """What nobody picked, by the seed that SOURCES.md names."""
    rng = random.Random(14)
    drawn: list[str] = []
    for slug, records in suite().items():
        if slug not in (*LABELLED_WHOLE, "VirtualHome"):
            here = [f"{slug}/{record['question_id']}" for record in records]
            drawn += sorted(rng.sample(here, len(here) // 2))
    return drawn


@each_case("model", MODELS)
def test_there_are_labels_enough_for_a_human_anchored_score(model):
    labelled = {row["item"] for row in table("labels", model)}
    shown = {
        f"{slug}/{record['question_id']}": record["image_path"]
        for slug, records in suite().items()
        for record in records
    }
    assert len(labelled) >= LEAST_LABELS
    of_picture = np.array(list(Counter(shown[item] for item in labelled).values()))
    assert effective_groups(of_picture) >= LEAST_GROUPS


def test_the_same_items_are_labelled_for_every_model():
    assert len({tuple(row["item"] for row in table("labels", model)) for model in MODELS}) == 1


@each_case("model", MODELS)
def test_four_people_rate_every_plan_once_on_every_dimension_from_one_to_five(model):
    rows = table("ratings", model)
    rated = Counter((row["item"], row["rater"], row["dimension"]) for row in rows)
    assert rated == dict.fromkeys(product(plans(), RATERS, DIMENSIONS), 1)
    assert {row["score"] for row in rows} <= set("12345")
