"""What the official sampler and evaluator write: <dataset>/dataset.json, and lists without
`question_id`."""

import io
import json
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from PIL import Image

from benchmarks.models import FigureImage, Question, Release
from benchmarks.protocols.base import Problem, QuestionRow, QuestionView, Upload
from benchmarks.protocols.tiny_lvlm_ehub import dataset
from benchmarks.protocols.tiny_lvlm_ehub.predictions import read
from benchmarks.submissions.models import Submission
from tests.each_case import each_case

SAMPLED = (
    {"image_path": "a.png", "question": "What is written in the image?", "gt_answers": "exit"},
    {
        "image_path": "b.png",
        "question": "What is written in the image?",
        "gt_answers": ["no", "not"],
    },
)


def rows_of(content: object) -> list[object]:
    return list(dataset.read(io.BytesIO(json.dumps(content).encode())))


def views() -> list[QuestionView]:
    rows = [row for row in rows_of({"IC15": SAMPLED}) if isinstance(row, QuestionRow)]
    return [
        QuestionView(r.public_id, r.ability, r.subtask, r.figure, r.group, r.text, r.facts, r.truth)
        for r in rows
    ]


def evaluated(place: int, answer: str, **more: object) -> dict[str, object]:
    """A record as the evaluator writes it: the sampled one, its picture below a folder, and the
    answer."""
    record = SAMPLED[place]
    return {
        "question": record["question"],
        "answer": answer,
        "gt_answers": record["gt_answers"],
        "image_path": f"tiny_lvlm_datasets/IC15/{record['image_path']}",
        "model_name": "Ours",
        "task_type": "VQA",
        **more,
    }


def problems_of(content: object) -> list[tuple[str, str, str]]:
    found = read(Upload("answers.json", json.dumps(content, indent=1).encode()), views()).problems
    return [(problem.code, problem.record, problem.column) for problem in found]


def test_a_place_stands_for_the_id_and_pictures_lie_in_the_datasets_folder():
    first, second = rows_of({"IC15": SAMPLED})
    assert isinstance(first, QuestionRow)
    assert isinstance(second, QuestionRow)
    assert (first.public_id, second.public_id) == ("IC15/0", "IC15/1")
    assert [image.name for image in first.images] == ["IC15/a.png"]


def test_a_list_some_of_whose_records_have_ids_is_refused_once():
    (problem,) = rows_of({"IC15": [*SAMPLED, {**SAMPLED[0], "question_id": "7"}]})
    assert isinstance(problem, Problem)
    assert (problem.code, problem.column, problem.record) == (
        "missing-field",
        "question_id",
        "IC15, record 1",
    )
    assert "In 2 rows." in problem.message


def test_records_outside_of_a_list_of_their_dataset_need_ids():
    (problem,) = rows_of([{**record, "dataset": "IC15"} for record in SAMPLED])
    assert isinstance(problem, Problem)
    assert (problem.code, problem.column) == ("missing-field", "question_id")


def test_answers_of_the_evaluator_are_read_by_their_place():
    content = {"IC15": [evaluated(0, "exit"), evaluated(1, "nothing")]}
    reading = read(Upload("answers.json", json.dumps(content).encode()), views())
    assert reading.problems == ()
    assert reading.answers == {"IC15/0": "exit", "IC15/1": "nothing"}


def test_answers_in_another_order_are_named_by_their_pictures():
    assert problems_of({"IC15": [evaluated(1, "nothing"), evaluated(0, "exit")]}) == [
        ("other-question", "IC15, record 1", "image_path"),
        ("other-question", "IC15, record 2", "image_path"),
    ]


def test_an_answer_to_another_question_is_named():
    content = {"IC15": [evaluated(0, "exit"), evaluated(1, "x", question="Is there a cat?")]}
    assert problems_of(content) == [("other-question", "IC15, record 2", "question")]


def test_answers_that_stop_early_lack_the_rest():
    found = problems_of({"IC15": [evaluated(0, "exit")]})
    assert [code for code, _, _ in found] == ["missing", "missing"]


@each_case("ids", [(), ("000001",)])
def test_records_outside_of_lists_are_asked_for_their_ids(ids):
    content = [{**evaluated(0, "exit"), "dataset": "IC15"}]
    assert ("missing-field", "record 1", "question_id") in problems_of(content)


# --- from the folders of the sampler to a submission ----------------------------------------------


@pytest.fixture
def sampled(tmp_path: Path) -> Path:
    folder = tmp_path / "tiny_lvlm_datasets"
    (folder / "IC15").mkdir(parents=True)
    (folder / "IC15" / "dataset.json").write_text(json.dumps(SAMPLED, indent=4))
    for name, colour in (("a.png", "red"), ("b.png", "blue")):
        Image.new("RGB", (2, 2), colour).save(folder / "IC15" / name)
    return folder


@pytest.fixture
def release(sampled, db, settings, tmp_path) -> Release:
    settings.MEDIA_ROOT = str(tmp_path / "media")
    more = ("--images", sampled, "--slug", "sampled", "--disclosure", "open")
    call_command("import_release", "tiny_lvlm_ehub", sampled, *more)
    return Release.objects.get(slug="sampled")


def test_the_samplers_folder_is_imported_with_its_pictures(release):
    assert list(Question.objects.values_list("public_id", flat=True)) == ["IC15/0", "IC15/1"]
    assert FigureImage.objects.exclude(file="").count() == 2


@pytest.mark.django_db
def test_a_problem_names_the_datasets_folder(sampled):
    (sampled / "IC15" / "dataset.json").write_text(json.dumps([{**SAMPLED[0], "question": ""}]))
    with pytest.raises(CommandError, match=r"IC15/dataset\.json, record 1"):
        call_command("import_release", "tiny_lvlm_ehub", sampled)


def test_the_evaluators_folder_is_submitted_without_its_scores(release, owner, tmp_path, capsys):
    answers = tmp_path / "20240101000000"
    answers.mkdir()
    lists = [evaluated(0, "exit"), evaluated(1, "nothing")]
    (answers / "IC15.json").write_text(json.dumps(lists, indent=4))
    (answers / "result.json").write_text(json.dumps({"IC15": 0.5}))

    call_command("submit", "sampled", answers, "--model", "Ours", "--owner", "rosa")

    assert "Left out: result.json holds no list." in capsys.readouterr().out
    given = Submission.objects.get().answers.values_list("question__public_id", "text")
    assert dict(given) == {"IC15/0": "exit", "IC15/1": "nothing"}
