"""What these tests look at is made once for each module: the entry of the spelling release, and
those of studies."""

import pytest
from django.contrib.auth.models import User
from django.test import Client

from benchmarks.submissions.models import Submission
from tests.judging.made_once import (
    found,
    module_submission,
    owner,
    rosa,
    spelling,
    submission,
)
from tests.judging.panel.study_world import spelled, words

__all__ = ["module_submission", "owner", "rosa", "spelling", "submission"]  # for pytest to find


@pytest.fixture(scope="module")
def module_entry(rosa) -> Submission:
    return spelled(words(6), rosa)


@pytest.fixture
def entry(module_entry, db) -> Submission:
    """Of a release of six questions."""
    return found(module_entry)


@pytest.fixture(scope="module")
def module_other(module_entry, rosa) -> Submission:
    return spelled(module_entry.release, rosa, "Other")


@pytest.fixture
def other(module_other, db) -> Submission:
    """Of the same release as `entry`."""
    return found(module_other)


@pytest.fixture(scope="module")
def module_long_entry(rosa) -> Submission:
    return spelled(words(60, slug="sixty"), rosa, "Long")


@pytest.fixture
def long_entry(module_long_entry, db) -> Submission:
    """Of a release of sixty questions."""
    return found(module_long_entry)


@pytest.fixture
def staff(db) -> Client:
    client = Client()
    client.force_login(User.objects.create_superuser("ada", "ada@example.org"))
    return client
