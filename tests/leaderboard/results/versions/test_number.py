"""The number of a release stands in three places."""

import tomllib

from leaderboard.project.environment import VERSION
from tests.site import PROJECT


def test_code_and_package_have_one_number():
    package = tomllib.loads((PROJECT / "pyproject.toml").read_text())["project"]
    assert package["version"] == VERSION


def test_the_changelog_begins_with_it_or_with_what_will_have_it():
    first, *_ = (
        line.removeprefix("## ")
        for line in (PROJECT / "CHANGELOG.md").read_text().splitlines()
        if line.startswith("## ")
    )
    assert first == "Unreleased" or first.startswith(f"{VERSION} (")
