import json
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from benchmarks.protocols.base import PredictionReading, QuestionView, Upload
from benchmarks.protocols.hallusionbench.predictions import baselines, read
from tests.each_case import each_case

DATA = Path(__file__).resolve().parents[3].parent / "shared" / "data" / "hallusionbench"
NAMING = ("category", "subcategory", "set_id", "figure_id", "question_id")
IDS = ("VD/figure/0/0/0", "VD/figure/0/0/1", "VS/chart/12/1/0")

needs_official_files = pytest.mark.skipif(
    not (DATA / "HallusionBench_result_sample.json").exists(),
    reason="the official files are not beside this checkout (../shared/data/hallusionbench)",
)


def questions_of(ids: tuple[str, ...] = IDS) -> list[QuestionView]:
    return [QuestionView(id_, id_[:2], "", "", "", "", {}, {}) for id_ in ids]


def official_ids(name: str) -> tuple[str, ...]:
    rows = json.loads((DATA / name).read_text())
    return tuple("/".join(row[field] for field in NAMING) for row in rows)


def official_row(id_: str, answer: object = "Yes.", **more: object) -> dict[str, object]:
    return {**dict(zip(NAMING, id_.split("/"), strict=True)), "model_prediction": answer, **more}


def read_rows(*rows: dict[str, object]) -> PredictionReading:
    return read(Upload("result.json", json.dumps(rows, indent=1).encode()), questions_of())


@needs_official_files
def test_official_sample_lacks_875_of_the_1129_answers() -> None:
    upload = Upload("result.json", (DATA / "HallusionBench_result_sample.json").read_bytes())

    reading = read(upload, questions_of(official_ids("HallusionBench.json")))

    (problem,) = reading.problems
    assert problem.code == "missing"
    assert problem.message.startswith(
        "875 of 1,129 answers are missing: VS/chart/3/2/0, VS/chart/3/2/1, "
    )


@needs_official_files
def test_official_sample_is_accepted_for_its_own_254_questions() -> None:
    name = "HallusionBench_result_sample.json"

    reading = read(
        Upload("result.json", (DATA / name).read_bytes()), questions_of(official_ids(name))
    )

    assert reading.problems == ()
    assert len(reading.answers) == 254
    first = "Yes, the right orange circle appears to be the same size as the left orange circle."
    assert reading.answers["VD/illusion/0/0/0"] == first


def test_what_official_rows_say_of_the_dataset_is_ignored_with_a_note() -> None:
    more = {"gt_answer": "1", "filename": None, "question": "Is it?"}

    reading = read_rows(*(official_row(id_, id_, **more) for id_ in IDS))

    assert reading.problems == ()
    assert reading.answers == {id_: id_ for id_ in IDS}
    (note,) = reading.notes
    assert note.code == "ignored-fields"
    assert "gt_answer, filename." in note.message


@each_case("answer", [["a", "b"], None, 3])
def test_an_answer_that_is_no_text_is_refused_under_the_name_it_has_in_the_file(
    answer: object,
) -> None:
    reading = read_rows(official_row(IDS[0], answer), *(official_row(id_) for id_ in IDS[1:]))

    (problem,) = reading.problems
    assert (problem.code, problem.column, problem.record) == (
        "type-of-answer",
        "model_prediction",
        "record 1",
    )
    assert problem.message.startswith('The field "model_prediction" holds ')


@each_case("damaged", ["012", "12.0", "１２", " 12", 12.0])
def test_damaged_number_is_refused_with_the_id_that_was_meant(damaged: object) -> None:
    rows = [official_row(id_, id_) for id_ in IDS]
    rows[2]["set_id"] = damaged

    missing, unknown = read_rows(*rows).problems

    assert (missing.code, unknown.code, unknown.expected) == ("missing", "unknown", IDS[2])


@each_case("part, code", [(None, "type-of-id"), (True, "type-of-id"), (["12"], "type-of-id")])
def test_part_of_an_id_of_another_type_or_none_is_refused_once(part: object, code: str) -> None:
    """Numbers may name a question."""
    rows = [official_row(id_, id_) for id_ in IDS]
    rows[2].update(set_id=12, figure_id=1, question_id=0)
    assert read_rows(*rows).answers == {id_: id_ for id_ in IDS}
    rows[2]["set_id"] = part
    (problem,) = read_rows(*rows).problems
    assert (problem.code, problem.column, problem.line) == (code, "set_id", 18)
    del rows[2]["set_id"]
    (problem,) = read_rows(*rows).problems
    assert (problem.code, problem.column, problem.line) == ("missing-field", "set_id", 18)


def test_one_word_said_in_all_rows_is_noted_and_one_of_most_is_not() -> None:
    most = [official_row(IDS[0], "Yes"), official_row(IDS[1], "Yes"), official_row(IDS[2], "No")]
    assert read_rows(*most).notes == ()
    (note,) = read_rows(*(official_row(id_, "Yes") for id_ in IDS)).notes
    assert note.message == '3 of 3 answers are the same: "Yes".'


def test_baselines_answer_every_question_and_the_coin_is_fair_and_the_same_for_a_seed() -> None:
    questions = questions_of(tuple(f"VD/figure/{number}/0/0" for number in range(2000)))
    first, again, other = (
        baselines(questions, {}, np.random.default_rng(seed))[-4:-1] for seed in (7, 7, 8)
    )
    assert [one.slug for one in first] == ["always-yes", "always-no", "coin"]
    asked = [question.public_id for question in questions]
    assert [one.answers for one in first[:2]] == [dict.fromkeys(asked, w) for w in ("Yes", "No")]
    coins = [made[2].answers for made in (first, again, other)]
    assert (list(coins[0]), coins[0] == coins[1], coins[0] == coins[2]) == (asked, True, False)
    counts = Counter(coins[0].values())
    assert set(counts) == {"Yes", "No"}
    assert 900 < counts["Yes"] < 1100
