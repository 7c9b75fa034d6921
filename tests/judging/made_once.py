"""The owner and the entry of the spelling release as fixtures that are made once for each module:
for a room's conftest.py to import. Tests of real commits have rows of their own."""

import pytest
from django.contrib.auth.models import User

from benchmarks.models import Release
from benchmarks.submissions.models import Submission
from tests.conftest import confirmed, import_spelling, submit


@pytest.fixture(scope="module")
def rosa(module_rows) -> User:
    return confirmed(User.objects.create_user("rosa", "rosa@example.org"))


@pytest.fixture
def owner(rosa, db) -> User:
    return User.objects.get(pk=rosa.pk)


def found(submission: Submission) -> Submission:
    rows = Submission.objects.select_related("release__benchmark", "model", "owner")
    return rows.get(pk=submission.pk)


@pytest.fixture(scope="module")
def module_submission(rosa) -> Submission:
    return submit(import_spelling(), rosa)


@pytest.fixture
def submission(module_submission, db) -> Submission:
    return found(module_submission)


@pytest.fixture
def spelling(submission) -> Release:
    release: Release = submission.release
    return release
