"""A site of commit b39b66b, the oldest that can be upgraded, becomes one of today: its migrations
are those that the initial ones replace."""

import gzip
import sqlite3
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from django.apps import apps
from django.core.management import CommandError, call_command
from django.core.management.color import no_style
from django.db import IntegrityError, connection, transaction
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder
from django.utils import timezone

from benchmarks.models import Description, LabelCorrection
from leaderboard.models import BoardSnapshot, OperatorNotice, OutgoingMail, Scoresheet
from leaderboard.models.notices import WebhookDelivery
from leaderboard.results.versions.older_code import own_migrations
from tests.judging.matrix.small_site import database_at, own_database

OLDEST = Path(__file__).with_name("b39b66b.sqlite3.gz")
"""What `content.py` makes, by the code of that commit: three entries on a release whose references
are public, and three on one whose are not."""
INITIAL = {app: name for (app, name), one in own_migrations().items() if one.replaces}
ONLY_GROW = {
    "auth_permission",
    "django_content_type",
    "django_migrations",
    "leaderboard_boardchange",
    "leaderboard_endofoldercode",
}
BLANKED = {"leaderboard_boardedition", "leaderboard_boardorder", "leaderboard_boardrow"} | {
    f"leaderboard_{name}"
    for name in ("boardsnapshot", "judgecomparison", "questionstatistics", "shownrow")
}
"""Of a hidden test nothing is kept that tells its labels (`leaderboard.0037_hidden_tests`)."""
DEFINED = {
    "sqlite": ("SELECT name, sql FROM sqlite_master WHERE sql <> ''",),
    "postgresql": (
        "SELECT tablename, indexdef FROM pg_indexes WHERE schemaname = 'public'",
        "SELECT conrelid::regclass::text, pg_get_constraintdef(oid) FROM pg_constraint"
        " WHERE connamespace = 'public'::regnamespace",
        "SELECT tgrelid::regclass::text, pg_get_triggerdef(oid) FROM pg_trigger"
        " WHERE NOT tgisinternal",
        "SELECT table_name, concat_ws(' ', column_name, data_type, character_maximum_length,"
        " is_nullable, column_default) FROM information_schema.columns"
        " WHERE table_schema = 'public'",
    ),
}


def defined() -> Counter[tuple[str, ...]]:
    """Tables, columns, constraints, indexes and triggers, whatever the order of columns."""
    with connection.cursor() as cursor:
        rows = []
        for query in DEFINED[connection.vendor]:
            cursor.execute(query)
            rows += cursor.fetchall()
    return Counter((name, *sorted(sql.removesuffix(")").split(", "))) for name, sql in rows)


def row_counts() -> dict[str, int]:
    with connection.cursor() as cursor:
        counts = {}
        for table in connection.introspection.table_names(cursor):
            cursor.execute(f'SELECT COUNT(*) FROM "{table}"')
            counts[table] = cursor.fetchone()[0]
    return counts


def copy_to_postgresql(file: Path) -> None:
    """The tables that the initial migrations make hold the rows of the file, and no others."""
    for app in ("leaderboard", "panel", "judging", "benchmarks"):
        call_command("migrate", app, INITIAL[app], verbosity=0, interactive=False)
    with closing(sqlite3.connect(file)) as old, connection.cursor() as cursor:
        # No trigger, and tables in any order.
        cursor.execute("SET session_replication_role = replica")
        tables = connection.introspection.table_names()
        cursor.execute(f"TRUNCATE {', '.join(tables)}")
        for table in tables:
            rows = old.execute(f'SELECT * FROM "{table}"')
            names = ", ".join(f'"{column}"' for column, *_ in rows.description)
            places = ", ".join(["%s"] * len(rows.description))
            values = [
                # PostgreSQL reads a text as what the column is: a truth, a date, a document.
                [one if one is None or isinstance(one, bytes) else str(one) for one in row]
                for row in rows
            ]
            cursor.executemany(f'INSERT INTO "{table}" ({names}) VALUES ({places})', values)
        cursor.execute("SET session_replication_role = DEFAULT")
        models = [each for each in apps.get_models(True) if each._meta.db_table in tables]
        for statement in connection.ops.sequence_reset_sql(no_style(), models):
            cursor.execute(statement)


@pytest.fixture
def new_site(committed) -> Counter[tuple[str, ...]]:
    return defined()


@pytest.fixture
def old_site(new_site, tmp_path) -> Iterator[None]:
    """The ORM works on it."""
    file = tmp_path / "site.sqlite3"
    file.write_bytes(gzip.decompress(OLDEST.read_bytes()))
    if connection.vendor == "sqlite":
        with database_at(f"sqlite:///{file}"):
            yield
    else:
        with own_database():
            copy_to_postgresql(file)
            yield


@pytest.mark.slow
@pytest.mark.postgresql
def test_a_site_of_the_oldest_version_keeps_its_rows_and_gets_the_tables_of_a_new_one(
    new_site, old_site
):
    before = row_counts()
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT submission_id, ranking FROM leaderboard_scoresheet s JOIN"
            " submissions_submission e ON e.id = s.submission_id JOIN benchmarks_release r"
            " ON r.id = e.release_id WHERE r.references_are_public"
        )
        scores = cursor.fetchall()

    call_command("migrate", verbosity=0, interactive=False)

    after = row_counts()
    changed = {table for table, count in before.items() if after.get(table) != count}
    assert changed <= ONLY_GROW | BLANKED
    assert all(after[table] >= before[table] for table in changed - BLANKED)
    assert sorted(share for _, share in scores) == [20 / 30, 23 / 30, 24 / 30]
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT submission_id, ranking FROM leaderboard_scoresheet WHERE ranking IS NOT NULL"
        )
        assert sorted(cursor.fetchall(), key=str) == sorted(scores, key=str)
    assert Scoresheet.of_any_schema.count() == 6
    assert set(BoardSnapshot.of_any_schema.values_list("release__slug", flat=True)) == {"shown"}
    assert MigrationRecorder(connection).applied_migrations().keys() >= own_migrations().keys()
    assert defined() == new_site


