"""Several versions approved at once: each is shown with its text and what approving it does, and
one comment goes with all of them. One that cannot be approved keeps none of the others back."""

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import URLPattern, reverse
from django.views.decorators.http import require_safe

from benchmarks.admin import user_of
from benchmarks.forms.typed_text import number
from benchmarks.models import Description
from benchmarks.services.descriptions import DESCRIPTION_REVIEW
from benchmarks.services.proposals import ProposalError
from judging.desk.descriptions.review import figure_path
from judging.desk.descriptions.review_page import review_page
from judging.desk.proposal_admin import CommentForm, ProposalAdmin
from judging.desk.queue.admin import AT_ONCE, LIST, NONE_WAITS, several_path


class SeveralReviews(ProposalAdmin):
    """Its addresses stand among those of the annotators' room, whose admin includes them."""

    review = DESCRIPTION_REVIEW

    def get_urls(self) -> list[URLPattern]:
        return [
            self.page("approve/", require_safe(self.page_view), "approve_several"),
            *self.typed_urls("approve/", "approve_several_"),
            self.step("approve/confirmed/", self.approve_several_view, "approve_several_confirmed"),
        ]

    def subject_of(self, request: HttpRequest, **key: Any) -> list[Description]:
        """The versions that the page shows, which an address or its form names."""
        ticked = "-".join(request.POST.getlist("version"))
        asked = request.GET.get("versions") or request.POST.get("shown") or ticked
        return versions_of(asked.split("-"))

    def path_of(self, subject: list[Description]) -> str:
        return several_path([one.pk for one in subject])

    def title_of(self, subject: list[Description]) -> str:
        return f"Comment on {len(subject):,} versions approved at once"

    def may_type(self, request: HttpRequest) -> bool:
        return self.may_review(request)

    def page_view(self, request: HttpRequest) -> HttpResponse:
        self.require(self.may_type(request))
        return self.show(request, self.subject_of(request))

    def show(
        self,
        request: HttpRequest,
        subject: list[Description],
        form: Any = None,
        *,
        status: int = 200,
    ) -> HttpResponse:
        if not subject:
            messages.error(request, NONE_WAITS)
            return redirect(waiting_list())
        kept = self.kept_text(request, subject) if form is None else None
        lines = [line_of(request, one) for one in subject]
        return self.render_form(
            request,
            "several",
            subject,
            title="Approve several",
            status=status,
            lines=lines,
            count=sum(not line["refusal"] for line in lines),
            form=form or CommentForm(initial=kept.fields if kept else {}),
            kept=kept,
            shown="-".join(str(one.pk) for one in subject),
            list_url=waiting_list(),
        )

    def approve_several_view(self, request: HttpRequest) -> HttpResponse:
        self.require(self.may_type(request))
        form = CommentForm(request.POST)

        def step() -> str:
            done = 0
            for version in versions_of(request.POST.getlist("version")):
                try:
                    comment, user = form.cleaned_data["comment"], user_of(request)
                    told = self.review.approve(proposal=version, reviewer=user, comment=comment)
                except ProposalError as error:
                    messages.error(request, f"Not approved. {self.review.name(version)}: {error}")
                    continue
                done += 1
                self.log_change(request, version, told)
            if not done:
                raise ProposalError("Nothing is approved: tick what you approve.")
            return f"{done:,} version{'s are' if done > 1 else ' is'} approved."

        return self.take_step(request, self.subject_of(request), step, form=form)

    def go_on(self, request: HttpRequest, subject: list[Description], done: str) -> HttpResponse:
        messages.success(request, done)
        return redirect(waiting_list())


def waiting_list() -> str:
    return f"{reverse(LIST)}?state=in+review"


def versions_of(keys: list[str]) -> list[Description]:
    """In the order of the keys; what is none is left out."""
    wanted = dict.fromkeys(key for one in keys[:AT_ONCE] if (key := number(one)))
    rows = Description.objects.select_related("figure__benchmark", "author", "reviewed_by")
    found = rows.in_bulk(wanted)
    return [found[key] for key in wanted if key in found]


def line_of(request: HttpRequest, description: Description) -> dict[str, Any]:
    """`refusal`: why it is not approved with the others; empty where it can be."""
    where = figure_path(description)
    page = review_page(description=description, user=user_of(request), form_path=where)
    return {"name": DESCRIPTION_REVIEW.name(description), "page": page, "refusal": refusal_of(page)}


def refusal_of(page: dict[str, Any]) -> str:
    if page["closed"]:
        return str(page["closed"])
    if not page["is_waiting"]:
        return f"It is {page['description'].state} by now."
    if page["is_writer"]:
        return "These words are yours in part: somebody else approves them."
    if page["unsaved"]:
        return "You typed another text about this figure and did not save it: decide on its page."
    return ""
