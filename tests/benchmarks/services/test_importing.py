import hashlib
import io
import json
import os
from dataclasses import replace

import pytest
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.urls import reverse
from PIL import Image

from benchmarks.models import (
    Benchmark,
    Figure,
    FigureImage,
    Question,
    Reference,
    Release,
    ReleaseQuestion,
)
from benchmarks.registry import protocol
from benchmarks.services.importing import (
    BATCH_ROWS,
    ImportedRelease,
    ReleaseRefusedError,
    ensure_benchmark,
    import_release,
)
from tests.benchmarks.conftest import stored_figures
from tests.benchmarks.pictures import HTML, SVG, picture, png_that_claims
from tests.small_disk import filled
from tests.tiny_protocol import dataset

LINES = b"1|two|two\n2|colour|colour\n"


def stored_rows() -> list[int]:
    return [
        m.objects.count()
        for m in (Benchmark, Release, ReleaseQuestion, Question, Reference, Figure, FigureImage)
    ]


def content_of(image: FigureImage) -> bytes:
    with image.file.open("rb") as file:
        return bytes(file.read())


def refused(load, lines, **options) -> list[str]:
    with pytest.raises(ReleaseRefusedError) as caught:
        load(lines, **options)
    return [problem.message for problem in caught.value.problems]


# --- what is stored -------------------------------------------------------------------------------


def test_an_imported_file_is_an_open_release_in_file_order(load):
    release = load(b"b|two|two\na|colour|colour\n").release
    assert release.is_open
    assert release.opened
    questions = list(Question.objects.of_release(release))
    assert [question.public_id for question in questions] == ["b", "a"]
    assert (questions[1].text, questions[1].truth, questions[1].subtask.slug) == (
        "Spell colour.",
        {"spelling": "colour"},
        "words/long",
    )
    assert Reference.objects.get(question=questions[1]).text == "colour"
    hashes = "".join(question.content_hash for question in questions)
    assert release.checksum == hashlib.sha256(hashes.encode()).hexdigest()
    assert release.slug == f"spelling-{release.checksum[:8]}"
    assert release.title == "Spelling, 2 questions"


def test_a_file_of_several_batches_keeps_every_question_in_order(load):
    lines = b"".join(b"%d|word%d|word\n" % (i, i) for i in range(BATCH_ROWS + 3))
    seen: list[int] = []
    release = load(lines, on_progress=seen.append).release
    assert list(release.members.values_list("position", flat=True)) == list(range(BATCH_ROWS + 3))
    assert (release.question_count, seen) == (BATCH_ROWS + 3, [BATCH_ROWS, 3])


def test_questions_of_a_subtask_that_is_not_known_refuse_the_file(db, monkeypatch):
    """A reader that invents subtasks is told by their names, each once, and stores nothing."""
    (words,) = dataset.TAXONOMY
    monkeypatch.setattr(dataset, "TAXONOMY", (replace(words, subtasks=words.subtasks[:1]),))
    lines = io.BytesIO(b"1|two|two\n2|colour|colour\n3|longer|longer\n")
    with pytest.raises(ReleaseRefusedError) as caught:
        import_release(protocol=protocol("spelling"), stream=lines)
    (problem,) = caught.value.problems
    assert (problem.code, problem.found) == ("subtask", "words/long")
    assert "The question 2 is of a subtask" in problem.message
    assert not Release.objects.exists()


# --- the same again -------------------------------------------------------------------------------


def test_the_same_file_again_changes_nothing_and_unchanged_questions_are_shared(load):
    first = load(LINES, title="First", slug="one").release
    before = stored_rows()
    again = load(LINES, title="Second", slug="one")
    assert (again.release, again.is_new) == (first, False)
    first.refresh_from_db()
    assert first.title == "First"
    assert refused(load, b"9|nine|nine\n", slug="one") == [
        "There is a release 'one' with other content; choose another --slug."
    ]
    assert stored_rows() == before
    assert load(LINES, slug="two").is_new
    turned = load(b"2|colour|colour\n1|two|two\n").release
    assert turned.checksum != first.checksum
    assert Question.objects.count() == 2
    second = load(b"1|two|two\n2|colour|color\n3|sea|sea\n").release
    shared = Question.objects.filter(releases=first).filter(releases=second)
    assert [question.public_id for question in shared] == ["1"]
    assert (Question.objects.count(), Reference.objects.count()) == (4, 4)
    assert ensure_benchmark(protocol("spelling")).abilities.count() == 1


