"""Archives of releases: what is in them, and when they are made anew."""

import csv
import hashlib
import io
import json
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from django.core.files.storage import default_storage
from django.core.management import call_command

from benchmarks.models import FigureImage, Question, Reference, Release, ReleaseArchive
from benchmarks.protocols.base import Terms, Upload
from benchmarks.registry import protocol
from benchmarks.releases.files import example_program
from benchmarks.selectors import question_views, release_template
from benchmarks.services.archives import make_archive, make_archives
from benchmarks.services.importing import import_release
from leaderboard.operations.sweeps import tidy
from tests.benchmarks.pictures import picture

FREE = Terms("The makers", "CC0-1.0", passes_pictures_on=True)
LINES = b"1|two|cnry-two|red.png\n2|colour|cnry-colour|blue.png\n3|sea|cnry-sea|red.png\n"


@pytest.fixture
def release(load, folder) -> Release:
    """Two pictures, one of which two questions show."""
    (folder / "blue.png").write_bytes(picture(colour="blue", size=(5, 4)))
    made: Release = load(LINES, images=folder, slug="words", terms=FREE).release
    return made


def content_of(archive: ReleaseArchive) -> bytes:
    with archive.file.open("rb") as file:
        return bytes(file.read())


def members(archive: ReleaseArchive) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(content_of(archive))) as opened:
        assert opened.testzip() is None
        return {name: opened.read(name) for name in opened.namelist()}


def test_an_archive_holds_every_question_in_order_and_every_picture_once(release, folder):
    """And no reference, though the release shows them; what is told of it is so, and the same
    content is the same file."""
    Release.objects.update(disclosure="open")
    assert Reference.objects.filter(text__startswith="cnry-").count() == 3
    archive = make_archive(Release.objects.get())
    held, content = members(archive), content_of(archive)
    rows = [json.loads(line) for line in held["questions.jsonl"].splitlines()]
    assert [(row["id"], row["question"]) for row in rows] == [
        ("1", "Spell two."),
        ("2", "Spell colour."),
        ("3", "Spell sea."),
    ]
    shown = [held[name] for row in rows for name in row["pictures"]]
    red, blue = ((folder / f"{name}.png").read_bytes() for name in ("red", "blue"))
    assert shown == [red, blue, red]
    assert len([name for name in held if name.startswith("pictures/")]) == 2
    assert not any(b"cnry" in inside for inside in held.values())
    assert archive.sha256 == hashlib.sha256(content).hexdigest()
    assert (archive.size, archive.pictures, archive.missing) == (len(content), 2, 0)
    inside = hashlib.sha256(held["questions.jsonl"]).hexdigest()
    assert archive.questions_sha256 == inside
    again = make_archive(Release.objects.get())
    assert (again.sha256, again.file.name) == (archive.sha256, archive.file.name)
    assert content_of(again) == content
    assert ReleaseArchive.objects.count() == 1


def test_a_picture_goes_by_its_content_whatever_the_dataset_calls_it(load, folder):
    """The dataset's name may be a path out of the folder, or tell the answer. One that must not be
    passed on is named and not in it."""
    (folder / "x").mkdir()
    lines = b"1|two|two|x/../red.png\n"
    held = members(make_archive(load(lines, images=folder, slug="odd", terms=FREE).release))
    digest = hashlib.sha256((folder / "red.png").read_bytes()).hexdigest()
    assert {name for name in held if "/" in name} == {f"pictures/{digest}.png"}
    assert not any(name.startswith(("/", "..")) or "\\" in name for name in held)
    assert b"red.png" not in b"".join(content for name, content in held.items() if "/" not in name)
    archive = make_archive(load(lines, images=folder, slug="closed").release)
    held = members(archive)
    assert (archive.pictures, [name for name in held if "/" in name]) == (0, [])
    assert json.loads(held["questions.jsonl"])["pictures"] == [f"pictures/{digest}.png"]
    assert b"pictures are not in this archive" in held["README.txt"]


def test_a_picture_that_is_away_or_damaged_is_counted_and_put_in_once_it_is_back(release):
    image = FigureImage.objects.get(name="blue.png")
    with image.file.open("rb") as file:
        kept = file.read()
    default_storage.save(str(image.file.name), io.BytesIO(b"\x89PNG"))
    damaged = make_archive(release)
    assert (damaged.pictures, damaged.missing) == (1, 1)
    assert f"pictures/{image.sha256}.png" not in members(damaged)
    default_storage.delete(str(image.file.name))
    archive = make_archive(release)
    assert (archive.pictures, archive.missing) == (1, 1)
    assert b"1 more could not be read" in members(archive)["README.txt"]
    default_storage.save(image.file.name, io.BytesIO(kept))
    assert make_archives() == 0, "sweeps do not try for ever"
    call_command("make_archives")
    assert ReleaseArchive.objects.get().missing == 0


