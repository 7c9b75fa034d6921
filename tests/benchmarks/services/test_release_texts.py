"""The texts of a release as rows, and what a row that comes back is to them."""

import pytest
from django.contrib.auth.models import User

from benchmarks.models import Description, Figure, Question, Reference, Release, Subtask
from benchmarks.releases.text_files import TextRow
from benchmarks.services import release_texts
from benchmarks.services.references import add_reference
from benchmarks.services.release_texts import compare, other_questions, written_rows

LINES = b"1|two|two|one.png\n2|sea|sea|one.png\n3|night|night|dark.png\n4|colour|colour\n"


@pytest.fixture
def release(load) -> Release:
    found: Release = load(LINES, slug="spelling-1").release
    return found


@pytest.fixture
def described(release) -> Figure:
    """Version 1 is approved, 2 a draft."""
    figure = Figure.objects.get(key="one.png")
    anna = User.objects.create_user("anna")
    for version, (text, state) in enumerate([("One.", "approved"), ("One boat.", "draft")], 1):
        Description.objects.create(
            figure=figure, version=version, text=text, state=state, author=anna
        )
    return figure


def row(name: str, text: str, version: int | None = None, kind: str = "description") -> TextRow:
    return TextRow(kind, name, text, version, 2)  # type: ignore[arg-type]  # a kind


def test_every_text_is_a_row_with_its_version_and_a_missing_one_an_empty_row(
    release, described, monkeypatch
):
    """However many are read at a time."""
    for at_once in (release_texts.AT_ONCE, 2):
        monkeypatch.setattr(release_texts, "AT_ONCE", at_once)
        rows = [
            (r.kind, r.name, r.picture, r.version, r.state, r.text) for r in written_rows(release)
        ]
        assert rows == [
            ("description", "Short 1", "one.png", 2, "draft", "One boat."),
            ("reference", "1", "", 1, "live", "two"),
            ("reference", "2", "", 1, "live", "sea"),
            ("description", "Long 1", "dark.png", 0, "", ""),
            ("reference", "3", "", 1, "live", "night"),
            ("reference", "4", "", 1, "live", "colour"),
        ]


def test_where_two_figures_would_be_called_alike_both_keep_the_name_of_their_dataset(release):
    Subtask.objects.update(title="Words")
    names = [r.name for r in written_rows(release) if r.kind == "description"]
    assert names == ["one.png", "dark.png"]


def test_a_name_of_people_that_a_dataset_gives_another_figure_is_that_one(load):
    release = load(b"1|two|two|Short 2\n2|sea|sea|b.png\n", slug="crossed").release
    names = {r.name: r.picture for r in written_rows(release) if r.kind == "description"}
    assert names == {"Short 1": "Short 2", "b.png": "b.png"}
    (found,) = compare(release, [row("Short 2", "A word.")]).differences
    assert found.key == Figure.objects.get(key="Short 2").pk


ROWS = [
    ("one.png", "One boat.", 2, "unchanged", 2),
    ("one.png", "One boat at sea.", 2, "changed", 2),
    ("one.png", "One.", 1, "unchanged", 2),
    ("one.png", "One.", 2, "older", 2),
    ("one.png", "One ship.", 1, "meanwhile", 2),
    ("one.png", "One ship.", 9, "meanwhile", 2),
    ("one.png", "One.", None, "older", 2),
    ("one.png", "One ship.", None, "changed", 2),
    ("dark.png", "It is dark.", 0, "new", 0),
    ("dark.png", "It is dark.", None, "new", 0),
    ("dark.png", "", 0, "unchanged", 0),
    ("dark.png", "It is dark.", 1, "meanwhile", 0),
    ("Short 1", "One boat at sea.", 2, "changed", 2),
    ("Long 1", "It is dark.", 0, "new", 0),
]
CALLED = {"one.png": "Short 1", "dark.png": "Long 1"}


def test_what_a_row_is_to_its_release(release, described):
    """It is called as people do whatever its file calls it."""
    for name, text, version, standing, base in ROWS:
        (found,) = compare(release, [row(name, text, version)]).differences
        told = (found.status, found.base, found.name)
        assert told == (standing, base, CALLED.get(name, name)), (name, text, version)
    (found,) = compare(release, [row("4", "C.", kind="reference")]).differences
    assert (found.row.name, found.name) == ("4", "4")


def test_unknown_doubled_and_emptied_texts_are_problems_with_their_line(release, described):
    found = compare(release, [row("one.png", "A."), row("Short 1", "B.")])
    assert [(p.code, p.found) for p in found.problems] == [("duplicate", "Short 1")]
    assert [f.row.text for f in found.differences] == ["A."]
    problems = compare(release, [row("x.png", "A."), row("9", "A.", kind="reference")]).problems
    assert [(p.code, p.line, p.found) for p in problems] == [
        ("unknown", 2, "x.png"),
        ("unknown", 2, "9"),
    ]
    (problem,) = compare(release, [row("one.png", "", 2)]).problems
    assert (problem.code, problem.column) == ("empty-field", "text")


def test_a_reference_is_compared_with_the_one_that_is_live(release):
    question = Question.objects.get(public_id="4")
    add_reference(question=question, text="color", origin=Reference.Origin.HUMAN)
    for text, standing in (("colour", "unchanged"), ("hue", "meanwhile")):
        (found,) = compare(release, [row("4", text, 1, "reference")]).differences
        assert found.status == standing


def test_questions_that_differ_are_another_release(release):
    asked = {
        q.public_id: [
            q.subtask.slug,
            q.figure.key if q.figure else "",
            q.group,
            q.text,
            {},
            q.truth,
        ]
        for q in Question.objects.select_related("subtask", "figure")
    }
    assert other_questions(release, asked) == ()
    changed = {**asked, "1": [*asked["1"][:3], "Spell it.", {}, asked["1"][5]], "7": asked["2"]}
    del changed["3"]
    (problem,) = other_questions(release, changed)
    assert "1 changed (1), 1 new (7), 1 missing (3)" in problem.message