# --- names ----------------------------------------------------------------------------------------


def test_a_slug_of_letters_digits_and_dashes_is_taken_and_no_other(load):
    for slug in ("bad slug!", "a/b", "../x", "ü", "a.b", " ", "a\n", "x" * 51):
        with pytest.raises(ReleaseRefusedError) as caught:
            load(LINES, slug=slug)
        assert {problem.column for problem in caught.value.problems} == {"slug"}, slug
    assert len(refused(load, b"broken\n", slug="bad slug!")) == 2
    assert stored_rows() == [0] * 7
    for slug in ("x" * 50, "A_b-1", "template", "releases"):
        assert load(LINES, slug=slug).release.slug == slug
        assert reverse("release-template", args=[slug])


def test_a_text_longer_than_its_column_is_refused_by_name(load):
    for name, longest in (("title", 200), ("language", 10)):
        told = [f"The {name} has {longest + 1} characters."]
        assert refused(load, LINES, **{name: "x" * (longest + 1)}) == told
    for line, what in (
        (f"{'9' * 500}|two|two", "id"),
        (f"1|two|two|{'p' * 201}", "name of the figure"),
        (f"1|two|two|{'p' * 301}", "name of the figure"),
    ):
        assert refused(load, line.encode())[0].startswith(f"The {what} has ")
    assert stored_rows() == [0] * 7
    assert load(LINES, title="x" * 200, language="x" * 10).is_new
    load(f"{'9' * 200}|two|two|{'p' * 200}\n".encode(), slug="long")
    assert Question.objects.filter(public_id="9" * 200).exists()


# --- what the official release has ----------------------------------------------------------------


def ehub(*sizes: tuple[str, int]) -> ImportedRelease:
    records = {
        dataset: [
            {"question_id": f"{n:06}", "question": "Say.", "gt_answers": "yes"} for n in range(size)
        ]
        for dataset, size in sizes
    }
    return import_release(
        protocol=protocol("tiny_lvlm_ehub"), stream=io.BytesIO(json.dumps(records).encode())
    )


def test_fewer_or_more_questions_than_the_official_release_has_are_remarked(db):
    (note,) = ehub(("IC15", 49), ("SVT", 50), ("VSR", 51)).notes
    told = "Not as many questions as the official release has: IC15 49 of 50, VSR 51 of 50."
    assert note.message == told
    assert ehub(("SVT", 50)).notes == ()


def test_a_record_that_stands_twice_is_refused_with_both_places(db):
    record = {"question_id": "1", "question": "Say.", "gt_answers": "yes"}
    lists = json.dumps({"IC15": [record, {**record, "question_id": "2"}, record]}).encode()
    with pytest.raises(ReleaseRefusedError) as caught:
        import_release(protocol=protocol("tiny_lvlm_ehub"), stream=io.BytesIO(lists))
    (problem,) = caught.value.problems
    assert (
        problem.message == "The question IC15/1 stands twice in the file, first in IC15, record 1."
    )
    assert (problem.line, problem.record) == (1, "IC15, record 3")


# --- nothing or everything ------------------------------------------------------------------------


def test_a_file_with_a_problem_is_told_all_of_them_and_leaves_no_row(load):
    assert refused(load, b"") == ["The file has no questions."]
    assert refused(load, b"\n1|two|two")
    assert len(refused(load, b"x\n1|two|two\n2|colour|colour\ny\n")) == 2
    for second in (b"1|two|two", b"1|two|too"):
        told = ["The question 1 stands twice in the file."]
        assert refused(load, b"1|two|two\n" + second) == told
    lines = b"".join(b"%d|word%d|word\n" % (i, i) for i in range(BATCH_ROWS + 1))
    assert refused(load, lines + b"0|word0|word\n") == ["The question 0 stands twice in the file."]
    assert stored_rows() == [0] * 7


