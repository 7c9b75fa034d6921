"""A database is copied only for what it was made of (tests/database_template.py)."""

from pathlib import Path

import allauth.account

from tests.database_template import made_of
from tests.site import PROJECT


def test_a_template_is_of_migrations_models_and_all_that_is_called_beside_them():
    paths = set(made_of())
    assert {
        PROJECT / name
        for name in (
            "benchmarks/models.py",
            "benchmarks/immutability.py",
            "benchmarks/text_search.py",
            "judging/models.py",
            "judging/panel/immutability.py",
            "leaderboard/chain/triggers.py",
            "leaderboard/snapshots/triggers.py",
            "leaderboard/versions/changes.py",
        )
    } < paths
    assert {*PROJECT.glob("judging/migrations/0*.py")} < paths
    assert {*Path(allauth.account.__file__).parent.glob("migrations/0*.py")} < paths
