"""What changes a board or another page that everybody sees: a trigger for each table of which they
show anything.

Whatever writes such a row adds a `BoardChange` of its benchmark in the same transaction: services,
the admin, `QuerySet.update`, a person with a database shell. No writer can forget it, and none
waits for another one. What no board shows, and other pages do, is a change of no benchmark.
"""

from collections.abc import Iterator, Sequence
from typing import Any

from django.db import connections

from benchmarks.common.triggers import ROWS, Trigger

COUNTED = "leaderboard_boardchange"
STEP = {
    "sqlite": "1 + abs(random() % 4294967296)",
    "postgresql": "1 + floor(random() * 4294967296)::bigint",
}
"""From 1 to 2^32: as many changes as a site sees in its life fit into 64 bits, and no two sums meet
by chance."""

ENTRIES = (
    "SELECT r.benchmark_id AS b FROM submissions_submission s"
    " JOIN benchmarks_release r ON r.id = s.release_id"
)
PUBLIC = "s.visibility = 'public' AND s.withdrawn IS NULL"
OF_NONE = "SELECT CAST(NULL AS bigint) AS b"
OF_PERSON = (  # who handed in, and who verified
    f"{ENTRIES} WHERE s.owner_id = {{row}}.{{key}} AND {PUBLIC} UNION {ENTRIES}"
    f" JOIN submissions_verificationdecision v ON v.id = s.verification_id"
    f" WHERE v.decided_by_id = {{row}}.{{key}} AND {PUBLIC}"
)


def changes(
    table: str,
    benchmarks: str,
    events: Sequence[str] = ("INSERT", "UPDATE", "DELETE"),
    column: str = "",
) -> Iterator[Trigger]:
    """benchmarks: selects as `b` the benchmarks whose boards show {row}, which stands for OLD or
    NEW; NULL for what only other pages show."""
    for event in events:
        found = " UNION ".join(benchmarks.replace("{row}", row) for row in ROWS[event])
        name, when = f"{table}_{event.lower()}_shown", f"{event} OF {column}" if column else event
        yield Trigger(name, table, when, adds=counted(found), needs=COUNTED)


def counted(benchmarks: str) -> dict[str, str]:
    """By vendor of the database. Nothing of it comes from outside: names and selects are constants
    of this file."""
    found = f"FROM ({benchmarks}) AS shown"
    return {
        vendor: f"INSERT INTO {COUNTED} (benchmark_id, step) SELECT b, {step} {found}"
        for vendor, step in STEP.items()
    }


TRIGGERS = (
    *changes("benchmarks_benchmark", "SELECT {row}.id AS b", ("INSERT", "UPDATE")),
    *changes("benchmarks_release", "SELECT {row}.benchmark_id AS b"),
    *changes(
        "benchmarks_reference",
        # Not those of a release that is being imported: there are ten thousand.
        "SELECT q.benchmark_id AS b FROM benchmarks_question q WHERE q.id = {row}.question_id AND "
        "EXISTS (SELECT 1 FROM benchmarks_releasequestion m JOIN benchmarks_release r ON r.id = "
        "m.release_id WHERE m.question_id = q.id AND r.state <> 'draft')",
        ("INSERT", "DELETE"),
    ),
    *changes(
        "benchmarks_description",
        "SELECT f.benchmark_id AS b FROM benchmarks_figure f"
        " WHERE f.id = {row}.figure_id AND {row}.state = 'approved'",
    ),
    *changes(
        "judging_judgespec",
        "SELECT k.id AS b FROM benchmarks_benchmark k WHERE k.slug = {row}.protocol",
    ),
    *changes(
        "leaderboard_scoresheet",
        f"{ENTRIES} WHERE s.id = {{row}}.submission_id AND {PUBLIC}",
    ),
    *changes(
        "submissions_submission",
        # One that was kept out and is gone keeps out whoever hands its answers in again. One that
        # is not judged yet stands on the page of its model.
        "SELECT r.benchmark_id AS b FROM benchmarks_release r WHERE r.id = {row}.release_id AND "
        "(({row}.visibility = 'public' AND {row}.withdrawn IS NULL) OR {row}.decision_id IS NOT "
        "NULL) AND EXISTS (SELECT 1 FROM leaderboard_scoresheet t WHERE t.submission_id = "
        "{row}.id)"
        " UNION SELECT CAST(NULL AS bigint) WHERE {row}.visibility = 'public'"
        " AND {row}.withdrawn IS NULL",
        ("UPDATE", "DELETE"),
    ),
    *changes(
        "submissions_evaluatedmodel",
        f"{ENTRIES} WHERE s.model_id = {{row}}.id AND {PUBLIC}",
        ("UPDATE",),
    ),
    *changes(
        "submissions_rankingdecision",
        f"{ENTRIES} WHERE s.id = {{row}}.submission_id",
        ("INSERT", "DELETE"),
    ),
    *changes(
        "submissions_publicname",
        f"{OF_PERSON.replace('{key}', 'owner_id')}"
        f" UNION {ENTRIES} WHERE s.team_id = {{row}}.team_id AND {PUBLIC} UNION {OF_NONE}",
    ),
    *changes(
        "submissions_team",
        f"{ENTRIES} WHERE s.team_id = {{row}}.id AND {PUBLIC} UNION {OF_NONE}",
        ("UPDATE", "DELETE"),
    ),
    *changes(
        "auth_user",  # at every sign-in another column of it changes
        f"{OF_PERSON.replace('{key}', 'id')} UNION {OF_NONE}",
        ("UPDATE",),
        column="username",
    ),
    *changes("benchmarks_questionreport", OF_NONE, ("UPDATE",)),
    *changes("benchmarks_releasearchive", OF_NONE),
    *changes("leaderboard_studyreport", OF_NONE),
    *changes("panel_ratingfile", OF_NONE, ("UPDATE", "DELETE")),
    *changes("submissions_membership", OF_NONE),
)


def count_every_board(using: str = "default", plan: Sequence[object] = (), **_: Any) -> None:
    """After migrations every board counts as changed: on SQLite there were no triggers while they
    ran."""
    connection = connections[using]
    if plan and COUNTED in connection.introspection.table_names():
        with connection.cursor() as cursor:
            every = counted("SELECT id AS b FROM benchmarks_benchmark")
            cursor.execute(every[connection.vendor])
