import csv
import io

from benchmarks.models import Description, Figure, Question, Reference
from benchmarks.selectors import (
    approved_descriptions,
    newest_references,
    question_views,
    release_template,
    releases_with_ids,
)


def describe(figure: Figure, version: int, text: str, **more) -> None:
    Description.objects.create(
        figure=figure, version=version, text=text, **{"state": "approved", **more}
    )


def test_questions_are_seen_in_file_order_with_their_place(load):
    release = load(b"2|colour|colour|c.png\n1|two|two\n").release
    first, second = question_views(release)
    assert (first.public_id, first.ability, first.subtask, first.figure) == (
        "2",
        "words",
        "words/long",
        "c.png",
    )
    assert (second.public_id, second.subtask, second.figure) == ("1", "words/short", "")


def test_the_newest_reference_counts(spelling):
    question = Question.objects.get(public_id="1")
    Reference.objects.create(question=question, version=2, text="deux", origin="human")
    assert newest_references([question.pk]) == {question.pk: "deux"}


def test_the_newest_approved_description_in_the_language_counts(draft):
    figure = Figure.objects.get()
    describe(figure, 1, "eine Zwei", language="de")
    assert approved_descriptions([figure.pk], "en") == {}
    describe(figure, 2, "first")
    describe(figure, 3, "second")
    describe(figure, 4, "a draft", state="draft")
    assert approved_descriptions([figure.pk], "en") == {figure.pk: "second"}


def test_releases_are_found_by_the_ids_they_have(load):
    first = load(b"1|two|two\n2|sea|sea\n", slug="first").release
    load(b"2|sea|sea\n3|ink|ink\n", slug="second")
    assert releases_with_ids(["1", "2", "nothing"], first.benchmark_id) == {"first": 2, "second": 1}


def test_ids_with_commas_and_quotes_keep_their_line_in_the_template(load):
    release = load(b'a,b|two|two\nc"d|sea|sea\n').release
    rows = list(csv.DictReader(io.StringIO(release_template(release))))
    assert [row["id"] for row in rows] == ["a,b", 'c"d']
