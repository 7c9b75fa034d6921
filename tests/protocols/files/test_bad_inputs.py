from benchmarks.protocols.base import PredictionReading, QuestionView, Upload
from benchmarks.protocols.files import PLAIN, Form, collect_answers, read_records
from benchmarks.protocols.files.limits import (
    MAX_CHARACTERS,
    MAX_ROW_PROBLEMS,
    MAX_SHOWN,
    MAX_WRITTEN_CHARACTERS,
)
from tests.each_case import each_case
from tests.protocols.files.corpus import TESTED_WITH_THE_SITE, cases
from tests.protocols.files.writing import GOOD_ROWS, Case, lines, table


def read(upload: Upload, ids: tuple[str, ...]) -> PredictionReading:
    questions = [QuestionView(id_, "", "", "", "", "", {}, {}) for id_ in ids]
    return collect_answers(read_records(upload, (PLAIN,), len(ids)), questions)


@each_case("case", lambda: [case for case in cases() if case.code])
def test_bad_file_is_refused_with_code_line_and_words_that_can_be_shown(case: Case) -> None:
    problems = read(case.upload, case.ids).problems

    (problem, *_) = [p for p in problems if (p.code, p.line) == (case.code, case.line)]
    told = " ".join((problem.message, problem.column, problem.expected, problem.found))
    assert [word for word in case.words if word not in told] == [], told
    assert len(problems) <= MAX_ROW_PROBLEMS + 1
    for problem in problems:
        texts = (problem.message, problem.column, problem.expected, problem.found, problem.record)
        assert "".join(texts).isprintable(), problem
        assert len(problem.found) <= MAX_SHOWN + 20


@each_case("case", lambda: [case for case in cases() if not case.code])
def test_odd_file_is_accepted_word_for_word(case: Case) -> None:
    reading = read(case.upload, case.ids)

    assert reading.problems == ()
    assert reading.answers == case.answers
    assert tuple(note.code for note in reading.notes) == case.notes


def test_table_covers_every_case_of_the_list_that_is_about_bytes() -> None:
    assert {case.number for case in cases()} == set(range(1, 117)) - TESTED_WITH_THE_SITE


def test_problems_of_several_rows_are_all_reported_with_the_missing_ids() -> None:
    rows = [("1", "x\0"), ("1", "y"), ("nowhere", "z"), *GOOD_ROWS[2:7]]

    reading = read(Upload("a.csv", table(rows)), tuple(dict(GOOD_ROWS)))

    found = [(problem.line, problem.code) for problem in reading.problems]
    assert found == [(None, "missing"), (2, "control"), (3, "conflict"), (4, "unknown")]


@each_case("more, last", [(-1, ""), (150, "And 150 more problems.")])
def test_every_row_has_its_problem_told_and_those_beyond_a_long_release_are_counted(more, last):
    ids = tuple(f"q{number}" for number in range(MAX_ROW_PROBLEMS + more))

    problems = read(Upload("a.csv", table((id_, "x\0") for id_ in ids)), ids).problems

    told = [problem.line for problem in problems if problem.line]
    assert told == list(range(2, 2 + min(len(ids), MAX_ROW_PROBLEMS)))
    assert [problem.message for problem in problems if not problem.line] == [last] * bool(last)


def test_ids_that_no_row_names_are_all_told_of_a_file_that_was_read_to_its_end() -> None:
    ids = tuple(f"q{number}" for number in range(250))
    content = table((id_, "x") for id_ in ids[::2])

    assert read(Upload("a.csv", content), ids).missing == ids[1::2]
    assert read(Upload("a.csv", content + b'"open,x\n'), ids).missing == ()


def test_row_that_fits_no_form_does_not_decide_the_form_of_the_others() -> None:
    forms = (Form(("key", "text")), PLAIN)
    content = b'{"note": "mine"}\n' + lines(GOOD_ROWS[:1])

    records = read_records(Upload("a.jsonl", content), forms, 2)

    assert records.records[1].fields == dict(zip(("id", "prediction"), GOOD_ROWS[0], strict=True))
    assert {problem.line for problem in records.problems} == {1}


def test_unreadable_row_is_not_also_called_missing() -> None:
    reading = read(Upload("a.csv", b"id,prediction\n1\n2,no\n"), ("1", "2"))

    assert [problem.code for problem in reading.problems] == ["short-row"]


@each_case(
    "header, said",
    [
        ("id,model_answer", 'If "model_answer" holds it, name that field "prediction".'),
        ("id,answer,Response", 'If "Response" holds it, name that field "prediction".'),
        ("QID,prediction", 'If "QID" holds it, name that field "id".'),
        ("id,remark", 'The field "prediction" is missing.'),
    ],
)
def test_a_heading_of_ones_own_is_asked_about_and_not_guessed(header: str, said: str) -> None:
    reading = read(Upload("own.csv", f"{header}\n{'1,' * header.count(',')}1\n".encode()), ("1",))
    (told,) = (p.message for p in reading.problems if p.code == "missing-field")
    assert told.endswith(said)


def test_nothing_is_looked_for_in_a_text_that_is_much_too_long() -> None:
    ends = [("1", "x" * MAX_WRITTEN_CHARACTERS + "\0"), ("2", "x" * MAX_CHARACTERS + "\0")]

    reading = read(Upload("a.jsonl", lines([*ends, *GOOD_ROWS[2:]])), tuple(dict(GOOD_ROWS)))

    found = [(problem.line, problem.code) for problem in reading.problems]
    assert found == [(1, "too-long"), (2, "too-long"), (2, "control")]
