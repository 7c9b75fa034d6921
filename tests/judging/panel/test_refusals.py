"""Every way in which a file of ratings is wrong: each is told with its place, and nothing is
stored."""

import pytest
from django.core.files.storage import storages

from benchmarks.models import Benchmark, Release
from benchmarks.protocols.base import Upload
from benchmarks.submissions.models import EvaluatedModel, Submission
from benchmarks.submissions.services import withdraw_submission
from judging.panel import reading
from judging.panel.models import Rating, RatingFile
from tests.conftest import submit
from tests.judging.panel.files import (
    LABELLED,
    RATED,
    imported,
    labels,
    problems_of,
    ratings,
    upload,
)


@pytest.fixture
def stored_files():
    return lambda: set(storages["uploads"].listdir("")[1])


def told(file: Upload) -> list[tuple[str, int | None, str, str, str]]:
    """Code, line, column, expected and found of every problem."""
    return [(p.code, p.line, p.column, p.expected, p.found) for p in problems_of(file)]


@pytest.mark.parametrize("score", ["0", "6", "4.0", "five", "", " 4", "+4", "04", "４", "4" * 5000])
def test_a_score_that_is_no_whole_number_on_the_scale_is_refused(submission, score, stored_files):
    before = stored_files()
    (problem,) = problems_of(ratings(submission, "1,ann,neatness,3", f"4,ann,neatness,{score}"))
    assert (problem.code, problem.line, problem.column) == ("score", 3, "score")
    assert problem.expected == "a whole number from 1 to 5"
    assert problem.found.startswith(score[:79])
    assert (RatingFile.objects.count(), Rating.objects.count()) == (0, 0)
    assert stored_files() == before


def test_an_item_of_another_release_is_refused(submission):
    expected = "an id of this entry's release"
    assert told(ratings(submission, "nine,ann,neatness,3")) == [
        ("unknown", 2, "item", expected, "nine")
    ]


def test_an_item_in_another_writing_is_named(submission):
    (problem,) = problems_of(ratings(submission, "1.0,ann,neatness,3"))
    assert (problem.expected, problem.found) == ("1", "1.0")
    assert "rewritten as a number" in problem.message


def test_a_dimension_that_is_not_asked_of_the_item_is_refused(submission):
    file = ratings(submission, "1,ann,charm,3", "2,ann,neatness,3")
    assert told(file) == [
        ("dimension", 2, "dimension", "neatness or correct", "charm"),
        ("dimension", 3, "dimension", "correct", "neatness"),
    ]


@pytest.mark.parametrize("label", ["Correct", "right", "1", ""])
def test_a_label_that_is_none_of_the_two_is_refused(submission, label):
    assert told(labels(submission, f"1,ann,{label}")) == [
        ("label", 2, "label", "correct, incorrect or unclear", label)
    ]


@pytest.mark.parametrize("rater", ["", "  ", "x" * 101, " ann"])
def test_a_rater_without_a_fit_name_is_refused(submission, rater):
    (problem,) = problems_of(ratings(submission, f"1,{rater},neatness,3"))
    assert (problem.code, problem.line, problem.column) == ("rater", 2, "rater")
    assert problem.expected == "a name of 1 to 100 characters, all of them to be seen"


def test_a_rater_of_a_hundred_characters_is_taken(submission):
    assert problems_of(ratings(submission, f"1,{'x' * 100},neatness,3")) == ()


@pytest.mark.parametrize("score", ["3", "4"])
def test_a_rater_twice_in_the_file_is_refused_with_the_first_line(submission, score):
    (problem,) = problems_of(
        ratings(submission, "1,ann,neatness,3", "1,bob,neatness,3", f"1,ann,neatness,{score}")
    )
    assert (problem.code, problem.line, problem.column, problem.found) == (
        "duplicate",
        4,
        "rater",
        "ann",
    )
    assert (
        f"stands on line 2, with {'the same' if score == '3' else 'another'} score"
        in problem.message
    )


