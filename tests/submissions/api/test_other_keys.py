"""A second file with a key of its own is new, whatever its sender handed in before."""

import uuid

from benchmarks.submissions.models import Submission
from tests.submissions.api.test_views import send, submitter

__all__ = ["submitter"]


def test_another_key_of_the_same_person_hands_in_anew(spelling, submitter):
    said = [send(submitter, key=uuid.uuid4()).status_code for _ in range(2)]
    assert said == [201, 201]
    assert Submission.objects.count() == 2