def test_neither_a_problem_in_the_last_line_nor_a_reader_that_breaks_leaves_a_picture(load, folder):
    before = stored_figures()
    assert refused(load, b"1|two|two|red.png\nbroken\n", images=folder)
    lines = b"".join(b"%d|two|two|red.png\n" % i for i in range(BATCH_ROWS + 1))

    def break_off(rows: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        load(lines, images=folder, on_progress=break_off)
    assert stored_figures() == before
    assert stored_rows() == [0] * 7


# --- pictures -------------------------------------------------------------------------------------


def test_a_picture_is_stored_once_under_its_hash_with_its_size(load, folder):
    lines = b"1|two|two|red.png\n2|sea|sea|red.png\n"
    without = load(lines).release
    image = FigureImage.objects.get()
    assert (image.name, image.sha256, image.file.name) == ("red.png", "", "")
    assert load(lines, images=folder).release.checksum != without.checksum
    image = FigureImage.objects.exclude(pk=image.pk).get()
    assert image.sha256 == hashlib.sha256((folder / "red.png").read_bytes()).hexdigest()
    assert (image.width, image.height, image.name) == (3, 2, "red.png")
    assert image.file.name in stored_figures()
    assert image.figure.questions.count() == 2


def test_a_picture_that_an_earlier_import_left_cut_off_is_replaced(load, folder):
    content = (folder / "red.png").read_bytes()
    digest = hashlib.sha256(content).hexdigest()
    name = f"{digest[:2]}/{digest}.png"
    default_storage.save(name, ContentFile(content[:-20]))
    load(b"1|two|two|red.png\n", images=folder)
    assert content_of(FigureImage.objects.get()) == content


def test_a_refused_file_takes_no_picture_that_was_there_before(load, folder):
    load(b"1|two|two|red.png\n", images=folder)
    image = FigureImage.objects.get()
    default_storage.save(str(image.file.name), ContentFile(b"damaged"))
    assert refused(load, b"1|sea|sea|red.png\nbroken\n", images=folder)
    assert content_of(image) == (folder / "red.png").read_bytes()


def test_an_import_that_a_full_disk_stops_leaves_nothing_and_runs_again(
    load, small_disk, tmp_path, settings
):
    large, small = os.urandom(700_000), picture()
    Image.frombytes("RGB", (500, 400), large[:600_000]).save(tmp_path / "large.png")
    (tmp_path / "small.png").write_bytes(small)
    lines = b"1|two|two|small.png\n2|sea|sea|large.png\n"
    settings.MEDIA_ROOT = small_disk
    with filled(small_disk, leave=200_000), pytest.raises(OSError, match="No space left"):
        load(lines, images=tmp_path)
    assert not Release.objects.exists()
    assert [path for path in small_disk.rglob("*") if path.is_file()] == []
    load(lines, images=tmp_path)
    for image in FigureImage.objects.all():
        assert content_of(image) == (tmp_path / image.name).read_bytes()


POSING = [
    (SVG, "is not a readable PNG, JPEG, WebP or GIF picture"),
    (HTML, "is not a readable PNG, JPEG, WebP or GIF picture"),
    (picture("TIFF"), "is not a readable PNG, JPEG, WebP or GIF picture"),
    (png_that_claims(40_000, 40_000), "has more pixels than"),
    (b"", "is not a readable PNG, JPEG, WebP or GIF picture"),
]


def test_a_file_that_poses_as_a_picture_is_refused(load, folder):
    before = stored_figures()
    for content, message in POSING:
        (folder / "posing.png").write_bytes(content)
        (problem,) = refused(load, b"1|two|two|posing.png\n", images=folder)
        assert problem.startswith(f"The picture posing.png {message}"), content[:20]
    assert stored_figures() == before


OUTSIDE = "missing.png|../outside.png|/etc/hostname|inside/../../outside.png|.|x\0y|link.png"


def test_a_name_or_a_link_that_is_not_below_the_images_folder_is_refused(load, folder):
    inside = folder / "inside"
    inside.mkdir()
    (folder / "outside.png").write_bytes(picture())
    (inside / "link.png").symlink_to(folder / "red.png")
    for name in OUTSIDE.split("|"):
        (problem,) = refused(load, f"1|two|two|{name}\n".encode(), images=inside)
        assert "is not in the folder" in problem, name


# --- the life of a release ------------------------------------------------------------------------
