"""What stands by older texts, and judging exactly what a person ticks again: asked first, with how
many judgements and for how much."""

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.urls import URLPattern, reverse
from django.views.decorators.http import require_safe

from benchmarks.admin import PageAdmin, user_of
from benchmarks.models import Release
from benchmarks.staff_models import REASON_LENGTH
from benchmarks.wake import wake
from judging.desk.stale.page import ROWS, stale_page
from judging.desk.stale.staleness import (
    MOST_AT_ONCE,
    Chosen,
    may_rejudge,
    rejudge_stale,
    stale_radius,
)

LIST = "admin:judging_stalejudgement_changelist"
MOST_TICKED = 2 * ROWS  # the page has no more boxes


class StaleAdmin(PageAdmin):
    """Who may have judged again enters, and nobody else."""

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_module_permission(self, request: HttpRequest) -> bool:
        return may_rejudge(request.user)

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return may_rejudge(request.user)

    def get_urls(self) -> list[URLPattern]:
        return [
            self.page("", require_safe(self.list_view), "changelist"),
            self.step("<slug:slug>/judge-again/", self.ask_view, "ask"),
        ]

    def list_view(self, request: HttpRequest) -> HttpResponse:
        self.require(may_rejudge(request.user))
        page = stale_page(slug=request.GET.get("release", ""), user=user_of(request))
        return self.render(request, "list", "Judged by older texts", page=page)

    def ask_view(self, request: HttpRequest, slug: str) -> HttpResponse:
        """The first time it is asked, with the price; the second time, where as much is found as
        was said, it is done."""
        self.require(may_rejudge(request.user))
        release = get_object_or_404(Release, slug=slug, state=Release.State.OPEN)
        ticked = request.POST.getlist("what")[:MOST_TICKED]
        chosen = chosen_from(ticked)
        if chosen is None:
            messages.error(request, "Nothing is judged again: tick a figure or an entry first.")
            return redirect(f"{reverse(LIST)}?release={slug}")
        radius = stale_radius(release=release, chosen=chosen)
        found = str(radius.judgements + radius.unknown)
        is_asked, reason = "found" in request.POST, reason_in(request)
        if request.POST.get("found") != found or not reason:
            return self.render(
                request,
                "ask",
                "Judge again?",
                release=release,
                radius=radius,
                chosen=chosen,
                ticked=ticked,
                found=found,
                most=MOST_AT_ONCE,
                is_other=is_asked and request.POST["found"] != found,
                lacks_reason=is_asked and not reason,
                reason=reason,
                longest=REASON_LENGTH,
            )
        done = rejudge_stale(release=release, chosen=chosen)
        wake()
        message = (
            f"{plural(done.waiting)} for the judge again; {done.decided:,} needed no call. "
            f"Estimated: at most {radius.calls:,} calls, {radius.price}."
        )
        done_to = f"Judged again ({words_of(chosen)}): {message}"
        self.log_change(request, release, done_to, reason=reason)
        messages.success(request, message)
        return redirect(f"{reverse(LIST)}?release={slug}")


def reason_in(request: HttpRequest) -> str:
    """Why it is judged again, in one line."""
    return " ".join(request.POST.get("reason", "").replace("\0", "").split())[:REASON_LENGTH]


def plural(count: int) -> str:
    return "1 judgement waits" if count == 1 else f"{count:,} judgements wait"


def chosen_from(ticked: Sequence[str]) -> Chosen | None:
    """What the boxes say; None where none of them says anything. "all" is all of the release."""
    figures: list[int] = []
    questions: list[int] = []
    entries: list[UUID] = []
    for value in ticked:
        kind, _, key = value.partition("-")
        if kind in ("figure", "question") and key.isascii() and key.isdigit() and len(key) < 19:
            (figures if kind == "figure" else questions).append(int(key))
        elif kind == "entry" and (entry := uuid_of(key)):
            entries.append(entry)
    if not (figures or questions or entries):
        return Chosen() if "all" in ticked else None
    return Chosen(tuple(figures), tuple(questions), tuple(entries))


def uuid_of(text: str) -> UUID | None:
    try:
        return UUID(text) if len(text) == 36 else None
    except ValueError:
        return None


def words_of(chosen: Chosen) -> str:
    counts = (
        (len(chosen.figures), "figure", "figures"),
        (len(chosen.questions), "question", "questions"),
        (len(chosen.entries), "entry", "entries"),
    )
    parts = [f"{count:,} {one if count == 1 else many}" for count, one, many in counts if count]
    return " and ".join(parts) or "all of the release"