@pytest.mark.parametrize(
    "rater", ["Zoe\u0301", "Bob\u200b", "\ufeffBob", "Cy\u00a0D", "Cy\u2009D", "Bo\u00adb", "Bo\tb"]
)
def test_a_rater_whose_name_is_not_what_one_sees_is_refused(submission, rater):
    (problem,) = problems_of(ratings(submission, f"1,{rater},neatness,3"))
    assert (problem.code, problem.line, problem.column) == ("rater", 2, "rater")


@pytest.mark.parametrize("rater", ["Zo\u00e9", "Cy D", "李雷", "Ölçü"])
def test_a_rater_may_have_any_name_that_is_seen(submission, rater):
    imported(ratings(submission, f"1,{rater},neatness,3"))
    assert Rating.objects.get().rater == rater


@pytest.mark.parametrize(
    ("first", "second", "reason"),
    [
        ("Ann", "ann", "in other upper and lower case"),
        ("Bob", "\uff22\uff4f\uff42", "in full-width or other compatibility characters"),
        ("Cy D", "CyD", "with a blank or an invisible character"),
    ],
)
def test_a_rater_in_another_writing_is_the_same_rater(submission, first, second, reason):
    (problem,) = problems_of(ratings(submission, f"1,{first},neatness,3", f"1,{second},neatness,4"))
    assert (problem.code, problem.line) == ("duplicate", 3)
    assert problem.message.endswith(f'There the rater is "{first}", here {reason}.')


def test_a_rater_in_another_writing_on_another_answer_is_taken(submission):
    assert imported(ratings(submission, "1,Ann,neatness,3", "4,ann,neatness,3")).count == 2


def test_a_rater_who_is_stored_in_another_writing_is_refused(submission):
    imported(ratings(submission, "1,Ann,neatness,3"))
    (problem,) = problems_of(ratings(submission, "1,ann,neatness,3"))
    assert (problem.code, problem.line) == ("stored", 2)
    assert problem.message.endswith('There the rater is "Ann", here in other upper and lower case.')


def test_a_rater_who_is_stored_is_refused(submission):
    imported(ratings(submission, "1,ann,neatness,3"))
    file = ratings(submission, "4,ann,neatness,3", "1,ann,neatness,3")
    assert told(file) == [("stored", 3, "rater", "each rater once per item and dimension", "ann")]
    assert Rating.objects.count() == 1


@pytest.mark.parametrize(
    "entry", ["ffffffff-ffff-4fff-bfff-ffffffffffff", "", "Speller", "1", "x" * 5000]
)
def test_an_entry_that_is_not_there_is_one_problem_for_all_its_rows(submission, entry):
    (problem,) = problems_of(upload(f"{entry},1,ann,neatness,3", f"{entry},4,ann,neatness,9"))
    assert (problem.code, problem.line, problem.column) == ("unknown", 2, "entry")
    assert problem.expected == "the id of an entry, as in the address of its page"
    assert problem.message.endswith("In 2 rows.")


@pytest.mark.parametrize("write", [str.upper, lambda text: text.replace("-", ""), "{{{}}}".format])
def test_an_entry_in_another_writing_is_refused_with_the_one_on_its_page(submission, write):
    (problem,) = problems_of(upload(f"{write(str(submission.pk))},1,ann,neatness,3"))
    assert (problem.code, problem.expected) == ("unknown", f"{submission.pk}, if this id was meant")


def test_an_entry_that_is_withdrawn_or_not_confirmed_is_refused(spelling, owner):
    gone, waiting = (
        submit(spelling, owner, name="Gone"),
        submit(spelling, owner, name="Waiting", confirm=False),
    )
    withdraw_submission(submission=gone)
    file = upload(f"{gone.pk},1,ann,neatness,3", f"{waiting.pk},1,ann,neatness,3")
    assert [(p.code, p.line) for p in problems_of(file)] == [("unknown", 2), ("unknown", 3)]


