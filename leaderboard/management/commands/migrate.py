"""Django's `migrate`, beside visitors and workers on PostgreSQL.

A migration that waits for a lock makes everybody wait who comes after it, and whoever waits for one
that it has already is ended by the database as one of two in a circle. So it takes its tables at
once, before it changes any; where it does not get them soon it gives up, with all that it holds,
and tries again.
"""

import random
import sys
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import groupby
from typing import Any

from django.apps import apps
from django.core.management.base import CommandError
from django.core.management.commands import migrate
from django.db import DatabaseError, OperationalError, connections
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.migrations import AddIndex, CreateModel, Migration, SeparateDatabaseAndState
from django.db.migrations.exceptions import NodeNotFoundError
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.operations.base import Operation
from django.db.migrations.operations.models import ModelOptionOperation
from django.db.migrations.state import ProjectState

from benchmarks.common.file_storage import is_no_space
from benchmarks.management.console import writable_database

LOCK_MS = 250
"""For a lock. PostgreSQL looks for circles after a second of waiting, and ends whom it finds: a
migration that holds some of its tables for less meets nobody who has waited so long."""
TRIES = 60
WAIT_SECONDS = (0.1, 1.5)
"""Between tries, at random: a minute in all, after which something holds a table for long."""
PASSING = ("55P03", "40P01")  # lock_not_available, deadlock_detected: nothing was changed
LEAVES_READERS = (AddIndex, CreateModel)
"""An index is built while others read, and a new table is nobody's yet."""


class NewTables(Operation):
    """Several CreateModel in a row. Django renders every model that leads to the new one again for
    each of them, three quarters of the time of a new database; here they are rendered once."""

    def __init__(self, *made: CreateModel) -> None:
        self.made = made

    def state_forwards(self, app_label: str, state: ProjectState) -> None:
        state.__dict__.pop("apps", None)  # as the executor does; rendered when it is asked for
        for operation in self.made:
            operation.state_forwards(app_label, state)

    def database_forwards(
        self, app_label: str, editor: Any, from_state: ProjectState, to_state: ProjectState
    ) -> None:
        for operation in self.made:
            operation.database_forwards(app_label, editor, from_state, to_state)


def tables_at_once(operations: Iterable[Operation]) -> Iterator[Operation]:
    for _, group in groupby(operations, type):
        alike = list(group)
        made = [operation for operation in alike if type(operation) is CreateModel]
        yield from [NewTables(*made)] if len(made) > 1 else alike


class WholeExecutor(MigrationExecutor):
    """Says that a migration is applied in the transaction that applies it. Django does so only
    after it where foreign keys or indexes come last: a disk that is full just then, or a kill,
    leaves a table that the next try finds in its way."""

    def migration_plan(
        self, targets: Iterable[tuple[str, str | None]], clean_start: bool = False
    ) -> Any:
        """From the last of INSTALLED_APPS to the first, as they build on one another: what many
        tables lead to is changed while few are there, and few models are rendered again."""
        order = [*apps.app_configs]
        targets = sorted(targets, key=lambda target: order.index(target[0]), reverse=True)
        return super().migration_plan(targets, clean_start)

    def apply_migration(
        self,
        state: ProjectState,
        migration: Migration,
        fake: bool = False,
        fake_initial: bool = False,
    ) -> ProjectState:
        apply, operations = migration.apply, migration.operations

        def apply_all(state: ProjectState, editor: Any, collect_sql: bool = False) -> ProjectState:
            migration.operations = [*tables_at_once(operations)]  # type: ignore[misc]  # its own
            state = apply(state, editor, collect_sql)
            for statement in editor.deferred_sql if migration.atomic else ():
                editor.execute(statement)
            if migration.atomic:
                editor.deferred_sql.clear()
            return state

        migration.apply = apply_all  # type: ignore[method-assign, assignment]
        try:
            return super().apply_migration(state, migration, fake, fake_initial)
        finally:
            del migration.apply  # that of its class again
            migration.operations = operations  # type: ignore[misc]


migrate.MigrationExecutor = WholeExecutor  # type: ignore[attr-defined]  # no other place


