"""Files are there whole or not at all: on a disk that is full, and in a process that is killed."""

import errno
import os
import signal
import subprocess
import sys
from contextlib import suppress
from datetime import timedelta
from pathlib import Path

import pytest
from django.conf import settings
from django.core.files.base import ContentFile
from django.core.files.storage import storages
from django.core.files.uploadedfile import TemporaryUploadedFile
from django.db import OperationalError

from benchmarks.common.file_storage import UNFINISHED, WholeFileStorage, is_no_space, whole_file
from tests.each_case import each_case
from tests.small_disk import filled

PICTURE = os.urandom(300_000)


def files(folder: Path) -> set[str]:
    return {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}


def test_every_store_of_the_site_keeps_whole_files():
    stores = [storages[name] for name in settings.STORAGES if name != "staticfiles"]
    assert {type(store) for store in stores} == {WholeFileStorage}
    assert len(stores) == 3


def test_a_full_disk_keeps_no_half_of_a_file_and_takes_it_once_there_is_space(small_disk):
    store = WholeFileStorage(small_disk)
    with filled(small_disk, leave=100_000), pytest.raises(OSError, match="No space left"):
        store.save("ab/picture.png", ContentFile(PICTURE))
    assert files(small_disk) == set()
    assert store.save("ab/picture.png", ContentFile(PICTURE)) == "ab/picture.png"
    assert (small_disk / "ab" / "picture.png").read_bytes() == PICTURE
    assert files(small_disk) == {"ab/picture.png"}


def test_an_upload_from_another_disk_is_whole_or_not_there_either(small_disk):
    upload = TemporaryUploadedFile("answers.csv", "text/csv", len(PICTURE), None)
    upload.file.write(PICTURE)
    upload.file.flush()
    store = WholeFileStorage(small_disk)
    with filled(small_disk, leave=100_000), pytest.raises(OSError, match="No space left"):
        store.save("answers.csv", upload)
    assert files(small_disk) == set()


@pytest.mark.parametrize("synced", [1, 2])
def test_a_disk_that_says_it_is_full_only_when_it_is_synced_keeps_nothing(
    tmp_path, monkeypatch, synced
):
    """1: the file; 2: the folder, once the file has its name."""
    real, calls = os.fsync, []

    def fsync(opened: int) -> None:
        calls.append(opened)
        if len(calls) == synced:
            raise OSError(errno.ENOSPC, "No space left on device")
        real(opened)

    monkeypatch.setattr(os, "fsync", fsync)
    with pytest.raises(OSError, match="No space left"):
        WholeFileStorage(tmp_path).save("a", ContentFile(b"abc"))
    assert files(tmp_path) == set()


def test_the_file_is_synced_before_it_has_its_name_and_the_folder_afterwards(tmp_path, monkeypatch):
    seen = []

    def fsync(opened: int) -> None:
        seen.append((Path(os.readlink(f"/proc/self/fd/{opened}")).name, "a" in files(tmp_path)))

    if not Path("/proc/self/fd").exists():
        pytest.skip("only Linux tells which file is open under a number")
    monkeypatch.setattr(os, "fsync", fsync)
    WholeFileStorage(tmp_path).save("a", ContentFile(b"abc"))
    (_, named_before), (folder, named_after) = seen
    assert (named_before, folder, named_after) == (False, tmp_path.name, True)


def test_a_name_that_is_taken_is_given_to_no_other_file(tmp_path, monkeypatch):
    store = WholeFileStorage(tmp_path)
    store.save("a", ContentFile(b"first"))
    monkeypatch.setattr(WholeFileStorage, "is_name_available", lambda *args, **named: True)
    taken = []

    def another(self, name, max_length=None):
        taken.append(name)
        return name if len(taken) == 1 else f"{name}-{len(taken)}"

    monkeypatch.setattr(WholeFileStorage, "get_available_name", another)
    assert store.save("a", ContentFile(b"second")) == "a-2"
    assert (tmp_path / "a").read_bytes() == b"first"


