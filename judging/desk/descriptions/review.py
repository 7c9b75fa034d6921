"""The review of a version: what changed, what was said, what becomes stale, and the decision.

A page of its own beside the form: nothing on it is a text that approving could lose, and who wrote
a version decides nothing about it.
"""

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import URLPattern, reverse
from django.views.decorators.http import require_safe

from benchmarks.admin import user_of
from benchmarks.figures.names import name_of as figure_name
from benchmarks.models import Description
from benchmarks.services.claims import claim
from benchmarks.services.descriptions import DESCRIPTION_REVIEW, withdraw
from benchmarks.services.proposals import ProposalError
from judging.desk.descriptions.review_page import review_page
from judging.desk.proposal_admin import CommentForm, ProposalAdmin
from judging.desk.queue.admin import FIGURE_PAGE, LIST, REVIEW_PAGE, keys_of, next_url
from judging.desk.queue.figures import figures_of, figures_to_describe


class DescriptionReviews(ProposalAdmin):
    """Its addresses stand among those of the annotators' room, whose admin includes them."""

    review = DESCRIPTION_REVIEW

    def get_urls(self) -> list[URLPattern]:
        page, step = self.page, self.step
        return [
            page("<int:pk>/review/", require_safe(self.review_view), "review"),
            *self.typed_urls("<int:pk>/review/", "review_"),
            *self.decision_urls(),
            step("<int:pk>/withdraw/", self.withdraw_view, "withdraw"),
        ]

    # --- the subject ------------------------------------------------------------------------------

    def subject_of(self, request: HttpRequest, **key: Any) -> Description:
        found: Description = self.proposal_of(key["pk"])
        return found

    def path_of(self, subject: Description) -> str:
        return reverse(REVIEW_PAGE, args=[subject.pk])

    def title_of(self, subject: Description) -> str:
        return f"Review of {figure_name(subject.figure)}, version {subject.version}"

    def may_type(self, request: HttpRequest) -> bool:
        return self.may_review(request)

    def note_typing(self, request: HttpRequest, subject: Description) -> None:
        """No other reviewer is given the version."""
        if subject.state == Description.State.IN_REVIEW:
            figure, language = subject.figure_id, subject.language
            claim(figure_id=figure, language=language, user=user_of(request), holds_review=True)

    # --- the page ---------------------------------------------------------------------------------

    def review_view(self, request: HttpRequest, pk: int) -> HttpResponse:
        self.require(self.may_type(request))
        return self.show(request, self.subject_of(request, pk=pk))

    def show(
        self, request: HttpRequest, subject: Description, form: Any = None, *, status: int = 200
    ) -> HttpResponse:
        form_path = figure_path(subject)
        kept = self.kept_text(request, subject) if form is None else None
        form = form or CommentForm(initial=kept.fields if kept else {})
        return self.render_form(
            request,
            "review",
            subject,
            status=status,
            page=review_page(description=subject, user=user_of(request), form_path=form_path),
            figure_name=figure_name(subject.figure),
            form=form,
            kept=kept,
        )

    # --- decisions --------------------------------------------------------------------------------

    def subject_with(self, request: HttpRequest, proposal: Description) -> Description:
        return proposal

    def ask_which(self, request: HttpRequest, proposal: Description) -> HttpResponse | None:
        """Approving takes the version as it stands."""
        form_path = figure_path(proposal)
        page = review_page(description=proposal, user=user_of(request), form_path=form_path)
        if not page["unsaved"]:
            return None
        self.keep(request, proposal)
        return self.show(request, proposal, CommentForm(request.POST), status=409)

    def go_on(self, request: HttpRequest, subject: Description, done: str) -> HttpResponse:
        """To the next version to review, after the one that is left."""
        benchmark, query = (
            subject.figure.benchmark,
            {"after": f"{subject.figure_id}:{subject.language}"},
        )
        same = figures_to_describe(figures_of(request)).filter(release__benchmark=benchmark)
        url = next_url(user=user_of(request), query=query, reviews=True, allowed=keys_of(same))
        after = "This is the next one." if url else "No other version is waiting for you."
        messages.success(request, f"{done} {after}")
        return redirect(url or f"{reverse(LIST)}?benchmark={benchmark.slug}")

    def withdraw_view(self, request: HttpRequest, pk: int) -> HttpResponse:
        """For its writer, who need not be a reviewer; the form of the figure is next."""
        self.require(request.user.has_perm("benchmarks.change_description"))
        version = self.subject_of(request, pk=pk)
        try:
            withdraw(description=version, by=user_of(request))
        except ProposalError as error:
            messages.error(request, str(error))
        else:
            done = f"Version {version.version} is out of review, and a draft again."
            self.log_change(request, version, done)
            messages.success(request, done)
        return redirect(figure_path(version))


def figure_path(description: Description) -> str:
    """The address of the form on which its figure is written about."""
    return reverse(FIGURE_PAGE, args=[description.figure_id, description.language])
