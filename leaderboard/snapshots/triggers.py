"""Triggers that keep what boards showed as it was kept."""

from collections.abc import Sequence
from typing import Any

from benchmarks.immutability import Guard, install_guards, lift_guards

TABLES = ("leaderboard_boardsnapshot", "leaderboard_shownrow", "leaderboard_shownfigures")
GUARDS = tuple(
    Guard(table, event, "1 = 1", "what a board showed is never changed")
    for table in TABLES
    for event in ("UPDATE", "DELETE")
)


def install_snapshot_guards(using: str = "default", **_: Any) -> None:
    install_guards(using, GUARDS)


def lift_snapshot_guards(using: str = "default", plan: Sequence[object] = (), **_: Any) -> None:
    lift_guards(using, plan, GUARDS)
