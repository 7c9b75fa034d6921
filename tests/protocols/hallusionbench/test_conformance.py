import copy
import io
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from benchmarks.protocols.base import QuestionRow, QuestionView
from benchmarks.protocols.hallusionbench import dataset
from benchmarks.protocols.hallusionbench.conformance import CONFORMANCE
from tests.each_case import each_case

SHARED = Path(__file__).resolve().parents[4] / "shared/data/hallusionbench"
CHECK = CONFORMANCE[""]


def views(rows: Sequence[dict[str, str]]) -> list[QuestionView]:
    filled = [{"question": "Is it so?", "gt_answer_details": "It is so.", **row} for row in rows]
    return read(json.dumps(filled).encode())


def read(content: bytes) -> list[QuestionView]:
    found = [item for item in dataset.read(io.BytesIO(content)) if isinstance(item, QuestionRow)]
    return [view(row) for row in found]


def view(r: QuestionRow) -> QuestionView:
    return QuestionView(
        r.public_id, r.ability, r.subtask, r.figure, r.group, r.text, r.facts, r.truth
    )


def row(figure_id: str, visual_input: str, gt_answer: str) -> dict[str, str]:
    ids = {"category": "VS", "subcategory": "chart", "set_id": "0", "question_id": "0"}
    return {**ids, "figure_id": figure_id, "visual_input": visual_input, "gt_answer": gt_answer}


TRIPLE = views([row("0", "0", "1"), row("1", "1", "1"), row("2", "2", "0")])
"""Without an image, with the original one, with an edited one."""


def case(**changes: object) -> dict[str, Any]:
    expected = {
        "aAcc": [1, 3],
        "qAcc": [0, 1],
        "fAcc": [1, 2],
        "easy": [0, 1],
        "hard": [0, 1],
        "consistency": {"correct": 1, "inconsistent": 0, "wrong": 1, "figures": 2},
        "code_pct_diff": 0.0,
        "code_fp_ratio": 0.5,
        "diagnosis_rows": {"LH": 1, "VI": 0, "Mixed": 1},
        "diagnosis_groups": {"LH": 0, "VI": 0, "Mixed": 1},
        "VS": {"aAcc": [1, 3], "hard": [0, 1]},
    }
    return {"verdicts": "010", "same": "100", "expected": expected, **changes}


def names(found) -> list[str]:
    return [difference.name for difference in found]


def test_case_worked_out_by_hand_agrees():
    assert list(CHECK(case(), TRIPLE)) == []


def leaves(block: dict[str, Any], path: tuple[str, ...] = ()) -> list[tuple[str, ...]]:
    return [
        place
        for name, value in block.items()
        for place in (leaves(value, (*path, name)) if isinstance(value, dict) else [(*path, name)])
    ]


@each_case("place", leaves(case()["expected"]))
def test_any_changed_number_is_reported(place):
    changed = copy.deepcopy(case())
    block = changed["expected"]
    for name in place[:-1]:
        block = block[name]
    value = block[place[-1]]
    block[place[-1]] = [value[0] + 1, value[1]] if isinstance(value, list) else value + 0.001
    assert names(CHECK(changed, TRIPLE)) == [".".join(place)]


def test_changed_total_is_reported():
    changed = case()
    changed["expected"]["fAcc"] = [1, 3]
    (difference,) = CHECK(changed, TRIPLE)
    assert (difference.expected, difference.found) == ([1, 3], [1, 2])


def test_nothing_wrong_expects_no_fp_ratio():
    expected = {"code_fp_ratio": None, "code_pct_diff": 0.0, "aAcc": [3, 3]}
    assert list(CHECK(case(verdicts="111", expected=expected), TRIPLE)) == []
    assert names(CHECK(case(expected=expected), TRIPLE)) == ["code_fp_ratio", "aAcc"]


def test_number_we_do_not_know_is_reported():
    (difference,) = CHECK(case(expected={"zAcc": [1, 2]}), TRIPLE)
    assert (difference.name, difference.found) == ("zAcc", "no such number")


def test_scope_without_questions_is_reported():
    assert names(CHECK(case(expected={"VD": {"aAcc": [0, 0]}}), TRIPLE)) == ["VD"]


@each_case(
    "changes, name",
    [
        ({"verdicts": "01"}, "verdicts"),
        ({"verdicts": "013"}, "verdicts"),
        ({"verdicts": None}, "verdicts"),
        ({"verdicts": [0, 1, 0]}, "verdicts"),
        ({"same": "102"}, "same"),
        ({"same": "1000"}, "same"),
        ({"expected": None}, "expected"),
        ({"expected": {}}, "expected"),
        ({"expected": [1]}, "expected"),
        ({"remark": "x"}, "remark"),
    ],
)
def test_malformed_case_is_a_difference(changes, name):
    assert names(CHECK(case(**changes), TRIPLE)) == [name]


@each_case("value", ["1/3", [1], [1, 3, 1], {"hits": 1}, None, True, [None, 3]])
def test_number_in_another_form_is_a_difference(value):
    assert len(CHECK(case(expected={"aAcc": value}), TRIPLE)) == 1


def test_block_in_place_of_a_number_is_a_difference():
    assert names(CHECK(case(expected={"VS": 5, "consistency": [1, 2]}), TRIPLE)) == [
        "VS",
        "consistency",
    ]


def test_case_without_questions_says_how_many_were_expected():
    differences = CHECK(case(), ())
    assert names(differences) == ["verdicts", "same"]
    assert differences[0].expected == "0 digits of 012, one per question"


# --- the official numbers -------------------------------------------------------------------------


@pytest.fixture(scope="module")
def official() -> list[QuestionView]:
    return read(shared("HallusionBench.json"))


@pytest.fixture(scope="module")
def cases() -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(shared("conformance.json"))["cases"]
    return found


def shared(name: str) -> bytes:
    path = SHARED / name
    if not path.exists():
        pytest.skip(f"{name} is not beside this checkout (../shared/data/hallusionbench)")
    return path.read_bytes()


def test_every_official_case_agrees(official, cases):
    assert len(cases) == 4
    assert [list(CHECK(one, official)) for one in cases] == [[]] * 4


def test_other_verdicts_than_the_official_ones_differ(official, cases):
    changed = {**cases[0], "verdicts": cases[0]["verdicts"].replace("1", "0", 1)}
    assert "aAcc" in names(CHECK(changed, official))