def test_a_disk_without_hard_links_keeps_whole_files_too(tmp_path, monkeypatch):
    def refuse(*args, **named):
        raise PermissionError(errno.EPERM, "Operation not permitted")

    monkeypatch.setattr(os, "link", refuse)
    store = WholeFileStorage(tmp_path)
    assert store.save("a", ContentFile(b"first")) == "a"
    assert store.save("a", ContentFile(b"second")) != "a"
    assert (tmp_path / "a").read_bytes() == b"first"
    assert len(files(tmp_path)) == 2


def test_what_is_named_by_a_digest_takes_the_place_of_what_is_there(tmp_path):
    store = WholeFileStorage(tmp_path, allow_overwrite=True)
    store.save("a", ContentFile(b"cut o"))
    assert store.save("a", ContentFile(b"cut off")) == "a"
    assert (tmp_path / "a").read_bytes() == b"cut off"


def test_a_process_killed_while_it_writes_leaves_a_file_that_tidying_knows(tmp_path):
    script = f"""
import os, signal
from django.conf import settings
settings.configure()
from django.core.files.base import File
from benchmarks.common.file_storage import WholeFileStorage
class Endless(File):
    def chunks(self, size=None):
        yield bytes(200_000)
        os.kill(os.getpid(), signal.SIGKILL)
WholeFileStorage({str(tmp_path)!r}).save("a", Endless(None, "a"))
"""
    ended = subprocess.run([sys.executable, "-c", script], cwd=settings.BASE_DIR)
    assert ended.returncode == -signal.SIGKILL
    assert {Path(name).parts[0] for name in files(tmp_path)} == {UNFINISHED}
    store = WholeFileStorage(tmp_path)
    assert store.delete_left_behind() == 0, "it may be being written"
    assert store.delete_left_behind(older_than=timedelta(0)) == 1
    assert files(tmp_path) == set()


def test_only_what_nobody_names_is_deleted(tmp_path):
    store = WholeFileStorage(tmp_path)
    for name in ("made/a.zip", "made/b.zip", "health-1", "other"):
        store.save(name, ContentFile(b"x"))
    assert store.delete_unnamed("made", named={"made/a.zip"}, older_than=timedelta(0)) == 1
    assert store.delete_unnamed("", prefix="health-", named=(), older_than=timedelta(0)) == 1
    assert store.delete_unnamed("nowhere", named=()) == 0
    assert files(tmp_path) == {"made/a.zip", "other"}


def test_a_file_of_a_command_is_whole_or_as_it_was(small_disk):
    out = small_disk / "board.csv"
    out.write_text("as it was")
    with (
        filled(small_disk, leave=50_000),
        pytest.raises(OSError, match="No space left"),
        whole_file(out, "wb") as file,
    ):
        file.write(PICTURE)
    assert (out.read_text(), files(small_disk)) == ("as it was", {"board.csv"})
    with whole_file(out) as file:
        file.write("new")
    assert (out.read_text(), files(small_disk)) == ("new", {"board.csv"})


def test_a_command_writes_to_what_is_no_file_and_through_links(tmp_path):
    with whole_file(Path("/dev/null")) as file:
        file.write("x")
    assert Path("/dev/null").is_char_device()
    (tmp_path / "link").symlink_to(tmp_path / "file")
    with whole_file(tmp_path / "link") as file:
        file.write("x")
    assert ((tmp_path / "link").is_symlink(), (tmp_path / "file").read_text()) == (True, "x")


class DiskFull(Exception):
    sqlstate = "53100"


@each_case(
    "error, expected",
    [
        (OSError(errno.ENOSPC, "x"), True),
        (OSError(errno.EDQUOT, "x"), True),
        (OSError(errno.EACCES, "x"), False),
        (OperationalError("database or disk is full"), True),
        (OperationalError("database is locked"), False),
        (None, False),
    ],
)
def test_no_space_is_known_by_what_files_and_databases_say(error, expected):
    assert is_no_space(error) is expected


def test_no_space_is_known_behind_another_error():
    with suppress(OperationalError):
        try:
            raise DiskFull
        except DiskFull as cause:
            error = OperationalError("could not extend file")
            error.__cause__ = cause
            assert is_no_space(error)
            raise error from cause
