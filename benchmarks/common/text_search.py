"""Finding rows by words that stand anywhere in their texts, however many rows there are.

By trigrams, so that parts of names ("qwen", "vl-7b") and texts without spaces between their words
are found: SQLite has an FTS5 table beside each searched one, kept by triggers; PostgreSQL an index
of pg_trgm per column, which serves Django's own `icontains`. Where a database can have neither, the
same rows are found by reading all of them.
"""

import logging
import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, TypeVar

from django.db import DatabaseError, connections, transaction
from django.db.models import Model, Q, QuerySet
from django.db.models.expressions import RawSQL

from benchmarks.common.triggers import Trigger

log = logging.getLogger(__name__)
FEWEST_LETTERS = 3
"""Of a word that a trigram index finds. Shorter ones are looked for in every row."""

Row = TypeVar("Row", bound=Model)


@dataclass(frozen=True, slots=True)
class SearchedTable:
    """A table, whose key is `id`, with the columns that are searched."""

    table: str
    columns: tuple[str, ...]

    @property
    def index(self) -> str:
        return f"{self.table}_words"


QUESTIONS = SearchedTable("benchmarks_question", ("public_id", "text"))
DESCRIPTIONS = SearchedTable("benchmarks_description", ("text",))
MODELS = SearchedTable("submissions_evaluatedmodel", ("name", "organisation"))


def containing(
    rows: "QuerySet[Row]", searched: SearchedTable, words: Sequence[str]
) -> "QuerySet[Row]":
    """The rows in whose columns every word stands, in any letter case; each word in any of the
    columns."""
    indexed = [word for word in words if len(word) >= FEWEST_LETTERS]
    if not (indexed and has_words_table(rows.db, searched)):
        return rows.filter(*(in_any_column(searched, word) for word in words))
    match = " ".join('"' + word.replace('"', '""') + '"' for word in indexed)
    # The names are constants of this file.
    found = RawSQL(  # noqa: S611 # nosec B611
        f"SELECT rowid FROM {searched.index} WHERE {searched.index} MATCH %s",  # noqa: S608 # nosec B608
        [match],
    )
    short = (in_any_column(searched, word) for word in words if len(word) < FEWEST_LETTERS)
    return rows.filter(*short, pk__in=found)


def in_any_column(searched: SearchedTable, word: str) -> Q:
    found = Q()
    for column in searched.columns:
        found |= Q(**{f"{column}__icontains": word})
    return found


def has_words_table(using: str, searched: SearchedTable) -> bool:
    if connections[using].vendor != "sqlite":
        return False
    with connections[using].cursor() as cursor:
        cursor.execute("SELECT 1 FROM sqlite_master WHERE name = %s", [searched.index])
        return cursor.fetchone() is not None


# --- what migrate installs ------------------------------------------------------------------------


def install_question_search(using: str = "default", **_: Any) -> None:
    install(using, QUESTIONS)


def install_description_search(using: str = "default", **_: Any) -> None:
    install(using, DESCRIPTIONS)


def install_model_search(using: str = "default", **_: Any) -> None:
    install(using, MODELS)


def install(using: str, searched: SearchedTable) -> None:
    """The table is searched by an index afterwards, as far as it exists and its database can; safe
    to repeat."""
    connection = connections[using]
    if searched.table not in connection.introspection.table_names():
        return
    if connection.vendor == "sqlite":
        if knows_trigrams():
            install_on_sqlite(using, searched)
        return
    try:
        with transaction.atomic(using=using), connection.cursor() as cursor:
            for statement in postgresql_statements(searched):
                cursor.execute(statement)
    except DatabaseError as error:
        log.warning("%s is searched without an index: %s", searched.table, error)


@cache
def knows_trigrams() -> bool:
    """Whether this SQLite has FTS5 and its trigrams, which came with 3.34."""
    connection = sqlite3.connect(":memory:")
    try:
        connection.execute("CREATE VIRTUAL TABLE t USING fts5(a, tokenize = 'trigram')")
    except sqlite3.OperationalError:
        return False
    finally:
        connection.close()
    return True


def install_on_sqlite(using: str, searched: SearchedTable) -> None:
    """A migration that builds the searched table anew takes its triggers away: then all of its
    rows are read again."""
    with transaction.atomic(using=using), connections[using].cursor() as cursor:
        cursor.execute(
            "SELECT count(*) FROM sqlite_master WHERE type = 'trigger' AND name LIKE %s",
            [f"{searched.index}_after_%"],
        )
        if cursor.fetchone()[0] == len(TRIGGERS):
            return
        for statement in sqlite_statements(searched):
            cursor.execute(statement)


REMOVE = "INSERT INTO {index} ({index}, rowid, {columns}) VALUES ('delete', OLD.id, {old})"
ADD = "INSERT INTO {index} (rowid, {columns}) VALUES (NEW.id, {new})"
TRIGGERS = {"insert": ADD, "delete": REMOVE, "update": f"{REMOVE};{ADD}"}


def sqlite_statements(searched: SearchedTable) -> list[str]:
    columns = ", ".join(searched.columns)
    names = {
        "index": searched.index,
        "columns": columns,
        "old": ", ".join(f"OLD.{column}" for column in searched.columns),
        "new": ", ".join(f"NEW.{column}" for column in searched.columns),
    }
    found = [
        f"CREATE VIRTUAL TABLE IF NOT EXISTS {searched.index} USING fts5({columns},"
        f" content = '{searched.table}', content_rowid = 'id', tokenize = 'trigram')"
    ]
    for event, body in TRIGGERS.items():
        of = f"UPDATE OF {columns}" if event == "update" else event.upper()
        adds = {"sqlite": body.format(**names)}
        trigger = Trigger(f"{searched.index}_after_{event}", searched.table, of, adds=adds)
        found += trigger.statements("sqlite")
    return [*found, f"INSERT INTO {searched.index} ({searched.index}) VALUES ('rebuild')"]  # noqa: S608 # nosec B608


def postgresql_statements(searched: SearchedTable) -> list[str]:
    return [
        "CREATE EXTENSION IF NOT EXISTS pg_trgm",
        *(
            f"CREATE INDEX IF NOT EXISTS {searched.index}_{column} ON {searched.table}"
            f" USING gin (UPPER({column}) gin_trgm_ops)"
            for column in searched.columns
        ),
    ]
