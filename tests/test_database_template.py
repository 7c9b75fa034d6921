"""A database is copied only for what it was made of (tests/database_template.py)."""

from tests.database_template import made_of
from tests.site import PROJECT


def test_a_template_is_of_migrations_models_and_all_that_is_called_beside_them():
    names = {str(path.relative_to(PROJECT)) for path in made_of()}
    assert {
        "benchmarks/models.py",
        "benchmarks/immutability.py",
        "benchmarks/text_search.py",
        "judging/models.py",
        "judging/panel/immutability.py",
        "leaderboard/chain/triggers.py",
        "leaderboard/snapshots/triggers.py",
        "leaderboard/versions/changes.py",
    } < names
    assert {str(p.relative_to(PROJECT)) for p in PROJECT.glob("judging/migrations/0*.py")} < names
