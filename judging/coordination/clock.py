"""The one clock: what processes on several machines compare is told by their database."""

from datetime import UTC, datetime

from django.db import connection


def database_now() -> datetime:
    """The present time by the clock of the database: to the microsecond on PostgreSQL, to the
    millisecond on SQLite."""
    is_sqlite = connection.vendor == "sqlite"
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT STRFTIME('%Y-%m-%d %H:%M:%f', 'now')"
            if is_sqlite
            else "SELECT STATEMENT_TIMESTAMP()"
        )
        (now,) = cursor.fetchone()
    return datetime.fromisoformat(now).replace(tzinfo=UTC) if is_sqlite else now
