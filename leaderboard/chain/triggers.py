"""Triggers of the chain: those that add the links of events, and those that keep links as they are.

Who publishes, withdraws, makes private or keeps out stands in rooms that know nothing of the chain,
in the admin and in database shells; a trigger misses none of them. Names are in no link: their
owners may change them, and go.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from django.db import connections

from benchmarks.immutability import Guard, install_guards, lift_guards

LINKS, HEAD = "leaderboard_chainlink", "leaderboard_chainhead"
FIXED = ("id", "kind", "submission", "judge", "content")
SUBMISSIONS, DECISIONS = "submissions_submission", "submissions_rankingdecision"
SHEETS = "leaderboard_scoresheet"
LINKED = "EXISTS (SELECT 1 FROM leaderboard_chainlink l WHERE l.submission = {0})"
OF_KINDS = "EXISTS (SELECT 1 FROM leaderboard_chainlink l WHERE l.submission = {0} AND l.kind {1})"
"""Whether the chain has links about a row that is to go."""
GUARDS = (
    Guard(
        LINKS,
        "UPDATE",
        # One that waits gets its number; nothing else ever changes.
        f"OLD.number IS NOT NULL OR {' OR '.join(f'OLD.{f} <> NEW.{f}' for f in FIXED)}",
        "a link of the chain is never changed",
    ),
    Guard(LINKS, "DELETE", "1 = 1", "a link of the chain is never deleted"),
    Guard(
        HEAD,
        "UPDATE",
        "NEW.number < OLD.number OR (NEW.number = OLD.number AND NEW.digest <> OLD.digest)",
        "the head of the chain only goes on",
    ),
    Guard(HEAD, "DELETE", "1 = 1", "the head of the chain is never deleted"),
    # Of what is gone the links would be told to nobody, and nobody could tell that it ever was.
    Guard(
        SUBMISSIONS,
        "DELETE",
        LINKED.format("OLD.id"),
        "a submission in the chain is never deleted; withdraw it",
        about="chain",
    ),
    Guard(
        SHEETS,
        "DELETE",
        OF_KINDS.format("OLD.submission_id", "= 'scoresheet'"),
        "a scoresheet in the chain is never deleted; it is scored anew",
        about="chain",
    ),
    Guard(
        DECISIONS,
        "DELETE",
        OF_KINDS.format("OLD.submission_id", "IN ('kept_out', 'ranked')"),
        "a decision in the chain is never deleted; make another one",
        about="chain",
    ),
)

NOW = {
    "sqlite": "strftime('%Y-%m-%dT%H:%M:%fZ', 'now')",
    "postgresql": (
        "to_char(clock_timestamp() AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS.MS\"Z\"')"
    ),
}
HEX = "NEW.{key}"
DASHED = {  # SQLite stores 32 hex digits
    "sqlite": " || '-' || ".join(
        f"substr({HEX}, {start}, {count})" for start, count in ((1, 8), (9, 4), (13, 4), (17, 4))
    )
    + f" || '-' || substr({HEX}, 21)",
    "postgresql": f"{HEX}::text",
}
PUBLIC = "{row}.visibility = 'public' AND {row}.withdrawn IS NULL"
WAS, IS = PUBLIC.replace("{row}", "OLD"), PUBLIC.replace("{row}", "NEW")


@dataclass(frozen=True, slots=True)
class EventTrigger:
    """Adds a link of `kind` where `condition` holds of a row written. key: the column that names
    the submission."""

    kind: str
    table: str
    event: str
    condition: str
    key: str = "id"

    @property
    def name(self) -> str:
        return f"{self.table}_{self.event.lower()}_{self.kind}_linked"

    def insert(self, vendor: str) -> str:
        whose = DASHED[vendor].replace("{key}", self.key)
        # Nothing of it comes from outside: all of it are constants of this file.
        content = (
            f"""'{{"at":"' || {NOW[vendor]} || '","kind":"{self.kind}","submission":"' || {whose}"""
            """ || '"}'"""
        )
        columns = "kind, submission, judge, content, content_digest, previous, digest"
        values = f"'{self.kind}', NEW.{self.key}, '', {content}, '', '', ''"
        return f"INSERT INTO {LINKS} ({columns}) VALUES ({values})"  # noqa: S608 # nosec B608


TRIGGERS = (
    EventTrigger("publication", SUBMISSIONS, "INSERT", IS),
    EventTrigger("publication", SUBMISSIONS, "UPDATE", f"{IS} AND NOT ({WAS})"),
    EventTrigger(
        "withdrawal",
        SUBMISSIONS,
        "UPDATE",
        # what was cancelled before it was confirmed was never anywhere
        "NEW.withdrawn IS NOT NULL AND OLD.withdrawn IS NULL AND NEW.confirmed IS NOT NULL",
    ),
    EventTrigger(
        "made_private",
        SUBMISSIONS,
        "UPDATE",
        f"({WAS}) AND NEW.visibility <> 'public' AND NEW.withdrawn IS NULL",
    ),
    EventTrigger("kept_out", DECISIONS, "INSERT", "NOT NEW.is_ranked", "submission_id"),
    EventTrigger("ranked", DECISIONS, "INSERT", "NEW.is_ranked", "submission_id"),
)


def install_chain_triggers(using: str = "default", **_: Any) -> None:
    """Every trigger exists afterwards, as far as its table does; safe to repeat."""
    connection = connections[using]
    present = set(connection.introspection.table_names())
    if not {LINKS, HEAD} <= present:
        return
    install_guards(using, GUARDS)
    statements = {"sqlite": sqlite_statements, "postgresql": postgresql_statements}
    with connection.cursor() as cursor:
        for trigger in TRIGGERS:
            if trigger.table in present:
                for statement in statements[connection.vendor](trigger):
                    cursor.execute(statement)


def lift_chain_triggers(
    using: str = "default", plan: Sequence[tuple[object, bool]] = (), **_: Any
) -> None:
    """As of `versions.changes.lift_change_triggers`: none of the events on SQLite while migrations
    run, nor on PostgreSQL while some are taken back."""
    lift_guards(using, plan, GUARDS)
    connection = connections[using]
    goes_back = any(backwards for _, backwards in plan)
    if plan and (connection.vendor == "sqlite" or goes_back):
        with connection.cursor() as cursor:
            for trigger in TRIGGERS:
                on = "" if connection.vendor == "sqlite" else f" ON {trigger.table}"
                cursor.execute(f"DROP TRIGGER IF EXISTS {trigger.name}{on}")


def sqlite_statements(trigger: EventTrigger) -> Iterator[str]:
    yield f"DROP TRIGGER IF EXISTS {trigger.name}"
    yield (
        f"CREATE TRIGGER {trigger.name} AFTER {trigger.event} ON {trigger.table}"
        f" WHEN {trigger.condition} BEGIN {trigger.insert('sqlite')}; END"
    )


def postgresql_statements(trigger: EventTrigger) -> Iterator[str]:
    yield (
        f"CREATE OR REPLACE FUNCTION {trigger.name}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN"
        f" IF {trigger.condition} THEN {trigger.insert('postgresql')}; END IF; RETURN NULL; END $$"
    )
    yield (
        f"CREATE OR REPLACE TRIGGER {trigger.name} AFTER {trigger.event} ON {trigger.table}"
        f" FOR EACH ROW EXECUTE FUNCTION {trigger.name}()"
    )
