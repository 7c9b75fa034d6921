"""References in the admin: a page of each question where one person proposes and another approves,
and requests to a model, which are counted, priced and confirmed before anybody is asked.

Whoever may review descriptions may review references: both are what a judge reads as the truth.
"""

from collections.abc import Callable
from typing import Any

from django import forms
from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.urls import URLPattern, reverse

from benchmarks.admin import ReadOnlyAdmin, user_of
from benchmarks.forms.typed_text import PlainTextField, plain_text
from benchmarks.forms.unsaved import (
    answer_to_typed,
    discard_text,
    keep_posted,
    note_sent,
    ticket_for,
    unsaved_text,
)
from benchmarks.models import Question, Reference, Release
from benchmarks.wake import wake
from judging.desk.description_form import FORM, MAX_CHARACTERS, number
from judging.desk.reference_page import estimate_sentence, question_page, request_page
from judging.engine.references import (
    NoReferencesError,
    ReferenceEstimate,
    estimate_references,
    request_references,
    stop_request,
)
from judging.models import ReferenceProposal, ReferenceRequest
from judging.services import (
    ProposalError,
    approve_proposal,
    approve_request,
    propose_reference,
    send_back_proposal,
)

QUESTION_PAGE = "admin:judging_referenceproposal_question"
REQUEST_PAGE = "admin:judging_referencerequest_change"


class ReferenceForm(forms.Form):
    """`base_version` is the live version that its writer read, 0 where there is none."""

    use_required_attribute = False
    text = PlainTextField(
        limit=MAX_CHARACTERS,
        what="A reference",
        label="Your proposal",
        widget=forms.Textarea(
            attrs={"rows": 8, "spellcheck": "true", "data-counts-into": "words", "form": FORM}
        ),
        error_messages={"required": "Write the reference before you propose it."},
    )
    base_version = forms.IntegerField(
        min_value=0, max_value=1_000_000, widget=forms.HiddenInput(attrs={"form": FORM})
    )


