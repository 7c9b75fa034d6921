"""Every way in which a file of ratings is wrong: each is told with its place, and nothing is
stored."""

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


def told(file: Upload) -> list[tuple[str, int | None, str, str, str]]:
    """Code, line, column, expected and found of every problem."""
    return [(p.code, p.line, p.column, p.expected, p.found) for p in problems_of(file)]


SCORE = "a whole number from 1 to 5"
LABEL = "correct, incorrect or unclear"
NAME = "a name of 1 to 100 characters, all of them to be seen"
ENTRY = "the id of an entry, as in the address of its page"


def test_a_cell_that_is_no_score_label_or_name_is_refused_with_its_place(submission):
    """Each alone in its file; of a long cell the beginning is told."""
    scores = ["0", "6", "4.0", "five", "", " 4", "+4", "04", "４", "4" * 5000]
    names = ["", "  ", "x" * 101, " ann", "Zoe\u0301", "Bob\u200b", "\ufeffBob", "Cy\u00a0D"]
    names += ["Cy\u2009D", "Bo\u00adb", "Bo\tb"]
    files = [
        *((ratings(submission, f"1,ann,neatness,{one}"), "score", SCORE, one) for one in scores),
        *(
            (labels(submission, f"1,ann,{one}"), "label", LABEL, one)
            for one in ("Correct", "right", "1", "")
        ),
        *((ratings(submission, f"1,{one},neatness,3"), "rater", NAME, one) for one in names),
    ]
    before = storages["uploads"].listdir("")
    for file, column, expected, cell in files:
        ((code, line, place, wanted, found),) = told(file)
        assert (code, line, place, wanted) == (column, 2, column, expected), cell
        assert column == "rater" or found.startswith(cell[:79])
    assert (RatingFile.objects.count(), Rating.objects.count()) == (0, 0)
    assert storages["uploads"].listdir("") == before


def test_a_rater_may_have_any_name_that_is_seen(submission):
    names = ["Zo\u00e9", "Cy D", "李雷", "Ölçü", "x" * 100]
    imported(ratings(submission, *(f"1,{name},neatness,3" for name in names)))
    assert list(Rating.objects.order_by("pk").values_list("rater", flat=True)) == names


def test_what_is_not_asked_of_the_entry_is_refused_and_what_was_meant_is_named(submission):
    file = ratings(
        submission,
        "nine,ann,neatness,3",
        "1,ann,charm,3",
        "2,ann,neatness,3",
        "1.0,ann,neatness,3",
    )
    assert told(file) == [
        ("unknown", 2, "item", "an id of this entry's release", "nine"),
        ("dimension", 3, "dimension", "neatness or correct", "charm"),
        ("dimension", 4, "dimension", "correct", "neatness"),
        ("unknown", 5, "item", "1", "1.0"),
    ]
    assert "rewritten as a number" in problems_of(file)[-1].message


def test_a_rater_twice_in_the_file_is_refused_with_the_first_line_however_it_is_written(submission):
    cases = [
        ("ann", "ann", 3, "is already on line 2, with the same score"),
        ("ann", "ann", 4, "is already on line 2, with another score"),
        ("Ann", "ann", 4, 'There the rater is "Ann", here in different upper and lower case.'),
        (
            "Bob",
            "\uff22\uff4f\uff42",
            4,
            'There the rater is "Bob", here in full-width or other compatibility characters.',
        ),
        (
            "Cy D",
            "CyD",
            4,
            'There the rater is "Cy D", here written with a blank or an invisible character.',
        ),
    ]
    for first, second, score, said in cases:
        lines = f"1,{first},neatness,3", "1,dee,neatness,3", f"1,{second},neatness,{score}"
        (problem,) = problems_of(ratings(submission, *lines))
        place = problem.code, problem.line, problem.column, problem.found
        assert (place, said in problem.message) == (("duplicate", 4, "rater", second), True)


def test_a_rater_who_is_stored_in_any_writing_is_refused_for_that_answer_only(submission):
    imported(ratings(submission, "1,Ann,neatness,3"))
    (problem,) = problems_of(ratings(submission, "4,Ann,neatness,3", "1,ann,neatness,3"))
    assert (problem.code, problem.line, problem.column) == ("stored", 3, "rater")
    assert problem.expected == "each rater once per item and dimension"
    assert problem.message.endswith(
        'There the rater is "Ann", here in different upper and lower case.'
    )
    assert Rating.objects.count() == 1
    assert imported(ratings(submission, "4,ann,neatness,3")).count == 1


def test_an_entry_that_is_not_there_is_one_problem_for_all_its_rows(submission):
    key = str(submission.pk)
    meant = f"{key}, if this id was meant"
    entries = {
        **dict.fromkeys(
            ("ffffffff-ffff-4fff-bfff-ffffffffffff", "", "Speller", "1", "x" * 5000), ENTRY
        ),
        **dict.fromkeys((key.upper(), key.replace("-", ""), f"{{{key}}}"), meant),
    }
    for entry, expected in entries.items():
        (problem,) = problems_of(upload(f"{entry},1,ann,neatness,3", f"{entry},4,ann,neatness,9"))
        assert (problem.code, problem.line, problem.column) == ("unknown", 2, "entry")
        assert (problem.expected, problem.message.endswith("In 2 rows.")) == (expected, True)


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


HEADERS = {
    "entry,item,rater,dimension": ("missing-field", "score"),
    "entry,item,rater": ("missing-field", "label"),
    "entry,item,rater,dimension,score,mood": ("unknown-field", "mood"),
    "entry,item,Rater,dimension,score": ("field-name", "Rater"),
    "entry,entry,rater,dimension,score": ("duplicate-field", "entry"),
    "entry;item;rater;dimension;score": ("delimiter", ""),
}
FILES = [
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
]


def test_a_file_that_is_no_table_of_ratings_is_refused(submission):
    for header, place in HEADERS.items():
        cells = [str(submission.pk), "1", "ann", "neatness", "3", "good"][: header.count(",") + 1]
        (problem,) = problems_of(upload(",".join(cells), header=header))
        assert (problem.code, problem.column) == place
    for name, content, code in FILES:
        assert code in [problem.code for problem in problems_of(Upload(name, content))], content
    assert RatingFile.objects.count() == 0


def test_a_file_with_too_many_rows_is_refused_in_words_of_ratings(submission, monkeypatch):
    monkeypatch.setattr(reading, "MAX_ROWS", 2)
    lines = [f"1,{rater},neatness,3" for rater in ("ann", "bob", "cy", "dee")]
    (problem,) = problems_of(ratings(submission, *lines))
    assert (problem.code, problem.line, problem.expected) == ("too-many-rows", 4, "at most 2 rows")
