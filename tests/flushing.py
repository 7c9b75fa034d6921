"""What Django does after a test of real commits, in a tenth of the time on PostgreSQL.

Its `flush` empties every table and then runs what runs after a migration: permissions, content
types and all triggers anew, 0.8 s each time. PostgreSQL keeps triggers when tables are emptied, so
here the rows that the migrations made are put back as they were.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from django.core.management.commands import flush
from django.core.management.sql import emit_post_migrate_signal
from django.db import connection


def rows_by_table() -> dict[str, bytes]:
    """Every table that is not empty, as PostgreSQL copies it out; what is in `django_migrations` is
    never flushed."""
    found = {}
    with connection.cursor() as cursor:
        for table in connection.introspection.django_table_names(only_existing=True):
            with cursor.copy(f'COPY "{table}" TO STDOUT') as out:
                if rows := b"".join(bytes(block) for block in out):
                    found[table] = rows
    return found


def put_back(tables: dict[str, bytes]) -> None:
    with connection.cursor() as cursor:
        cursor.execute(
            "SET session_replication_role = replica"
        )  # no trigger, and tables in any order
        for table, rows in tables.items():
            with cursor.copy(f'COPY "{table}" FROM STDIN') as into:
                into.write(rows)
        cursor.execute("SET session_replication_role = DEFAULT")


@contextmanager
def quick_flush(tables: dict[str, bytes], make_groups: Callable[[], None]) -> Iterator[None]:
    """The groups that migrations made are there again after it as well. tables: on PostgreSQL, what
    `rows_by_table` said after the migrations."""

    def instead(*args: Any, **more: Any) -> None:
        if connection.vendor == "postgresql":
            put_back(tables)
        else:
            emit_post_migrate_signal(*args, **more)
            make_groups()

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(flush, "emit_post_migrate_signal", instead)
        yield
