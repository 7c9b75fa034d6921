"""A database is copied only for what it was made of (tests/database_template.py)."""

from pathlib import Path

import allauth.account

from benchmarks.common.triggers import KEPT
from tests.database_template import digest, made_of
from tests.site import PROJECT


def test_a_template_is_of_migrations_models_and_all_that_is_called_beside_them():
    paths = set(made_of())
    assert {
        PROJECT / name
        for name in (
            "benchmarks/models.py",
            "benchmarks/common/text_search.py",
            "benchmarks/common/triggers.py",
            "judging/models.py",
            "leaderboard/results/versions/changes.py",
        )
    } < paths
    assert {*PROJECT.glob("judging/migrations/0*.py")} < paths
    assert {*Path(allauth.account.__file__).parent.glob("migrations/0*.py")} < paths


def test_without_one_of_its_triggers_it_is_another(monkeypatch):
    before = digest()
    for label in ("benchmarks", "submissions", "judging", "panel", "leaderboard"):
        monkeypatch.setitem(KEPT, label, KEPT[label][1:])
        assert digest() != before
        monkeypatch.undo()
