"""Files that are there whole or not at all, and how a disk without space is known.

A file is written under a name that nobody reads, synced, and only then renamed: a disk that fills
up, an exception or a process that is killed leaves no half of a file under a name that counts.
"""

import errno
import hashlib
import os
import time
import uuid
from collections.abc import Container, Iterator
from contextlib import contextmanager, suppress
from datetime import timedelta
from pathlib import Path
from typing import IO, Any

from django.core.files import File
from django.core.files.storage import FileSystemStorage, Storage
from django.db import OperationalError

UNFINISHED = ".unfinished"
"""Beside all that is stored, so on the same disk, and in one folder: whoever tidies lists what was
left behind, and not what is stored, which grows for ever."""
GRACE = timedelta(hours=1)
"""A file is written within seconds, but a process may be frozen meanwhile, and live on."""
NO_SPACE = (errno.ENOSPC, errno.EDQUOT)


class WholeFileStorage(FileSystemStorage):
    """FileSystemStorage whose `save` is all or nothing. Raises OSError, having left nothing."""

    def _save(self, name: str, content: "File[Any]") -> str:
        unfinished = f"{UNFINISHED}/{uuid.uuid4().hex}"
        try:
            super()._save(unfinished, content)  # type: ignore[misc]  # stubs name none of the private
            sync(Path(self.path(unfinished)))
            return self.renamed(unfinished, name)
        finally:
            self.delete(unfinished)

    def renamed(self, unfinished: str, name: str) -> str:
        """The name that the file has now: `name`, or one like it where that is taken."""
        while True:
            target = Path(self.path(name))
            target.parent.mkdir(parents=True, exist_ok=True)
            try:
                # The file beside its name goes in `_save`.
                rename(
                    Path(self.path(unfinished)),
                    target,
                    may_replace=self._allow_overwrite,  # type: ignore[attr-defined]
                )
            except FileExistsError:
                name = self.get_available_name(name)
            else:
                return name

    def delete_left_behind(self, *, older_than: timedelta = GRACE) -> int:
        """What processes that were killed left unfinished is gone; how many files."""
        return self.delete_unnamed(UNFINISHED, named=(), older_than=older_than)

    def delete_unnamed(
        self,
        folder: str,
        *,
        named: Container[str],
        prefix: str = "",
        older_than: timedelta = GRACE,
    ) -> int:
        """Of the files in this folder whose names begin with `prefix`, those that are older and
        not `named` (by their names in this storage) are gone; how many. For folders with a file for
        each of something that is few."""
        before, done = time.time() - older_than.total_seconds(), 0
        with suppress(FileNotFoundError), os.scandir(self.path(folder)) as found:
            for file in found:
                name = f"{folder}/{file.name}" if folder else file.name
                if file.name.startswith(prefix) and name not in named and file.is_file():
                    with suppress(FileNotFoundError):  # another worker tidies too
                        if file.stat().st_mtime < before:
                            self.delete(name)
                            done += 1
        return done


@contextmanager
def whole_file(path: Path, mode: str = "w", **options: Any) -> Iterator[IO[Any]]:
    """What is written is under `path` once all of it is; whatever fails changes nothing there. What
    is no plain file (/dev/stdout) is written as it is. `options`: of `open`. Raises OSError."""
    target = path.resolve()  # a link goes on leading to the file
    if target.exists() and not target.is_file():
        with target.open(mode, **options) as file:
            yield file
        return
    unfinished = target.with_name(f".{uuid.uuid4().hex}.unfinished")
    try:
        with unfinished.open(mode, **options) as file:
            yield file
        sync(unfinished)
        rename(unfinished, target, may_replace=True)
    finally:
        unfinished.unlink(missing_ok=True)


def rename(source: Path, target: Path, *, may_replace: bool) -> None:
    """The file `source`, which was synced, is under `target` too, or instead. Raises
    FileExistsError where there is one that it may not replace."""
    if may_replace:
        source.replace(target)
    else:
        try:
            target.hardlink_to(source)  # a rename replaces what is there, unasked
        except FileExistsError:
            raise
        except OSError:  # a disk without hard links
            if target.exists():
                raise FileExistsError(target) from None
            source.rename(target)
    try:
        sync(target.parent)
    except OSError:
        if not may_replace:
            target.unlink()
        raise


def sync(path: Path) -> None:
    """The file, or the names of a folder, are on the disk. Raises OSError; a full disk may say so
    only here."""
    opened = os.open(path, os.O_RDONLY)
    try:
        os.fsync(opened)
    finally:
        os.close(opened)


def digest_of_file(store: Storage, name: str) -> str | None:
    """SHA-256 of what is stored under `name`; None where nothing is. Raises OSError where it cannot
    be read."""
    try:
        with store.open(name) as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except FileNotFoundError:
        return None


def is_no_space(error: BaseException | None) -> bool:
    """Whether a disk without space, or a full quota, is behind it: that of files or of the
    database."""
    while error is not None:
        if isinstance(error, OSError) and error.errno in NO_SPACE:
            return True
        if getattr(error, "sqlstate", None) == "53100":  # PostgreSQL's disk_full
            return True
        if isinstance(error, OperationalError) and "disk is full" in str(error):  # SQLite's words
            return True
        error = error.__cause__ or error.__context__
    return False
