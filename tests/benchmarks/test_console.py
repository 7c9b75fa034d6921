import pytest

from benchmarks.console import PROBLEMS_SHOWN, count_of, print_problem, print_problems
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
