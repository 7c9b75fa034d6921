"""What may be changed of a file, and which tests are asked."""

from contextlib import suppress

from tests import mutants
from tests.site import PROJECT

CODE = '''
Kinds = int | str
"""A text with 3 < 4."""

@decorated(slots=True)
def shown(one: int | None, *, most: float = 2.5) -> int | None:
    assert one > 1
    if not one or one <= most:
        return -one + 1  # and so on
    return one is None
'''


def test_operators_and_numbers_are_changed_and_types_texts_and_assertions_are_not():
    found = [mutant.told(CODE) for mutant in mutants.mutants_of("code.py", CODE)]
    assert sorted(told.removeprefix("code.py:") for told in found) == [
        "10: return one is None becomes return one is not None",
        "2: Kinds = int | str becomes Kinds = int & str",
        "6: def shown(one: int | None, *, most: float = 2.5) -> int | None: becomes "
        "def shown(one: int | None, *, most: float = 3.5) -> int | None:",
        "8: if not one or one <= most: becomes if  one or one <= most:",
        "8: if not one or one <= most: becomes if not not one or one <= most:",
        "8: if not one or one <= most: becomes if not one and one <= most:",
        "8: if not one or one <= most: becomes if not one or one < most:",
        "9: return -one + 1  # and so on becomes return -one + 2  # and so on",
        "9: return -one + 1  # and so on becomes return -one - 1  # and so on",
        "9: return -one + 1  # and so on becomes return one + 1  # and so on",
    ]


def test_a_change_is_gone_afterwards(tmp_path):
    file = tmp_path / "code.py"
    file.write_text(CODE)
    with suppress(KeyboardInterrupt), mutants.changed_file(file, "changed"):
        assert file.read_text() == "changed"
        raise KeyboardInterrupt
    assert file.read_text() == CODE


def test_every_module_but_migrations_is_in_a_room_and_has_tests():
    files = {file for of_room in mutants.rooms().values() for file in of_room}
    assert {"leaderboard/pages/home.py", "judging/models.py"} <= files
    assert not any("migrations" in file for file in files)


def test_tests_of_the_module_are_asked_first_and_then_those_that_name_it():
    tests = mutants.tests_by_nearness("leaderboard/selectors/search.py")
    assert tests[0] == "tests/leaderboard/pages/test_search.py"
    assert tests.index("tests/leaderboard/pages/test_search.py") < len(tests) - 1
    assert all((PROJECT / test).is_file() for test in tests)
