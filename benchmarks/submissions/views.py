"""Handing in answers: upload, confirm, and personal tokens."""

import uuid
from collections.abc import Sequence

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.contrib.auth.views import redirect_to_login
from django.http import FileResponse, Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe
from django_htmx.http import HttpResponseClientRedirect

from benchmarks.common.spreadsheets import csv_text
from benchmarks.submissions import services
from benchmarks.submissions.forms import PublicNameForm, SubmitForm, TokenForm
from benchmarks.submissions.intake.drafts import token_of_form
from benchmarks.submissions.intake.incoming import incoming_files
from benchmarks.submissions.intake.problem_groups import grouped
from benchmarks.submissions.intake.refusals import own_refusal, problem_rows
from benchmarks.submissions.models import AccessToken, Submission
from benchmarks.submissions.naming.public_names import NameTakenError, public_name, set_public_name
from benchmarks.submissions.pages import Places, RefusedPage, SubmitPage, TokensPage
from benchmarks.submissions.recognition import ReleaseUnclearError, accept_from_outside
from benchmarks.submissions.selectors import (
    CHANGE,
    model_names,
    own_submission,
    places_of_day,
    places_of_teams,
    release_choices,
    unfinished_files,
)
from benchmarks.submissions.services import SubmissionRefusedError
from benchmarks.submissions.tokens import TooManyTokensError, create_token, revoke_token
from benchmarks.wake import wake

STATUS = {"type": 415, "size": 413, "quota": 429, "busy": 503}


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def submit(request: HttpRequest) -> HttpResponse:
    """What is needed is for everybody to read; the form is for those who are signed in."""
    if not request.user.is_authenticated:
        if request.method == "POST":
            return redirect_to_login(request.get_full_path())
        limit = settings.QUOTA_SUBMISSIONS_DAY
        page = SubmitPage(release_choices(None), (), places=Places(limit, ()) if limit else None)
        return render(request, "submissions/submit.html", {"page": page})
    form = SubmitForm(
        request.POST or None,
        request.FILES or None,
        initial={"client_token": uuid.uuid4()},
        user=request.user,
    )
    if request.method != "POST":
        return submit_page(request, form, 200)
    if form.is_valid():
        try:
            return accepted(request, accept(request, form))
        except ReleaseUnclearError as error:
            form.ask_which([candidate.release for candidate in error.candidates], str(error))
        except SubmissionRefusedError as error:
            return submit_page(request, form, STATUS.get(error.problems[0].code, 422), error)
    return submit_page(request, form, 422)


def accepted(request: HttpRequest, submission: Submission) -> HttpResponse:
    """To the page of the submission. Where a script sent the form it is told so: were it to follow
    a redirection itself, it would take away what that page says once."""
    where = reverse("submission", args=[submission.pk])
    is_script = request.headers.get("HX-Request") == "true"
    return HttpResponseClientRedirect(where) if is_script else redirect(where)


def submit_page(
    request: HttpRequest, form: SubmitForm, status: int, error: SubmissionRefusedError | None = None
) -> HttpResponse:
    problems = error.problems if error else ()
    wait = problems[0].message if error and error.wait_seconds is not None else ""
    user = request.user
    assert user.is_authenticated
    page = SubmitPage(
        release_choices(user),
        model_names(user),
        refused=None if wait or not error else refused_page(error),
        wait=wait,
        places=places_of_day(user),
        places_of_teams=places_of_teams(user),
        incoming=incoming_files(user),
        unfinished=unfinished_files(user),
    )
    response = render(
        request, "submissions/submit.html", {"page": page, "form": form}, status=status
    )
    if error and error.wait_seconds is not None:
        response["Retry-After"] = str(error.wait_seconds)
    return response


def refused_page(error: SubmissionRefusedError) -> RefusedPage:
    return RefusedPage(
        error.problems,
        grouped(error.problems),
        len(error.missing),
        error.kept_id,
        error.recognised,
    )


