"""Trying a file on a few questions before it is confirmed."""

from uuid import UUID

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from benchmarks.submissions.models import Submission
from benchmarks.submissions.selectors import is_held_by, own_submission
from benchmarks.wake import wake
from judging.services import DryRunRefusedError, start_dry_run
from leaderboard.web.pages.submissions.dry_run import dry_run_panel


@login_required
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def dry_run(request: HttpRequest, submission_id: UUID) -> HttpResponse:
    """The part of a submission's page that tells of it; a POST starts it, as only the owner, or
    a member of the team, may wish: it may cost."""
    if request.method == "POST":
        return start(request, submission_id)
    submission = own_submission(request.user, submission_id)
    waits = submission.confirmed is None and submission.withdrawn is None
    is_owner = is_held_by(request.user, submission)
    panel = dry_run_panel(submission, is_owner=is_owner) if waits else None
    response = render(request, "submissions/dry_run.html", {"panel": panel})
    if panel is None or not panel["is_moving"]:
        response["HX-Refresh"] = "true"
    return response


def start(request: HttpRequest, submission_id: UUID) -> HttpResponse:
    assert request.user.is_authenticated
    mine = Submission.objects.held_by(request.user)
    submission = get_object_or_404(mine.select_related("release__benchmark"), pk=submission_id)
    try:
        start_dry_run(submission=submission)
    except DryRunRefusedError as error:
        messages.warning(request, str(error))
    else:
        wake()
    return redirect("submission", submission_id)
