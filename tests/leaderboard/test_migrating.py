"""A migration that a full disk stops can be run again."""

from collections.abc import Iterator

import pytest
from django.db import connections, migrations, models
from django.db.migrations import Migration
from django.db.migrations.recorder import MigrationRecorder
from django.db.migrations.state import ProjectState
from django.db.utils import ConnectionHandler

from leaderboard.management.commands.migrate import WholeExecutor


class Example(Migration):
    """With a foreign key and an index, which are what Django puts last."""

    operations = [
        migrations.CreateModel("Kept", [("id", models.AutoField(primary_key=True))]),
        migrations.CreateModel(
            "Row",
            [
                ("id", models.AutoField(primary_key=True)),
                ("kept", models.ForeignKey("example.Kept", models.CASCADE)),
                ("word", models.CharField(max_length=20, db_index=True)),
            ],
        ),
    ]


@pytest.fixture
def a_database_of_its_own(django_db_blocker) -> Iterator[None]:
    """Not the suite's."""
    with django_db_blocker.unblock():
        yield


@pytest.mark.usefixtures("a_database_of_its_own")
def test_a_migration_is_recorded_with_its_tables_or_not_at_all(monkeypatch, tmp_path):
    def full(*args):
        raise OSError("No space left on device")

    sqlite = {"ENGINE": "django.db.backends.sqlite3", "NAME": tmp_path / "new.sqlite3"}
    made = ConnectionHandler({"default": {}, "small": sqlite})["small"]
    monkeypatch.setitem(connections.settings, "small", made.settings_dict)
    connection = connections["small"]
    example, executor = Example("0001_initial", "example"), WholeExecutor(connection)
    with monkeypatch.context() as patched:
        patched.setattr(MigrationRecorder, "record_applied", full)
        with pytest.raises(OSError, match="No space"):
            executor.apply_migration(ProjectState(), example)
    assert "example_row" not in connection.introspection.table_names()
    executor.apply_migration(ProjectState(), example)
    assert set(executor.recorder.applied_migrations()) == {("example", "0001_initial")}
    found = connection.introspection.get_constraints(connection.cursor(), "example_row").values()
    assert any(one["foreign_key"] for one in found)
    assert any(one["index"] and one["columns"] == ["word"] for one in found)
    executor.unapply_migration(ProjectState(), example)
    assert "example_row" not in connection.introspection.table_names()
    connection.close()
    del connections["small"]
