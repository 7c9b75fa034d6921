"""References in the admin: a page of each question where one person proposes and another approves,
and requests to a model, which are counted, priced and confirmed before anybody is asked.

Whoever may review descriptions may review references: both are what a judge reads as the truth.
"""

from collections.abc import Collection, Mapping
from typing import Any

from django import forms
from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.urls import URLPattern, reverse

from benchmarks.admin import ReadOnlyAdmin, user_of
from benchmarks.forms.typed_text import PlainTextField, number
from benchmarks.models import Question, Release
from benchmarks.services.proposals import ProposalError
from benchmarks.services.references import live_reference
from benchmarks.wake import wake
from judging.desk.descriptions.form import VersionedForm
from judging.desk.proposal_admin import FORM, MAX_CHARACTERS, CommentForm, ProposalAdmin
from judging.desk.references.page import estimate_sentence, question_page, request_page
from judging.engine.references import (
    NoReferencesError,
    ReferenceEstimate,
    estimate_references,
    request_references,
    stop_request,
)
from judging.models import ReferenceProposal, ReferenceRequest
from judging.services import REFERENCE_REVIEW, approve_request, propose_reference

REQUEST_PAGE = "admin:judging_referencerequest_change"


class ReferenceForm(VersionedForm):
    text = PlainTextField(
        limit=MAX_CHARACTERS,
        what="A reference",
        label="Your proposal",
        widget=forms.Textarea(
            attrs={"rows": 8, "spellcheck": "true", "data-counts-into": "words", "form": FORM}
        ),
        error_messages={"required": "Write the reference before you propose it."},
    )


class RequestForm(forms.Form):
    release = forms.ModelChoiceField(Release.objects.accepting())
    endpoint = forms.ChoiceField(
        choices=lambda: [(alias, alias) for alias in sorted(settings.JUDGE_ENDPOINTS)]
    )
    model = forms.CharField(max_length=100)
    everything = forms.BooleanField(
        required=False,
        label="Include references that are up to date",
        help_text="Otherwise questions whose live reference was made from today's description are"
        " left out.",
    )


class RoomAdmin(ReadOnlyAdmin):
    """Pages of its own in the admin's frame. Every page needs `view`, every step the permission
    that it checks."""

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return request.user.has_perm("benchmarks.view_reference")

    def has_module_permission(self, request: HttpRequest) -> bool:
        return self.has_view_permission(request)


class QuestionAdmin(ProposalAdmin, RoomAdmin):
    """Proposals about a question, each with a list of its own."""

    @property
    def question_page(self) -> str:
        return f"admin:{self.opts.app_label}_{self.opts.model_name}_question"

    def get_urls(self) -> list[URLPattern]:
        route = "question/<int:question_id>/"
        return [
            self.page(route, self.question_view, "question"),
            *self.typed_urls(route),
            *super().get_urls(),
        ]

    def subject_of(self, request: HttpRequest, **key: Any) -> Question:
        found = Question.objects.select_related("benchmark", "figure", "subtask__ability")
        return get_object_or_404(found, pk=key["question_id"])

    def subject_with(self, request: HttpRequest, proposal: Any) -> Question:
        return self.subject_of(request, question_id=proposal.question_id)

    def path_of(self, subject: Question) -> str:
        return reverse(self.question_page, args=[subject.pk])

    def question_view(self, request: HttpRequest, question_id: int) -> HttpResponse:
        self.require(self.has_view_permission(request))
        subject = self.subject_of(request, question_id=question_id)
        return (
            self.propose(request, subject)
            if request.method == "POST"
            else self.show(request, subject)
        )

    def propose(self, request: HttpRequest, subject: Question) -> HttpResponse:
        raise NotImplementedError

    def change_view(
        self,
        request: HttpRequest,
        object_id: str,
        form_url: str = "",
        extra_context: dict[str, Any] | None = None,
    ) -> HttpResponse:
        self.require(self.has_view_permission(request))
        found = get_object_or_404(self.model, pk=number(object_id) or 0)
        return redirect(self.question_page, found.question_id)


