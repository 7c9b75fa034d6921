"""Several versions approved at once: each is shown with its text and what approving it does, and
one comment goes with all of them. One that cannot be approved keeps none of the others back."""

from dataclasses import dataclass

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import URLPattern, reverse

from benchmarks.admin import PageAdmin, user_of
from benchmarks.models import Description
from benchmarks.services.descriptions import DescriptionError, approve
from judging.desk.description_review import (
    LIST_PAGE,
    LONGEST_COMMENT,
    PERMISSION,
    comment_in,
    figure_path,
    name_of,
)
from judging.desk.description_review_page import ReviewPage, version_review_page
from judging.desk.queue import read_queue
from judging.desk.queue_page import places_chosen, whole

AT_ONCE = 20  # texts that somebody reads before they press one button for all of them


@dataclass(frozen=True, slots=True)
class Line:
    """`refusal`: why it is not approved with the others; empty where it can be."""

    name: str
    page: ReviewPage
    refusal: str


class SeveralReviews(PageAdmin):
    """Its addresses stand among those of the annotators' room, whose admin includes them."""

    def get_urls(self) -> list[URLPattern]:
        return [
            self.step("approve/", self.ask_view, "approve_several"),
            self.step("approve/confirmed/", self.approve_view, "approve_several_confirmed"),
        ]

    def ask_view(self, request: HttpRequest) -> HttpResponse:
        """What was ticked in the list, to be read before it is approved."""
        may_review(request)
        user = user_of(request)
        chosen = places_chosen(
            user=user, query=request.POST, ticked=request.POST.getlist("figures")
        )
        in_review = read_queue(user=user).in_review
        versions = [in_review[place.key].pk for place in chosen if place.key in in_review]
        if not versions:
            messages.error(request, "Nothing is approved: tick figures that are in review first.")
            return redirect(waiting_list())
        return self.show(request, versions)

    def show(self, request: HttpRequest, versions: list[int], *, status: int = 200) -> HttpResponse:
        lines = [line_of(request, one) for one in versions_of(versions[:AT_ONCE])]
        return self.render(
            request,
            "several",
            "Approve several",
            status=status,
            lines=lines,
            count=sum(not line.refusal for line in lines),
            left=max(0, len(versions) - AT_ONCE),
            comment=request.POST.get("comment", ""),
            limit=LONGEST_COMMENT,
            list_url=waiting_list(),
        )

    def approve_view(self, request: HttpRequest) -> HttpResponse:
        may_review(request)
        keys = [key for text in request.POST.getlist("version")[:AT_ONCE] if (key := whole(text))]
        comment = comment_in(request)
        if len(comment) > LONGEST_COMMENT:
            messages.error(request, f"A comment has at most {LONGEST_COMMENT:,} characters.")
            return self.show(request, keys, status=422)
        done, refused = 0, []
        for description in versions_of(keys):
            try:
                approve(description=description, reviewer=user_of(request), comment=comment)
            except DescriptionError as error:
                refused.append(f"{name_of(description)}: {error}")
                continue
            done += 1
            said = f"{name_of(description)} is approved: from now on it is the one judged."
            self.log_change(request, description, said)
        if done:
            messages.success(request, f"{done:,} version{'s are' if done > 1 else ' is'} approved.")
        for sentence in refused:
            messages.error(request, f"Not approved. {sentence}")
        return redirect(waiting_list())


def may_review(request: HttpRequest) -> None:
    if not request.user.has_perm(PERMISSION):
        raise PermissionDenied


def waiting_list() -> str:
    return f"{reverse(LIST_PAGE)}?state=in+review"


def versions_of(keys: list[int]) -> list[Description]:
    """In the order of the keys."""
    rows = Description.objects.select_related("figure__benchmark", "author", "reviewed_by")
    found = rows.in_bulk(keys)
    return [found[key] for key in dict.fromkeys(keys) if key in found]


def line_of(request: HttpRequest, description: Description) -> Line:
    where = figure_path(description)
    page = version_review_page(description=description, user=user_of(request), form_path=where)
    return Line(name_of(description), page, refusal_of(page))


def refusal_of(page: ReviewPage) -> str:
    if page.closed:
        return page.closed
    if not page.is_waiting:
        return f"It is {page.description.state} by now."
    if page.is_writer:
        return "These words are yours in part: somebody else approves them."
    if page.unsaved:
        return "You typed another text about this figure and did not save it: decide on its page."
    return ""
