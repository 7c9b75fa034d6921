"""The row "GPT-4V, human" is made again from people's recorded verdicts."""

import io
import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from benchmarks.protocols.base import QuestionRow, QuestionView
from benchmarks.protocols.hallusionbench import dataset, recorded
from benchmarks.protocols.hallusionbench.board import BOARD
from benchmarks.protocols.hallusionbench.conformance import CONFORMANCE

SHARED = Path(__file__).resolve().parents[4] / "shared/data/hallusionbench"
CHECK = CONFORMANCE["recorded"]


def views(content: bytes) -> list[QuestionView]:
    return [
        QuestionView(r.public_id, r.ability, r.subtask, r.figure, r.group, r.text, r.facts, r.truth)
        for r in dataset.read(io.BytesIO(content))
        if isinstance(r, QuestionRow)
    ]


def names(found) -> list[str]:
    return [difference.name for difference in found]


# --- four rows worked out by hand -----------------------------------------------------------------

FOUR = views(
    json.dumps(
        [
            {
                "category": "VD",
                "subcategory": "math",
                "visual_input": "1",
                "set_id": str(number),
                "figure_id": "0",
                "question_id": "0",
                "question": "Is it so?",
                "gt_answer_details": "It is so.",
                "gt_answer": "1",
            }
            for number in range(4)
        ]
    ).encode()
)
IDS = [question.public_id for question in FOUR]


@pytest.fixture
def no_row(monkeypatch):
    monkeypatch.setattr(recorded, "BOARD", replace(BOARD, published=()))


def case(**changes: object) -> dict[str, Any]:
    made = {
        "verdicts": "1.0.",
        "not_recorded": [IDS[1], IDS[3]],
        "filled": f"1 for each, 0 for {IDS[3]}",
        "printed": {"aAcc": 50.0, "consistency": [50.0, 0.0, 50.0]},
    }
    return {**made, **changes}


def test_a_case_worked_out_by_hand_comes_out(no_row):
    assert not CHECK(case(), FOUR)


@pytest.mark.parametrize(
    "printed", [{"aAcc": 75.0}, {"aAcc": "50"}, {"consistency": [50.0, 0.0, 25.0]}]
)
def test_a_figure_that_does_not_come_out_is_told(no_row, printed):
    assert len(CHECK(case(printed=printed), FOUR)) == 1


def test_figures_are_printed_rounded_or_cut_off(no_row):
    for aacc, is_so in ((66.67, True), (66.66, True), (66.65, False), (66.68, False)):
        made = CHECK(
            case(
                verdicts="110",
                not_recorded=[],
                printed={"aAcc": aacc},
            ),
            FOUR[:3],
        )
        assert (not made) is is_so


@pytest.mark.parametrize(
    ("changes", "name"),
    [
        ({"verdicts": "1.0"}, "verdicts"),
        ({"verdicts": None}, "verdicts"),
        ({"verdicts": "1.3."}, "verdicts"),
        ({"not_recorded": [IDS[1]]}, "not_recorded"),
        ({"not_recorded": None}, "not_recorded"),
        ({"filled": f"0 for {IDS[3]}"}, "filled"),
        ({"filled": "as you like"}, "filled"),
        ({"filled": None}, "filled"),
        ({"printed": {}}, "printed"),
        ({"printed": None}, "printed"),
        ({"printed": {"zAcc": 1.0}}, "zAcc"),
        ({"printed": {"consistency": 1.0}}, "consistency"),
    ],
)
def test_what_makes_a_case_unusable_is_told(no_row, changes, name):
    assert names(CHECK(case(**changes), FOUR)) == [name]


# --- the recording --------------------------------------------------------------------------------


def shared(name: str) -> bytes:
    path = SHARED / name
    if not path.exists():
        pytest.skip(f"{name} is not beside this checkout (../shared/data/hallusionbench)")
    return path.read_bytes()


@pytest.fixture(scope="module")
def official() -> Sequence[QuestionView]:
    return views(shared("HallusionBench.json"))


@pytest.fixture(scope="module")
def recording() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(shared("gpt4v_human.json"))
    return found


def test_the_row_judged_by_people_comes_out_of_the_recording(official, recording):
    assert not CHECK(recording, official)


def test_another_verdict_gives_another_row(official, recording):
    place = recording["verdicts"].rindex("1")
    verdicts = f"{recording['verdicts'][:place]}0{recording['verdicts'][place + 1 :]}"
    assert "aAcc" in names(CHECK({**recording, "verdicts": verdicts}, official))


@pytest.mark.parametrize("metric", ["qAcc", "pct_diff_code", "all_wrong"])
def test_a_row_that_prints_something_else_is_not_reproduced(
    official, recording, monkeypatch, metric
):
    rows = [
        replace(row, values={**row.values, metric: row.values[metric] + 0.01})
        for row in BOARD.published
        if row.reproduced
    ]
    monkeypatch.setattr(recorded, "BOARD", replace(BOARD, published=tuple(rows)))
    assert metric in names(CHECK(recording, official))


def test_one_row_calls_itself_reproduced():
    marked = [(row.model, row.judge) for row in BOARD.published if row.reproduced]
    assert marked == [("GPT4V (Oct 2023)", "Human")]