class ReferenceProposalAdmin(QuestionAdmin):
    list_display = ["question", "state", "origin", "author", "created", "reviewed_by", "request"]
    list_filter = ["state", "origin", "question__benchmark"]
    list_select_related = ["question", "author", "reviewed_by", "request__release"]
    search_fields = ["question__public_id", "text"]
    review = REFERENCE_REVIEW

    def get_urls(self) -> list[URLPattern]:
        return [*self.decision_urls(), *super().get_urls()]

    def title_of(self, subject: Question) -> str:
        return f"Reference of question {subject}"

    def given(self, subject: Question, fields: Mapping[str, str]) -> Mapping[str, Collection[str]]:
        """The reference it was written from, and the live one."""
        base = subject.references.filter(version=number(fields.get("base_version")) or 0)
        newest = subject.references.order_by("-version").values_list("text", flat=True)
        return {"text": {*base.values_list("text", flat=True), *newest[:1]}}

    def show(
        self,
        request: HttpRequest,
        subject: Question,
        form: Any = None,
        *,
        status: int = 200,
        asks_about: ReferenceProposal | None = None,
    ) -> HttpResponse:
        kept = self.kept_text(request, subject)
        live = live_reference(subject)
        typed = kept.fields if kept else {}
        initial = {"text": live.text if live else "", "base_version": live.version if live else 0}
        return self.render_form(
            request,
            "question",
            subject,
            status=status,
            page=question_page(question=subject, user=user_of(request)),
            form=form
            if isinstance(form, ReferenceForm)
            else ReferenceForm(initial=initial | typed),
            comment_form=form if isinstance(form, CommentForm) else CommentForm(initial=typed),
            kept=kept if form is None else None,
            asks_about=asks_about,
        )

    def propose(self, request: HttpRequest, subject: Question) -> HttpResponse:
        self.require(request.user.has_perm("benchmarks.add_reference"))
        form = ReferenceForm(request.POST)

        def step() -> str:
            text, base = form.cleaned_data["text"], form.cleaned_data["base_version"]
            made = propose_reference(
                question=subject, text=text, author=user_of(request), base=base
            )
            self.log_addition(request, made, "Proposed a reference.")
            until = f"version {made.replaces} stays live." if made.replaces else "it has none."
            return (
                f"Your reference of question {subject} is waiting for someone else's approval. "
                f"Until then {until}"
            )

        return self.take_step(request, subject, step, form=form)

    def refuse(
        self, request: HttpRequest, subject: Question, error: ProposalError, form: Any
    ) -> HttpResponse:
        """A text stays in the form and is based on the version that is live by now, which the page
        shows."""
        if not isinstance(form, ReferenceForm):
            return super().refuse(request, subject, error, form)
        live = live_reference(subject)
        base = live.version if live else 0
        form = ReferenceForm(initial={**form.cleaned_data, "base_version": base})
        messages.error(request, str(error))
        return self.show(request, subject, form, status=409)

    def ask_which(self, request: HttpRequest, proposal: ReferenceProposal) -> HttpResponse | None:
        question, fields = proposal.question, request.POST.dict()
        if "text" not in self.own_words(question, fields):
            return None
        self.keep(request, question)
        form = ReferenceForm(initial=fields)
        return self.show(request, question, form, status=409, asks_about=proposal)


