"""What the pages share on which one person writes and another decides: what is typed and not sent
is kept for its writer, and a step that is refused loses nothing of it."""

from collections.abc import Callable, Collection, Mapping
from typing import Any

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.template.response import TemplateResponse
from django.urls import URLPattern

from benchmarks.admin import PageAdmin, user_of
from benchmarks.forms.typed_text import PlainTextField, number, plain_text
from benchmarks.forms.unsaved import (
    FIELDS,
    WORDS,
    discard_text,
    keep_text,
    keeps_newer,
    note_sent,
    ticket_for,
    unsaved_text,
    was_sent,
)
from benchmarks.models import UnsavedText
from benchmarks.services.proposals import ProposalError, Review
from benchmarks.wake import wake

FORM = "typed"  # all fields and buttons of a page belong to this form: each button sends them all
MAX_CHARACTERS = 20_000  # ten pages: a prompt holds all of it, which is 5,000 tokens of every call


class CommentForm(forms.Form):
    """As long as a description: who rewrites all of it as advice may send it."""

    use_required_attribute = False
    comment = PlainTextField(
        limit=MAX_CHARACTERS,
        what="A comment",
        required=False,
        widget=forms.Textarea(
            attrs={
                "id": "comment",
                "rows": 3,
                "dir": "auto",
                "form": FORM,
                "data-counts-into": "comment-words",
            }
        ),
    )


