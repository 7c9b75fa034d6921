"""What the owner of an entry does with it. A GET tells what follows, a POST does it."""

import uuid
from typing import Any

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods
from django_htmx.http import HttpResponseClientRedirect

from benchmarks.protocols.base import Problem, Upload
from benchmarks.submissions.intake.drafts import token_of_form
from benchmarks.submissions.intake.problem_groups import grouped
from benchmarks.submissions.models import EvaluatedModel, Submission
from benchmarks.submissions.pages import RefusedPage
from benchmarks.submissions.recognition import accept_from_outside
from benchmarks.submissions.selectors import CHANGE, own_submission
from benchmarks.submissions.services import (
    SubmissionRefusedError,
    set_visibility,
    withdraw_submission,
)
from benchmarks.wake import wake
from judging.models import JudgeRun
from judging.services import retry_failed
from leaderboard.results.disclosure import require_verdicts
from leaderboard.web.pages.entries.actions import (
    ASKED,
    ReplacementForm,
    WithdrawalForm,
    replace_page,
    retry_page,
    withdrawal_page,
)

METHODS = ["GET", "HEAD", "POST"]
STATUS = {"type": 415, "size": 413, "quota": 429, "busy": 503}
NOT_CHANGED = "Nothing changed: the submission is withdrawn or not confirmed."


def confirm_page(
    request: HttpRequest, page: dict[str, Any], form: WithdrawalForm | None = None
) -> HttpResponse:
    status = 422 if form is not None and form.errors else 200
    return render(request, "entries/action.html", {"page": page, "form": form}, status=status)


@login_required
@never_cache
@require_http_methods(METHODS)
def visibility(request: HttpRequest, submission_id: uuid.UUID) -> HttpResponse:
    submission = own_submission(request.user, submission_id, CHANGE)
    chosen = request.POST if request.method == "POST" else request.GET
    wanted = chosen.get("visibility", "")
    if wanted not in ASKED or submission.withdrawn or not submission.confirmed:
        messages.warning(request, NOT_CHANGED)
    elif request.method != "POST":
        return confirm_page(request, ASKED[wanted](submission))
    elif set_visibility(submission=submission, visibility=wanted):
        wake()
    else:
        messages.warning(request, NOT_CHANGED)
    return redirect("submission", submission.pk)


@login_required
@never_cache
@require_http_methods(METHODS)
def withdraw(request: HttpRequest, submission_id: uuid.UUID) -> HttpResponse:
    submission = own_submission(request.user, submission_id, CHANGE)
    if submission.withdrawn:
        return redirect("submission", submission.pk)
    form = WithdrawalForm(request.POST if request.method == "POST" else None)
    if not form.is_valid():
        return confirm_page(request, withdrawal_page(submission), form)
    if withdraw_submission(submission=submission, reason=form.cleaned_data["reason"]):
        wake()
    return redirect("submission", submission.pk)


@login_required
@never_cache
@require_http_methods(METHODS)
def retry(request: HttpRequest, submission_id: uuid.UUID) -> HttpResponse:
    """What a judge ended without a verdict is asked again, as only the owner, or a member of the
    team, may wish: it may cost."""
    assert request.user.is_authenticated
    submission = get_object_or_404(own_ones(request.user), pk=submission_id)
    require_verdicts(submission.release)
    if request.method != "POST":
        page = retry_page(submission, request.GET.get("judge", ""))
        if page is None:
            messages.info(request, "None of its judgements ended without a verdict.")
            return redirect("submission", submission.pk)
        return confirm_page(request, page)
    run = get_object_or_404(
        JudgeRun.objects.not_withdrawn().filter(submission=submission),
        judge_spec__slug=request.POST.get("judge", ""),
    )
    if retry_failed(run=run, by=request.user):
        wake()
    return redirect("submission", submission_id)


@login_required
@never_cache
@require_http_methods(METHODS)
def replace(request: HttpRequest, submission_id: uuid.UUID) -> HttpResponse:
    """A new version is handed in, by the owner or a member of the team: in their name, and from
    their places."""
    assert request.user.is_authenticated
    old = get_object_or_404(own_ones(request.user), pk=submission_id)
    if old.withdrawn or not old.confirmed:
        messages.warning(
            request, "Only confirmed submissions that are not withdrawn can be replaced."
        )
        return redirect("submission", old.pk)
    form = ReplacementForm(
        request.POST or None, request.FILES or None, initial={"client_token": uuid.uuid4()}
    )
    if request.method != "POST" or not form.is_valid():
        return replacing(request, old, form, 422 if form.errors else 200)
    try:
        return accepted(request, new_version(request.user, old, form))
    except SubmissionRefusedError as error:
        return refused(request, old, form, error)


def accepted(request: HttpRequest, submission: Submission) -> HttpResponse:
    """To the page of the new version; a script that sent the form is told where that is."""
    if request.headers.get("HX-Request") == "true":
        return HttpResponseClientRedirect(reverse("submission", args=[submission.pk]))
    return redirect("submission", submission.pk)


def own_ones(user: Any) -> Any:
    """The user's and their teams'."""
    mine = Submission.objects.held_by(user)
    return mine.select_related("model", "release__benchmark", "team__public_name")


def new_version(user: User, old: Submission, form: ReplacementForm) -> Submission:
    """It waits to be confirmed. Raises SubmissionRefusedError."""
    file = form.cleaned_data["file"]
    if (file.size or 0) > settings.UPLOAD_LIMIT_BYTES:
        megabytes = settings.UPLOAD_LIMIT_BYTES // 1024 // 1024
        message = f"The file has {file.size:,} bytes; at most {megabytes} MiB are accepted."
        raise SubmissionRefusedError([Problem("size", message)])
    upload = Upload(file.name, file.read())
    token = token_of_form(
        owner=user,
        client_token=form.cleaned_data["client_token"],
        upload=upload,
        model_name=old.model.name,
        release=old.release,
        team=old.team,
        replaces=old,
    )
    return accept_from_outside(
        release=old.release,
        upload=upload,
        model=EvaluatedModel(name=old.model.name),
        owner=user,
        team=old.team,
        client_token=token,
        confirm=False,
        replaces=old,
    )


def refused(
    request: HttpRequest, old: Submission, form: ReplacementForm, error: SubmissionRefusedError
) -> HttpResponse:
    problems, status = error.problems, STATUS.get(error.problems[0].code, 422)
    if error.wait_seconds is not None:
        response = replacing(request, old, form, status, wait=problems[0].message)
        response["Retry-After"] = str(error.wait_seconds)
        return response
    page = RefusedPage(problems, grouped(problems), len(error.missing), error.kept_id)
    return replacing(request, old, form, status, refused=page)


def replacing(
    request: HttpRequest, old: Submission, form: ReplacementForm, status: int, **more: Any
) -> HttpResponse:
    page = replace_page(old, request.user, **more)
    return render(request, "entries/replace.html", {"page": page, "form": form}, status=status)
