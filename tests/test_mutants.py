"""What may be changed of a file, and how."""

from tests.mutants import ROOMS, mutants_of
from tests.site import PROJECT

CODE = '''
Kinds = int | str
"""A text with 3 < 4."""

@decorated(slots=True)
def shown(one: int | None, most: float = 2.5) -> int | None:
    assert one > 1
    if not one or one <= most:
        return -one + 1  # and so on
    return one is None
'''


def test_operators_and_numbers_are_changed_and_types_texts_and_assertions_are_not(tmp_path):
    (tmp_path / "code.py").write_text(CODE)
    found = [(m.line, m.good, m.bad) for m in mutants_of(tmp_path, "code.py", "")]
    assert sorted(found) == [
        (6, "2.5", "(2.5 + 1)"),
        (8, "<=", "<"),
        (8, "not", ""),
        (8, "or", "and"),
        (9, "+", "-"),
        (9, "-", ""),
        (9, "1", "(1 + 1)"),
        (10, "is", "is not"),
    ]


def test_every_change_stands_where_its_code_does():
    for file in ("benchmarks/statistics/ranks.py", "leaderboard/scoring.py"):
        content = (PROJECT / file).read_bytes()
        for mutant in mutants_of(PROJECT, file, ""):
            assert content[mutant.start : mutant.end].decode().strip() == mutant.good
            changed = content[: mutant.start] + mutant.bad.encode() + content[mutant.end :]
            compile(changed, file, "exec")


def test_every_room_names_files_and_tests_that_exist():
    for files in ROOMS.values():
        for file, tests in files.items():
            assert (PROJECT / file).is_file()
            assert all((PROJECT / name).is_file() for name in tests.split())
