"""Does this process see the files of this site? A worker on another host without the shared folder
is as quick as any, and what it makes is seen by nobody.

Each storage has a file with a random mark, and the database its copy. The worker that starts first
writes both, where it sees the newest file that a row names.
"""

import uuid
from collections.abc import Mapping
from datetime import timedelta

from django.core.files.base import ContentFile
from django.core.files.storage import storages
from django.db import transaction
from django.db.models.functions import Now

from benchmarks.models import FigureImage
from benchmarks.submissions.models import Submission
from leaderboard.models import DataExport, FileMark, WorkerBeat
from leaderboard.operations.processes.probe import Probe
from leaderboard.operations.progress import SILENCE_SECONDS

FILE = "site-mark.txt"
NAMED = {
    "default": FigureImage.objects.order_by("-pk"),
    "uploads": Submission.objects.order_by("-created"),
    "exports": DataExport.objects.order_by("-asked"),
}
"""By storage, rows that name files in it, the newest first."""
OTHER_FILES = "does not see the files of this site"
CANNOT_READ = "cannot read the files in {!r}."
REMEDY = (
    "Give it the site's VAR_DIR, or run `manage.py adopt_files` where its files are the right ones."
)
FAILS_TO_SWEEP = "cannot sweep"
NONE, UNREADABLE = "-", "?"
SECONDS = 2.0  # as the storage check of health: the disk of another host may hang


def read_marks() -> str:
    """Of each storage in NAMED, with spaces between; NONE where there is none."""
    return " ".join(map(read_mark, NAMED))


def read_mark(storage: str) -> str:
    try:
        with storages[storage].open(FILE, "rb") as file:
            return str(file.read().decode()) or NONE
    except FileNotFoundError:
        return NONE
    except Exception:  # each kind of storage has errors of its own
        return UNREADABLE


SEEN = Probe(read_marks, seconds=SECONDS, late="")


def own_files() -> str:
    """What is wrong with the files that this process sees, without a subject; empty where they are
    the site's, or nobody has marked them yet."""
    seen = marks_seen()
    if not seen:
        return f"cannot read its files within {SECONDS:.0f} s."
    marks = dict(FileMark.objects.values_list("storage", "mark"))
    return next(filter(None, (unlike(name, seen[name], marks.get(name)) for name in seen)), "")


def marks_seen() -> Mapping[str, str]:
    """By storage; empty where they could not be read in time."""
    return dict(zip(NAMED, SEEN().split(), strict=False))


def unlike(storage: str, seen: str, mark: str | None) -> str:
    if mark in (None, seen):
        return ""
    if seen == UNREADABLE:
        return CANNOT_READ.format(storage)
    return (
        f"{OTHER_FILES}: in {storage!r} their mark is {'missing' if seen == NONE else 'another'}."
    )


def mark_files() -> str:
    """`own_files` by a worker: what nobody marked yet is marked, where it holds the newest
    file."""
    marked = set(FileMark.objects.values_list("storage", flat=True))
    for storage in NAMED:
        if storage not in marked:
            if misses_newest(storage):
                return f"{OTHER_FILES}: in {storage!r} the newest is missing."
            if (found := read_mark(storage)) == UNREADABLE:
                return CANNOT_READ.format(storage)
            with transaction.atomic():  # of two who start at once the other waits for row and file
                mark = uuid.uuid4().hex if found == NONE else found
                _, is_new = FileMark.objects.get_or_create(storage=storage, defaults={"mark": mark})
                if is_new and found == NONE:
                    write_mark(storage, mark)
    return own_files()


def write_mark(storage: str, mark: str) -> None:
    storages[storage].save(FILE, ContentFile(mark.encode()))


def misses_newest(storage: str) -> bool:
    newest = NAMED[storage].exclude(file="").values_list("file", flat=True).first()
    return newest is not None and not storages[storage].exists(newest)


def adopt_files() -> list[str]:
    """The files that this process sees are the site's from now on; the storages for which that is
    new."""
    marks = dict(FileMark.objects.values_list("storage", "mark"))
    changed = []
    for storage in NAMED:
        if read_mark(storage) == NONE:
            write_mark(storage, uuid.uuid4().hex)
        mark = read_mark(storage)
        if marks.get(storage) != mark:
            FileMark.objects.update_or_create(storage=storage, defaults={"mark": mark})
            changed.append(storage)
    return changed


def files_problem() -> str:
    """For the health check: a sentence about the files of this process, or else of a worker; ""
    where nothing is wrong."""
    if own := own_files():
        return f"This web process {own} {REMEDY}"
    lately = WorkerBeat.objects.filter(seen__gte=Now() - timedelta(seconds=SILENCE_SECONDS))
    problem = lately.exclude(files="").values_list("files", flat=True).first()
    if not problem:
        return ""
    return (
        f"A worker {problem}"
        if problem.startswith(FAILS_TO_SWEEP)
        else f"A worker {problem} {REMEDY}"
    )
