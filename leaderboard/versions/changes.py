"""What changes a board or another page that everybody sees: a trigger for each table of which they
show anything.

Whatever writes such a row adds a `BoardChange` of its benchmark in the same transaction: services,
the admin, `QuerySet.update`, a person with a database shell. No writer can forget it, and none
waits for another one. What no board shows, and other pages do, is a change of no benchmark.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from django.db import connections

ROWS = {"INSERT": ("NEW",), "UPDATE": ("OLD", "NEW"), "DELETE": ("OLD",)}
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


@dataclass(frozen=True, slots=True)
class Change:
    """benchmarks: selects as `b` the benchmarks whose boards show {row}, which stands for OLD or
    NEW; NULL for what only other pages show."""

    table: str
    benchmarks: str
    events: tuple[str, ...] = ("INSERT", "UPDATE", "DELETE")
    column: str = ""

    def triggers(self) -> Iterator["ChangeTrigger"]:
        for event in self.events:
            found = " UNION ".join(self.benchmarks.replace("{row}", row) for row in ROWS[event])
            when = f"{event} OF {self.column}" if self.column else event
            yield ChangeTrigger(f"{self.table}_{event.lower()}_shown", self.table, when, found)


@dataclass(frozen=True, slots=True)
class ChangeTrigger:
    name: str
    table: str
    event: str
    benchmarks: str

    def insert(self, vendor: str) -> str:
        # Nothing of it comes from outside: names and selects are constants of this file.
        chosen = f"SELECT b, {STEP[vendor]} FROM ({self.benchmarks}) AS shown"  # noqa: S608 # nosec B608
        return f"INSERT INTO leaderboard_boardchange (benchmark_id, step) {chosen}"


CHANGES = (
    Change("benchmarks_benchmark", "SELECT {row}.id AS b", ("INSERT", "UPDATE")),
    Change("benchmarks_release", "SELECT {row}.benchmark_id AS b"),
    Change(
        "benchmarks_reference",
        # Not those of a release that is being imported: there are ten thousand.
        "SELECT q.benchmark_id AS b FROM benchmarks_question q WHERE q.id = {row}.question_id AND "
        "EXISTS (SELECT 1 FROM benchmarks_releasequestion m JOIN benchmarks_release r ON r.id = "
        "m.release_id WHERE m.question_id = q.id AND r.state <> 'draft')",
        ("INSERT", "DELETE"),
    ),
    Change(
        "benchmarks_description",
        "SELECT f.benchmark_id AS b FROM benchmarks_figure f"
        " WHERE f.id = {row}.figure_id AND {row}.state = 'approved'",
    ),
    Change(
        "judging_judgespec",
        "SELECT k.id AS b FROM benchmarks_benchmark k WHERE k.slug = {row}.protocol",
    ),
    Change(
        "leaderboard_scoresheet",
        f"{ENTRIES} WHERE s.id = {{row}}.submission_id AND {PUBLIC}",
    ),
    Change(
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
    Change(
        "submissions_evaluatedmodel",
        f"{ENTRIES} WHERE s.model_id = {{row}}.id AND {PUBLIC}",
        ("UPDATE",),
    ),
    Change(
        "submissions_rankingdecision",
        f"{ENTRIES} WHERE s.id = {{row}}.submission_id",
        ("INSERT", "DELETE"),
    ),
    Change(
        "submissions_publicname",
        f"{OF_PERSON.replace('{key}', 'owner_id')}"
        f" UNION {ENTRIES} WHERE s.team_id = {{row}}.team_id AND {PUBLIC} UNION {OF_NONE}",
    ),
    Change(
        "submissions_team",
        f"{ENTRIES} WHERE s.team_id = {{row}}.id AND {PUBLIC} UNION {OF_NONE}",
        ("UPDATE", "DELETE"),
    ),
    Change(
        "auth_user",  # at every sign-in another column of it changes
        f"{OF_PERSON.replace('{key}', 'id')} UNION {OF_NONE}",
        ("UPDATE",),
        column="username",
    ),
    Change("benchmarks_questionreport", OF_NONE, ("UPDATE",)),
    Change("benchmarks_releasearchive", OF_NONE),
    Change("leaderboard_studyreport", OF_NONE),
    Change("panel_ratingfile", OF_NONE, ("UPDATE", "DELETE")),
    Change("submissions_membership", OF_NONE),
)
TRIGGERS = tuple(trigger for change in CHANGES for trigger in change.triggers())


def install_change_triggers(using: str = "default", plan: Sequence[object] = (), **_: Any) -> None:
    """Every trigger exists afterwards, as far as its table does; safe to repeat. After migrations
    every board counts as changed: on SQLite there were no triggers while they ran."""
    connection = connections[using]
    statements = {"sqlite": sqlite_statements, "postgresql": postgresql_statements}
    present = set(connection.introspection.table_names())
    if "leaderboard_boardchange" not in present:
        return
    with connection.cursor() as cursor:
        for trigger in TRIGGERS:
            if trigger.table in present:
                for statement in statements[connection.vendor](trigger):
                    cursor.execute(statement)
        if plan:
            every = ChangeTrigger("", "", "", "SELECT id AS b FROM benchmarks_benchmark")
            cursor.execute(every.insert(connection.vendor))


def lift_change_triggers(
    using: str = "default", plan: Sequence[tuple[object, bool]] = (), **_: Any
) -> None:
    """As of `benchmarks.immutability.lift_guards`: none exists on SQLite while migrations run.

    Nor on PostgreSQL while some are taken back: the table that counts changes may go with them, and
    with a trigger on it no row of the others could be written any more."""
    connection = connections[using]
    goes_back = any(backwards for _, backwards in plan)
    if plan and (connection.vendor == "sqlite" or goes_back):
        where = {"sqlite": "", "postgresql": " ON {table}"}[connection.vendor]
        with connection.cursor() as cursor:
            for trigger in TRIGGERS:
                on = where.format(table=trigger.table)
                cursor.execute(f"DROP TRIGGER IF EXISTS {trigger.name}{on}")


def sqlite_statements(trigger: ChangeTrigger) -> tuple[str, ...]:
    return (
        f"DROP TRIGGER IF EXISTS {trigger.name}",
        f"CREATE TRIGGER {trigger.name} AFTER {trigger.event} ON {trigger.table}"
        f" BEGIN {trigger.insert('sqlite')}; END",
    )


def postgresql_statements(trigger: ChangeTrigger) -> tuple[str, ...]:
    return (
        f"CREATE OR REPLACE FUNCTION {trigger.name}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN"
        f" {trigger.insert('postgresql')}; RETURN NULL; END $$",
        f"CREATE OR REPLACE TRIGGER {trigger.name} AFTER {trigger.event} ON {trigger.table}"
        f" FOR EACH ROW EXECUTE FUNCTION {trigger.name}()",
    )
