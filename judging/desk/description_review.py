"""The review of a version: what changed, what was said, what becomes stale, and the decision.

A page of its own beside the form: nothing on it is a text that approving could lose, and who wrote
a version decides nothing about it.
"""

from collections.abc import Callable

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import get_object_or_404, redirect
from django.urls import URLPattern, reverse
from django.views.decorators.http import require_safe

from benchmarks.admin import PageAdmin, user_of
from benchmarks.figure_names import name_of as figure_name
from benchmarks.forms.typed_text import plain_text
from benchmarks.forms.unsaved import (
    discard_text,
    keep_text,
    note_sent,
    ticket_for,
    unsaved_text,
    was_sent,
)
from benchmarks.models import Description
from benchmarks.services.claims import claim
from benchmarks.services.descriptions import DescriptionError, approve, send_back, withdraw
from judging.desk.description_review_page import version_review_page
from judging.desk.queue_admin import next_url

PERMISSION = "benchmarks.approve_description"
LIST_PAGE = "admin:benchmarks_description_changelist"
REVIEW_PAGE = "admin:benchmarks_description_review"
LONGEST_COMMENT = 20_000  # as long as a description: who rewrites all of it as advice may send it


class DescriptionReviews(PageAdmin):
    """Its addresses stand among those of the annotators' room, whose admin includes them."""

    def get_urls(self) -> list[URLPattern]:
        page, step = self.page, self.step
        return [
            page("<int:pk>/review/", require_safe(self.review_view), "review"),
            step("<int:pk>/review/typed/", self.typed_view, "review_typed"),
            step("<int:pk>/review/discard/", self.discard_view, "review_discard"),
            step("<int:pk>/approve/", self.approve_view, "approve"),
            step("<int:pk>/send-back/", self.send_back_view, "send_back"),
            step("<int:pk>/withdraw/", self.withdraw_view, "withdraw"),
        ]

    # --- the page ---------------------------------------------------------------------------------

    def review_view(self, request: HttpRequest, pk: int) -> HttpResponse:
        return self.show(request, self.version_to_review(request, pk))

    def show(
        self, request: HttpRequest, description: Description, *, status: int = 200
    ) -> HttpResponse:
        user = user_of(request)
        figure = description.figure
        where = review_path(description)
        title = f"Review of {figure_name(figure)}, version {description.version}"
        form_path = figure_path(description)
        page = version_review_page(description=description, user=user, form_path=form_path)
        kept = unsaved_text(user=user, path=where)
        comment = request.POST.get("comment", kept.fields.get("comment", "") if kept else "")
        return self.render(
            request,
            "review",
            title,
            status=status,
            page=page,
            figure_name=figure_name(figure),
            comment=comment,
            kept=kept if request.method == "GET" else None,
            ticket=ticket_for(user=user, path=where, title=title),
            limit=LONGEST_COMMENT,
        )

    # --- decisions --------------------------------------------------------------------------------

    def approve_view(self, request: HttpRequest, pk: int) -> HttpResponse:
        """Approving takes the version as it stands. Whoever typed another text on the form is asked
        which they mean."""
        description = self.version_to_review(request, pk)
        self.keep(request, description)
        comment = comment_in(request)
        if len(comment) > LONGEST_COMMENT:
            return self.refuse_length(request, description, comment)
        page = version_review_page(
            description=description, user=user_of(request), form_path=figure_path(description)
        )
        if page.unsaved and "unchanged" not in request.POST:
            return self.show(request, description, status=409)
        return self.take_step(
            request,
            description,
            lambda: approve(description=description, reviewer=user_of(request), comment=comment),
            f"{name_of(description)} is approved: from now on it is the one judged.",
        )

    def send_back_view(self, request: HttpRequest, pk: int) -> HttpResponse:
        description = self.version_to_review(request, pk)
        comment = comment_in(request)
        if len(comment) > LONGEST_COMMENT:
            return self.refuse_length(request, description, comment)
        return self.take_step(
            request,
            description,
            lambda: send_back(description=description, reviewer=user_of(request), comment=comment),
            f"{name_of(description)} is sent back with your comment.",
        )

    def withdraw_view(self, request: HttpRequest, pk: int) -> HttpResponse:
        """For its writer, who need not be a reviewer; the form of the figure is next."""
        if not request.user.has_perm("benchmarks.change_description"):
            raise PermissionDenied
        description = self.version_or_404(pk)
        try:
            withdraw(description=description, by=user_of(request))
        except DescriptionError as error:
            messages.error(request, str(error))
        else:
            done = f"Version {description.version} is out of review, and a draft again."
            self.log_change(request, description, done)
            messages.success(request, done)
        return redirect(figure_path(description))

    def refuse_length(
        self, request: HttpRequest, description: Description, comment: str
    ) -> HttpResponse:
        self.keep(request, description)
        messages.error(
            request,
            f"A comment has at most {LONGEST_COMMENT:,} characters;"
            f" this one has {len(comment):,}. It is kept below: shorten it and send it again.",
        )
        return redirect(review_path(description))

    def take_step(
        self, request: HttpRequest, description: Description, step: Callable[[], object], done: str
    ) -> HttpResponse:
        """After a refusal the comment is kept and stands on the page again; after the step comes
        the next version to review."""
        where = review_path(description)
        try:
            step()
        except DescriptionError as error:
            self.keep(request, description)
            messages.error(request, str(error))
            return redirect(where)
        discard_text(user=user_of(request), path=where)
        note_sent(request, where)
        self.log_change(request, description, done)
        url = next_url(user=user_of(request), post=place_left(description), reviews=True)
        after = "This is the next one." if url else "No other version waits for you."
        messages.success(request, f"{done} {after}")
        return redirect(
            url or f"{reverse(LIST_PAGE)}?benchmark={description.figure.benchmark.slug}"
        )

    # --- what is typed and not sent ---------------------------------------------------------------

    def typed_view(self, request: HttpRequest, pk: int) -> HttpResponse:
        """The comment is kept as it is now, and no other reviewer is given the version; 413 where
        it is too much. 205 where a browser found a copy of one that was sent."""
        description = self.version_to_review(request, pk)
        if was_sent(request, review_path(description)):
            return HttpResponse(status=205)
        if description.state == Description.State.IN_REVIEW:
            claim(
                figure_id=description.figure_id,
                language=description.language,
                user=user_of(request),
                holds_review=True,
            )
        return HttpResponse(status=204 if self.keep(request, description) else 413)

    def discard_view(self, request: HttpRequest, pk: int) -> HttpResponse:
        description = self.version_to_review(request, pk)
        discard_text(user=user_of(request), path=review_path(description))
        messages.success(request, "What was typed and not sent is thrown away.")
        return redirect(review_path(description))

    def keep(self, request: HttpRequest, description: Description) -> bool:
        comment = request.POST.get("comment", "")
        where = review_path(description)
        if not comment.strip():
            if "comment" in request.POST:
                discard_text(user=user_of(request), path=where)
            return True
        return keep_text(
            user_id=user_of(request).pk,
            path=where,
            title=f"Comment on {figure_name(description.figure)}, version {description.version}",
            fields={"comment": comment},
        )

    # --- what they share --------------------------------------------------------------------------

    def version_to_review(self, request: HttpRequest, pk: int) -> Description:
        if not request.user.has_perm(PERMISSION):
            raise PermissionDenied
        return self.version_or_404(pk)

    def version_or_404(self, pk: int) -> Description:
        found = Description.objects.select_related("figure__benchmark", "author", "reviewed_by")
        return get_object_or_404(found, pk=pk)


def name_of(description: Description) -> str:
    return f"Version {description.version} of {figure_name(description.figure)}"


def place_left(description: Description) -> QueryDict:
    """As the form of the queue says after what the next one comes."""
    query = QueryDict(mutable=True)
    query["benchmark"] = description.figure.benchmark.slug
    query["after"] = f"{description.figure_id}:{description.language}"
    return query


def comment_in(request: HttpRequest) -> str:
    return plain_text(request.POST.get("comment", "").replace("\0", ""))


def review_path(description: Description) -> str:
    return reverse(REVIEW_PAGE, args=[description.pk])


def figure_path(description: Description) -> str:
    """The address of the form on which its figure is written about."""
    args = [description.figure_id, description.language]
    return reverse("admin:benchmarks_description_figure", args=args)