class Command(migrate.Command):
    migration: Migration | None = None

    def handle(self, *args: Any, **options: Any) -> None:
        with writable_database():
            connections[options["database"]].ensure_connection()
        try:
            self.migrate(*args, **options)
        except NodeNotFoundError as error:
            raise CommandError(
                "This database is of a version before commit b39b66b, whose migrations are gone:"
                " update it with that commit first (docs/operator/updating.md). Nothing was"
                " changed."
                f" ({error})"
            ) from None
        except (DatabaseError, OSError) as error:
            if not is_no_space(error):
                raise
            raise CommandError(
                "There is no space left for the database. What was applied stays, nothing is half"
                " done: make room, and run this again."
            ) from None

    def migrate(self, *args: Any, **options: Any) -> None:
        connection = connections[options["database"]]
        if connection.vendor != "postgresql":
            super().handle(*args, **options)
            return
        for number in range(TRIES):
            try:
                with self.careful(connection):
                    super().handle(*args, **options)
                return
            except OperationalError as error:
                if getattr(error.__cause__, "sqlstate", "") not in PASSING:
                    raise
                if options["verbosity"] and not number:
                    self.stdout.write("\n  Waiting for somebody who is at a table.")
                time.sleep(random.uniform(*WAIT_SECONDS))  # noqa: S311 # nosec B311 - no secret
        raise CommandError(
            f"A table was never free for a quarter of a second in {TRIES} tries: a backup may be"
            " reading it, or a long statement. What was applied stays, nothing is half done: run"
            " this again once that is over (docs/operator/updating.md)."
        )

    def migration_progress_callback(
        self, action: str, migration: Any = None, fake: bool = False
    ) -> None:
        if action in ("apply_start", "unapply_start"):
            self.migration = migration
        super().migration_progress_callback(action, migration, fake)

    @contextmanager
    def careful(self, connection: BaseDatabaseWrapper) -> Iterator[None]:
        """No statement waits for a lock for longer than LOCK_MS, and each migration begins with its
        tables."""
        command, usual = self, connection.SchemaEditorClass
        assert usual is not None

        class Editor(usual):  # type: ignore[misc, valid-type]  # a class only known here
            def __enter__(self) -> Any:
                editor = super().__enter__()
                try:
                    if self.atomic_migration and command.migration:
                        take(connection, tables_of(command.migration))
                except OperationalError:
                    self.__exit__(*sys.exc_info())
                    raise
                return editor

        with connection.cursor() as cursor:
            cursor.execute(f"SET lock_timeout = {LOCK_MS}")
        connection.SchemaEditorClass = Editor
        try:
            yield
        finally:
            connection.SchemaEditorClass = usual
            with connection.cursor() as cursor:
                cursor.execute("RESET lock_timeout")


def take(connection: BaseDatabaseWrapper, tables: Iterable[str]) -> None:
    """Of a single table nobody has a part."""
    present = sorted(set(tables) & set(connection.introspection.table_names()))
    if len(present) > 1:
        names = ", ".join(map(connection.ops.quote_name, present))
        with connection.cursor() as cursor:
            cursor.execute(f"LOCK TABLE {names} IN ACCESS EXCLUSIVE MODE")


def tables_of(migration: Migration) -> Iterator[str]:
    """Those whose readers have to wait for it."""
    for operation in database_operations(migration.operations):
        model = getattr(operation, "model_name", "") or (
            operation.name if isinstance(operation, ModelOptionOperation) else ""
        )
        if model and not isinstance(operation, LEAVES_READERS):
            yield table_of(migration.app_label, model.lower())


def database_operations(operations: Iterable[Operation]) -> Iterator[Operation]:
    for operation in operations:
        if isinstance(operation, SeparateDatabaseAndState):
            yield from database_operations(operation.database_operations)
        else:
            yield operation


def table_of(app: str, model: str) -> str:
    """A model that is gone had the usual name."""
    known = apps.get_app_config(app).models
    return known[model]._meta.db_table if model in known else f"{app}_{model}"
