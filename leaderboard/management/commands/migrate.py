"""Django's `migrate`, beside visitors and workers on PostgreSQL.

A migration that waits for a lock makes everybody wait who comes after it, and whoever waits for one
that it has already is ended by the database as one of two in a circle. So it gives up soon, with
all that it holds, and tries again.
"""

import random
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.core.management.base import CommandError
from django.core.management.commands import migrate
from django.db import OperationalError, connections
from django.db.backends.base.base import BaseDatabaseWrapper

LOCK_MS = 250
"""For a lock. PostgreSQL looks for circles after a second of waiting, and ends whom it finds: a
migration that holds some of its tables for less meets nobody who has waited so long."""
TRIES = 40
WAIT_SECONDS = (0.2, 2.0)
"""Between tries, at random: 45 s on average, after which something holds a table for long."""
PASSING = ("55P03", "40P01")  # lock_not_available, deadlock_detected: nothing was changed


class Command(migrate.Command):
    def handle(self, *args: Any, **options: Any) -> None:
        connection = connections[options["database"]]
        if connection.vendor != "postgresql":
            super().handle(*args, **options)
            return
        for number in range(TRIES):
            try:
                with lock_timeout(connection):
                    super().handle(*args, **options)
                return
            except OperationalError as error:
                if getattr(error.__cause__, "sqlstate", "") not in PASSING:
                    raise
                if options["verbosity"] and not number:
                    self.stdout.write("\n  Waiting for somebody who is at a table.")
                time.sleep(random.uniform(*WAIT_SECONDS))  # noqa: S311 - no secret
        raise CommandError(
            f"A table was never free for a quarter of a second in {TRIES} tries: a backup may be"
            " reading it, or a long statement. What was applied stays, nothing is half done: run"
            " this again once that is over (docs/operating.md, Updating)."
        )


@contextmanager
def lock_timeout(connection: BaseDatabaseWrapper) -> Iterator[None]:
    with connection.cursor() as cursor:
        cursor.execute(f"SET lock_timeout = {LOCK_MS}")
    try:
        yield
    finally:
        with connection.cursor() as cursor:
            cursor.execute("RESET lock_timeout")
