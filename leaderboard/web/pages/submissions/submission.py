"""A submission's own page: how far its judging is, and what its owner can do."""

from typing import Any
from uuid import UUID

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from benchmarks.kept_documents import from_mapping
from benchmarks.protocols.base import Note
from benchmarks.submissions.models import Submission
from benchmarks.submissions.naming.public_names import team_name
from benchmarks.submissions.recognition import RECOGNISED
from benchmarks.submissions.selectors import own_submission
from judging.selectors import planned_calls, runs_ahead
from leaderboard.results.selectors.progress import watched
from leaderboard.web.pages.submissions.cost import estimate_card
from leaderboard.web.pages.submissions.dry_run import dry_run_panel
from leaderboard.web.pages.submissions.progress import progress_page


@login_required
@never_cache
@require_safe
def submission(request: HttpRequest, submission_id: UUID) -> HttpResponse:
    page = submission_page(own_submission(request.user, submission_id), request.user)
    return render(request, "submissions/submission.html", {"page": page})


def submission_page(submission: Submission, user: Any) -> dict[str, Any]:
    """`newer`: the version that takes its place; `detected`: for which release the file was read,
    where its ids said so, which is no remark (`notes`) on it. While the submission is to be
    confirmed `estimate` is what the default judge will take, `dry_run` what it said of a few
    answers, and `ahead` counts other runs in the queue."""
    found = watched(user, submission.pk)
    progress, is_owner = progress_page(found), found.is_held
    is_draft = progress["state"] == "to confirm"
    notes = [from_mapping(Note, note) for note in submission.reading_notes]
    return {
        "submission": submission,
        "progress": progress,
        "newer": submission.replaced_by_id or newer_version(submission),
        "detected": next((note.message for note in notes if note.code == RECOGNISED), ""),
        "notes": [note for note in notes if note.code != RECOGNISED],
        "calls_planned": planned_calls(submission) if is_draft else 0,
        "estimate": estimate_card(submission) if is_draft else None,
        "dry_run": dry_run_panel(submission, is_owner=is_owner) if is_draft else None,
        "ahead": runs_ahead() if is_draft else 0,
        "is_owner": is_owner,
        "team": team_name(submission.team) if submission.team else "",
    }


def newer_version(submission: Submission) -> UUID | None:
    """One that is under way to take its place."""
    newer = Submission.objects.not_withdrawn().filter(replaces=submission.pk)
    return newer.values_list("pk", flat=True).first()
