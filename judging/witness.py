"""Is the database older than what it was asked and told about? One that was restored from a backup
knows nothing of the calls, mails and webhooks since, and would send them all again.

Whatever leaves the site raises a number first: in the database, and then in a file outside of it.
Where the file has the higher one, the database was put back; nothing leaves any more until an
operator has seen what would be asked again (`manage.py confirm_restore`).
"""

import logging
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from django.conf import settings
from django.db import DatabaseError
from django.db.models import F, Max

from benchmarks.file_storage import whole_file
from judging.models import JudgeCall, WitnessMark

log = logging.getLogger(__name__)
FILE = "witness.txt"
NOTED_SECONDS = 1.0
"""Between two notes of a process, each of which is a row and a file synced to the disk. What left
within a second of the last one, a worker's next heartbeat writes (`refresh`)."""
LENGTH = 100  # bytes of the file that are read
MOST = 2**62  # no number that the database could not raise
CONFIRM = (
    "Nothing is asked and no mail is sent until an operator runs `manage.py confirm_restore`, "
    "which lists what would be asked again."
)

noted = -NOTED_SECONDS  # when this process last did, monotonic
is_unwritten = False  # whether the file lacks what the database has, since the disk was full


@dataclass(frozen=True, slots=True, order=True)
class Mark:
    """How often something left, and the newest ledger row then."""

    number: int = 0
    call: int = 0

    def __str__(self) -> str:
        return f"{self.number} {self.call}\n"


class UnreadableError(Exception):
    """The text is a sentence."""


def note() -> None:
    """Something is about to leave the site. Not within a transaction: what the file says must be
    true for good."""
    global noted, is_unwritten
    if time.monotonic() < noted + NOTED_SECONDS:
        return
    if not WitnessMark.objects.filter(pk=WitnessMark.ONLY).update(number=F("number") + 1):
        set_number(in_file().number + 1)
    try:
        write()
        is_unwritten = False
    except OSError:
        log.exception("The witness %s could not be written", FILE)
        is_unwritten = True
    noted = time.monotonic()


def set_number(number: int) -> None:
    WitnessMark.objects.update_or_create(pk=WitnessMark.ONLY, defaults={"number": number})


def write() -> None:
    """Of two processes that write at once the slower may win, whose number is lower by one: the
    next note or `refresh` mends it. Raises OSError."""
    with whole_file(path()) as file:
        file.write(str(in_database()))


def refresh() -> None:
    """The file says all that the database does, as soon as nothing leaves for a while. Raises
    OSError."""
    if not problem() and in_file() < in_database():
        write()


def path() -> Path:
    folder: Path = settings.VAR_DIR
    return folder / FILE


def in_database() -> Mark:
    number = WitnessMark.objects.values_list("number", flat=True).first()
    return Mark(number or 0, JudgeCall.objects.aggregate(newest=Max("pk"))["newest"] or 0)


def in_file() -> Mark:
    """Nothing where there is no file. Raises UnreadableError."""
    try:
        with path().open("rb") as file:
            number, call = map(int, file.read(LENGTH).split())
        if not max(number, call) < MOST:
            raise ValueError(number)
    except FileNotFoundError:
        return Mark()
    except (OSError, ValueError) as error:
        raise UnreadableError(
            f"{FILE} in VAR_DIR cannot be read ({type(error).__name__}), so nobody knows whether "
            "the database is as new as what was asked."
        ) from error
    return Mark(number, call)


def problem() -> str:
    """Why the database cannot be believed; "" where it can. A file is read, and two rows."""
    try:
        seen = in_file()  # first: the database is ahead of it then
    except UnreadableError as error:
        return f"{error} {CONFIRM}"
    known = in_database()
    if not seen.number and known.number:
        return (
            f"{FILE} is missing in VAR_DIR, so nobody knows whether the database is as new as what "
            f"was asked. {CONFIRM}"
        )
    if seen.number <= known.number and seen.call <= known.call:
        return ""
    calls = seen.call - known.call
    missing = f" (calls missing in its ledger: at least {calls:,})" if calls > 0 else ""
    return f"The database is older than what left the site{missing}. {CONFIRM}"


def witness_problem() -> str:
    """For health."""
    try:
        return problem()
    except DatabaseError:
        return ""  # the checks of database and migrations say it


def reason_to_wait() -> str:
    """As `problem`; also where the file could not be written, which is tried again."""
    global is_unwritten
    if found := problem():
        return found
    if is_unwritten:
        try:
            write()
        except OSError as error:
            return f"{FILE} in VAR_DIR cannot be written ({type(error).__name__})."
        is_unwritten = False
    return ""


def confirm() -> None:
    """The database is believed from now on, and no older one. Raises OSError."""
    number = in_database().number
    with suppress(UnreadableError):
        number = max(number, in_file().number)
    set_number(number + 1)
    write()
