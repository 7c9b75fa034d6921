"""The database's clock in the hands of a test: what Django's `Now()` says, in every thread of this
process."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.db import connection
from django.db.models.functions import Now

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)


class DatabaseClock:
    """Stands still until it is moved, so that a test may take as long as its machine needs."""

    def __init__(self, now: datetime) -> None:
        self.now = now

    def pass_seconds(self, seconds: float) -> None:
        self.now += timedelta(seconds=seconds)

    def as_sql(self, *args: Any, **more: Any) -> tuple[str, list[str]]:
        if connection.vendor == "sqlite":
            return "%s", [self.now.strftime("%Y-%m-%d %H:%M:%S.%f")]
        return "%s::timestamptz", [self.now.isoformat()]


@contextmanager
def stopped_clock(now: datetime = NOON) -> Iterator[DatabaseClock]:
    clock = DatabaseClock(now)
    with pytest.MonkeyPatch.context() as patch:
        for name in ("as_sql", "as_sqlite", "as_postgresql"):
            patch.setattr(Now, name, clock.as_sql)
        yield clock
