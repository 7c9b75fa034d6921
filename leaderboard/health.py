"""Can this process serve visitors? Each check answers with a sentence of what is wrong, which names no secret."""

import uuid
from collections.abc import Callable, Mapping
from functools import cache

from django.core.files.base import ContentFile
from django.core.files.storage import storages
from django.db import DatabaseError, connection
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder

STORES = ("default", "uploads")


def wrongs() -> Mapping[str, str]:
    """What keeps this process from serving, by the name of the check. Empty: it is ready."""
    found = {name: check() for name, check in CHECKS.items()}
    return {name: sentence for name, sentence in found.items() if sentence}


def database_wrong() -> str:
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
    except DatabaseError as error:
        return f"The database does not answer ({type(error).__name__})."
    return ""


def migrations_wrong() -> str:
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


def storage_wrong() -> str:
    """A small file is written and taken away: rights and space are known by nothing less."""
    for name in STORES:
        try:
            stored = storages[name].save(f"health-{uuid.uuid4().hex}", ContentFile(b"ready"))
            storages[name].delete(stored)
        except Exception as error:  # each kind of storage has errors of its own
            return f"The storage {name!r} cannot be written ({type(error).__name__})."
    return ""


CHECKS: Mapping[str, Callable[[], str]] = {
    "database": database_wrong,
    "migrations": migrations_wrong,
    "storage": storage_wrong,
}
