"""What raters of a study see and send: /rate/. A link opens one study in one browser, by a signed
cookie of its own; it signs nobody in. A page of a study that ended, or of a link that opens none,
offers what the browser still keeps as a file."""

import json
from collections.abc import Callable
from datetime import timedelta
from functools import wraps
from typing import Any
from uuid import UUID, uuid4

from allauth.core.internal import ratelimit
from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core import signing
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse, RawPostDataException
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_variables
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from judging.panel.models import Study, StudyRater
from judging.panel.studies.asking import agree, items_given, items_gone, more_items, progress_of
from judging.panel.studies.errors import StudyRefusedError
from judging.panel.studies.raters import (
    holds_entry,
    may_rate,
    note_device,
    rater_of_key,
    withdraw_votes,
)
from judging.panel.studies.voting import Cast, cast_vote, take_back
from leaderboard.web.pages.studies.rating import (
    NO_LINK,
    ended_page,
    late_note,
    rating_page,
    shown_items,
    studies_of,
    why_ended,
)

DEVICE = "device"
COOKIE = "rater"
SALT = "leaderboard.views.rating"  # stays: browsers of raters hold cookies by it
COOKIE_AGE = timedelta(days=90)  # as long as a study's links at most; the study itself ends sooner
WRONG_LINKS = {"rate_join": "20/m/ip"}
"""Of 256 random bits nobody guesses one; a program that tries is not answered for long."""
MOST_VOTES = 50  # of one request: more than a browser fetches ahead
OTHER_RATER = (
    "Another rater's link has been opened in this browser since. Open your own again: nothing "
    "was sent under another name."
)


@login_required
@never_cache
@require_safe
def studies(request: HttpRequest) -> HttpResponse:
    """Those that the account rates."""
    assert request.user.is_authenticated
    return render(request, "rate/studies.html", {"studies": studies_of(request.user)})


@sensitive_variables("key")
@never_cache
@require_safe
def join(request: HttpRequest, key: str) -> HttpResponse:
    """The browser is the rater's afterwards, for this study; the key leaves the address bar."""
    rater = rater_of_key(key)
    if rater is None:
        if not ratelimit.consume(
            request, app="leaderboard", action="rate_join", config=WRONG_LINKS, limit_get=True
        ):
            sentence = "Too many wrong links were opened from here. Wait a minute, then try again."
            return render(request, "429.html", {"sentence": sentence}, status=429)
        return no_link(request)
    response = redirect("rate-study", rater.study_id)
    signed = signing.dumps([rater.pk, rater.digest], salt=SALT)
    keep_cookie(response, COOKIE, signed, rater.study_id)
    return response


def find_rater(request: HttpRequest, study_id: UUID) -> StudyRater | None:
    """By the browser's link, or by the account, also where the study has ended. Raises Http404 for
    whoever has an entry in the study, and where a page is another rater's: a browser in which
    another link was opened since sends none of its votes as theirs."""
    raters = StudyRater.objects.filter(study=study_id).exclude(study__state=Study.State.DRAFT)
    raters = raters.select_related("study__release__benchmark")
    rater = by_link(request, raters)
    if request.user.is_authenticated:
        rater = rater or raters.filter(account=request.user).first()
        if rater and holds_entry(rater.study, request.user):
            raise Http404("You cannot rate your own answers.")
    link = request.headers.get("Rater") or request.POST.get("rater")
    if rater and link and link != str(rater.number):
        raise Http404(OTHER_RATER)
    return rater


def by_link(request: HttpRequest, raters: Any) -> StudyRater | None:
    """A renewed or revoked link has another digest: older cookies open nothing."""
    try:
        pk, digest = signing.loads(request.COOKIES.get(COOKIE, ""), salt=SALT, max_age=COOKIE_AGE)
    except (signing.BadSignature, ValueError, TypeError):
        return None
    found: StudyRater | None = raters.filter(pk=pk, digest=digest).exclude(digest="").first()
    return found


