"""Row 43: the schema changes while answers are judged. The rules are those of
docs/operator/updating.md."""

import os
import time
from collections.abc import Iterator
from threading import Event, Thread

import psycopg
import pytest
from django.core.management import call_command
from django.db import IntegrityError, OperationalError, ProgrammingError, connection, models
from django.db.migrations import (
    AddConstraint,
    AddField,
    AddIndex,
    AlterField,
    AlterModelOptions,
    CreateModel,
    Migration,
    RemoveField,
    RunPython,
)
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.operations.base import Operation
from django.db.migrations.state import ProjectState
from django.db.models import ForeignKey, IntegerField, TextField
from django.db.models.fields import NOT_PROVIDED

from benchmarks.models import Question, Release
from judging.coordination import money, queue
from judging.coordination.clock import database_now
from judging.engine.engine import judge_run
from judging.models import JudgeCall, JudgeRun
from leaderboard.models import Scoresheet
from tests.chaos.content import patiently
from tests.conftest import submit
from tests.judging.matrix.small_site import (
    database_at,
    judging,
    make_run,
    own_database,
    paid,
    wait_until,
)
from tests.provider import RunningProvider, running_provider
from tests.site import PROJECT

OPERATING = (PROJECT / "docs/operator/updating.md").read_text()
WORDS = 160
LATENCY_MS = 250
SECONDS = 60
LOCK_MS = 500
READERS, REQUESTS, ROUNDS = 4, 1_000, 5

needs_servers = pytest.mark.skipif(
    "DATABASE_URL" not in os.environ, reason="needs `make test-services`"
)

# --- the next release's migration -----------------------------------------------------------------


class NextRelease(Migration):
    """What a release may bring: columns, an index and a table, all on what is being judged."""

    operations = [
        AddField("judgement", "second_thought", TextField(null=True)),
        AddField("judgecall", "weight", IntegerField(db_default=1)),
        AddIndex("judgecall", models.Index(fields=["outcome"], name="call_outcome")),
        CreateModel(
            "Remark",
            [
                ("id", models.BigAutoField(primary_key=True)),
                ("of", ForeignKey("judging.judgement", models.PROTECT)),
            ],
        ),
    ]


def migrate_on() -> None:
    state = MigrationLoader(connection).project_state()
    with connection.schema_editor() as editor:
        NextRelease("9999_next_release", "judging").apply(state, editor)


@pytest.fixture
def database(transactional_db) -> Iterator[str]:
    with own_database() as url:
        yield url


@pytest.fixture
def provider() -> Iterator[RunningProvider]:
    with running_provider(reply="auto", model="m", latency=LATENCY_MS) as provider:
        yield provider


def assert_all_was_asked_once(run: JudgeRun, provider: RunningProvider) -> None:
    assert set(run.judgements.values_list("state", flat=True)) == {"judged"}
    assert {count["seen"] for count in provider.stats()["answers"].values()} == {1}
    assert (
        paid(provider)
        == JudgeCall.objects.filter(outcome="answered").count()
        == run.judgements.count()
    )
    assert money.spend_drift() == []


