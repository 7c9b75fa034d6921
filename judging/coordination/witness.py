"""Is the database older than what it was asked and told about? One that was restored from a backup
knows nothing of the calls, mails and webhooks since, and would send them all again.

Whatever leaves the site raises a number first: in the database, and then in a file outside of it.
Where the file has the higher one, the database was put back; nothing leaves any more until an
operator has seen what would be asked again (`manage.py confirm_restore`).
"""

import logging
import os
import time
import uuid
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from django.conf import settings
from django.db.models import F, Max

from benchmarks.common.file_storage import whole_file
from judging.coordination import spending
from judging.models import JudgeCall, WitnessMark

log = logging.getLogger(__name__)
FILE = "witness.txt"
NOTED_SECONDS = 1.0
"""Between two notes of a process, each of which is a row and a file synced to the disk. What left
within a second of the last one, a worker's next heartbeat writes (`refresh`)."""
LENGTH = 200  # bytes of the file that are read
TOUCHED_SECONDS = 60.0  # a file that was only renamed, synced or moved in time by a file system
MOST = 2**62  # no number that the database could not raise
CONFIRM = (
    "Nothing is asked and no mail is sent until an operator runs `manage.py confirm_restore`, "
    "which lists what would be asked again."
)

NOBODY_KNOWS = "nobody knows whether the database is as new as what was asked."

noted = -NOTED_SECONDS  # when this process last did, monotonic
is_unproven = True  # whether the file may lack what the database has, or cannot be written


@dataclass(frozen=True, slots=True, order=True)
class Mark:
    """How often something left, and the newest ledger row then."""

    number: int = 0
    call: int = 0


@dataclass(frozen=True, slots=True)
class Note:
    """What the file holds. site: of its database; inode, seconds: of the file when it was written.
    A file that is put back has others."""

    mark: Mark = Mark()
    site: str = ""
    inode: int = 0
    seconds: int = 0

    def __str__(self) -> str:
        return f"{self.mark.number} {self.mark.call} {self.site} {self.inode} {self.seconds}\n"

    def was_put_back(self, now: os.stat_result) -> bool:
        """Whether `now`, of the file that holds this, is not of the file in which it was written.
        Changing its owner alone puts nothing back, and some network disks count inodes anew."""
        is_later = now.st_ctime - self.seconds > TOUCHED_SECONDS and now.st_ino != self.inode
        return is_later or abs(now.st_mtime - self.seconds) > 2  # seconds that FAT rounds to


class UnreadableError(Exception):
    """The text is a sentence."""


def note() -> None:
    """Record that calls are about to leave the site. Must not run within a transaction: what the
    file says has to be committed."""
    global noted, is_unproven
    if time.monotonic() < noted + NOTED_SECONDS:
        return
    if not WitnessMark.objects.filter(pk=WitnessMark.ONLY).update(number=F("number") + 1):
        set_number(in_file().number + 1)
    try:
        write()
        is_unproven = False
    except OSError as error:
        log.error(unwritable(error))
        is_unproven = True
        spending.look_again()
    noted = time.monotonic()


def set_number(number: int) -> None:
    WitnessMark.objects.update_or_create(pk=WitnessMark.ONLY, defaults={"number": number})


def write() -> None:
    """Of two processes that write at once the slower may win, whose number is lower by one: the
    next note or `refresh` mends it. Raises OSError."""
    WitnessMark.objects.filter(site="").update(site=uuid.uuid4().hex)
    known = in_database()
    with whole_file(path()) as file:
        made = os.fstat(file.fileno())  # by the clock of the disk, as what is read of it later
        seconds = int(made.st_mtime)
        file.write(str(replace(known, inode=made.st_ino, seconds=seconds)))
        file.flush()
        os.utime(file.fileno(), (seconds, seconds))


def refresh() -> None:
    """The file says all that the database does, as soon as nothing leaves for a while. Raises
    OSError."""
    if not problem() and in_file() < in_database().mark:
        write()


def path() -> Path:
    folder: Path = settings.VAR_DIR
    return folder / FILE


def in_database() -> Note:
    """What the file is to hold, but for what is the file's own."""
    number, site = WitnessMark.objects.values_list("number", "site").first() or (0, "")
    newest = JudgeCall.objects.aggregate(newest=Max("pk"))["newest"] or 0
    return Note(Mark(number, newest), site)


def in_file() -> Mark:
    """What the file says; an empty mark where there is no file. Raises UnreadableError."""
    return read_file().mark


def read_file() -> Note:
    """Of a file that is where it was written. Raises UnreadableError."""
    try:
        with path().open("rb") as file:
            number, call, site, inode, seconds = file.read(LENGTH).decode("ascii").split()
            now = os.fstat(file.fileno())
        note = Note(Mark(int(number), int(call)), site, int(inode), int(seconds))
        if not max(note.mark.number, note.mark.call, note.inode, note.seconds) < MOST:
            raise ValueError(number)
    except FileNotFoundError:
        return Note()
    except (OSError, ValueError) as error:
        raise UnreadableError(
            f"{FILE} in VAR_DIR cannot be read ({type(error).__name__}), so {NOBODY_KNOWS}"
        ) from error
    if note.was_put_back(now):
        raise UnreadableError(f"{FILE} in VAR_DIR was put back or copied there, so {NOBODY_KNOWS}")
    return note


def unwritable(error: OSError) -> str:
    return (
        f"{FILE} in VAR_DIR cannot be written ({error.strerror or type(error).__name__}). Nothing "
        "is asked until it can: make room, or let the user of the workers write there."
    )


def problem() -> str:
    """Why the database cannot be believed; "" where it can. A file is read, and two rows."""
    try:
        note = read_file()  # first: the database is ahead of it then
    except UnreadableError as error:
        return f"{error} {CONFIRM}"
    there = in_database()
    seen, known = note.mark, there.mark
    if not seen.number and known.number:
        return f"{FILE} is missing in VAR_DIR, so {NOBODY_KNOWS} {CONFIRM}"
    if there.site and there.site != note.site:
        return f"{FILE} in VAR_DIR is of another database, so {NOBODY_KNOWS} {CONFIRM}"
    if seen.number <= known.number and seen.call <= known.call:
        return ""
    calls = seen.call - known.call
    missing = f" (calls missing in its ledger: at least {calls:,})" if calls > 0 else ""
    return f"The database is older than what left the site{missing}. {CONFIRM}"


def reason_to_wait() -> str:
    """The `problem`, or that the file cannot be written, which a process tries before the first
    call that it asks for, and after each failure."""
    global is_unproven
    if found := problem():
        return found
    if is_unproven and in_database().mark.number:
        try:
            write()
        except OSError as error:
            return unwritable(error)
        is_unproven = False
    return ""


def confirm() -> None:
    """Accept the database as it is from now on, and no older one. Raises OSError."""
    number = before = in_database().mark.number
    with suppress(UnreadableError):
        number = max(number, in_file().number)
    set_number(number + 1)
    try:
        write()
    except OSError:
        set_number(before)
        raise