def accept(request: HttpRequest, form: SubmitForm) -> Submission:
    assert request.user.is_authenticated
    upload, model = form.upload(), form.model()
    release, team = form.cleaned_data["release"], form.cleaned_data.get("team")
    token = token_of_form(
        owner=request.user,
        client_token=form.cleaned_data["client_token"],
        upload=upload,
        model_name=model.name,
        release=release,
        team=team,
    )
    submission = accept_from_outside(
        release=release,
        upload=upload,
        model=model,
        owner=request.user,
        team=team,
        client_token=token,
        confirm=False,
    )
    if submission.client_token != token:
        messages.info(request, "You already submitted this file and have not confirmed it yet.")
    return submission


@login_required
@never_cache
@require_safe
def refused_problems(request: HttpRequest, refused_id: uuid.UUID) -> HttpResponse:
    """Every problem of a refused file of one's own, a line each."""
    assert request.user.is_authenticated
    refusal = own_refusal(request.user, refused_id)
    return csv_download("problems.csv", problem_rows(refusal.problems))


@login_required
@never_cache
@require_safe
def refused_missing(request: HttpRequest, refused_id: uuid.UUID) -> HttpResponse:
    """The questions that a refused file of one's own does not name: a template of just these."""
    assert request.user.is_authenticated
    refusal = own_refusal(request.user, refused_id)
    lines = ([public_id, ""] for public_id in refusal.missing)
    return csv_download("missing.csv", [["id", "prediction"], *lines])


def csv_download(name: str, rows: Sequence[Sequence[object]]) -> HttpResponse:
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return HttpResponse(csv_text(rows), content_type="text/csv; charset=utf-8", headers=headers)


@login_required
@require_POST
def confirm(request: HttpRequest, submission_id: uuid.UUID) -> HttpResponse:
    submission = own_submission(request.user, submission_id, CHANGE)
    visibility = request.POST.get("visibility", "")
    if visibility not in Submission.Visibility.values:
        visibility = Submission.Visibility.PRIVATE
    if services.confirm_submission(submission=submission, visibility=visibility):
        wake()
    return redirect("submission", submission.pk)


@login_required
@never_cache
@require_safe
def download(request: HttpRequest, submission_id: uuid.UUID) -> FileResponse:
    """The file exactly as it was uploaded, always as a download."""
    submission = own_submission(request.user, submission_id)
    if not submission.file:
        raise Http404("The submission was cancelled, and its file is gone.")
    return FileResponse(
        submission.file.open("rb"),
        as_attachment=True,
        filename=submission.file_name,
        content_type="application/octet-stream",
    )


@login_required
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def tokens(request: HttpRequest) -> HttpResponse:
    assert request.user.is_authenticated
    form = TokenForm(request.POST or None)
    new_key = ""
    if request.method == "POST" and form.is_valid():
        try:
            new_key = create_token(owner=request.user, **form.cleaned_data).key
            form = TokenForm()
        except TooManyTokensError as error:
            form.add_error(None, str(error))
    mine = tuple(AccessToken.objects.filter(owner=request.user))
    page = TokensPage(mine, new_key)
    status = 422 if form.errors else 200
    return render(request, "people/tokens.html", {"page": page, "form": form}, status=status)


@login_required
@require_POST
def revoke(request: HttpRequest, token_id: int) -> HttpResponse:
    assert request.user.is_authenticated
    revoke_token(owner=request.user, token_id=token_id)
    return redirect("tokens")


@login_required
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def name(request: HttpRequest) -> HttpResponse:
    assert request.user.is_authenticated
    shown = public_name(request.user)
    named = getattr(request.user, "public_name", None)
    form = PublicNameForm(request.POST or None, initial={"name": named.name if named else ""})
    if request.method == "POST" and form.is_valid():
        try:
            set_public_name(owner=request.user, name=form.cleaned_data["name"])
            return redirect("my-entries")
        except NameTakenError as error:
            form.add_error("name", str(error))
    status = 422 if form.errors else 200
    return render(request, "people/public_name.html", {"shown": shown, "form": form}, status=status)
