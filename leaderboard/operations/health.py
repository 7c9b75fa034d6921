"""Can this process serve visitors? Each check answers with a sentence of what is wrong, which names
no secret.

Without the database, or with one that is too old or too new for the code, no page can be made.
Whatever else is wrong leaves the boards as they are: the site is degraded, and a proxy that took
its only web server away would make that an outage.
"""

import os
import uuid
from collections.abc import Callable, Mapping
from datetime import timedelta
from functools import cache
from pathlib import Path

from django.core.files.base import ContentFile
from django.core.files.storage import storages
from django.db import DatabaseError, connection, transaction
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder

from benchmarks.common.file_storage import is_no_space
from judging.coordination import witness
from judging.coordination.clock import database_now
from leaderboard.models import OutgoingMail
from leaderboard.operations.clocks import clock_problem
from leaderboard.operations.files.file_marks import files_problem
from leaderboard.operations.files.stored_files import stored_files_problem
from leaderboard.operations.processes.probe import Probe
from leaderboard.results.versions.older_code import newer_problem, too_old

STORES = ("default", "uploads")
NOT_READY = "not ready"
NEEDED = frozenset(("database", "migrations", "version"))
# Checks of health give up after five to ten seconds; a small file on a disk that is well takes a
# millisecond.
STORAGE_SECONDS = 2.0
NO_SPACE = "There is no space left"
# Sorted in so little memory that it goes through a file of 300 kB beside the tables, which is gone
# afterwards: the one way to learn of a full disk that writes no row.
SPILL = """
SELECT COUNT(*) FROM
    (SELECT MD5(n::text) AS text FROM GENERATE_SERIES(1, 5000) AS n ORDER BY text OFFSET 0) AS rows
"""
# A grey list lets mail wait for five minutes; ten are a server that is away, or no worker.
MAIL_PATIENCE = timedelta(minutes=10)


def problems() -> Mapping[str, str]:
    """What is wrong, by the name of the check. Empty: all is well."""
    found: dict[str, str] = {}
    for name, check in CHECKS.items():
        try:
            sentence = check()
        except DatabaseError as error:  # damaged, or a table is missing that was said to be there
            if NEEDED & found.keys():
                continue
            name, sentence = "database", f"The database cannot be read: {str(error)[:200].strip()}."
        if sentence:
            found[name] = sentence
    return found


def state(found: Mapping[str, str]) -> str:
    if NEEDED & found.keys():
        return NOT_READY
    return f"degraded: {', '.join(found)}" if found else "ready"


def database_problem() -> str:
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
    except DatabaseError as error:
        return f"The database does not answer ({type(error).__name__})."
    return ""


def writing_problem() -> str:
    """Of SQLite's file. PostgreSQL that takes no writes is a standby (docs/operator/backup.md)."""
    path = Path(str(connection.settings_dict["NAME"]))
    if connection.vendor != "sqlite" or not path.is_file() or os.access(path, os.W_OK):
        return ""
    return "The database cannot be written: look at who owns its file and how its disk is mounted."


def migrations_problem() -> str:
    try:
        missing = newest_migrations() - MigrationRecorder(connection).applied_migrations().keys()
    except DatabaseError as error:
        return f"The applied migrations cannot be read ({type(error).__name__})."
    names = ", ".join(f"{app}.{name}" for app, name in sorted(missing))
    return f"Not applied: {names}. Run `manage.py migrate`." if names else ""


@cache
def newest_migrations() -> frozenset[tuple[str, str]]:
    """The last migration of each app of this code, which cannot change while the process runs."""
    return frozenset(MigrationLoader(None).graph.leaf_nodes())


def storage_problem() -> str:
    """A small file is written and taken away: rights and space are known by nothing less."""
    for name in STORES:
        try:
            stored = storages[name].save(f"health-{uuid.uuid4().hex}", ContentFile(b"ready"))
            storages[name].delete(stored)
        except Exception as error:  # each kind of storage has errors of its own
            if is_no_space(error):
                return f"{NO_SPACE} for files ({name!r}). Make room on their disk."
            return f"The storage {name!r} cannot be written ({type(error).__name__})."
    return ""


def space_problem() -> str:
    """Of PostgreSQL's own disk; SQLite's database is beside the files."""
    if connection.vendor != "postgresql":
        return ""
    try:
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute("SET LOCAL work_mem = '64kB'")
            cursor.execute(SPILL)
    except DatabaseError as error:  # others are for the check of the database
        return f"{NO_SPACE} for the database. Make room on its disk." if is_no_space(error) else ""
    return ""


def no_space() -> str:
    """Where there is none, in a sentence; "" where there is some."""
    found = (CHECKS[name]() for name in ("storage", "space"))
    return next((sentence for sentence in found if sentence.startswith(NO_SPACE)), "")


def mail_problem() -> str:
    oldest = OutgoingMail.objects.order_by("pk").values_list("created", flat=True).first()
    late = oldest and database_now() - oldest > MAIL_PATIENCE
    return "Mail has waited for over ten minutes; the log of a worker says why." if late else ""


CHECKS: Mapping[str, Callable[[], str]] = {
    "database": database_problem,
    "migrations": migrations_problem,
    "version": too_old,
    "newer": newer_problem,
    "storage": Probe(
        storage_problem,
        seconds=STORAGE_SECONDS,
        late=f"The storage did not answer within {STORAGE_SECONDS:.0f} s.",
    ),
    "space": space_problem,
    "writing": writing_problem,
    "mail": mail_problem,
    "clock": clock_problem,
    "files": files_problem,
    "stored files": stored_files_problem,
    "witness": witness.problem,
}
