"""What a query looks at, as the database tells it."""

import re
from collections.abc import Iterable

from django.db import connection
from django.db.models import Model

from benchmarks.submissions.models import Answer
from judging.models import JudgeCall, Judgement

HISTORY = (Answer, Judgement, JudgeCall)
STEP = 10  # of SQLite's virtual machine: how often it says that it goes on


def steps_of(sql: str) -> int:
    """How far SQLite's virtual machine goes for it: rows that are looked at, found or not."""
    counted = 0

    def count() -> int:
        nonlocal counted
        counted += STEP
        return 0

    with connection.cursor() as cursor:
        connection.connection.set_progress_handler(count, STEP)
        try:
            cursor.execute(sql)
            cursor.fetchall()
        finally:
            connection.connection.set_progress_handler(None, STEP)
    return counted


def read_in_full(queries: Iterable[str], models: Iterable[type[Model]] = HISTORY) -> list[str]:
    """Tables of these models that the plan of any of these queries reads from end to end."""
    tables = {model._meta.db_table for model in models}
    found = []
    for sql in queries:
        if not re.match(r"\(*(SELECT|UPDATE|DELETE)", sql):
            continue
        with connection.cursor() as cursor:
            if connection.vendor == "sqlite":
                cursor.execute(f"EXPLAIN QUERY PLAN {sql}")
                scans = [re.match(r"SCAN (\w+)", str(row[-1])) for row in cursor.fetchall()]
            else:
                cursor.execute(f"EXPLAIN {sql}")
                scans = [re.search(r"Seq Scan on (\w+)", row[0]) for row in cursor.fetchall()]
        names = {scan[1] for scan in scans if scan} & tables
        found += [f"{name}: {sql}" for name in sorted(names)]
    return found