@pytest.mark.services
@needs_servers
def test_workers_of_the_release_before_judge_on_while_the_schema_grows(database, tmp_path):
    words = 3 * WORDS  # so many that a migration on a busy machine ends before they do
    with judging(tmp_path, database, words, latency=LATENCY_MS) as (run, provider):
        wait_until(lambda: run.judgements.filter(state="judged").count() >= WORDS // 4, SECONDS)
        # it may meet a worker in a circle and is tried again, as an operator does
        patiently(migrate_on)
        assert run.judgements.exclude(state="judged").exists()
        wait_until(Scoresheet.objects.exists, SECONDS)
        assert_all_was_asked_once(run, provider)


@pytest.mark.services
@needs_servers
def test_code_newer_than_its_schema_asks_nothing_and_goes_on_once_that_is_there(
    database, provider, settings
):
    settings.JUDGE_ENDPOINTS = {
        "lab": {"url": provider.url, "key": "", "prices": {"m": (2.0, 2.0)}}
    }
    settings.JUDGE_LEASE_SECONDS = 0.5
    run = make_run(8)
    call_command("migrate", "judging", "0001", verbosity=0, interactive=False)
    with pytest.raises(ProgrammingError, match="does not exist"):
        judge_run(run_id=run.pk)
    assert provider.stats()["requests"] == 0
    call_command("migrate", verbosity=0, interactive=False)
    wait_until(lambda: not run.judgements.filter(lease_until__gte=database_now()).exists(), SECONDS)
    queue.release_expired()
    settings.JUDGE_LEASE_SECONDS = 30.0
    judge_run(run_id=run.pk)
    assert_all_was_asked_once(run, provider)


@pytest.mark.services
@needs_servers
def test_a_migration_that_waits_for_a_backup_gives_up_before_everybody_waits_for_it(
    database, provider, settings
):
    settings.JUDGE_ENDPOINTS = {
        "lab": {"url": provider.url, "key": "", "prices": {"m": (2.0, 2.0)}}
    }
    run = make_run(8)
    with psycopg.connect(database) as backup:
        backup.execute(
            "LOCK TABLE judging_judgement IN ACCESS SHARE MODE"
        )  # as pg_dump does, from beginning to end
        with (
            database_at(f"{database}?options=-c%20lock_timeout%3D{LOCK_MS}"),
            pytest.raises(OperationalError, match="lock timeout"),
        ):
            migrate_on()
        judge_run(run_id=run.pk)
    assert_all_was_asked_once(run, provider)
    migrate_on()


READ = (
    "BEGIN; SELECT 1 FROM leaderboard_scoresheet LIMIT 1; SELECT pg_sleep(0.005);"
    " SELECT 1 FROM leaderboard_boardedition LIMIT 1; COMMIT"
)
"""As a page does, and in the other order than `leaderboard.0039` changes its tables: each read that
is in the middle when that begins is in a circle with it."""


@pytest.mark.services
@needs_servers
def test_no_reader_is_ended_while_a_migration_takes_several_tables(database):
    errors: list[str] = []
    ended = Event()
    counts = [0] * READERS

    def read(number: int) -> None:
        with psycopg.connect(database, autocommit=True) as reader:
            while not ended.is_set() or counts[number] < REQUESTS // READERS:
                try:
                    reader.execute(READ)
                except psycopg.Error as error:
                    errors.append(f"{type(error).__name__}: {error}")
                    reader.execute("ROLLBACK")
                counts[number] += 1
                time.sleep(0.02)

    readers = [Thread(target=read, args=(number,)) for number in range(READERS)]
    for reader in readers:
        reader.start()
    try:
        for _ in range(ROUNDS):
            call_command("migrate", "leaderboard", "0038", verbosity=0, interactive=False)
            call_command("migrate", verbosity=0, interactive=False)
    finally:
        ended.set()
        for reader in readers:
            reader.join()
    assert errors == []
    assert sum(counts) >= REQUESTS


# --- a site with content --------------------------------------------------------------------------


@pytest.mark.slow
def test_a_site_with_content_and_guards_is_upgraded(committed, spelling, owner):
    """SQLite builds a table anew for a column with a default, which triggers that name the table
    forbid."""
    submit(spelling, owner)
    try:
        call_command("migrate", "benchmarks", "0001", verbosity=0, interactive=False)
    finally:
        call_command("migrate", verbosity=0, interactive=False)
    assert Release.objects.get().slug == spelling.slug
    with pytest.raises(IntegrityError, match="cannot"):
        Question.objects.update(text="Another question?")


# --- what a migration may do ----------------------------------------------------------------------


def is_additive(operation: Operation, app: str, state: ProjectState) -> bool:
    """Whether code that knows nothing of it goes on reading and writing."""
    if isinstance(operation, AddField):
        field = operation.field
        return field.null or field.many_to_many or field.db_default is not NOT_PROVIDED
    if isinstance(operation, AlterField):
        before = state.models[app, operation.model_name_lower].fields[operation.name]
        return stored(before) == stored(operation.field)
    return isinstance(operation, CreateModel | AddIndex | AlterModelOptions)


def stored(field: "models.Field[object, object]") -> tuple[str, dict[str, object]]:
    """What the database knows of a field."""
    _, kind, _, options = field.deconstruct()
    return kind, {name: value for name, value in options.items() if name not in field.non_db_attrs}


@pytest.mark.parametrize(
    ("operation", "expected"),
    [
        (AddField("judgecall", "weight", IntegerField(null=True)), True),
        (AddField("judgecall", "weight", IntegerField(db_default=0)), True),
        (AddField("judgecall", "weight", IntegerField(default=0)), False),
        (AlterField("judgecall", "error", models.CharField(max_length=300, help_text="Why")), True),
        (AlterField("judgecall", "error", models.CharField(max_length=200)), False),
        (RemoveField("judgecall", "error"), False),
        (
            AddConstraint(
                "judgecall", models.CheckConstraint(condition=models.Q(pk__gt=0), name="any")
            ),
            False,
        ),
        (RunPython(RunPython.noop), False),
        (CreateModel("Remark", []), True),
    ],
)
def test_what_old_code_lives_with_is_told_from_what_it_does_not(operation, expected):
    state = ProjectState()
    CreateModel("JudgeCall", [("error", models.CharField(max_length=300))]).state_forwards(
        "judging", state
    )
    assert is_additive(operation, "judging", state) is expected


def test_every_migration_after_the_initial_ones_adds_only_or_stands_in_the_operators_guide():
    loader = MigrationLoader(None)
    ours = {app for app, name in loader.replacements}
    for (app, name), migration in loader.disk_migrations.items():
        if app not in ours or migration.replaces or f"{app}.{name}" in OPERATING:
            continue
        state = loader.project_state((app, name), at_end=False)
        made = [o.name_lower for o in migration.operations if isinstance(o, CreateModel)]
        for operation in migration.operations:
            if isinstance(operation, AddConstraint) and operation.model_name_lower in made:
                continue  # on a table that older code knows nothing of
            assert is_additive(operation, app, state), (
                f"{app}.{name} does more than add: {operation.describe()}"
            )
            operation.state_forwards(app, state)