def test_an_entry_of_a_benchmark_without_a_panel_is_refused(owner, submission):
    benchmark = Benchmark.objects.create(slug="touchstone", title="TouchStone")
    release = Release.objects.create(
        benchmark=benchmark, slug="t", title="T", question_count=0, checksum=""
    )
    model = EvaluatedModel.objects.get()
    other = Submission.objects.create(
        owner=owner, model=model, release=release, confirmed=submission.confirmed
    )
    (problem,) = problems_of(upload(f"{other.pk},1,ann,neatness,3", f"{other.pk},2,ann,neatness,3"))
    assert (problem.code, problem.line, problem.column) == ("no-panel", 2, "entry")
    assert (
        problem.message
        == "This is an entry of TouchStone, whose answers people do not rate. In 2 rows."
    )


def test_every_problem_is_told_in_the_order_of_lines(submission):
    file = upload(
        "nobody,1,ann,neatness,3",
        *(f"{submission.pk},1,{rest}" for rest in [",neatness,7", ",neatness,7"]),
    )
    codes = [
        ("unknown", 2),
        ("rater", 3),
        ("score", 3),
        ("rater", 4),
        ("duplicate", 4),
        ("score", 4),
    ]
    assert [(p.code, p.line) for p in problems_of(file)] == codes


def test_of_many_problems_the_first_hundred_are_told_and_the_rest_counted(submission):
    found = problems_of(
        ratings(submission, *(f"1,rater {number},neatness,9" for number in range(150)))
    )
    assert len(found) == 101
    assert found[-1].message == "And 50 more problems."


@pytest.mark.parametrize(
    ("header", "code", "column"),
    [
        ("entry,item,rater,dimension", "missing-field", "score"),
        ("entry,item,rater", "missing-field", "label"),
        ("entry,item,rater,dimension,score,mood", "unknown-field", "mood"),
        ("entry,item,Rater,dimension,score", "field-name", "Rater"),
        ("entry,entry,rater,dimension,score", "duplicate-field", "entry"),
        ("entry;item;rater;dimension;score", "delimiter", ""),
    ],
)
def test_another_header_is_refused(submission, header, code, column):
    cells = [str(submission.pk), "1", "ann", "neatness", "3", "good"][: header.count(",") + 1]
    (problem,) = problems_of(upload(",".join(cells), header=header))
    assert (problem.code, problem.column) == (code, column)


@pytest.mark.parametrize(
    ("name", "content", "code"),
    [
        ("ratings.xlsx", b"PK\x03\x04", "type"),
        ("ratings.parquet", b"PAR1PAR1", "type"),
        ("ratings.jsonl", b'{"entry": "x"}', "type"),
        ("ratings.json", b"[]", "type"),
        ("ratings.csv", b"", "empty"),
        ("ratings.csv", RATED.encode(), "empty"),
        ("ratings.csv", LABELLED.encode() + b"\n", "empty"),
        ("ratings.csv", f"{RATED}\nx,1,\xe9,neatness,3\n".encode("latin-1"), "encoding"),
        ("ratings.csv", f"{RATED}\nx,1,a\0b,neatness,3\n".encode(), "control"),
        ("ratings.csv", f'{RATED}\nx,1,"ann,neatness,3\n'.encode(), "quote"),
        ("ratings.csv", f"{RATED}\nx,1,ann\n".encode(), "short-row"),
    ],
)
def test_a_file_that_is_no_table_of_ratings_is_refused(db, name, content, code):
    assert code in [problem.code for problem in problems_of(Upload(name, content))]
    assert RatingFile.objects.count() == 0


def test_a_file_with_too_many_rows_is_refused_in_words_of_ratings(submission, monkeypatch):
    monkeypatch.setattr(reading, "MAX_ROWS", 2)
    lines = [f"1,{rater},neatness,3" for rater in ("ann", "bob", "cy", "dee")]
    (problem,) = problems_of(ratings(submission, *lines))
    assert (problem.code, problem.line, problem.expected) == ("too-many-rows", 4, "at most 2 rows")
