"""Several versions approved at once: each is shown with its text and what approving it does, and
one comment goes with all of them. One that cannot be approved keeps none of the others back."""

from dataclasses import dataclass

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import URLPattern, reverse

from benchmarks.admin import PageAdmin, user_of
from benchmarks.forms.unsaved import (
    answer_to_typed,
    discard_text,
    keep_text,
    note_sent,
    ticket_for,
    unsaved_text,
)
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

PAGE = "admin:benchmarks_description_approve_several"
NONE_WAITS = "Nothing is approved: tick figures that are in review first."
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
            self.page("approve/", self.ask_view, "approve_several"),
            self.step("approve/typed/", self.typed_view, "approve_several_typed"),
            self.step("approve/confirmed/", self.approve_view, "approve_several_confirmed"),
        ]

    def ask_view(self, request: HttpRequest) -> HttpResponse:
        """A POST of what was ticked in the list leads to the page on which it is read before it is
        approved. That has an address, to come back to after a sign-in."""
        may_review(request)
        if request.method == "POST":
            return self.lead_to_page(request)
        versions = versions_of(read_numbers(request.GET.get("versions", "")))
        if not versions:
            messages.error(request, NONE_WAITS)
            return redirect(waiting_list())
        lines = [line_of(request, one) for one in versions]
        user, where = user_of(request), page_path([one.pk for one in versions])
        kept = unsaved_text(user=user, path=where)
        return self.render(
            request,
            "several",
            "Approve several",
            lines=lines,
            count=sum(not line.refusal for line in lines),
            kept=kept,
            shown=numbers([one.pk for one in versions]),
            ticket=ticket_for(user=user, path=where, title=title_of(versions)),
            limit=LONGEST_COMMENT,
            list_url=waiting_list(),
        )

    def lead_to_page(self, request: HttpRequest) -> HttpResponse:
        user = user_of(request)
        chosen = places_chosen(
            user=user, query=request.POST, ticked=request.POST.getlist("figures")
        )
        in_review = read_queue(user=user).in_review
        versions = [in_review[place.key].pk for place in chosen if place.key in in_review]
        if not versions:
            messages.error(request, NONE_WAITS)
            return redirect(waiting_list())
        if left := max(0, len(versions) - AT_ONCE):
            messages.warning(
                request,
                f"You ticked {left:,} more: these are the first {AT_ONCE}."
                " The others stay in the list.",
            )
        return redirect(page_path(versions))

    def approve_view(self, request: HttpRequest) -> HttpResponse:
        may_review(request)
        keys = [key for text in request.POST.getlist("version")[:AT_ONCE] if (key := whole(text))]
        comment, shown = comment_in(request), read_numbers(request.POST.get("shown", ""))
        if len(comment) > LONGEST_COMMENT:
            messages.error(
                request,
                f"Nothing is approved: a comment has at most {LONGEST_COMMENT:,} characters; this"
                f" one has {len(comment):,}. It is kept below: shorten it and send it again.",
            )
            return self.back(request, keys or shown)
        done = 0
        for description in versions_of(keys):
            try:
                approve(description=description, reviewer=user_of(request), comment=comment)
            except DescriptionError as error:
                messages.error(request, f"Not approved. {name_of(description)}: {error}")
                continue
            done += 1
            said = f"{name_of(description)} is approved: from now on it is the one judged."
            self.log_change(request, description, said)
        if not done:
            messages.error(request, "Nothing is approved: tick what you approve.")
            return self.back(request, shown)
        messages.success(request, f"{done:,} version{'s are' if done > 1 else ' is'} approved.")
        discard_text(user=user_of(request), path=page_path(shown))
        note_sent(request, reverse(PAGE))
        return redirect(waiting_list())

    def back(self, request: HttpRequest, shown: list[int]) -> HttpResponse:
        """To the page with these versions, on which the comment that was sent stands again."""
        versions = versions_of(shown)
        where = page_path([one.pk for one in versions])
        keep_text(
            user_id=user_of(request).pk,
            path=where,
            title=title_of(versions),
            fields={"comment": request.POST.get("comment", "")},
        )
        return redirect(where if versions else waiting_list())

    def typed_view(self, request: HttpRequest) -> HttpResponse:
        may_review(request)
        return answer_to_typed(request, reverse(PAGE))


def may_review(request: HttpRequest) -> None:
    if not request.user.has_perm(PERMISSION):
        raise PermissionDenied


def waiting_list() -> str:
    return f"{reverse(LIST_PAGE)}?state=in+review"


def page_path(versions: list[int]) -> str:
    """The address of the page on which these are read; of more than AT_ONCE, the first."""
    return f"{reverse(PAGE)}?versions={numbers(versions)}"


def numbers(versions: list[int]) -> str:
    return "-".join(map(str, versions[:AT_ONCE]))


def read_numbers(text: str) -> list[int]:
    return [key for one in text.split("-", AT_ONCE)[:AT_ONCE] if (key := whole(one))]


def title_of(versions: list[Description]) -> str:
    return f"Comment on {len(versions):,} versions approved at once"


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
