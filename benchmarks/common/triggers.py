"""Triggers of the database, which rooms declare: they refuse what must not be written, or write
something beside it.

Python-level checks stop only code that asks them; a trigger also stops `QuerySet.update`,
`bulk_update`, the admin's actions and a person with a database shell.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.apps import AppConfig
from django.db import connections
from django.db.models.signals import post_migrate, pre_migrate

ROWS = {"INSERT": ("NEW",), "UPDATE": ("OLD", "NEW"), "DELETE": ("OLD",)}
REFUSED = "integrity_constraint_violation"


@dataclass(frozen=True, slots=True)
class Trigger:
    """Runs for each row that `event` writes, as "UPDATE" or "UPDATE OF name", where `condition`
    holds of OLD and NEW, or always if it is empty. With a `message` the writing is refused;
    otherwise the statement in `adds`, by the vendor of the database, follows it. `needs`: another
    table without which it cannot run."""

    name: str
    table: str
    event: str
    condition: str = ""
    message: str = ""
    adds: Mapping[str, str] = field(default_factory=dict)
    needs: str = ""

    def statements(self, vendor: str) -> tuple[str, str]:
        """What replaces or makes it; safe to repeat."""
        place = f"{'BEFORE' if self.message else 'AFTER'} {self.event} ON {self.table}"
        if vendor == "sqlite":
            does = f"SELECT RAISE(ABORT, '{self.message}')" if self.message else self.adds[vendor]
            when = f" WHEN {self.condition}" if self.condition else ""
            create = f"CREATE TRIGGER {self.name} {place}{when} BEGIN {does}; END"
            return f"DROP TRIGGER IF EXISTS {self.name}", create
        does, result = self.adds.get(vendor, ""), "NULL"
        if self.message:
            does = f"RAISE EXCEPTION '{self.message}' USING ERRCODE = '{REFUSED}'"
            result = "OLD" if self.event == "DELETE" else "NEW"
        body = f"IF {self.condition} THEN {does}; END IF" if self.condition else does
        return (
            f"CREATE OR REPLACE FUNCTION {self.name}() RETURNS trigger LANGUAGE plpgsql AS $$"
            f" BEGIN {body}; RETURN {result}; END $$",
            f"CREATE OR REPLACE TRIGGER {self.name} {place}"
            f" FOR EACH ROW EXECUTE FUNCTION {self.name}()",
        )


def guard(
    table: str, event: str, condition: str, message: str, about: str = "", needs: str = ""
) -> Trigger:
    """Refuses what the condition holds of. `about` tells it from another one of the same table and
    event."""
    name = "_".join(part for part in (table, event.lower(), about, "guard") if part)
    return Trigger(name, table, event, condition, message, needs=needs)


def differ(*columns: str) -> str:
    return " OR ".join(f"OLD.{column} <> NEW.{column}" for column in columns)


def install(triggers: Iterable[Trigger], using: str = "default") -> None:
    """Every trigger exists afterwards, as far as its tables do; safe to repeat."""
    connection = connections[using]
    present = set(connection.introspection.table_names())
    with connection.cursor() as cursor:
        for trigger in triggers:
            if {trigger.table, trigger.needs or trigger.table} <= present:
                for statement in trigger.statements(connection.vendor):
                    cursor.execute(statement)


def lift(
    triggers: Iterable[Trigger], plan: Sequence[tuple[object, bool]], using: str = "default"
) -> None:
    """None of them exists on SQLite while migrations run, if any are to run; `install` follows.

    SQLite changes a table by building it anew and renaming it, and refuses the renaming while a
    trigger of any other table names the old one. If a migration fails, they are missing until one
    succeeds, which every start tries first. Nor is one there on PostgreSQL while migrations are
    taken back that may take the table away which it needs: no row could be written any more.
    """
    connection = connections[using]
    is_sqlite = connection.vendor == "sqlite"
    goes_back = any(backwards for _, backwards in plan)
    with connection.cursor() as cursor:
        for trigger in triggers if plan else ():
            if is_sqlite or (goes_back and trigger.needs):
                on = "" if is_sqlite else f" ON {trigger.table}"
                cursor.execute(f"DROP TRIGGER IF EXISTS {trigger.name}{on}")


KEPT: dict[str, list[Trigger]] = {}
"""By the label of an app, those that are there whenever its migrations have run."""


def keep_installed(triggers: Iterable[Trigger], app: AppConfig) -> None:
    KEPT.setdefault(app.label, []).extend(triggers)
    pre_migrate.connect(lift_kept, sender=app)
    post_migrate.connect(install_kept, sender=app)


def lift_kept(
    sender: AppConfig, plan: Sequence[tuple[object, bool]], using: str = "default", **_: Any
) -> None:
    lift(KEPT[sender.label], plan, using)


def install_kept(sender: AppConfig, using: str = "default", **_: Any) -> None:
    install(KEPT[sender.label], using)
