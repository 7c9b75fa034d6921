import json

import pytest
from django.core.management.base import CommandError

from benchmarks.console import PROBLEMS_SHOWN, count_of, print_problem, print_problems, readable_dataset
from benchmarks.protocols.base import Problem


@pytest.mark.parametrize(
    ("problem", "line"),
    [
        (Problem("c", "The file is empty."), "  The file is empty."),
        (Problem("c", "It is missing.", line=3), "  line 3: It is missing."),
        (Problem("c", "It is wrong.", line=3, column="id"), "  line 3, id: It is wrong."),
        (Problem("c", "It is wrong.", expected="a word", found="3"), "  It is wrong. Expected a word. Found 3."),
    ],
)
def test_a_problem_is_one_line_with_its_place(problem, line):
    assert print_problem(problem) == line


def test_only_the_first_problems_are_printed():
    assert len(print_problems([Problem("c", "no")] * (PROBLEMS_SHOWN + 1)).splitlines()) == PROBLEMS_SHOWN


@pytest.mark.parametrize(("count", "words"), [(0, "0 problems"), (1, "1 problem"), (2, "2 problems")])
def test_problems_are_counted_in_words(count, words):
    assert count_of([None] * count) == words


def test_a_folder_is_read_as_one_object_of_its_files(tmp_path):
    (tmp_path / "b.json").write_text('[{"id": "2"}]')
    (tmp_path / "a.json").write_bytes(b'\xef\xbb\xbf[{"id": "1"}]')
    (tmp_path / "notes.txt").write_text("not read")
    with readable_dataset(tmp_path) as stream:
        assert json.load(stream) == {"a": [{"id": "1"}], "b": [{"id": "2"}]}


def test_a_faulty_file_of_a_folder_is_named(tmp_path):
    (tmp_path / "a.json").write_text("[1,")
    with pytest.raises(CommandError, match=r"a\.json is not JSON"), readable_dataset(tmp_path):
        pass


def test_a_folder_without_json_files_is_refused(tmp_path):
    with pytest.raises(CommandError, match="has no"), readable_dataset(tmp_path):
        pass
