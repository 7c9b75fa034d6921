"""What the client says of a file without asking a site."""

import pytest
from assay.answers import NotPlainError, filled, problems_of

IDS = ["a", "b"]


def told(tmp_path, content: bytes, name: str = "answers.csv", ids=IDS) -> list[str]:
    path = tmp_path / name
    path.write_bytes(content)
    return problems_of(path, ids)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.csv", b'id,prediction\r\na,yes\r\nb,"no,\nnot at all"\r\n'),
        ("a.csv", b"\xef\xbb\xbfid,prediction,question\na,yes,Is it?\nb,no,Is it?"),
        ("a.tsv", b"prediction\tid\nyes\ta\nno\tb\n"),
        ("a.jsonl", b'{"id": "a", "prediction": "yes"}\n{"id": "b", "prediction": "no"}\n'),
        ("a.jsonl", b'{"id": "a", "prediction": "yes"}\r{"id": "b", "prediction": "no"}\r'),
        ("a.json", b'{"a": "yes", "b": "no"}'),
        ("a.json", b'[{"id": "a", "prediction": ""}, {"id": "b", "prediction": ""}]'),
    ],
)
def test_a_whole_file_has_no_problem(tmp_path, name, content):
    assert told(tmp_path, content, name) == []


@pytest.mark.parametrize(
    ("content", "sentences"),
    [
        (b"", ["The file is empty."]),
        (b"id,prediction\na,x\n", ["“b” has no answer."]),
        (
            b"id,prediction\na,x\nb,y\nc,z\n",
            ["Line 4: the release has no question “c”."],
        ),
        (
            b"id,prediction\na,x\nb,y\na,z\n",
            ["Line 2: “a” is answered 2 times.", "Line 4: “a” is answered 2 times."],
        ),
        (
            b"id,prediction\na,\xff\n",
            ["Line 2: the file is not UTF-8 (byte 16). Save it as UTF-8."],
        ),
        (b'id,prediction\na,"x\n', ["Line 2: unexpected end of data."]),
    ],
)
def test_each_problem_is_a_sentence_with_its_line(tmp_path, content, sentences):
    assert told(tmp_path, content) == sentences


def test_a_broken_line_of_json_is_named(tmp_path):
    content = b'{"id": "a", "prediction": "x"}\n{"id": "b", \n'
    (sentence,) = told(tmp_path, content, "a.jsonl")
    assert sentence.startswith("Line 2: this is no JSON")


def test_answers_that_are_no_text_are_named(tmp_path):
    content = b'{"id": "a", "prediction": "x"}\n{"id": "b", "prediction": ["x"]}\n'
    (sentence,) = told(tmp_path, content, "a.jsonl")
    assert sentence == "Line 2: “prediction” is no text in double quotes."


def test_a_row_with_more_cells_than_the_header_is_named(tmp_path):
    (sentence,) = told(tmp_path, b"id,prediction\na,no\nb,yes, it is\n")
    assert sentence.startswith("Line 3: it has 3 cells, the header 2.")


def test_json_without_an_end_of_brackets_is_refused_in_words(tmp_path):
    assert told(tmp_path, b"[" * 100_000, "a.json") == ["The file: this is nested too deep."]


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.xlsx", b"PK"),
        ("a.csv", b"index,answer\n1,x\n"),
        ("a.json", b'{"IC15": []}'),
        ("a.jsonl", b'{"question_id": 1, "model_prediction": "x"}\n'),
        ("a.csv", b"dataset,id,prediction\nIC15,1,x\nSVT,1,x\n"),
        ("a.jsonl", b'{"dataset": "IC15", "id": "1", "prediction": "x"}\n'),
    ],
)
def test_files_of_kits_are_left_to_the_site(tmp_path, name, content):
    with pytest.raises(NotPlainError):
        told(tmp_path, content, name)


def test_without_a_release_only_what_holds_for_any_is_told(tmp_path):
    assert told(tmp_path, b"id,prediction\nx,1\n", ids=None) == []
    assert len(told(tmp_path, b"id,prediction\nx,1\nx,2\n", ids=None)) == 2


def test_a_filled_template_keeps_its_questions(tmp_path):
    template = 'id,prediction,question\r\na,,"One,\r\ntwo?"\r\nb,,Three?\r\n'
    text = filled(template, "Yes, it is.")
    assert text.count('"Yes, it is."') == 2
    assert told(tmp_path, text.encode()) == []
