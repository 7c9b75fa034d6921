"""Files that no row names: found again, whatever took them in; and none that is named is ever taken
for one."""

from datetime import timedelta

import pytest
from django.core.files.storage import storages
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from benchmarks.submissions.files.loose import (
    GRACE,
    claim,
    delete_orphaned_files,
    let_go,
    store_loose,
)
from benchmarks.submissions.models import LooseFile
from benchmarks.submissions.services import (
    withdraw_submission,
)
from judging.panel.models import RatingFile
from tests.conftest import submit
from tests.judging.panel.files import imported, ratings

LONG_AGO = timezone.now() - 2 * GRACE


def stored() -> set[str]:
    storage = storages["uploads"]
    return set(storage.listdir("")[1]) if storage.exists("") else set()


def left_lying() -> None:
    LooseFile.objects.update(since=LONG_AGO)


def test_what_is_taken_in_is_loose_no_more(submission):
    file = imported(ratings(submission, "1,ann,neatness,4")).file
    assert not LooseFile.objects.exists()
    left_lying()
    assert delete_orphaned_files(older_than=timedelta(0)) == 0
    assert {submission.file.name, RatingFile.objects.get(pk=file.pk).file.name} <= stored()


def test_what_a_killed_process_left_is_found_and_nothing_else(submission):
    """It cannot be named any more; nothing is asked of what is stored."""
    name = store_loose("half", b"1=t")
    with CaptureQueriesContext(connection) as captured:
        assert delete_orphaned_files() == 0
    (query,) = captured.captured_queries
    assert "submissions_submission" not in query["sql"]
    left_lying()
    assert delete_orphaned_files() == 1
    assert name not in stored()
    assert submission.file.name in stored()
    assert not LooseFile.objects.exists()
    with pytest.raises(FileNotFoundError), transaction.atomic():
        claim(name)


def test_a_note_is_kept_where_naming_fails_and_a_taken_name_is_given_another(db):
    first, second = store_loose("twice", b"1"), store_loose("twice", b"2")
    assert first != second
    with transaction.atomic():
        claim(first)
        let_go("kept")
        transaction.set_rollback(True)
    assert set(LooseFile.objects.values_list("name", flat=True)) == {first, second}


def test_a_cancelled_file_is_noted_until_it_is_gone(
    spelling, owner, django_capture_on_commit_callbacks
):
    submission = submit(spelling, owner, confirm=False)
    name = submission.file.name
    with django_capture_on_commit_callbacks(execute=False) as callbacks:
        withdraw_submission(submission=submission)
    assert LooseFile.objects.get().name == name  # a process that dies here has told
    for callback in callbacks:
        callback()
    assert name not in stored()
    assert not LooseFile.objects.exists()
