"""Rows by the thousand: COPY into PostgreSQL, executemany into SQLite.

What the database refuses it refuses here too, but for foreign keys: PostgreSQL checks them by
triggers, which take nine of ten microseconds of a row and are off while rows are copied. `orphans`
looks for what they would have refused.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from typing import Any

from django.db import DatabaseError, connection, models, transaction

Row = Sequence[Any]
Model = type[models.Model]


def insert(model: Model, names: str, rows: Iterable[Row]) -> None:
    """A row of `model` per row of `rows`, whose values stand in the order of the fields that
    `names` has with blanks between them. Others are null, or what the database has for them."""
    fields = [field_of(model, name) for name in names.split()]
    columns = ", ".join(f'"{field.column}"' for field in fields)
    converters = [(n, made) for n, field in enumerate(fields) if (made := converter(field))]
    table = f'"{model._meta.db_table}"'
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            with cursor.copy(f"COPY {table} ({columns}) FROM STDIN") as copying:
                for row in converted(rows, converters):
                    copying.write_row(row)
        else:
            marks = ", ".join("?" for _ in fields)
            statement = f"INSERT INTO {table} ({columns}) VALUES ({marks})"
            cursor.connection.executemany(statement, converted(rows, converters))


def field_of(model: Model, name: str) -> Any:
    return model._meta.get_field(name)


def converted(
    rows: Iterable[Row], converters: Sequence[tuple[int, Callable[[Any], Any]]]
) -> Iterator[Row]:
    if not converters:
        yield from rows
    for row in rows:
        values = list(row)
        for place, convert in converters:
            if values[place] is not None:
                values[place] = convert(values[place])
        yield values


def converter(field: Any) -> Callable[[Any], Any] | None:
    """None for what a database takes as it is."""
    if isinstance(field, models.JSONField):
        return json.dumps
    if connection.vendor == "sqlite":
        if isinstance(field, models.DateTimeField):
            return as_moment
        if isinstance(field.target_field if field.is_relation else field, models.UUIDField):
            return lambda value: value.hex
    return None


def as_moment(value: datetime | str) -> str:
    """A moment as the database reads it: of a million equal ones it is made once."""
    if isinstance(value, str):
        return value
    return str(connection.ops.adapt_datetimefield_value(value))


def wait_for_ever() -> None:
    """No query of this connection is ended because it takes long."""
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("SET statement_timeout = 0")


@contextmanager
def loading(tables: Sequence[Model]) -> Iterator[None]:
    """One transaction, in which PostgreSQL checks no foreign keys, and `tables` have no indexes but
    primary keys; the others are made again at its end, each in one go."""
    with transaction.atomic():
        if connection.vendor != "postgresql":
            yield
            return
        again = [statement for model in tables for statement in indexes(model)]
        with connection.cursor() as cursor:
            # Of rows that were written before in this transaction, as a test's are.
            cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
            cursor.execute("SET LOCAL session_replication_role = replica")
            cursor.execute("SET LOCAL maintenance_work_mem = '1GB'")
            for drop, _ in again:
                cursor.execute(drop)
            yield
            for _, create in again:
                cursor.execute(create)
            cursor.execute("SET LOCAL session_replication_role = origin")
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE" if connection.in_atomic_block else "VACUUM (ANALYZE)")


def indexes(model: Model) -> list[tuple[str, str]]:
    """How to drop, and how to make again, each index of the table but that of its primary key."""
    table = model._meta.db_table
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT c.relname, pg_get_indexdef(i.indexrelid), k.conname,"
            " pg_get_constraintdef(k.oid)"
            " FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid"
            " LEFT JOIN pg_constraint k ON k.conindid = i.indexrelid AND k.contype = 'u'"
            " WHERE i.indrelid = %s::regclass AND NOT i.indisprimary",
            [table],
        )
        return [
            (
                f'ALTER TABLE "{table}" DROP CONSTRAINT "{name}"',
                f'ALTER TABLE "{table}" ADD CONSTRAINT "{name}" {constraint}',
            )
            if name
            else (f'DROP INDEX "{index}"', definition)
            for index, definition, name, constraint in cursor.fetchall()
        ]


def next_key(model: Model) -> int:
    """The first primary key that is free."""
    return (model._default_manager.aggregate(most=models.Max("pk"))["most"] or 0) + 1


def leave_keys(tables: Sequence[Model]) -> None:
    """Rows made from now on get numbers behind those that were inserted with theirs. SQLite takes
    the number behind the highest anyway."""
    if connection.vendor == "sqlite":
        return
    with connection.cursor() as cursor:
        for model in tables:
            if isinstance(model._meta.pk, models.AutoField):
                table = model._meta.db_table
                cursor.execute(
                    f"SELECT setval(pg_get_serial_sequence('{table}', 'id'),"
                    f' (SELECT max(id) FROM "{table}"))'
                )


def orphans(tables: Sequence[Model]) -> list[str]:
    """Foreign keys of these tables that name rows which are not there; SQLite raises."""
    if connection.vendor == "sqlite":
        connection.check_constraints()
        return []
    return [
        f"{model._meta.db_table}.{field.column}"
        for model in tables
        for field in model._meta.concrete_fields
        if field.is_relation and count_orphans(model, field)
    ]


def count_orphans(model: Model, field: Any) -> int:
    other = field.target_field
    with connection.cursor() as cursor:
        cursor.execute(
            f'SELECT count(*) FROM "{model._meta.db_table}" t'
            f' LEFT JOIN "{other.model._meta.db_table}" o'
            f' ON o."{other.column}" = t."{field.column}"'
            f' WHERE t."{field.column}" IS NOT NULL AND o."{other.column}" IS NULL'
        )
        return int(cursor.fetchone()[0])


def is_refused(statement: str, parameters: Sequence[Any]) -> bool:
    """Whether the database refuses the statement, of which nothing stays either way."""
    try:
        with transaction.atomic():
            with connection.cursor() as cursor:
                cursor.execute(statement, parameters)
            transaction.set_rollback(True)
    except DatabaseError:
        return True
    return False
