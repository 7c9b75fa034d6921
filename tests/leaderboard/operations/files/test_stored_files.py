"""Files that a disk damaged are named before anybody needs them, and leftovers are tidied."""

import io
import os
import sqlite3
import tempfile
import time
from contextlib import closing, contextmanager
from datetime import timedelta
from pathlib import Path
from typing import ClassVar

import pytest
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage, storages
from django.db import connection
from django.urls import reverse
from django.utils import timezone
from PIL import Image

from benchmarks.models import FigureImage, ReleaseArchive, Rendition
from benchmarks.protocols.base import BundledRelease
from benchmarks.registry import protocol
from benchmarks.services.archives import make_archive
from benchmarks.services.importing import ReleaseRefusedError, import_release
from benchmarks.services.renditions import make_renditions
from benchmarks.submissions.samples.bundled import ensure_release
from leaderboard.models import DamagedFile, FileCheck
from leaderboard.operations import sweeps
from leaderboard.operations.files import stored_files
from leaderboard.operations.files.stored_files import check_files, delete_leftovers
from tests.benchmarks.pictures import picture
from tests.leaderboard.operations.waiting import said

LONG = timedelta(days=2).total_seconds()
LINES = b"1|two|two|red.png\n2|sea|sea|blue.png\n3|see|see|green.png\n"


@pytest.fixture(autouse=True)
def own_files(settings, tmp_path):
    """Tests share one folder of figures; what is damaged here is nobody else's."""
    settings.MEDIA_ROOT = tmp_path / "figures"
    uploads = {**settings.STORAGES["uploads"], "OPTIONS": {"location": tmp_path / "uploads"}}
    settings.STORAGES = {**settings.STORAGES, "uploads": uploads}


@pytest.fixture
def pictures(db, tmp_path: Path) -> Path:
    folder = tmp_path / "official"
    folder.mkdir()
    for name, colour in (("red", "#f00"), ("blue", "#00f"), ("green", "#0f0")):
        (folder / f"{name}.png").write_bytes(picture(colour=colour))
    return folder


def load(folder: Path):
    return import_release(protocol=protocol("spelling"), stream=io.BytesIO(LINES), images=folder)


def stored_pictures() -> list[Path]:
    return [Path(image.file.path) for image in FigureImage.objects.order_by("pk")]


def cut(path: Path, by: int = 20) -> None:
    path.write_bytes(path.read_bytes()[:-by])


def test_a_damaged_and_a_missing_picture_are_named_and_importing_again_mends_both(
    pictures, client, capsys
):
    load(pictures)
    red, blue, _ = stored_pictures()
    cut(red)
    blue.unlink()
    red_name, blue_name = (str(path.relative_to(default_storage.path(""))) for path in (red, blue))
    status, text = said(capsys, "check_files")
    assert status == 1
    assert f"figure {red_name}: damaged" in text
    assert f"figure {blue_name}: missing" in text
    assert "import_release" in text
    page = client.get("/status/").content.decode()
    assert "2 stored files are damaged or missing." in page
    assert f"<code>{red_name}</code>: damaged" in page
    assert f"{red_name}: damaged" in said(capsys, "check_progress")[1]
    health = client.get(reverse("health-ready")).json()
    assert health["wrong"]["stored files"].startswith("2 stored files are damaged or missing.")
    again = load(pictures)
    assert (again.is_new, again.put_back) == (False, 2)
    assert said(capsys, "check_files")[0] == 0
    assert "damaged or missing" not in client.get("/status/").content.decode()


def test_a_picture_that_cannot_be_read_is_put_back_too(pictures, capsys, tmp_path):
    load(pictures)
    secret = tmp_path / "secret"
    secret.write_text("kept")
    loop, link, unreadable = stored_pictures()
    for path in (loop, link, unreadable):
        path.unlink()
    loop.symlink_to(loop)
    link.symlink_to(secret)
    unreadable.touch(mode=0)
    assert said(capsys, "check_files")[0] == 1
    assert load(pictures).put_back == 3
    assert said(capsys, "check_files")[0] == 0
    assert not loop.is_symlink()
    assert not link.is_symlink()
    assert secret.read_text() == "kept"


