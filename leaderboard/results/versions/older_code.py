"""Code that is older than its database: which of it may run on, and what has to stop first.

A migration tells it by an attribute of its class, `ends_older_code`: what older code would do
wrong. Once it is applied, code without it answers 503 and its workers stop, by a row of
`EndOfOlderCode`. It is refused while workers live.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import timedelta
from functools import cache
from typing import Any

from django.core.management.base import CommandError
from django.db import DatabaseError, connection, connections
from django.db.migrations import Migration
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder
from django.db.models.functions import Now

from leaderboard.models import EndOfOlderCode, WorkerBeat

Plan = Sequence[tuple[Migration, bool]]
ALIVE = timedelta(seconds=20)
"""Four beats of a worker: one that was killed is believed dead after as long."""


@cache
def own_migrations() -> Mapping[tuple[str, str], Migration]:
    """Those of this code, which cannot change while the process runs."""
    return MigrationLoader(None).disk_migrations


def newer_migrations() -> list[str]:
    """Those that the database has of this code's apps and the code has not, as app.name. Raises
    DatabaseError."""
    own = {*own_migrations(), *(old for one in own_migrations().values() for old in one.replaces)}
    apps = {app for app, _ in own}
    applied = MigrationRecorder(connection).applied_migrations().keys()
    newer = applied - own
    return sorted(f"{app}.{name}" for app, name in newer if app in apps)


def too_old() -> str:
    """Why this code may not run on its database; empty where it may, and where the database cannot
    be asked. One query."""
    own = [f"{app}.{name}" for app, name in own_migrations()]
    try:
        found = EndOfOlderCode.objects.exclude(migration__in=own).order_by("pk")
        reasons = dict(found.values_list("migration", "reason"))
        # A row is written before its migration, which may still fail.
        applied = [name for name in newer_migrations() if name in reasons] if reasons else []
    except DatabaseError:
        return ""
    if not applied:
        return ""
    return (
        f"This code is too old for its database, where {applied[0]} is applied: it"
        f" {reasons[applied[0]]}. Start the newer version, or go back as"
        " docs/operator/updating.md says."
    )


def newer_problem() -> str:
    """For /health/ready: the database has migrations that this code lives with."""
    newer = newer_migrations()
    if not newer:
        return ""
    return (
        f"The database is of a newer version ({', '.join(newer)}), beside which this code may run"
        " for as long as an update takes. Restart this process with the newer code."
    )


# --- while migrations run -------------------------------------------------------------------------


def reason_to_end(migration: Migration) -> str:
    return getattr(migration, "ends_older_code", "")


def prepare_older_code(using: str = "default", plan: Plan = (), **_: Any) -> None:
    """Before migrations: CommandError where workers live that have to be stopped first; older code
    learns which of what is to come it cannot live with."""
    coming = [migration for migration, backwards in plan if not backwards]
    going = [migration for migration, backwards in plan if backwards]
    present = connections[using].introspection.table_names()
    if to_stop := [str(m) for m in coming + going if reason_to_end(m)]:
        refuse_beside(living_workers(using, present), to_stop)
    if EndOfOlderCode._meta.db_table in present:
        for migration in coming:
            if reason := reason_to_end(migration):
                EndOfOlderCode.objects.using(using).update_or_create(
                    migration=str(migration), defaults={"reason": reason}
                )


def living_workers(using: str, present: Iterable[str]) -> Iterator[str]:
    if WorkerBeat._meta.db_table in present:
        beats = WorkerBeat.objects.using(using).filter(seen__gt=Now() - ALIVE)
        yield from beats.values_list("name", flat=True)


def refuse_beside(workers: Iterable[str], migrations: Sequence[str]) -> None:
    if names := ", ".join(workers):
        raise CommandError(
            f"Workers live ({names}), and {', '.join(migrations)} must not run beside them. Stop"
            " web, workers and beat (docs/operator/updating.md), and run this again; a worker"
            f" that was killed counts as alive for {ALIVE.seconds} s. Nothing was changed."
        )


def note_older_code(using: str = "default", **_: Any) -> None:
    """After migrations: older code is ended by those that are applied, and by no other."""
    connection = connections[using]
    if EndOfOlderCode._meta.db_table not in connection.introspection.table_names():
        return
    ends = {str(m): reason_to_end(m) for m in own_migrations().values() if reason_to_end(m)}
    rows = MigrationRecorder(connection).applied_migrations()
    applied = {f"{app}.{name}" for app, name in rows}
    noted = EndOfOlderCode.objects.using(using)
    noted.exclude(migration__in=applied).delete()
    known = set(noted.values_list("migration", flat=True))
    noted.bulk_create(
        EndOfOlderCode(migration=name, reason=reason)
        for name, reason in ends.items()
        if name in applied and name not in known
    )
