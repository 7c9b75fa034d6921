"""Two dry runs that one person asks for at one instant."""

from functools import partial

import pytest

from benchmarks.submissions.models import Submission
from judging.models import JudgeRun
from judging.services import DryRunRefusedError, start_dry_run
from tests.conftest import import_words
from tests.judging.drafts import COUNT, draft
from tests.judging.threads import at_once


@pytest.mark.slow
def test_of_two_that_race_for_the_last_place_one_gets_it(committed, settings, django_user_model):
    settings.QUOTA_DRY_RUNS_DAY = 1
    owner = django_user_model.objects.create_user("rosa", "rosa@example.org", "a long password")
    words = import_words(range(1, COUNT + 1))
    drafts = [draft(words, owner, name=name) for name in ("First", "Second")]

    said = []

    def begin(submission: Submission) -> None:
        try:
            start_dry_run(submission=submission)
        except DryRunRefusedError as error:
            said.append(str(error))

    at_once(*(partial(begin, one) for one in drafts))
    assert len(said) == 1
    assert said[0].startswith("You tried one file")
    assert JudgeRun.objects.count() == 1
