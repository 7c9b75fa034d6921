"""What the owner of an entry does with it. A GET tells what follows, and whether it can be undone;
a POST does it.

`url_name` is of the address that is asked and posted to, and `value` what of it, as `field`;
`follows` is what the step brings about, a sentence each."""

import uuid
from collections.abc import Callable
from typing import Any

from django import forms
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
from benchmarks.submissions.intake.quota import no_place
from benchmarks.submissions.models import REASON_LENGTH, EvaluatedModel, Submission
from benchmarks.submissions.naming.names import is_unseen
from benchmarks.submissions.naming.public_names import handed_in_by
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
from leaderboard.web.pages.entries.retry_offer import RetryOffer, retry_offer
from leaderboard.web.pages.submissions.submission import newer_version


class WithdrawalForm(forms.Form):
    reason = forms.CharField(
        required=False,
        max_length=REASON_LENGTH,
        widget=forms.Textarea(attrs={"rows": 3}),
        label="Why",
        help_text="A sentence for those who cited it",
    )

    def clean_reason(self) -> str:
        """In one line, of characters that are seen."""
        reason = " ".join(str(self.cleaned_data["reason"]).split())
        if unseen := next((c for c in reason if is_unseen(c)), ""):
            raise forms.ValidationError(
                f"A reason may not hold characters that nobody sees: U+{ord(unseen):04X}.",
                code="unseen",
            )
        return reason


class ReplacementForm(forms.Form):
    file = forms.FileField(allow_empty_file=True, max_length=10_000, label="The new file")
    client_token = forms.UUIDField(widget=forms.HiddenInput)


def publish_page(submission: Submission) -> dict[str, Any]:
    name = handed_in_by(submission)
    when = "within a minute" if submission.finished else "as soon as it is judged"
    follows = [
        f"It appears on the board {when}, with every answer and its verdict.",
        f"The board names {name} as the submitter.",
        "You can make it private again or withdraw it; boards cited in the meantime keep its "
        "place, without its name.",
    ]
    if submission.replaces_id and not submission.replacement_settled:
        follows.insert(
            1,
            "It replaces the earlier version, which is then withdrawn permanently.",
        )
    return {
        "submission": submission,
        "title": "Publish",
        "button": "Publish",
        "follows": follows,
        "url_name": "submission-visibility",
        "field": "visibility",
        "value": Submission.Visibility.PUBLIC,
    }


def private_page(submission: Submission) -> dict[str, Any]:
    return {
        "submission": submission,
        "title": "Make private",
        "button": "Make private",
        "follows": (
            "It disappears from the board, its page and every list within a minute; only its "
            "owner can see it.",
            "Cited boards of the past keep its place, without its name and score.",
            "You can publish it again.",
        ),
        "url_name": "submission-visibility",
        "field": "visibility",
        "value": Submission.Visibility.PRIVATE,
    }


def withdrawal_page(submission: Submission) -> dict[str, Any]:
    if not submission.confirmed:
        follows = [
            "The file is deleted. It does not count towards your limit.",
            "This cannot be undone.",
        ]
    else:
        follows = [
            "Removes it from all boards permanently and stops judging. Costs are not refunded.",
            "A line remains in your entries, so that the number of submissions stays correct.",
            "This cannot be undone.",
        ]
    if submission.visibility == Submission.Visibility.PUBLIC:
        follows.insert(
            1, "Its address still shows everyone the model, the date and the reason below."
        )
    if submission.replacement_settled:
        follows.insert(-1, "The version it replaced does not come back.")
    elif newer_version(submission):
        follows.insert(-1, "The new version under way is not affected.")
    return {
        "submission": submission,
        "title": "Withdraw",
        "button": "Withdraw permanently",
        "follows": follows,
        "url_name": "submission-withdraw",
        "is_final": True,
    }


def retry_page(submission: Submission, judge: str) -> dict[str, Any] | None:
    """Of the judge of that slug, or of the first with something to ask again; None where there is
    nothing."""
    runs = JudgeRun.objects.filter(submission=submission).select_related("judge_spec", "submission")
    offers = (retry_offer(run, is_owner=True) for run in runs.order_by("pk"))
    offer = next((one for one in offers if one and judge in ("", one.judge)), None)
    if offer is None:
        return None
    return {
        "submission": submission,
        "title": "Retry what failed",
        "button": "Retry failed judgements",
        "follows": retry_sentences(offer),
        "url_name": "submission-retry",
        "field": "judge",
        "value": offer.judge,
    }


def retry_sentences(offer: RetryOffer) -> tuple[str, ...]:
    judgements = "One judgement" if offer.count == 1 else f"{offer.count:,} judgements"
    return (
        f"{judgements} ended without a verdict: {offer.states}. Only these are judged again.",
        "It is free: rules decide." if offer.is_free else "Each is judged and paid for again.",
        "Existing verdicts stay, and this does not count as a submission.",
    )


def replace_page(submission: Submission, user: Any, **more: Any) -> dict[str, Any]:
    """`no_place`: why no file is welcome now. more: `wait`, why the
    file that was sent was not looked at where nothing is wrong with it, or `refused`."""
    refusal = no_place(user, submission.release_id, team=submission.team)
    is_public = submission.visibility == Submission.Visibility.PUBLIC
    return {
        "submission": submission,
        "follows": (
            "The new file is a submission of its own: it counts towards your daily limit and is "
            "read, confirmed and judged like any other.",
            "Until it is judged and public, this version stays as it is"
            + (", on the board too." if is_public else "."),
            "Then the new one replaces it, and this version is withdrawn permanently. The two "
            "link to each other, and the history of the board records it.",
        ),
        "no_place": refusal.sentence if refusal else "",
        **more,
    }


ASKED: dict[str, Callable[[Submission], dict[str, Any]]] = {
    Submission.Visibility.PUBLIC: publish_page,
    Submission.Visibility.PRIVATE: private_page,
}
"""By the visibility that is asked for."""

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
