"""What the client says of a file without asking a site."""

import pytest
from assay.answers import NotPlainError, filled, problems_of

IDS = ["a", "b"]


def told(tmp_path, content: bytes, name: str = "answers.csv", ids=IDS) -> list[str]:
    path = tmp_path / name
    path.write_bytes(content)
    return problems_of(path, ids)


def test_a_whole_file_has_no_problem(tmp_path):
    whole = (
        ("a.csv", b'id,prediction\r\na,yes\r\nb,"no,\nnot at all"\r\n'),
        ("a.csv", b"\xef\xbb\xbfid,prediction,question\na,yes,Is it?\nb,no,Is it?"),
        ("a.tsv", b"prediction\tid\nyes\ta\nno\tb\n"),
        ("a.jsonl", b'{"id": "a", "prediction": "yes"}\n{"id": "b", "prediction": "no"}\n'),
        ("a.jsonl", b'{"id": "a", "prediction": "yes"}\r{"id": "b", "prediction": "no"}\r'),
        ("a.json", b'{"a": "yes", "b": "no"}'),
        ("a.json", b'[{"id": "a", "prediction": ""}, {"id": "b", "prediction": ""}]'),
    )
    assert [told(tmp_path, content, name) for name, content in whole] == [[]] * len(whole)


HALF = b'{"id": "a", "prediction": "x"}\n'
ENDLESS = b"[" * 100_000


def test_each_problem_is_a_sentence_with_its_line(tmp_path, subtests):
    for name, content, begins in (
        ("a.csv", b"", ["The file is empty."]),
        ("a.csv", b"id,prediction\na,x\n", ["“b” has no answer."]),
        (
            "a.csv",
            b"id,prediction\na,x\nb,y\nc,z\n",
            ["Line 4: the release has no question “c”."],
        ),
        (
            "a.csv",
            b"id,prediction\na,x\nb,y\na,z\n",
            ["Line 2: “a” is answered 2 times.", "Line 4: “a” is answered 2 times."],
        ),
        (
            "a.csv",
            b"id,prediction\na,\xff\n",
            ["Line 2: the file is not UTF-8 (byte 16). Save it as UTF-8."],
        ),
        ("a.csv", b'id,prediction\na,"x\n', ["Line 2: unexpected end of data."]),
        (
            "a.csv",
            b"id,prediction\na,no\nb,yes, it is\n",
            ["Line 3: it has 3 cells, the header 2."],
        ),
        ("a.jsonl", HALF + b'{"id": "b", \n', ["Line 2: this is no JSON"]),
        (
            "a.jsonl",
            HALF + b'{"id": "b", "prediction": ["x"]}\n',
            ["Line 2: “prediction” is no text in double quotes."],
        ),
        ("a.json", ENDLESS, ["The file: this is nested too deep."]),
    ):
        with subtests.test(begins[0]):
            found = told(tmp_path, content, name)
            assert [one[: len(words)] for one, words in zip(found, begins, strict=True)] == begins


def test_files_of_kits_are_left_to_the_site(tmp_path, subtests):
    for name, content in (
        ("a.xlsx", b"PK"),
        ("a.csv", b"index,answer\n1,x\n"),
        ("a.json", b'{"IC15": []}'),
        ("a.jsonl", b'{"question_id": 1, "model_prediction": "x"}\n'),
        ("a.csv", b"dataset,id,prediction\nIC15,1,x\nSVT,1,x\n"),
        ("a.jsonl", b'{"dataset": "IC15", "id": "1", "prediction": "x"}\n'),
    ):
        with subtests.test(f"{name} {content!r}"), pytest.raises(NotPlainError):
            told(tmp_path, content, name)


def test_without_a_release_only_what_holds_for_any_is_told(tmp_path):
    assert told(tmp_path, b"id,prediction\nx,1\n", ids=None) == []
    assert len(told(tmp_path, b"id,prediction\nx,1\nx,2\n", ids=None)) == 2


def test_a_filled_template_keeps_its_questions(tmp_path):
    template = 'id,prediction,question\r\na,,"One,\r\ntwo?"\r\nb,,Three?\r\n'
    text = filled(template, "Yes, it is.")
    assert text.count('"Yes, it is."') == 2
    assert told(tmp_path, text.encode()) == []