def test_a_folder_in_the_place_of_a_picture_is_named_with_what_to_do(pictures):
    load(pictures)
    stored = stored_pictures()[0]
    stored.unlink()
    stored.mkdir()
    with pytest.raises(ReleaseRefusedError) as refused:
        load(pictures)
    (problem,) = refused.value.problems
    assert f"cannot be stored as {stored}: Is a directory. Remove what is there" in problem.message


def test_a_rendition_is_made_of_a_whole_picture_and_made_anew_when_damaged(pictures, client):
    # Noise, of more than 200 kB: smaller pictures have no rendition.
    Image.effect_noise((500, 500), 90).save(pictures / "red.png")
    load(pictures)
    red = FigureImage.objects.order_by("pk")[0]
    whole = Path(red.file.path).read_bytes()
    cut(Path(red.file.path), 500)
    make_renditions()
    assert not Rendition.objects.filter(sha256=red.sha256).exists()
    Path(red.file.path).write_bytes(whole)
    make_renditions(limit=None)
    file = Path(Rendition.objects.get(sha256=red.sha256).file.path)
    small = file.read_bytes()
    cut(file, 500)
    reply = client.get(f"/figures/{red.pk}/small/")
    assert b"".join(reply.streaming_content) == whole
    assert "immutable" not in reply["Cache-Control"]
    check_files(everything=True)
    assert not DamagedFile.objects.exists()
    make_renditions()
    assert file.read_bytes() == small


def test_a_demo_that_starts_again_mends_damaged_pictures(pictures, capsys, tmp_path):
    (tmp_path / "lines.txt").write_bytes(LINES)
    bundled = BundledRelease("words-1", "Words", tmp_path / "lines.txt", pictures)
    release = ensure_release(protocol("spelling"), bundled)
    red, blue, _ = stored_pictures()
    cut(red)
    blue.unlink()
    assert said(capsys, "check_files")[0] == 1
    assert ensure_release(protocol("spelling"), bundled) == release
    assert said(capsys, "check_files")[0] == 0


def test_a_file_handed_in_is_named_to_operators_alone(submission, client, capsys):
    store, name = submission.file.storage, submission.file.name
    store.delete(name)
    assert store.save(name, ContentFile(b"other")) == name
    assert f"submission {name}: damaged" in said(capsys, "check_files")[1]
    page = client.get("/status/").content.decode()
    assert "1 stored file is damaged or missing." in page
    assert name not in page


def test_a_damaged_database_is_named_with_what_to_do(db, capsys, monkeypatch):
    """A real file with a page of zeros, in place of the test's own database in memory."""
    if connection.vendor != "sqlite":
        pytest.skip("PostgreSQL has checksums of its own")
    check_files(everything=True)
    assert not DamagedFile.objects.exists()
    monkeypatch.setattr(stored_files, "connection", DamagedConnection())
    check_files()  # FileCheck says that this day's look was
    assert not DamagedFile.objects.exists()
    FileCheck.objects.update(next_at=timezone.now())
    monkeypatch.setattr(stored_files, "is_small", lambda path: False)
    check_files()
    assert not DamagedFile.objects.exists()
    status, text = said(capsys, "check_files")
    assert status == 1
    assert "database assay.sqlite3: damaged\nStop the site and put its database back" in text