class ProposalAdmin(PageAdmin):
    """A subject is what a page is about: a figure in a language, a version, a question. Each admin
    says how it is found, where its page is, what that is called, and what it shows. `review`: the
    steps of what is proposed there."""

    review: Review[Any]

    def subject_of(self, request: HttpRequest, **key: Any) -> Any:
        """Of the parts of an address. Raises Http404."""
        raise NotImplementedError

    def path_of(self, subject: Any) -> str:
        raise NotImplementedError

    def title_of(self, subject: Any) -> str:
        raise NotImplementedError

    def beside(self, subject: Any, step: str) -> str:
        """The address of a step of the page."""
        path, mark, query = self.path_of(subject).partition("?")
        return f"{path}{step}/{mark}{query}"

    def show(
        self, request: HttpRequest, subject: Any, form: Any = None, *, status: int = 200
    ) -> HttpResponse:
        """The page; `form` is one that was refused."""
        raise NotImplementedError

    def given(self, subject: Any, fields: Mapping[str, str]) -> Mapping[str, Collection[str]]:
        """By field, the texts with which the form comes: who sends one of them typed nothing."""
        return {}

    def may_type(self, request: HttpRequest) -> bool:
        return self.has_view_permission(request)

    def note_typing(self, request: HttpRequest, subject: Any) -> None:
        """Somebody is at work on it now."""

    # --- decisions --------------------------------------------------------------------------------

    def decision_urls(self, route: str = "") -> list[URLPattern]:
        return [
            self.step(f"{route}<int:pk>/approve/", self.approve_view, "approve"),
            self.step(f"{route}<int:pk>/send-back/", self.send_back_view, "send_back"),
        ]

    def may_review(self, request: HttpRequest) -> bool:
        return request.user.has_perm(self.review.permission)

    def may_send_back(self, request: HttpRequest, proposal: Any) -> bool:
        return self.may_review(request)

    def proposal_of(self, pk: int) -> Any:
        found = self.review.model._default_manager.select_related("author", "reviewed_by")
        return get_object_or_404(found, pk=pk)

    def subject_with(self, request: HttpRequest, proposal: Any) -> Any:
        """On whose page it is decided about."""
        raise NotImplementedError

    def ask_which(self, request: HttpRequest, proposal: Any) -> HttpResponse | None:
        """Whoever typed another text and approves is asked which they mean."""
        return None

    def approve_view(self, request: HttpRequest, pk: int) -> HttpResponse:
        self.require(self.may_review(request))
        proposal, form = self.proposal_of(pk), CommentForm(request.POST)
        asked = None if "unchanged" in request.POST else self.ask_which(request, proposal)
        if asked is not None:
            return asked

        def step() -> str:
            comment, reviewer = form.cleaned_data["comment"], user_of(request)
            done = self.review.approve(proposal=proposal, reviewer=reviewer, comment=comment)
            self.log_change(request, proposal, done)
            wake()
            return done

        return self.take_step(
            request, self.subject_with(request, proposal), step, form=form, uses=["comment"]
        )

    def send_back_view(self, request: HttpRequest, pk: int) -> HttpResponse:
        proposal, form = self.proposal_of(pk), CommentForm(request.POST)
        self.require(self.may_send_back(request, proposal))

        def step() -> str:
            comment, reviewer = form.cleaned_data["comment"], user_of(request)
            self.review.send_back(proposal=proposal, reviewer=reviewer, comment=comment)
            done = f"{self.review.name(proposal)} is sent back with your comment."
            self.log_change(request, proposal, done)
            return done

        return self.take_step(
            request, self.subject_with(request, proposal), step, form=form, uses=["comment"]
        )

    # --- what is typed and not sent ---------------------------------------------------------------

    def typed_urls(self, route: str, prefix: str = "") -> list[URLPattern]:
        return [
            self.step(f"{route}typed/", self.typed_view, f"{prefix}typed"),
            self.step(f"{route}discard/", self.discard_view, f"{prefix}discard"),
        ]

    def typed_view(self, request: HttpRequest, **key: Any) -> HttpResponse:
        """What stands in the form now is kept, or kept no longer where it is what came with it; 413
        where it is too much.

        A text that a browser kept and now found has its `age` in seconds: 205 where it was sent
        before, 200 where what is kept here is newer and stays.
        """
        self.require(self.may_type(request))
        subject = self.subject_of(request, **key)
        user, path = user_of(request), self.path_of(subject)
        age = number(request.POST.get("age"))
        if age is not None and self.was_saved(request, subject):
            return HttpResponse(status=205)
        if age is not None and keeps_newer(user=user, path=path, age_seconds=age):
            return HttpResponse("What is kept here is newer.", content_type="text/plain")
        self.note_typing(request, subject)
        return HttpResponse(status=204 if self.keep(request, subject) else 413)

    def discard_view(self, request: HttpRequest, **key: Any) -> HttpResponse:
        self.require(self.may_type(request))
        path = self.path_of(self.subject_of(request, **key))
        discard_text(user=user_of(request), path=path)
        messages.success(request, "What was typed and not saved is thrown away.")
        return redirect(path)

    def own_words(self, subject: Any, fields: Mapping[str, str]) -> dict[str, str]:
        """What of these fields somebody typed: neither nothing nor what came with the form."""
        given = self.given(subject, fields)
        return {
            name: fields[name]
            for name in WORDS
            if (text := plain_text(fields.get(name, ""))) and text not in given.get(name, ())
        }

    def was_saved(self, request: HttpRequest, subject: Any) -> bool:
        """Whether a text that a browser found had arrived before."""
        return was_sent(request, self.path_of(subject))

    def kept_text(self, request: HttpRequest, subject: Any) -> UnsavedText | None:
        """None where what was kept has been sent since, by a button whose page was left before it
        answered."""
        kept = unsaved_text(user=user_of(request), path=self.path_of(subject))
        return kept if kept and self.own_words(subject, kept.fields) else None

    def keep(self, request: HttpRequest, subject: Any, **changed: str) -> bool:
        """What was sent, with what was changed of it, is kept for whoever sent it."""
        fields = {**request.POST.dict(), **changed}
        user, path = user_of(request), self.path_of(subject)
        if not self.own_words(subject, fields):
            discard_text(user=user, path=path, names=fields)
            return True
        title = self.title_of(subject)
        return keep_text(user_id=user.pk, path=path, title=title, fields=fields)

    # --- pages and steps --------------------------------------------------------------------------

    def render_form(
        self,
        request: HttpRequest,
        template: str,
        subject: Any,
        *,
        title: str = "",
        name: str = "",
        **context: Any,
    ) -> TemplateResponse:
        """A page with what its form needs (templates/admin/typed.html). `name`: what is kept of it
        is called, where that was read before."""
        path, name = self.path_of(subject), name or self.title_of(subject)
        return self.render(
            request,
            template,
            title or name,
            path=path,
            typed_path=self.beside(subject, "typed"),
            discard_path=self.beside(subject, "discard"),
            ticket=ticket_for(user=user_of(request), path=path, title=name),
            limit=MAX_CHARACTERS,
            **context,
        )

    def take_step(
        self,
        request: HttpRequest,
        subject: Any,
        step: Callable[[], str],
        *,
        form: forms.Form | None = None,
        uses: Collection[str] = FIELDS,
    ) -> HttpResponse:
        """Nothing typed is lost: after a refusal it stands in the form again, after the step what
        that did not use of it is kept. The step says what it did."""
        if form is not None and not form.is_valid():
            self.keep(request, subject)
            return self.show(request, subject, form, status=422)
        try:
            done = step()
        except ProposalError as error:
            self.keep(request, subject)
            return self.refuse(request, subject, error, form)
        if uses is not FIELDS:
            self.keep(request, subject)
        path = self.path_of(subject)
        discard_text(user=user_of(request), path=path, names=[*request.POST.keys() & {*uses}])
        note_sent(request, path)
        return self.go_on(request, subject, done)

    def refuse(
        self, request: HttpRequest, subject: Any, error: ProposalError, form: Any
    ) -> HttpResponse:
        messages.error(request, str(error))
        return redirect(self.path_of(subject))

    def go_on(self, request: HttpRequest, subject: Any, done: str) -> HttpResponse:
        messages.success(request, done)
        return redirect(self.path_of(subject))
