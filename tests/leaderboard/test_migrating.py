"""A migration that a full disk stops can be run again."""

import os
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.conf import settings
from django.core.management import call_command
from django.db import connection, migrations, models
from django.db.migrations import Migration
from django.db.migrations.recorder import MigrationRecorder
from django.db.migrations.state import ProjectState

from leaderboard.management.commands.migrate import WholeExecutor
from tests.small_disk import mounted_disk


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


@pytest.mark.django_db(transaction=True)
def test_a_migration_is_recorded_with_its_tables_or_not_at_all(monkeypatch):
    def full(*args):
        raise OSError("No space left on device")

    example, executor = Example("0001_initial", "example"), WholeExecutor(connection)
    with monkeypatch.context() as patched:
        patched.setattr(MigrationRecorder, "record_applied", full)
        with pytest.raises(OSError, match="No space"):
            executor.apply_migration(ProjectState(), example)
    assert "example_row" not in connection.introspection.table_names()
    state = executor.apply_migration(ProjectState(), example)
    try:
        recorded = executor.recorder.migration_qs.filter(app="example")
        assert recorded.count() == 1
        found = connection.introspection.get_constraints(connection.cursor(), "example_row")
        assert any(one["foreign_key"] for one in found.values())
        assert any(one["index"] and one["columns"] == ["word"] for one in found.values())
    finally:
        executor.unapply_migration(ProjectState(), example)
    assert state.models
