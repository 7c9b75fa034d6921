"""Triggers that keep what boards showed as it was kept."""

from benchmarks.common.triggers import guard

TABLES = ("leaderboard_boardsnapshot", "leaderboard_shownrow", "leaderboard_shownfigures")
GUARDS = tuple(
    guard(table, event, "1 = 1", "what a board showed is never changed")
    for table in TABLES
    for event in ("UPDATE", "DELETE")
)
