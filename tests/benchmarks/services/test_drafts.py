"""Releases that wait as drafts: imported with gaps, filled in, and opened once nothing is
lacking."""

import base64
import csv
import io

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command

from benchmarks.figures.names import name_of
from benchmarks.figures.worklist import figure_languages
from benchmarks.models import Description, Figure, Question, Reference, Release
from benchmarks.protocols.touchstone.dataset import COLUMNS
from benchmarks.registry import protocol
from benchmarks.releases.readiness import lacking_texts
from benchmarks.releases.states import ReleaseStateError, move_release
from benchmarks.services.descriptions import DESCRIPTION_REVIEW, save_draft, submit_for_review
from benchmarks.services.importing import ReleaseRefusedError, import_release
from benchmarks.services.references import add_reference
from tests.benchmarks.pictures import picture

PICTURES = [base64.b64encode(picture(colour=colour)).decode() for colour in ("#112233", "#332211")]


@pytest.fixture
def annotator(db) -> User:
    return User.objects.create_user("anna")


@pytest.fixture
def reviewer(db) -> User:
    return User.objects.create_user("rita")


def table(*texts: tuple[str, str]) -> bytes:
    """A TouchStone file with a description and a reference per row, each of a picture of its
    own."""
    rows = [
        [str(i), PICTURES[i], "What is it?", *row, "Visual Recognition", "Brand recognition"]
        for i, row in enumerate(texts)
    ]
    return "".join("\t".join(row) + "\n" for row in [COLUMNS, *rows]).encode()


def touchstone(content: bytes, **options) -> Release:
    family = protocol("touchstone")
    return import_release(protocol=family, stream=io.BytesIO(content), **options).release


def lacking(release: Release) -> list[str]:
    return [one.what for one in lacking_texts(release)]


GAPS = (("A red kettle.", ""), ("", "A van."))


def test_a_draft_is_not_opened_and_nobody_is_shown_it(load, client):
    release = load(b"1|two|two\n", is_draft=True).release
    assert (release.state, release.opened) == ("draft", None)
    assert release.slug == f"spelling-{release.checksum[:8]}"
    assert client.get(f"/releases/{release.slug}/").status_code == 404
    again = load(b"1|two|two\n")
    assert (again.release, again.is_new, again.release.state) == (release, False, "draft")


def test_empty_texts_refuse_a_file_that_is_opened_at_once_with_every_place(db):
    with pytest.raises(ReleaseRefusedError) as caught:
        touchstone(table(*GAPS))
    assert [(problem.line, problem.column) for problem in caught.value.problems] == [
        (2, "gpt4_ha_answer"),
        (3, "human_annotation"),
    ]
    assert "Only a draft may lack it." in caught.value.problems[0].message
    assert not Release.objects.exists()


def test_of_very_many_empty_texts_a_hundred_are_listed(db):
    rows = [[str(i), PICTURES[0], "Q?", "", "", "Visual Recognition", "x"] for i in range(80)]
    content = "".join("\t".join(row) + "\n" for row in [COLUMNS, *rows]).encode()
    with pytest.raises(ReleaseRefusedError) as caught:
        touchstone(content)
    assert len(caught.value.problems) == 101
    assert caught.value.problems[-1].message == "60 more texts are empty and not listed."


def test_a_draft_says_what_its_judge_would_read_as_empty_and_is_opened_once_it_is_filled_in(
    db, annotator, reviewer
):
    release = touchstone(table(*GAPS), is_draft=True)
    descriptions, references = lacking_texts(release)
    assert [question.public_id for question in descriptions.first] == ["1"]
    assert [question.public_id for question in references.first] == ["0"]
    with pytest.raises(ReleaseStateError, match="It lacks 1 description and 1 reference, which"):
        move_release(release=release, found="draft", to="open")
    release.refresh_from_db()
    assert release.state == "draft"
    figure = Figure.objects.get(questions__public_id="1")
    draft = save_draft(
        figure=figure, language="en", text="A blue van.", author=annotator, base_version=0
    )
    submit_for_review(description=draft)
    assert lacking(release) == ["1 description", "1 reference"], "not approved yet"
    DESCRIPTION_REVIEW.approve(proposal=draft, reviewer=reviewer)
    assert lacking(release) == ["1 reference"]
    question = Question.objects.get(public_id="0")
    add_reference(question=question, text="A kettle.", origin=Reference.Origin.HUMAN)
    move_release(release=release, found="draft", to="open")
    assert release.is_open
    assert release.opened