@pytest.mark.slow
@pytest.mark.postgresql
def test_what_waits_to_leave_an_older_site_still_does_and_back_again(old_site):
    then = MigrationLoader(connection).project_state(("leaderboard", INITIAL["leaderboard"])).apps
    model, now = then.get_model, timezone.now()
    mail = {"sender": "a@x.org", "recipients": ["b@x.org"], "subject": "S", "text": "T"}
    times = {"created": now, "next_try": now, "tries": 2}
    model("leaderboard", "OutgoingMail").objects.create(**mail, headers={"Date": "D"}, **times)
    owner = model("auth", "User").objects.create(username="ada")
    hook = model("leaderboard", "Webhook").objects.create(owner=owner, url="https://x.org/")
    made = model("leaderboard", "WebhookDelivery").objects
    made.create(webhook=hook, event="finished", body="{}", **times)
    made.create(webhook=hook, event="test", body="{}", ended=now, outcome="arrived", arrived=True)
    notices = model("leaderboard", "OperatorNotice").objects
    notices.create(subject="endpoint/main", since=now, told=now)
    notices.create(subject="run/1", since=now, next_try=now)

    for target in ((), ("leaderboard", "0044"), ()):
        call_command("migrate", *target, verbosity=0, interactive=False)

    assert OutgoingMail.objects.filter(**mail, headers={"Date": "D"}, **times).count() == 1
    waiting, over = WebhookDelivery.objects.order_by("pk")
    assert (waiting.event, waiting.next_try, waiting.tries) == ("finished", now, 2)
    assert (over.next_try, over.outcome, over.arrived) == (None, "arrived", True)
    assert OperatorNotice.objects.get().subject == "endpoint/main"  # the other is told again


@pytest.mark.slow
@pytest.mark.postgresql
def test_decisions_of_an_older_site_keep_who_when_and_why_and_back_again(old_site):
    then = MigrationLoader(connection).project_state(("benchmarks", INITIAL["benchmarks"])).apps
    model, now = then.get_model, timezone.now()
    ada, rae = (model("auth", "User").objects.create(username=name) for name in ("ada", "rae"))
    question = model("benchmarks", "Question").objects.first()
    figure = model("benchmarks", "Figure").objects.create(
        benchmark_id=question.benchmark_id, key="f", content_hash="f"
    )
    made = model("benchmarks", "Description").objects
    by_rae = {"reviewed_by": rae, "reviewed_at": now, "review_comment": "Which?"}
    for number, fields in enumerate(
        [
            {"state": "draft"},
            {"state": "in review", "submitted_by": ada, "submitted_at": now},
            {"state": "sent back", **by_rae},
            {"state": "superseded"},
            {"state": "approved", "approved_by": rae},  # from before reviewers were noted
            {"state": "approved", "approved_by": rae, **by_rae},
            {"state": "approved", "author": None},  # of an import
        ],
        1,
    ):
        made.create(figure=figure, version=number, text="T", **{"author": ada, **fields})
    corrections = model("benchmarks", "LabelCorrection").objects
    decided = {"decided_by": rae, "decided": now}
    for fields in (
        {"state": "confirmed", **decided},
        {"state": "sent back", "comment": "Why?", **decided},
        {"state": "in review"},
    ):
        corrections.create(
            question_id=question.pk,
            before="1",
            label="2",
            truth={},
            reason="R",
            author=ada,
            **fields,
        )

    for target in ((), ("benchmarks", "0025"), ()):
        call_command("migrate", *target, verbosity=0, interactive=False)
        if target:  # what older code asks for
            back = MigrationLoader(connection).project_state(("benchmarks", "0025_the_desk")).apps
            described = back.get_model("benchmarks", "Description").objects.filter(figure=figure.pk)
            approved = described.filter(approved_by=rae.pk).values_list("version", flat=True)
            assert sorted(approved) == [5, 6]
            confirmed = back.get_model("benchmarks", "LabelCorrection").objects.get(
                state="confirmed"
            )
            assert (confirmed.decided_by_id, confirmed.decided) == (rae.pk, now)

    described = Description.objects.filter(figure=figure.pk).order_by("version")
    assert list(described.values_list("state", "reviewed_by__username", "review_comment")) == [
        ("draft", None, ""),
        ("in review", None, ""),
        ("sent back", "rae", "Which?"),
        ("superseded", None, ""),
        ("approved", "rae", ""),
        ("approved", "rae", "Which?"),
        ("approved", None, ""),
    ]
    rows = LabelCorrection.objects.order_by("pk")
    assert list(rows.values_list("state", "reviewed_by", "reviewed_at", "review_comment")) == [
        ("approved", rae.pk, now, ""),
        ("sent back", rae.pk, now, "Why?"),
        ("in review", None, None, ""),
    ]
    with pytest.raises(IntegrityError, match="decided once"), transaction.atomic():
        rows.filter(state="approved").update(state="sent back", review_comment="No.")


def test_a_site_of_an_older_version_is_told_by_which_it_goes(db):
    initial = "judging", INITIAL["judging"]
    for name in (initial, own_migrations()[initial].replaces[-1]):
        MigrationRecorder(connection).record_unapplied(*name)
    with pytest.raises(CommandError, match=r"before commit b39b66b.*update it with that commit"):
        call_command("migrate", verbosity=0, interactive=False)