class ReferenceRequestAdmin(RoomAdmin):
    """Asking a model for the references that are missing or stale. A worker does it; what it writes
    is proposed."""

    list_display = [
        "release",
        "model",
        "endpoint",
        "calls",
        "requested_by",
        "created",
        "finished",
        "outcome",
    ]
    list_select_related = ["release", "requested_by"]

    def has_add_permission(self, request: HttpRequest) -> bool:
        return request.user.has_perm("judging.add_referencerequest")

    def get_urls(self) -> list[URLPattern]:
        return [
            self.step("<int:pk>/approve/", self.approve_view, "approve"),
            self.step("<int:pk>/stop/", self.stop_view, "stop"),
            *super().get_urls(),
        ]

    def add_view(
        self, request: HttpRequest, form_url: str = "", extra_context: Any = None
    ) -> HttpResponse:
        """The first press counts and prices; the second, with the same count and price, asks."""
        self.require(self.has_add_permission(request))
        form = RequestForm(request.POST if request.method == "POST" else None)
        if not form.is_valid():
            return self.show_form(request, form, status=422 if form.is_bound else 200)
        asked = form.cleaned_data
        try:
            estimate = estimate_references(**asked)
            if not estimate.calls or estimate.refusal or not agreed(request, estimate):
                return self.show_form(request, form, estimate)
            made = request_references(
                **asked, requested_by=user_of(request), calls=estimate.calls, cost=estimate.cost
            )
        except NoReferencesError as error:
            form.add_error(None, str(error))
            return self.show_form(request, form, status=409)
        self.log_addition(request, made, f"Asked for: {estimate_sentence(estimate)}")
        wake()
        messages.success(
            request,
            f"{estimate.calls} references are requested. The results appear here as proposals "
            f"for another person to approve; nothing is judged against them before.",
        )
        return redirect(REQUEST_PAGE, made.pk)

    def show_form(
        self,
        request: HttpRequest,
        form: RequestForm,
        estimate: ReferenceEstimate | None = None,
        *,
        status: int = 200,
    ) -> HttpResponse:
        return self.render(
            request,
            "add",
            "Ask a model for references",
            status=status,
            form=form,
            estimate=estimate,
            sentence=estimate_sentence(estimate) if estimate else "",
            has_changed=estimate is not None and "confirmed" in request.POST,
        )

    def change_view(
        self,
        request: HttpRequest,
        object_id: str,
        form_url: str = "",
        extra_context: dict[str, Any] | None = None,
    ) -> HttpResponse:
        self.require(self.has_view_permission(request))
        found = request_or_404(number(object_id) or 0)
        may_stop = self.has_add_permission(request)
        page = request_page(request=found, user=user_of(request), may_stop=may_stop)
        return self.render(request, "request", str(found), page=page)

    def approve_view(self, request: HttpRequest, pk: int) -> HttpResponse:
        self.require(request.user.has_perm(REFERENCE_REVIEW.permission))
        found = request_or_404(pk)
        only_first = "only_first" in request.POST
        try:
            done = approve_request(request=found, reviewer=user_of(request), only_first=only_first)
        except ProposalError as error:
            messages.error(request, str(error))
            return redirect(REQUEST_PAGE, pk)
        left = f" {done.left} are left for you to check." if done.left else ""
        sentence = f"{done.count} references are live from now on.{left}"
        self.log_change(request, found, f"Approved together: {sentence}")
        messages.success(request, sentence)
        return redirect(REQUEST_PAGE, pk)

    def stop_view(self, request: HttpRequest, pk: int) -> HttpResponse:
        """Nothing is lost by it: what is not asked for can be asked for again."""
        found = request_or_404(pk)
        mine = found.requested_by_id == request.user.pk
        self.require(mine or self.has_add_permission(request))
        try:
            stop_request(request=found, by=user_of(request))
        except NoReferencesError as error:
            messages.error(request, str(error))
            return redirect(REQUEST_PAGE, pk)
        self.log_change(request, found, "Stopped.")
        messages.success(
            request,
            "No more are requested. Replies to requests already sent still appear here "
            "as proposals.",
        )
        return redirect(REQUEST_PAGE, pk)


def agreed(request: HttpRequest, estimate: ReferenceEstimate) -> bool:
    """Whether the person pressed a second time, having read this count and this price."""
    shown = (number(request.POST.get("calls")), number(request.POST.get("cost")))
    return "confirmed" in request.POST and shown == (estimate.calls, estimate.cost)


def request_or_404(pk: int) -> ReferenceRequest:
    found = ReferenceRequest.objects.select_related("release__benchmark", "requested_by")
    return get_object_or_404(found, pk=pk)