def test_texts_that_no_judge_reads_are_not_lacking(db):
    """HallusionBench is judged without descriptions."""
    assert "description" not in protocol("hallusionbench").texts_judged()
    assert protocol("touchstone").texts_judged() == {"description", "reference"}


def test_a_figure_of_several_questions_lacks_one_description_in_its_language(load, folder):
    lines = b"1|two|two|red.png\n2|sea|sea|red.png\n3|night|night|red.png\n"
    release = load(lines, images=folder, is_draft=True).release
    figure = Figure.objects.get()
    assert figure_languages(figure) == ["en"]
    for version, (language, text) in enumerate([("zh", "A word."), ("en", "")], 1):
        assert lacking(release) == ["1 description"]
        Description.objects.create(
            figure=figure,
            version=version,
            language=language,
            text=text,
            state=Description.State.APPROVED,
        )
    assert lacking(release) == ["1 description"]


def test_a_frozen_release_does_not_close_a_figure_that_a_draft_shows(load, folder, annotator):
    Release.objects.filter(pk=load(b"1|two|two|red.png\n", images=folder).release.pk).update(
        state="frozen"
    )
    load(b"1|two|two|red.png\n2|sea|sea\n", images=folder, is_draft=True)
    figure = Figure.objects.get()
    assert save_draft(figure=figure, language="en", text="Red.", author=annotator, base_version=0)


def test_a_file_with_other_texts_of_the_same_questions_is_a_difference(db):
    """A corrected file used to be told that nothing changed, or opened a release of its own. With
    a name of its own, or where it asks otherwise, it is another release."""
    content = table(("A kettle.", "Red."), ("A van.", "Blue."))
    release = touchstone(content)
    other = table(("A red kettle.", "Red."), ("A van.", "It is blue."))
    again = import_release(protocol=protocol("touchstone"), stream=io.BytesIO(other))
    assert (again.release, again.is_new) == (release, False)
    assert [(d.row.kind, d.row.text, d.base) for d in again.differences] == [
        ("description", "A red kettle.", 1),
        ("reference", "It is blue.", 1),
    ]
    assert (Question.objects.count(), Reference.objects.count()) == (2, 2), "nothing stays of it"
    assert Release.objects.get() == release
    assert touchstone(other, slug="corrected").slug == "corrected"
    asks_otherwise = content.replace(b"What is it?", b"What is this?")
    assert touchstone(asks_otherwise).pk != release.pk
    assert Release.objects.count() == 3


def test_the_first_file_again_is_no_difference_after_a_correction(db, annotator):
    content = table(("A kettle.", "Red."))
    touchstone(content)
    save_draft(
        figure=Figure.objects.get(),
        language="en",
        text="A red kettle.",
        author=annotator,
        base_version=1,
    )
    again = import_release(protocol=protocol("touchstone"), stream=io.BytesIO(content))
    assert again.differences == ()


def test_the_official_file_is_written_again_with_the_texts_of_today(db, tmp_path):
    """No row of texts is called by the hash of a picture inside the file."""
    content = table(("A kettle.", "Red."), ("A van.", "Blue."))
    touchstone(content, slug="kettles")
    like, out, texts = (tmp_path / name for name in ("official.tsv", "new.tsv", "texts.csv"))
    like.write_bytes(content)
    call_command("export_texts", "kettles", str(out), like=like)
    assert out.read_bytes() == content
    question = Question.objects.get(public_id="1")
    add_reference(question=question, text="It is blue.", origin=Reference.Origin.HUMAN)
    call_command("export_texts", "kettles", str(out), like=like)
    assert out.read_bytes() == content.replace(b"Blue.", b"It is blue.")
    call_command("export_texts", "kettles", str(texts))
    rows = csv.DictReader(io.StringIO(texts.read_text()))
    described = [(row["name"], row["picture"]) for row in rows if row["kind"] == "description"]
    assert described == [(name_of(f), f.key) for f in Figure.objects.order_by("pk")]


def test_what_cannot_be_written_is_refused_with_a_sentence(load, tmp_path):
    load(b"1|two|two\n", slug="words")
    like = tmp_path / "words.txt"
    like.write_bytes(b"1|two|two\n")
    for arguments, options in (
        (("other", str(tmp_path / "a.csv")), {}),
        (("words", str(tmp_path / "a.txt")), {}),
        (("words", str(tmp_path / "a.tsv")), {"like": like}),
    ):
        with pytest.raises(CommandError):
            call_command("export_texts", *arguments, **options)
    call_command("export_texts", "words", str(tmp_path / "a.jsonl"))
    assert '"text": "two"' in (tmp_path / "a.jsonl").read_text()
