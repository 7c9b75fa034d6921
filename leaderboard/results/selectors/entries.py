"""One entry apart from its board: whose scoresheet a reader may see, and what it was judged by."""

from typing import Any
from uuid import UUID

from django.http import Http404

from benchmarks.submissions.models import Submission
from leaderboard.models import Scoresheet
from leaderboard.results.entries.older_texts import OutdatedTexts, outdated_texts_by_submission
from leaderboard.results.selectors.readings import UP_TO_DATE


def outdated_texts_of(sheet: Scoresheet) -> OutdatedTexts:
    """How many answers of one entry, public or not, were judged by other texts than today's."""
    submission = sheet.submission
    found = outdated_texts_by_submission(
        release=submission.release, spec=sheet.judge_spec, submission=submission.pk
    )
    return found.get(submission.pk, UP_TO_DATE)


def visible_sheet(user: Any, submission_id: UUID, judge: str = "") -> Scoresheet:
    """The scoresheet of a submission the user may see, by the judge of that slug or the first.
    Raises Http404."""
    sheets = (
        Scoresheet.objects.filter(
            submission__in=Submission.objects.visible_to(user), submission=submission_id
        )
        .select_related(
            "run",
            "judge_spec__prompt_set",
            "submission__model",
            "submission__decision",
            "submission__owner__public_name",
            "submission__verification__decided_by__public_name",
            "submission__release__benchmark",
        )
        .prefetch_related("submission__team__public_name", "submission__team__verification")
        .defer("draws", "lengths", "item_scores", "ability_moves")  # megabytes that no entry shows
        .order_by("pk")
    )
    sheet = next((sheet for sheet in sheets if judge in ("", sheet.judge_spec.slug)), None)
    if sheet is None:
        raise Http404("There is no such entry, or it is not judged yet.")
    return sheet
