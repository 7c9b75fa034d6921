import io
import json

import pytest

from benchmarks.protocols.base import JudgeCase, Problem, QuestionView, Upload
from benchmarks.protocols.tiny_lvlm_ehub_ability import (
    board,
    dataset,
    judging,
    predictions,
    scoring,
)
from benchmarks.scoring.sheets import score_sheet

RECORD = {"question_id": "000001", "question": "What is it?", "gt_answers": ["cat", "kitten"]}
FILE = {
    "Visual_Perception": [RECORD, {**RECORD, "question_id": "000002"}],
    "IC15": [RECORD],
    "GQA": [RECORD],
    "Visual_Commonsense": [RECORD],
    "MSCOCO_pope_random": [{**RECORD, "gt_answers": "yes"}],
}
ANSWERS = ["a cat", "a dog", "two cats", "a kitten", "cat", "no"]


def read_views(content: object) -> list[QuestionView]:
    rows = dataset.read(io.BytesIO(json.dumps(content).encode()))
    return [
        QuestionView(r.public_id, r.ability, r.subtask, "", r.group, r.text, r.facts, r.truth)
        for r in rows
    ]


@pytest.fixture(scope="module")
def questions():
    return read_views(FILE)


def judged(questions, answers):
    cases = [
        JudgeCase(judging.SLOT, q, "", "", answer)
        for q, answer in zip(questions, answers, strict=True)
    ]
    return {
        judging.SLOT.key: [
            judging.parse(judging.SLOT, judging.rule(case), "strict") for case in cases
        ]
    }


def figures_of(questions, verdicts, answers=ANSWERS):
    found = scoring.contributions(questions, answers, verdicts)
    return score_sheet(found, metrics=board.METRICS, ranking=board.BOARD.ranking, seed=1).figures


def test_subsets_hold_2450_records():
    assert sum(subset.records for subset in dataset.SUBSETS) == 2450


def test_a_record_of_a_dataset_counts_for_its_ability(questions):
    abilities = [question.ability for question in questions]
    assert abilities == [
        "perception",
        "perception",
        "knowledge",
        "reasoning",
        "commonsense",
        "hallucination",
    ]


def test_embodied_records_are_refused():
    (problem,) = dataset.read(io.BytesIO(json.dumps({"VirtualHome": [RECORD]}).encode()))
    assert isinstance(problem, Problem)
    assert problem.code == "unknown-dataset"
    assert problem.expected != "VirtualHome"
    assert "Did you mean “VirtualHome”" not in problem.message


def test_a_misspelt_subset_is_refused_with_the_right_name():
    (problem,) = dataset.read(io.BytesIO(json.dumps({"Visual_Reasonning": [RECORD]}).encode()))
    assert problem.expected == "Visual_Reasoning"


def test_only_the_subsets_have_an_official_size():
    sizes = {
        subtask.slug: subtask.questions
        for ability in dataset.TAXONOMY
        for subtask in ability.subtasks
    }
    assert (sum(sizes.values()), sizes["IC15"]) == (2450, 0)


def test_the_score_is_the_sum_of_five_shares(questions):
    figures = figures_of(questions, judged(questions, ANSWERS))
    assert [
        figures[f"guarded@{slug}"].value for slug in ("perception", "knowledge", "reasoning")
    ] == [0.5, 0.0, 1.0]
    assert figures["guarded"].value == pytest.approx(0.5 + 0.0 + 1.0 + 1.0 + 0.0)
    assert set(figures) <= set(board.METRICS)


def test_saying_everything_is_right_as_published_only(questions):
    answers = ["What is it? a cat and a kitten, yes and no"] * len(questions)
    answers[-1] = "yes and no"
    figures = figures_of(questions, judged(questions, answers), answers)
    assert figures["words@hallucination"].value == 1.0
    assert figures["guarded@hallucination"].value == 0.0


def test_an_ability_without_a_verdict_leaves_no_sum(questions):
    verdicts = judged(questions, ANSWERS)
    verdicts[judging.SLOT.key][2] = None
    assert figures_of(questions, verdicts)["guarded"].value is None
    assert scoring.contributions(questions, ANSWERS, verdicts).coverage == pytest.approx(5 / 6)


def test_the_sum_counts_every_record(questions):
    found = figures_of(questions, judged(questions, ANSWERS))["words"]
    assert (found.n, found.asked, found.judged) == (6, 6, 6)


def test_submissions_name_subsets_or_datasets(questions):
    ids = [question.public_id for question in questions]
    text = "id,prediction\n" + "".join(f"{id_},cat\n" for id_ in ids)
    reading = predictions.read(Upload("a.csv", text.encode()), questions)
    assert not reading.problems
    rows = "".join(
        json.dumps(
            {
                "dataset": id_.split("/")[0].lower(),
                "question_id": "00000" + id_[-1],
                "answer": "cat",
            }
        )
        + "\n"
        for id_ in ids
    )
    assert predictions.read(Upload("a.jsonl", rows.encode()), questions).answers == reading.answers


def test_the_entry_page_tells_what_matched(questions):
    rows = scoring.explain(questions, ANSWERS, judged(questions, ANSWERS))
    assert [row.is_right for row in rows] == [True, False, False, True, True, False]
    assert scoring.explain(questions, ANSWERS, {})[0].verdict == "no verdict"
