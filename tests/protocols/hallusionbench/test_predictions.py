import json
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


def test_numbers_may_name_a_question() -> None:
    rows = [official_row(id_, id_) for id_ in IDS]
    rows[2].update(set_id=12, figure_id=1, question_id=0)

    assert read_rows(*rows).answers["VS/chart/12/1/0"] == "VS/chart/12/1/0"


@each_case("damaged", ["012", "12.0", "１２", " 12"])
def test_damaged_number_is_refused_with_the_id_that_was_meant(damaged: str) -> None:
    rows = [official_row(id_, id_) for id_ in IDS]
    rows[2]["set_id"] = damaged

    missing, unknown = read_rows(*rows).problems

    assert (missing.code, unknown.code) == ("missing", "unknown")
    assert unknown.expected == "VS/chart/12/1/0"


def test_a_part_of_an_id_with_a_point_is_told_as_a_number_rewritten() -> None:
    rows = [official_row(id_, id_) for id_ in IDS]
    rows[2]["set_id"] = 12.0

    missing, unknown = read_rows(*rows).problems

    assert (missing.code, unknown.code, unknown.expected) == ("missing", "unknown", IDS[2])


@each_case("part", [None, True, ["12"]])
def test_part_of_an_id_of_another_type_is_refused(part: object) -> None:
    rows = [official_row(id_, id_) for id_ in IDS]
    rows[2]["set_id"] = part

    (problem,) = read_rows(*rows).problems

    assert (problem.code, problem.column, problem.line) == ("type-of-id", "set_id", 18)


def test_official_row_without_a_part_of_its_id_is_refused_once() -> None:
    rows = [official_row(id_, id_) for id_ in IDS]
    del rows[1]["figure_id"]

    (problem,) = read_rows(*rows).problems

    assert (problem.code, problem.column, problem.line) == ("missing-field", "figure_id", 10)


@each_case(
    "name, content",
    [
        ("a.csv", "id,prediction\n" + "".join(f"{id_},Yes.\n" for id_ in IDS)),
        ("a.tsv", "id\tprediction\n" + "".join(f"{id_}\tYes.\n" for id_ in IDS)),
        ("a.jsonl", "".join(json.dumps({"id": id_, "prediction": "Yes."}) + "\n" for id_ in IDS)),
        ("a.json", json.dumps([{"id": id_, "prediction": "Yes."} for id_ in IDS])),
    ],
)
def test_plain_rows_are_read_in_every_format(name: str, content: str) -> None:
    reading = read(Upload(name, content.encode()), questions_of())

    assert reading.problems == ()
    assert reading.answers == dict.fromkeys(IDS, "Yes.")


def test_one_word_said_in_most_rows_is_not_noted_as_that_of_a_null_model() -> None:
    rows = [official_row(IDS[0], "Yes"), official_row(IDS[1], "Yes"), official_row(IDS[2], "No")]

    assert read_rows(*rows).notes == ()


def test_one_word_said_in_all_rows_is_noted() -> None:
    (note,) = read_rows(*(official_row(id_, "Yes") for id_ in IDS)).notes

    assert note.message == '3 of 3 answers are the same: "Yes".'


def test_baselines_answer_every_question() -> None:
    *_, always_yes, always_no, coin, _ = baselines(questions_of(), {}, np.random.default_rng(0))

    assert [always_yes.slug, always_no.slug, coin.slug] == ["always-yes", "always-no", "coin"]
    assert always_yes.answers == dict.fromkeys(IDS, "Yes")
    assert always_no.answers == dict.fromkeys(IDS, "No")
    assert tuple(coin.answers) == IDS


def test_coin_is_fair_and_the_same_for_the_same_seed() -> None:
    questions = questions_of(tuple(f"VD/figure/{number}/0/0" for number in range(2000)))

    first, again, other = (
        baselines(questions, {}, np.random.default_rng(seed))[-2].answers for seed in (7, 7, 8)
    )

    assert first == again
    assert first != other
    assert set(first.values()) == {"Yes", "No"}
    assert 900 < list(first.values()).count("Yes") < 1100
