import json

import pytest
from django.core.management.base import CommandError

from benchmarks.management.console import (
    PROBLEMS_SHOWN,
    count_of,
    print_problem,
    print_problems,
    readable_dataset,
)
from benchmarks.protocols.base import Problem
from benchmarks.protocols.tiny_lvlm_ehub import PROTOCOL as EHUB
from tests.each_case import each_case


@each_case(
    "problem, line",
    [
        (Problem("c", "The file is empty."), "  The file is empty."),
        (Problem("c", "It is missing.", line=3), "  line 3: It is missing."),
        (Problem("c", "It is wrong.", line=3, column="id"), "  line 3, id: It is wrong."),
        (Problem("c", "No.", 3, "id", record="SVT, record 1"), "  SVT, record 1, line 3, id: No."),
        (
            Problem("c", "It is wrong.", expected="a word", found="3"),
            "  It is wrong. Expected a word. Found 3.",
        ),
    ],
)
def test_a_problem_is_one_line_with_its_place(problem, line):
    assert print_problem(problem) == line


def test_only_the_first_problems_are_printed():
    assert (
        len(print_problems([Problem("c", "no")] * (PROBLEMS_SHOWN + 1)).splitlines())
        == PROBLEMS_SHOWN
    )


@each_case("count, words", [(0, "0 problems"), (1, "1 problem"), (2, "2 problems")])
def test_problems_are_counted_in_words(count, words):
    assert count_of([None] * count) == words


def folder_of(folder, **files: str):
    for name, text in files.items():
        (folder / f"{name}.json").write_text(text)
    return folder


def test_a_folder_is_read_as_one_object_of_its_files_in_the_order_of_the_benchmark(tmp_path):
    folder_of(tmp_path, VSR="[]", IC15='[{"id": "2"}]', notes="[]")
    (tmp_path / "ImageNet.json").write_bytes(b'\xef\xbb\xbf[{"id": "1"}]')
    (tmp_path / "notes.txt").write_text("not read")
    with readable_dataset(tmp_path, EHUB) as dataset:
        found = json.load(dataset.stream)
    assert list(found) == ["ImageNet", "IC15", "VSR", "notes"]
    assert (found["ImageNet"], found["IC15"]) == ([{"id": "1"}], [{"id": "2"}])


PLACES = [
    (3, "IC15, record 1", (1, "IC15.json, record 1")),
    (5, "IC15, record 2", (3, "IC15.json, record 2")),
    (6, "", (1, "VSR.json")),
    (7, "VSR, record 1", (1, "VSR.json, record 1")),
    (None, "", (None, "")),
]


def test_a_problem_of_a_folder_names_file_and_line_and_one_of_a_file_stays_as_it_is(tmp_path):
    folder_of(tmp_path, IC15="[{},\n\n{}]", VSR="[{}]")
    with readable_dataset(tmp_path, EHUB) as dataset:
        for line, record, place in PLACES:
            located = dataset.located(Problem("c", "no", line, record=record))
            assert (located.line, located.record) == place
    problem = Problem("c", "no", 1, record="record 1")
    with readable_dataset(tmp_path / "VSR.json", EHUB) as dataset:
        assert dataset.located(problem) == problem


def test_a_faulty_file_of_a_folder_is_named_and_a_folder_without_any_refused(tmp_path):
    with pytest.raises(CommandError, match="has no"), readable_dataset(tmp_path, EHUB):
        pass
    for content in (b"[1,", b"[" * 100_000, "[]".encode("utf-16")):
        (tmp_path / "a.json").write_bytes(content)
        refused = pytest.raises(CommandError, match=r"a\.json is not JSON")
        with refused, readable_dataset(tmp_path, EHUB):
            pass
