"""A JSON object of lists, where a protocol accepts one: every row has its key as a field, and its
own line."""

from benchmarks.protocols.base import Problem, Upload
from benchmarks.protocols.files import Form, read_records
from tests.each_case import each_case

FORMS = (Form(required=("part", "id", "prediction"), optional=("hint",), ignored=("question",)),)


def read(text: str, expected_rows: int = 10):
    return read_records(Upload("a.json", text.encode()), FORMS, expected_rows, keyed_by="part")


def test_rows_carry_their_key_and_line_and_those_of_a_plain_list_a_number():
    records = read(
        '{"A": [{"id": "1", "prediction": "x"}],\n'
        ' "B": [\n'
        '{"id": "1", "prediction": "y", "hint": "h"}]}'
    )
    assert not records.problems
    assert [(r.line, dict(r.fields)) for r in records.records] == [
        (1, {"part": "A", "id": "1", "prediction": "x"}),
        (3, {"part": "B", "id": "1", "prediction": "y", "hint": "h"}),
    ]
    for text in ("{}", '{"A": []}', ' {"A": [], "B": []} '):
        records = read(text)
        assert (records.records, records.problems, records.is_whole) == ((), (), True)
    (problem,) = read('[{"part": "A", "id": "1", "prediction": "x"}, 3]').problems
    assert (problem.line, problem.record) == (1, "record 2")


@each_case(
    "text, code",
    [
        ('{"A": [{"id": "1", "prediction": "x"}]', "syntax"),
        ('{"A": [{"id": "1", "prediction": "x"}', "syntax"),
        ('{"A": [', "syntax"),
        ('{"A": []', "syntax"),
        ('{"A"', "syntax"),
        ('{"A": {"id": "1"}}', "shape"),
        ('{"A": "x"}', "shape"),
        ("{1: []}", "shape"),
        ("{A: []}", "syntax"),
        ('{"A": [] "B": []}', "syntax"),
        ('{"A": [], "A": []}', "duplicate-field"),
        ('{"A": []} x', "trailing"),
        ('{"A": [1]}', "shape"),
        ('{"A": [{"id": "1", "prediction": "x", "score": 1}]}', "unknown-field"),
        ('{"A": [{"id": "1"}]}', "missing-field"),
        ('{"A": [{"id": [[["1"]]], "prediction": "x"}]}', "depth"),
        ('"A"', "shape"),
    ],
)
def test_a_faulty_object_is_refused(text, code):
    assert [problem.code for problem in read(text).problems] == [code]


def test_no_more_rows_than_expected_are_read():
    rows = ",".join(f'{{"id": "{number}", "prediction": "x"}}' for number in range(5))
    records = read(f'{{"A": [{rows}]}}', expected_rows=2)
    assert [problem.code for problem in records.problems] == ["too-many-rows"]
    assert len(records.records) == 3


def test_without_a_key_field_an_object_is_refused():
    (problem,) = read_records(Upload("a.json", b'{"A": []}'), FORMS, 1).problems
    assert problem.code == "shape"


def refuse_b(key: str, line: int) -> Problem | None:
    return Problem("no-list", "There is no such list.", line) if key == "B" else None


def test_a_list_whose_key_is_refused_is_one_problem_and_its_rows_are_counted():
    text = (
        '{"A": [{"id": "1", "prediction": "x"}],\n'
        ' "B": [{"score": 1}, 3],\n'
        ' "C": [{"id": "2", "prediction": "y"}]}'
    )
    records = read_records(
        Upload("a.json", text.encode()), FORMS, 10, keyed_by="part", refuse_key=refuse_b
    )
    assert [(problem.code, problem.line) for problem in records.problems] == [("no-list", 2)]
    assert ([record.fields["id"] for record in records.records], records.unread_rows) == (
        ["1", "2"],
        2,
    )


def test_a_refused_list_that_is_never_closed_loses_the_rest():
    records = read_records(
        Upload("a.json", b'{"B": [{"id": 1'), FORMS, 10, keyed_by="part", refuse_key=refuse_b
    )
    assert [problem.code for problem in records.problems] == ["no-list", "syntax"]
    assert not records.is_whole


def test_every_problem_of_a_row_names_its_record():
    text = (
        '{"A": [{"id": "1", "prediction": "x"}, {"id": "2", "prediction": "\\u0000"}, 3, {"id": '
        '"4"}]}'
    )
    found = [(problem.code, problem.record) for problem in read(text).problems]
    assert found == [
        ("missing-field", "A, record 4"),
        ("control", "A, record 2"),
        ("shape", "A, record 3"),
    ]