def no_link(request: HttpRequest, study_id: UUID | None = None) -> HttpResponse:
    """The same for everybody: it tells nobody which studies there are."""
    context = {"page": ended_page(None), "kept": study_id or ""}
    return render(request, "rate/ended.html", context, status=404)


def for_raters(view: Callable[[HttpRequest, StudyRater], HttpResponse]) -> Any:
    """The view with whoever rates in the study, while votes are taken; afterwards a script is told
    so, and a form is led to the page that says it."""

    @wraps(view)
    def guarded(request: HttpRequest, study_id: UUID) -> HttpResponse:
        rater = find_rater(request, study_id)
        if rater is None:
            raise Http404(NO_LINK)
        if may_rate(rater, timezone.now()):
            return view(request, rater)
        if "text/html" in request.headers.get("Accept", ""):
            return redirect("rate-study", study_id)
        return JsonResponse({"detail": why_ended(rater)}, status=410)

    return guarded


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def study(request: HttpRequest, study_id: UUID) -> HttpResponse:
    """The item that is next. A POST is a vote on it, or asks for items; without a script this is
    the whole of rating."""
    rater = find_rater(request, study_id)
    if rater is None:
        return no_link(request, study_id)
    if not may_rate(rater, timezone.now()):
        return render(request, "rate/ended.html", {"page": ended_page(rater), "kept": study_id})
    if request.method == "POST":
        try:
            answer_form(request, rater)
        except StudyRefusedError as error:
            messages.error(request, str(error))
        return redirect("rate-study", study_id)
    page = rating_page(rater, items_given(rater))
    response = render(request, "rate/study.html", {"page": page, "key": uuid4()})
    return on_device(request, rater, response) if page["item"] else response


@never_cache
@require_safe
@for_raters
def instructions(request: HttpRequest, rater: StudyRater) -> HttpResponse:
    """What was read before the first item, and the keys of the items at hand."""
    page = rating_page(rater, items_given(rater))
    return render(request, "rate/about.html", {"page": page})


def on_device(request: HttpRequest, rater: StudyRater, response: HttpResponse) -> HttpResponse:
    """Items leave for this browser, which is known by a key of its own from then on."""
    try:
        key = UUID(request.COOKIES.get(DEVICE, ""))
    except ValueError:
        key = uuid4()
    note_device(rater, key, timezone.now())
    keep_cookie(response, DEVICE, str(key), rater.study_id)
    return response


def keep_cookie(response: HttpResponse, name: str, value: str, study_id: UUID) -> None:
    response.set_cookie(
        name,
        value,
        max_age=int(COOKIE_AGE.total_seconds()),
        path=reverse("rate-study", args=[study_id]),
        secure=settings.HTTPS,
        httponly=True,
        samesite="Lax",
    )


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def withdraw(request: HttpRequest, study_id: UUID) -> HttpResponse:
    """Asks, and takes all votes of the rater back; also of a study that ended."""
    rater = find_rater(request, study_id)
    if rater is None:
        return no_link(request, study_id)
    if request.method == "POST" and not rater.withdrew:
        try:
            withdraw_votes(rater=rater)
        except StudyRefusedError as error:
            messages.error(request, str(error))
        return redirect("rate-study", study_id)
    return render(request, "rate/withdraw.html", {"page": ended_page(rater)})


def answer_form(request: HttpRequest, rater: StudyRater) -> None:
    """Raises StudyRefusedError."""
    if "item" in request.POST:
        prefix = "value-"
        values = {
            name.removeprefix(prefix): value
            for name, value in request.POST.items()
            if name.startswith(prefix)
        }
        sent = {"item": request.POST["item"], "key": request.POST.get("key"), "values": values}
        if stored(rater, sent).is_late:
            messages.info(request, "You already voted on that item; your first vote stays.")
    now = timezone.now()
    if "consent" in request.POST:
        agree(rater, request.POST["consent"], now)
    more_items(rater, now)


