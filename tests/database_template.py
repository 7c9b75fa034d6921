"""The test database of SQLite, migrated once and copied for every process and every later run.

A copy is taken for what it was made of: migrations, models, and whatever is called before or after
a migration, with what that module uses. A change of any of these makes another one.
"""

import fcntl
import hashlib
import shutil
import sqlite3
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import django
from django.apps import apps
from django.conf import settings
from django.db import connection
from django.db.models.signals import post_migrate, pre_migrate

from benchmarks.common.triggers import KEPT
from tests.site import PROJECT


def made_of() -> Iterator[Path]:
    for app in apps.get_app_configs():
        yield from Path(app.path, "migrations").glob("*.py")
    modules = {model.__module__ for model in apps.get_models()}
    called = [ref() for signal in (pre_migrate, post_migrate) for _, ref, *_ in signal.receivers]
    modules |= {receiver.__module__ for receiver in called if receiver is not None}
    for name in [*modules]:
        values = vars(sys.modules[name]).values()
        modules |= {getattr(value, "__module__", None) or "" for value in values}
    for name in modules:
        file = getattr(sys.modules.get(name), "__file__", None)
        if file and Path(file).is_relative_to(PROJECT):
            yield Path(file)


def digest() -> str:
    known = hashlib.sha256(f"{django.VERSION} {sqlite3.sqlite_version}".encode())
    known.update(repr(KEPT).encode())
    for path in sorted(set(made_of())):
        known.update(path.read_bytes())
    return known.hexdigest()[:20]


def copying(create: Callable[..., str], folder: Path) -> Callable[..., str]:
    """In place of `create_test_db` of this connection: the template is made if it is not there, by
    one process while the others wait."""

    def create_test_db(**options: Any) -> str:
        template = folder / f"{digest()}.sqlite3"
        name = str(connection.settings_dict["TEST"]["NAME"])
        with (folder / "lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not template.exists():
                for older in folder.glob("*.sqlite3"):
                    older.unlink()
                create(**options)
                made = template.with_suffix(".new")
                made.unlink(missing_ok=True)
                connection.cursor().execute("VACUUM INTO %s", [str(made)])
                made.rename(template)
                return name
        connection.close()
        shutil.copy(template, name)
        connection.settings_dict["NAME"] = settings.DATABASES["default"]["NAME"] = name
        connection.ensure_connection()
        return name

    return create_test_db
