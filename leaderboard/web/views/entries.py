"""A submission on the boards, and what its owner sees of it."""

from uuid import UUID

from django.contrib import messages
from django.contrib.auth import logout
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import (
    require_http_methods,
    require_safe,
)

from benchmarks.submissions.selectors import is_held_by, own_submission
from leaderboard.people.accounts import services as accounts
from leaderboard.results.selectors import visible_sheet
from leaderboard.web.board.asked import Asked
from leaderboard.web.pages.entries.entry import entry_page
from leaderboard.web.pages.entries.questions import QuestionFilter
from leaderboard.web.pages.entries.tombstone import tombstone_page
from leaderboard.web.pages.people.account import DeletionForm, deletion_page
from leaderboard.web.pages.submissions.my_entries import my_entries_page
from leaderboard.web.pages.submissions.submission import submission_page


@require_safe
def entry(request: HttpRequest, submission_id: UUID) -> HttpResponse:
    """410 with what is left of one that was public and is withdrawn, for its owner too."""
    try:
        sheet = visible_sheet(request.user, submission_id, request.GET.get("judge", ""))
    except Http404:
        if stone := tombstone_page(submission_id, request.user):
            return render(request, "entries/tombstone.html", {"page": stone}, status=410)
        raise
    if sheet.submission.withdrawn and (stone := tombstone_page(submission_id, request.user)):
        return render(request, "entries/tombstone.html", {"page": stone}, status=410)
    chosen = QuestionFilter(
        asked=Asked(request.GET),
        subtask=request.GET.get("subtask", ""),
        outcome=request.GET.get("outcome", ""),
        is_asked=any(name in request.GET for name in ("page", "subtask", "outcome")),
    )
    page = entry_page(sheet, chosen, is_owner=is_held_by(request.user, sheet.submission))
    return render(request, "entries/entry.html", {"page": page})


@login_required
@never_cache
@require_safe
def submission(request: HttpRequest, submission_id: UUID) -> HttpResponse:
    page = submission_page(own_submission(request.user, submission_id), request.user)
    return render(request, "submissions/submission.html", {"page": page})


@login_required
@never_cache
@require_safe
def my_entries(request: HttpRequest) -> HttpResponse:
    page = my_entries_page(request.user, request.GET)
    return render(request, "submissions/mine.html", {"page": page})


@login_required
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def delete_account(request: HttpRequest) -> HttpResponse:
    assert request.user.is_authenticated
    form = DeletionForm(request.POST or None, user=request.user)
    if form.is_valid():
        try:
            accounts.delete_account(user=request.user)
        except accounts.LastAdminError as error:
            form.add_error(None, str(error))
        else:
            logout(request)
            messages.success(request, "Your account is deleted.")
            return redirect("home")
    page = deletion_page(request.user)
    status = 422 if form.errors else 200
    return render(
        request, "people/account_delete.html", {"page": page, "form": form}, status=status
    )
