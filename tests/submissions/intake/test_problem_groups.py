from benchmarks.protocols.base import Problem
from benchmarks.submissions.intake.problem_groups import grouped


def faults(count: int, code: str = "control", column: str = "prediction") -> list[Problem]:
    return [Problem(code, f"Number {n}.", n + 1, column) for n in range(1, count + 1)]


def test_a_thousand_rows_of_one_fault_are_a_line_with_three_examples():
    (group,) = grouped(faults(1_129))
    assert (group.code, group.column, group.count) == ("control", "prediction", 1_129)
    assert ([one.line for one in group.examples], group.rest, group.rows) == ([2, 3, 4], 1_126, 4)
    (group,) = grouped(faults(3))
    assert (len(group.examples), group.rest, group.rows) == (3, 0, 3)
    of_file = grouped([Problem("missing", "9 of 10."), Problem("missing", "Of one dataset: 9.")])
    assert [one.count for one in of_file] == [1, 1]
    assert list(grouped([])) == []


def test_other_codes_and_fields_are_other_kinds_in_the_order_of_their_first():
    found = grouped([*faults(2), *faults(1, column="id"), *faults(1, "cut-off"), *faults(2)])
    assert [(one.code, one.column, one.count) for one in found] == [
        ("control", "prediction", 4),
        ("control", "id", 1),
        ("cut-off", "prediction", 1),
    ]


def test_places_in_lines_do_not_tell_kinds_apart():
    (group,) = grouped([*faults(1, column="character 7"), *faults(1, column="byte 31")])
    assert (group.column, group.count) == ("", 2)
    assert [one.column for one in group.examples] == ["character 7", "byte 31"]
