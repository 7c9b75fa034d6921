"""Rows that a test deletes though the chain has links about them: the database refuses it."""

from typing import Any

from django.db import connection

from benchmarks.common.triggers import install
from leaderboard.results.chain.triggers import GUARDS


def delete_linked(rows: Any) -> None:
    """The rows are gone afterwards, and the next ones are guarded again."""
    with connection.cursor() as cursor:
        for guard in GUARDS:
            if guard.name.endswith("_chain_guard"):
                on = f" ON {guard.table}" if connection.vendor == "postgresql" else ""
                cursor.execute(f"DROP TRIGGER {guard.name}{on}")
    rows.delete()
    install(GUARDS)
