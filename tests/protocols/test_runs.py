import pytest

from benchmarks.protocols.runs import read_runs
from tests.each_case import each_case


def test_runs_come_in_the_order_of_their_numbers_and_slots_in_that_of_their_names():
    verdicts = {"b.10": ["x"], "a.2": ["y"], "a.10": ["z"], "b.2": ["w"]}
    assert read_runs(verdicts, ["a", "b"], 1) == [[["y"], ["w"]], [["z"], ["x"]]]


def test_a_slot_that_was_not_asked_is_a_column_without_verdicts():
    assert read_runs({"a.1": ["x", None]}, ["a", "b"], 2) == [[["x", None], [None, None]]]
    assert read_runs({}, ["a"], 2) == [[[None, None]]], "no verdicts are one run of none"


def test_runs_are_counted_by_the_slots_that_are_said():
    verdicts = {"a.1": ["x"], "b.1": ["y"], "b.2": ["z"]}
    assert read_runs(verdicts, ["a", "b"], 1, counted=["a"]) == [[["x"], ["y"]]]
    assert len(read_runs(verdicts, ["a", "b"], 1)) == 2


def test_other_columns_are_passed_over():
    assert read_runs({"mentioned": ["0.5"], "c.7": ["x"]}, ["a"], 1) == [[[None]]]


@each_case("column", [[], ["x"], ["x", "y", "z"]])
def test_a_column_of_another_length_is_refused(column):
    with pytest.raises(ValueError, match="there are 2 questions"):
        read_runs({"a.1": column}, ["a"], 2)