def test_sweeps_make_an_archive_once_and_again_when_its_licence_changes(release):
    tidy()
    first = ReleaseArchive.objects.get()
    tidy()
    assert ReleaseArchive.objects.get().made == first.made
    Release.objects.update(passes_pictures_on=False)
    tidy()
    assert ReleaseArchive.objects.get().pictures == 0


def test_a_draft_has_no_archive(draft):
    assert make_archives() == 0


def test_a_release_whose_archive_cannot_be_written_stops_no_other(load, monkeypatch, caplog):
    load(b"1|two|two\n", slug="first")
    second = load(b"1|sea|sea\n", slug="second").release
    save = default_storage.save

    def full_for_the_first(name, content):
        if "first" in name:
            raise OSError(28, "No space left on device")
        return save(name, content)

    monkeypatch.setattr(default_storage, "save", full_for_the_first)
    assert make_archives() == 1
    assert ReleaseArchive.objects.get().release == second
    assert "Archive of release first" in caplog.text


def test_only_so_much_is_made_at_once(load):
    for slug in ("first", "second"):
        load(f"1|{slug}|two\n".encode(), slug=slug)
    assert [make_archives(seconds=0), make_archives(seconds=0), make_archives()] == [1, 1, 0]


# --- the program ----------------------------------------------------------------------------------

BUNDLED = [
    (family, bundled.slug)
    for family in (
        "hallusionbench",
        "tiny_lvlm_ehub",
        "tiny_lvlm_ehub_ability",
        "touchstone",
        "touchstone_hallucination",
    )
    for bundled in protocol(family).bundled
]


@pytest.mark.slow
@pytest.mark.parametrize(("family", "slug"), BUNDLED)
def test_what_the_example_program_writes_is_accepted(family, slug, db, tmp_path):
    """Run as anybody would: in a folder with the archive and nothing else."""
    bundled = next(one for one in protocol(family).bundled if one.slug == slug)
    with bundled.dataset.open("rb") as stream:
        release = import_release(
            protocol=protocol(family),
            stream=stream,
            images=bundled.pictures,
            slug=slug,
            terms=bundled.terms,
        ).release
    (tmp_path / f"{slug}.zip").write_bytes(content_of(make_archive(release)))
    (tmp_path / "example.py").write_text(example_program(release))
    command = [sys.executable, "-I", "-W", "error", "example.py"]
    subprocess.run(command, cwd=tmp_path, check=True, timeout=60)
    upload = Upload("answers.jsonl", Path(tmp_path / "answers.jsonl").read_bytes())
    reading = protocol(family).predictions.read(upload, question_views(release))
    assert reading.problems == ()
    assert len(reading.answers) == release.question_count
    assert {*reading.answers.values()} == {"Yes"}


def test_a_template_that_is_filled_in_is_accepted_with_its_texts(db):
    for family, slug in BUNDLED:
        bundled = next(one for one in protocol(family).bundled if one.slug == slug)
        with bundled.dataset.open("rb") as stream:
            release = import_release(protocol=protocol(family), stream=stream, slug=slug).release
        held = members(make_archive(release))["template.csv"].decode()
        assert held.startswith("id,prediction,question\r\n"), slug
        upload = Upload("template.csv", fill(held).encode())
        reading = protocol(family).predictions.read(upload, question_views(release))
        assert reading.problems == (), slug
        assert {*reading.answers.values()} == {"A cat."}, slug
        assert not [note for note in reading.notes if note.code == "ignored-fields"], slug


def fill(template: str) -> str:
    rows = list(csv.DictReader(io.StringIO(template, newline="")))
    out = io.StringIO(newline="")
    writer = csv.DictWriter(out, list(rows[0]))
    writer.writeheader()
    writer.writerows({**row, "prediction": "A cat."} for row in rows)
    return out.getvalue()


def test_no_text_of_a_template_is_run_as_a_formula(draft):
    Question.objects.filter(public_id="d1").update(text="=HYPERLINK(1)")
    assert release_template(draft).splitlines()[1] == "d1,,'=HYPERLINK(1)"


def test_the_example_program_needs_twenty_lines_and_the_standard_library(release):
    program = example_program(release)
    imports = [line for line in program.splitlines() if line.startswith(("import", "from"))]
    assert imports == ["import json", "import zipfile"]
    assert len([line for line in program.splitlines() if line.strip()]) <= 22