class RequestForm(forms.Form):
    release = forms.ModelChoiceField(Release.objects.accepting())
    endpoint = forms.ChoiceField(
        choices=lambda: [(alias, alias) for alias in sorted(settings.JUDGE_ENDPOINTS)]
    )
    model = forms.CharField(max_length=100)
    everything = forms.BooleanField(
        required=False,
        label="Also where the reference is up to date",
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

    def may_review(self, request: HttpRequest) -> bool:
        return request.user.has_perm("benchmarks.approve_description")


class ReferenceProposalAdmin(RoomAdmin):
    list_display = ["question", "state", "origin", "author", "created", "reviewed_by", "request"]
    list_filter = ["state", "origin", "question__benchmark"]
    list_select_related = ["question", "author", "reviewed_by", "request__release"]
    search_fields = ["question__public_id", "text"]

    def get_urls(self) -> list[URLPattern]:
        page, step = self.page, self.step
        return [
            page("question/<int:question_id>/", self.question_view, "question"),
            step("question/<int:question_id>/typed/", self.typed_view, "typed"),
            step("question/<int:question_id>/discard/", self.discard_view, "discard"),
            step("<int:pk>/approve/", self.approve_view, "approve"),
            step("<int:pk>/send-back/", self.send_back_view, "send_back"),
            *super().get_urls(),
        ]

    def change_view(
        self,
        request: HttpRequest,
        object_id: str,
        form_url: str = "",
        extra_context: dict[str, Any] | None = None,
    ) -> HttpResponse:
        self.require(self.has_view_permission(request))
        found = get_object_or_404(ReferenceProposal, pk=number(object_id) or 0)
        return redirect(QUESTION_PAGE, found.question_id)

    # --- one question -----------------------------------------------------------------------------

    def question_view(self, request: HttpRequest, question_id: int) -> HttpResponse:
        self.require(self.has_view_permission(request))
        question = question_or_404(question_id)
        if request.method == "POST":
            return self.propose(request, question)
        kept = unsaved_text(user=user_of(request), path=form_path(question_id))
        live = question.references.order_by("-version").first()
        initial = {
            "text": live.text if live else "",
            "base_version": live.version if live else 0,
            **(kept.fields if kept else {}),
        }
        return self.show(request, question, ReferenceForm(initial=initial), kept=kept)

    def propose(self, request: HttpRequest, question: Question) -> HttpResponse:
        self.require(request.user.has_perm("benchmarks.add_reference"))
        form = ReferenceForm(request.POST)
        if not form.is_valid():
            keep_posted(request)
            return self.show(request, question, form, status=422)
        try:
            made = propose_reference(
                question=question,
                text=form.cleaned_data["text"],
                author=user_of(request),
                base=form.cleaned_data["base_version"],
            )
        except ProposalError as error:
            keep_posted(request)
            return self.refused(request, question, error)
        self.forget(request, question)
        self.log_addition(request, made, "Proposed a reference.")
        messages.success(
            request,
            f"Your reference of question {question} waits for somebody else's approval."
            f" {live_sentence(made.replaces)}",
        )
        return redirect(QUESTION_PAGE, question.pk)

    def refused(
        self, request: HttpRequest, question: Question, error: ProposalError
    ) -> HttpResponse:
        """The text stays in the form and is based on the version that is live by now, which the
        page shows."""
        live = question.references.order_by("-version").first()
        form = ReferenceForm(
            initial={
                "text": request.POST.get("text", ""),
                "base_version": live.version if live else 0,
            }
        )
        messages.error(request, str(error))
        return self.show(request, question, form, status=409)

    def approve_view(self, request: HttpRequest, pk: int) -> HttpResponse:
        self.require(self.may_review(request))
        proposal = proposal_or_404(pk)
        if has_typed(request, proposal.question) and "unchanged" not in request.POST:
            keep_posted(request)
            form = ReferenceForm(initial=request.POST.dict())
            return self.show(request, proposal.question, form, status=409, asks_about=proposal)
        return self.take_step(
            request,
            proposal,
            lambda: approve_proposal(proposal=proposal, reviewer=user_of(request)),
        )

    def send_back_view(self, request: HttpRequest, pk: int) -> HttpResponse:
        self.require(self.may_review(request))
        proposal = proposal_or_404(pk)
        comment = plain_text(request.POST.get("comment", "").replace("\0", ""))
        if len(comment) > MAX_CHARACTERS:
            keep_posted(request)
            messages.error(
                request,
                f"A comment has at most {MAX_CHARACTERS:,} characters;"
                f" this one has {len(comment):,}. It is kept below: shorten it and send it again.",
            )
            return redirect(QUESTION_PAGE, proposal.question_id)
        return self.take_step(
            request,
            proposal,
            lambda: send_back_proposal(
                proposal=proposal, reviewer=user_of(request), comment=comment
            ),
        )

    def take_step(
        self,
        request: HttpRequest,
        proposal: ReferenceProposal,
        step: Callable[[], Reference | None],
    ) -> HttpResponse:
        try:
            made = step()
        except ProposalError as error:
            keep_posted(request)
            messages.error(request, str(error))
            return redirect(QUESTION_PAGE, proposal.question_id)
        if has_typed(request, proposal.question):
            keep_posted(request)
        else:
            self.forget(request, proposal.question)
        done = "The proposal is sent back with your comment."
        if made is not None:
            done = (
                f"Version {made.version} of the reference of question {proposal.question} is live:"
                " from now on it is the one judged against."
            )
        self.log_change(request, proposal, done)
        messages.success(request, done)
        return redirect(QUESTION_PAGE, proposal.question_id)

    def typed_view(self, request: HttpRequest, question_id: int) -> HttpResponse:
        self.require(self.has_view_permission(request))
        return answer_to_typed(request, form_path(question_id))

    def discard_view(self, request: HttpRequest, question_id: int) -> HttpResponse:
        self.require(self.has_view_permission(request))
        discard_text(user=user_of(request), path=form_path(question_id))
        messages.success(request, "What was typed and not saved is thrown away.")
        return redirect(QUESTION_PAGE, question_id)

    def forget(self, request: HttpRequest, question: Question) -> None:
        names = request.POST.keys()
        discard_text(user=user_of(request), path=form_path(question.pk), names=names)
        note_sent(request, form_path(question.pk))

    def show(
        self,
        request: HttpRequest,
        question: Question,
        form: ReferenceForm,
        *,
        status: int = 200,
        kept: Any = None,
        asks_about: ReferenceProposal | None = None,
    ) -> HttpResponse:
        user, where = user_of(request), form_path(question.pk)
        title = f"Reference of question {question}"
        comment = kept.fields.get("comment", "") if kept else ""
        return self.render(
            request,
            "question",
            title,
            status=status,
            page=question_page(question=question, user=user),
            form=form,
            ticket=ticket_for(user=user, path=where, title=title),
            kept=kept,
            comment=request.POST.get("comment", comment),
            asks_about=asks_about,
            limit=MAX_CHARACTERS,
        )


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
            f"{estimate.calls} references are asked for. What comes is proposed here, for another"
            " person to approve; nothing is judged against it before.",
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
        self.require(self.may_review(request))
        found = request_or_404(pk)
        only_first = "only_first" in request.POST
        try:
            done = approve_request(request=found, reviewer=user_of(request), only_first=only_first)
        except ProposalError as error:
            messages.error(request, str(error))
            return redirect(REQUEST_PAGE, pk)
        left = f" {done.left} are left for you to look at." if done.left else ""
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
            request, "No more is asked for. What was asked already is proposed here all the same."
        )
        return redirect(REQUEST_PAGE, pk)


def agreed(request: HttpRequest, estimate: ReferenceEstimate) -> bool:
    """Whether the person pressed a second time, having read this count and this price."""
    told = (number(request.POST.get("calls")), number(request.POST.get("cost")))
    return "confirmed" in request.POST and told == (estimate.calls, estimate.cost)


def live_sentence(version: int) -> str:
    return f"Until then version {version} stays live." if version else "Until then it has none."


def form_path(question_id: int) -> str:
    return reverse(QUESTION_PAGE, args=[question_id])


def has_typed(request: HttpRequest, question: Question) -> bool:
    """Whether a text was sent that is not the live one it was written from."""
    if "text" not in request.POST:
        return False
    base = number(request.POST.get("base_version")) or 0
    read = question.references.filter(version=base).values_list("text", flat=True).first()
    return plain_text(request.POST["text"]) != plain_text(read or "")


def question_or_404(pk: int) -> Question:
    return get_object_or_404(Question.objects.select_related("figure", "subtask__ability"), pk=pk)


def proposal_or_404(pk: int) -> ReferenceProposal:
    return get_object_or_404(ReferenceProposal.objects.select_related("question"), pk=pk)


def request_or_404(pk: int) -> ReferenceRequest:
    found = ReferenceRequest.objects.select_related("release__benchmark", "requested_by")
    return get_object_or_404(found, pk=pk)