def stored(rater: StudyRater, sent: Any) -> Cast:
    """Raises StudyRefusedError for what is no vote."""
    try:
        item, key = int(sent["item"]), UUID(str(sent["key"]))
        values = {str(slug): whole(value) for slug, value in sent["values"].items()}
        took = sent.get("milliseconds")
        milliseconds = None if took is None else int(took)
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
        raise StudyRefusedError("This is not a vote.") from error
    if not 0 < item < 2**63:
        raise StudyRefusedError("This item was never given to you.")
    return cast_vote(
        rater=rater,
        item=item,
        values=values,
        key=key,
        milliseconds=milliseconds,
        is_as_shown=True,
    )


def whole(value: Any) -> int:
    """Of a form a text, of a script a number. Raises ValueError: a half is no answer, and would be
    stored as another one."""
    if isinstance(value, float | bool):
        raise ValueError(value)
    return int(value)


@never_cache
@require_POST
@for_raters
def votes(request: HttpRequest, rater: StudyRater) -> HttpResponse:
    """What a browser kept for the time without network, in the order in which it was done. Each
    vote, or taking back of one, is answered by itself, by its key: "stored", "late" (the item had
    another vote of this rater) or "refused" with a reason. `gone`: what the browser may have and
    need not ask."""
    sent = sent_votes(request)
    if sent is None:
        return JsonResponse({"detail": "Send a list of votes."}, status=400)
    results = []
    for vote in sent:
        key = str(vote.get("key", ""))[:36] if isinstance(vote, dict) else ""
        try:
            state = "late" if done_for(rater, vote) else "stored"
            results.append({"key": key, "state": state})
        except StudyRefusedError as error:
            results.append({"key": key, "state": "refused", "reason": str(error)})
    done, total = progress_of(rater)
    gone = items_gone(rater)
    note = late_note(rater.study, timezone.now())
    return JsonResponse(
        {"results": results, "done": done, "total": total, "gone": gone, "note": note}
    )


def done_for(rater: StudyRater, sent: Any) -> bool:
    """Whether it came too late. Raises StudyRefusedError."""
    if not isinstance(sent, dict) or "takes_back" not in sent:
        return stored(rater, sent).is_late
    try:
        key = UUID(str(sent["takes_back"]))
    except ValueError as error:
        raise StudyRefusedError("This is not a vote.") from error
    take_back(rater=rater, key=key)
    return False


def sent_votes(request: HttpRequest) -> list[Any] | None:
    """None of what is no list of a few votes; a form was read as one already."""
    try:
        sent = json.loads(request.body)["votes"]
    except (RawPostDataException, ValueError, KeyError, TypeError, RecursionError):
        return None
    return sent if isinstance(sent, list) and 0 < len(sent) <= MOST_VOTES else None


@never_cache
@require_POST
@for_raters
def items(request: HttpRequest, rater: StudyRater) -> HttpResponse:
    """The items that are next, some given out anew where few were left."""
    now = timezone.now()
    try:
        found = more_items(rater, now)
    except StudyRefusedError as error:
        return JsonResponse({"detail": str(error)}, status=409)
    rater.refresh_from_db(fields=["total"])
    done, total = progress_of(rater)
    note = late_note(rater.study, now)
    sent = {"items": shown_items(found), "done": done, "total": total, "note": note}
    response = JsonResponse(sent)
    return on_device(request, rater, response) if found else response


@never_cache
@require_POST
@for_raters
def undo(request: HttpRequest, rater: StudyRater) -> HttpResponse:
    """The last vote is taken back, and its item is next; without a script the page shows it."""
    is_script = request.headers.get("Accept", "").startswith("application/json")
    try:
        item = take_back(rater=rater)
    except StudyRefusedError as error:
        if is_script:
            return JsonResponse({"detail": str(error)}, status=409)
        messages.error(request, str(error))
        return redirect("rate-study", rater.study_id)
    if not is_script:
        return redirect("rate-study", rater.study_id)
    shown = shown_items(items_given(rater))
    done, total = progress_of(rater)
    return JsonResponse({"undone": item, "items": shown, "done": done, "total": total})
