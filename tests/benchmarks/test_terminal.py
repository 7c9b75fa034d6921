"""The terminal on files that are no datasets or no cases: each refusal names the place, with exit
status 2."""

import json

import pytest

from benchmarks.models import Release
from tests.test_commands import refusal, run, unfinished

RECORD = {"question_id": "1", "question": "What is written?", "gt_answers": "exit"}
DEEP = "[" * 100_000


@pytest.fixture
def write(tmp_path):
    """Writes files by name below the test's folder and gives the path of the last."""

    def write(**files: str) -> str:
        for name, text in files.items():
            (tmp_path / f"{name}.json").write_text(text)
        return str(tmp_path / f"{name}.json")

    return write


def test_a_dataset_is_refused_with_its_reason_or_imported_with_a_note(db, write):
    short = write(a=json.dumps({"IC15": [RECORD]}))
    told = refusal("import_release", "tiny_lvlm_ehub", short, slug="bad slug!")
    assert "slug: The slug does not fit into an address." in told
    assert "nested more than" in refusal("import_release", "tiny_lvlm_ehub", write(b=DEEP))
    assert Release.objects.count() == 0
    told = run("import_release", "tiny_lvlm_ehub", short)
    assert "Note: Not as many questions as the official release has: IC15 1 of 50." in told


def test_a_problem_of_a_folder_names_file_record_and_line(db, write, tmp_path):
    text = json.dumps([RECORD, {**RECORD, "question_id": 2}], indent=1)
    write(IC15=json.dumps([RECORD]), SVT=text, notes="[{}, {}]")
    told = refusal("import_release", "tiny_lvlm_ehub", str(tmp_path))
    assert told.startswith("Nothing was imported: 2 problems.")
    assert "SVT.json, record 2, line 7, question_id: " in told
    assert "notes.json, line 1, dataset: “notes” is no dataset of this benchmark." in told


def test_a_folder_and_an_object_of_the_same_records_are_the_same_release(db, write, tmp_path):
    run(
        "import_release",
        "tiny_lvlm_ehub",
        write(a=json.dumps({"IC15": [RECORD], "GQA": [RECORD]})),
        slug="one",
    )
    (tmp_path / "a.json").unlink()
    write(GQA=json.dumps([RECORD]), IC15=json.dumps([RECORD]))
    assert "Already imported as release one" in run(
        "import_release", "tiny_lvlm_ehub", str(tmp_path)
    )


def test_a_dataset_without_labels_is_imported_with_what_the_rules_are_worth_there(db, write):
    row = {
        "category": "VS",
        "subcategory": "chart",
        "visual_input": "0",
        "set_id": "0",
        "figure_id": "0",
        "question_id": "0",
        "question": "Is it?",
        "gt_answer_details": "It is.",
    }
    told = run("import_release", "hallusionbench", write(a=json.dumps([row])))
    assert "Note: This file has no labels (gt_answer). The offline rules then guess" in told
    labelled = json.dumps([{**row, "gt_answer": "1"}])
    assert "no labels" not in run("import_release", "hallusionbench", write(b=labelled))


FAULTY_CASES = {
    DEEP: "is not a conformance file",
    "[1,": "is not a conformance file",
    "[]": "is not a conformance file",
    "{}": "is not a conformance file",
    '{"cases": []}': "not an empty one",
    '{"cases": [1]}': "a list of objects",
    '{"cases": {}}': "a list of objects",
}


def test_a_file_without_cases_is_refused(write):
    for text, reason in FAULTY_CASES.items():
        told = refusal("conformance", "tiny_lvlm_ehub:cee_vote", write(cases=text))
        assert reason in told, text[:20]


def test_a_check_ends_with_1_where_any_case_differs(write):
    agrees = {"answer": "The sign says exit.", "references": ["exit"], "correct": 1}
    cases = write(cases=json.dumps({"cases": [{**agrees, "correct": 0}, agrees]}))
    told = unfinished("conformance", "tiny_lvlm_ehub:word_matching", cases).splitlines()
    expected = ["case 1: differs", "  correct: expected 0, found 1", "case 2: agrees"]
    assert told == [*expected, "2 cases, 1 differing"]