class DamagedConnection:
    """Of a database of three thousand rows, a page of which is zeros."""

    vendor = "sqlite"
    settings_dict: ClassVar = {"NAME": "/site/assay.sqlite3"}

    @contextmanager
    def cursor(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "assay.sqlite3"
            with closing(sqlite3.connect(path)) as made:
                made.execute("CREATE TABLE rows (word TEXT UNIQUE)")
                words = ((f"word {number}",) for number in range(3000))
                made.executemany("INSERT INTO rows VALUES (?)", words)
                made.commit()
            content = bytearray(path.read_bytes())
            content[4096 * 9 : 4096 * 10] = bytes(4096)
            path.write_bytes(content)
            with closing(sqlite3.connect(path)) as damaged:
                yield damaged.cursor()


def test_looks_go_round_a_few_at_a_time_and_then_rest_for_a_day(
    pictures, monkeypatch, django_assert_num_queries
):
    def pass_pause() -> None:
        FileCheck.objects.update(next_at=timezone.now() - timedelta(seconds=1))

    monkeypatch.setattr(stored_files, "AT_ONCE", 2)
    load(pictures)
    cut(stored_pictures()[-1])
    assert check_files() == 2
    assert not DamagedFile.objects.exists()
    assert check_files() == 0, "another worker looked just now"
    pass_pause()
    assert check_files() == 1
    assert DamagedFile.objects.get().fault == "damaged"
    rests = FileCheck.objects.get(kind="figure")
    assert rests.last == ""
    assert rests.next_at > timezone.now() + timedelta(hours=23)
    with django_assert_num_queries(2):  # the time is one of them
        assert check_files() == 0
    pass_pause()
    assert check_files() == 2, "and begins anew"
    FileCheck.objects.update(next_at=timezone.now() + timedelta(days=900))
    assert check_files() == 1, "a clock that was years ahead shuts no look out"


def aged(path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"x")
    os.utime(path, (time.time() - LONG,) * 2)
    return path


def test_what_killed_processes_left_is_deleted_and_what_is_named_or_new_stays(
    pictures, settings, tmp_path, monkeypatch
):
    (tmp_path / "tmp").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "tmp"))
    settings.CACHES = {**settings.CACHES, "pages": {"LOCATION": tmp_path / "pages"}}
    archive = make_archive(load(pictures).release)
    os.utime(archive.file.path, (time.time() - LONG,) * 2)
    figures, uploads = Path(default_storage.path("")), Path(storages["uploads"].path(""))
    left = [
        aged(figures / "health-1"),
        aged(figures / ".unfinished" / "2"),
        aged(figures / "releases" / "spelling-cut_abc.zip"),
        aged(uploads / "evidence" / "cut.zip"),
        aged(tmp_path / "pages" / "tmp1"),
        aged(tmp_path / "tmp" / "assay-evidence-1" / "a"),
    ]
    os.utime(left[-1].parent, (time.time() - LONG,) * 2)
    new = uploads / "evidence" / "new.zip"
    new.write_bytes(b"x")
    kept = [Path(archive.file.path), new, aged(tmp_path / "pages" / "a.djcache")]
    assert delete_leftovers() == len(left)
    assert [path for path in left if path.exists()] == []
    assert all(path.exists() for path in kept)
    Path(archive.file.path).write_bytes(b"cut")
    check_files(everything=True)
    assert not ReleaseArchive.objects.exists(), "it is made anew"
    assert not DamagedFile.objects.exists()


@pytest.mark.parametrize("broker", ["", "redis://127.0.0.1:1"])
def test_one_worker_that_has_the_files_tidies_once_an_hour_with_a_broker_and_without(
    db, settings, monkeypatch, broker
):
    """And without a beat, as in the demo."""
    settings.BROKER_URL = broker
    done = []
    monkeypatch.setattr(sweeps.tidy, "apply_async", lambda **options: done.append("sent"))
    monkeypatch.setattr(sweeps, "delete_leftovers", lambda: done.append("tidied"))
    monkeypatch.setattr(sweeps, "own_files", lambda: "does not see the files of this site")
    sweeps.tidy_once()
    monkeypatch.setattr(sweeps, "own_files", str)
    for _ in range(2):
        sweeps.tidy_once()
    assert done == ["sent" if broker else "tidied"]
