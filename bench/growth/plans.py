"""What queries cost, and whether any of them reads a whole table that grows."""

import re
import time
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db import connection

LARGE = ("submissions_answer", "judging_judgement", "judging_judgecall")
"""Tables that have a thousand rows and more per submission."""
OURS = ("benchmarks", "judging", "leaderboard")
EXPLAINED = ("SELECT", "UPDATE", "DELETE", "INSERT", "(SELECT", "WITH")


@dataclass(frozen=True, slots=True)
class Query:
    sql: str
    parameters: Any
    is_many: bool
    place: str
    """Where our code asked, "file.py:function"."""
    ms: float
    """Of the server's CPU; of wall time where the database is no server."""


@dataclass(slots=True)
class Recorder:
    """Django's execute wrapper (connection.execute_wrapper) that keeps what was asked."""

    queries: list[Query] = field(default_factory=list)

    def __call__(
        self, execute: Callable[..., Any], sql: str, parameters: Any, is_many: bool, context: Any
    ) -> Any:
        start = database_seconds()
        try:
            return execute(sql, parameters, is_many, context)
        finally:
            ms = (database_seconds() - start) * 1000
            self.queries.append(Query(sql, parameters, is_many, place(), ms))


@contextmanager
def recorded() -> Iterator[list[Query]]:
    recorder = Recorder()
    with connection.execute_wrapper(recorder):
        yield recorder.queries


def place() -> str:
    """The innermost frame of ours that is not the bench."""
    for frame in reversed(traceback.extract_stack()):
        path = Path(frame.filename)
        if path.is_relative_to(settings.BASE_DIR):
            part = path.relative_to(settings.BASE_DIR)
            if part.parts[0] in OURS:
                return f"{part.name}:{frame.name}"
    return "bench"


def database_seconds() -> float:
    """CPU that the server spent for this connection, whose process has no helpers (__main__); wall
    time where it is on another machine, or SQLite."""
    if connection.vendor == "postgresql" and connection.connection is not None:
        try:
            pid = connection.connection.info.backend_pid
            return int(Path(f"/proc/{pid}/schedstat").read_text().split()[0]) / 1e9
        except OSError:
            pass
    return time.perf_counter()


def is_measurable() -> bool:
    """Whether the server's CPU can be told from wall time."""
    if connection.vendor == "sqlite":
        return False
    connection.ensure_connection()
    return Path(f"/proc/{connection.connection.info.backend_pid}/schedstat").exists()


def faults(queries: Sequence[Query]) -> list[str]:
    """A line per query that reads a large table from end to end."""
    return sorted(
        {
            f"{query.place} reads all of {table}: {shortened(query.sql)}"
            for query in queries
            for table in scanned(query)
        }
    )


def scanned(query: Query) -> set[str]:
    if query.is_many or not query.sql.lstrip().upper().startswith(EXPLAINED):
        return set()
    analyse = "EXPLAIN QUERY PLAN " if connection.vendor == "sqlite" else "EXPLAIN "
    with connection.cursor() as cursor:
        cursor.execute(analyse + query.sql, query.parameters)
        lines = [str(row[-1]).strip() for row in cursor.fetchall()]
    return {table for line in lines for table in LARGE if is_scan(line, table)}


def is_scan(line: str, table: str) -> bool:
    """Whether a line of a plan says that the table is read from end to end, itself or by an index:
    "Seq Scan on t" of PostgreSQL, "SCAN t" of SQLite."""
    if connection.vendor == "sqlite":
        return re.match(rf"SCAN {table}\b", line) is not None
    return re.search(rf"Seq Scan on {table}\b", line) is not None


def shortened(sql: str, most: int = 160) -> str:
    plain = " ".join(sql.split()).replace('"', "")
    start = plain.find(" FROM ")
    return plain[:most] if start < 0 else f"{plain[:30]} …{plain[start:][:most]}"


def dearest(queries: Sequence[Query], most: int = 8) -> list[str]:
    """The queries that took the server longest, one line each."""
    ordered = sorted(queries, key=lambda query: -query.ms)
    return [f"{q.ms:9.2f} ms  {q.place}  {shortened(q.sql)}" for q in ordered[:most]]
