from collections.abc import Iterator

from benchmarks.protocols.base import DatasetItem, Note, Problem
from benchmarks.protocols.files.limits import MAX_PROBLEMS
from benchmarks.protocols.long_lists import limited
from tests.each_case import each_case


def problems(count: int) -> list[DatasetItem]:
    return [Problem("bad", f"Row {number} is bad.") for number in range(count)]


@each_case("count", [0, 1, MAX_PROBLEMS - 1, MAX_PROBLEMS])
def test_up_to_a_hundred_problems_are_told_as_they_are(count):
    items = [Note("seen", "A note."), *problems(count), Note("seen", "Another.")]
    found = list(limited(items))
    assert sorted(map(repr, found)) == sorted(map(repr, items))


def test_of_more_problems_the_last_one_told_counts_the_rest():
    found = list(limited([*problems(MAX_PROBLEMS + 3), Note("seen", "A note.")]))
    told = [item for item in found if isinstance(item, Problem)]
    assert len(told) == MAX_PROBLEMS
    assert told[-1].message == "4 more problems are not listed."
    assert Note("seen", "A note.") in found


def test_a_file_is_read_as_it_comes():
    def endless() -> Iterator[DatasetItem]:
        while True:
            yield Note("seen", "A note.")

    assert isinstance(next(limited(endless())), Note)
