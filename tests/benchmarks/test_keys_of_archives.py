"""A release's archive is made anew of whatever it says of the release."""

import pytest

from benchmarks.models import Release
from benchmarks.releases.files import archive_key

SAID = {
    "checksum": "c1",
    "slug": "spelling-1",
    "title": "Spelling",
    "creator": "Anna",
    "licence": "CC BY 4.0",
    "licence_url": "https://example.org/by",
    "source": "https://example.org/spelling",
    "passes_pictures_on": False,
}


def key(**other) -> str:
    return archive_key(Release(disclosure=Release.Disclosure.OPEN, **{**SAID, **other}))


@pytest.mark.parametrize("name", SAID)
def test_an_archive_that_says_something_else_has_another_key(name):
    assert key() == key()
    assert key(**{name: not SAID[name] if name == "passes_pictures_on" else "another"}) != key()
