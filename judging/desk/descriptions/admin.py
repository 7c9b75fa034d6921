"""The annotators' room: a worklist, and for each figure the form of its description with its
history. Versions are reviewed on pages of their own (description_review.py).

It stands in the admin of judging because whoever approves a description is told which judgements it
makes stale.
"""

from collections.abc import Collection, Mapping
from typing import Any, NamedTuple

from django import forms
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.urls import URLPattern, reverse
from django.views.decorators.http import require_safe

from benchmarks.admin import user_of
from benchmarks.figures.names import name_of
from benchmarks.figures.worklist import figure_languages, newest_description
from benchmarks.forms.diff import word_diff
from benchmarks.forms.hidden_characters import without_hidden
from benchmarks.forms.typed_text import number, plain_text
from benchmarks.forms.unsaved import MAX_CHARACTERS as MOST_KEPT
from benchmarks.models import Description, Figure
from benchmarks.services.claims import claim, claims_of, give_up
from benchmarks.services.descriptions import (
    EditConflictError,
    restore,
    save_draft,
    submit_for_review,
)
from benchmarks.services.proposals import ProposalError
from benchmarks.services.twins import newer_of, twins_of
from judging.desk.descriptions.form import DescriptionForm
from judging.desk.descriptions.page import figure_page, hidden_in, presence, read_figure
from judging.desk.descriptions.review import DescriptionReviews
from judging.desk.descriptions.several_admin import SeveralReviews
from judging.desk.proposal_admin import ProposalAdmin
from judging.desk.queue.admin import FIGURE_PAGE, FigureQueue, and_next, moves_of
from judging.desk.stale.admin import reason_in
from judging.desk.stale.staleness import may_rejudge, rejudge_stale
from judging.desk.work_done_admin import WorkDonePages

FIGURE = "figure/<int:figure_id>/<slug:language>/"


class Described(NamedTuple):
    """A figure in the language of its description."""

    figure: Figure
    language: str

    @property
    def newest(self) -> Description | None:
        return newest_description(self.figure, self.language)


class DescriptionAdmin(FigureQueue, ProposalAdmin):
    """Every page needs `view`, every change the permission its button needs; services refuse the
    rest."""

    def get_urls(self) -> list[URLPattern]:
        page, step = self.page, self.step
        return [
            page("figure/<int:figure_id>/", self.any_language_view, "any_language"),
            page(FIGURE, self.figure_view, "figure"),
            step(f"{FIGURE}judge-again/", self.rejudge_view, "rejudge"),
            page("<int:pk>/change/", self.version_view, "change"),
            page(f"{FIGURE}presence/", require_safe(self.presence_view), "presence"),
            *self.typed_urls(FIGURE),
            step("<int:pk>/restore/", self.restore_view, "restore"),
            step(f"{FIGURE}take/", self.take_view, "take"),
            *DescriptionReviews(self.model, self.admin_site).get_urls(),
            *SeveralReviews(self.model, self.admin_site).get_urls(),
            *super().get_urls(),
            *WorkDonePages(self.model, self.admin_site).get_urls(),
        ]

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_add_permission(self, request: HttpRequest) -> bool:
        """A description is added on the page of its figure, not on its own."""
        return False

    # --- the subject ------------------------------------------------------------------------------

    def subject_of(self, request: HttpRequest, **key: Any) -> Described:
        """A figure that some release or description has in this language."""
        figures = Figure.objects.select_related("benchmark")
        figure = get_object_or_404(figures, pk=key["figure_id"])
        if key["language"] not in figure_languages(figure):
            raise Http404("No release shows this figure in this language.")
        return Described(figure, key["language"])

    def path_of(self, subject: Described) -> str:
        return reverse(FIGURE_PAGE, args=[subject.figure.pk, subject.language])

    def title_of(self, subject: Described) -> str:
        return f"{name_of(subject.figure)}, {subject.language}"

    def given(self, subject: Described, fields: Mapping[str, str]) -> Mapping[str, Collection[str]]:
        """The text of the version it was written from, and of the newest."""
        versions = Description.objects.filter(figure=subject.figure, language=subject.language)
        base = versions.filter(version=number(fields.get("base_version")) or 0)
        newest = versions.order_by("-version").values_list("text", flat=True)
        return {"text": {*base.values_list("text", flat=True), *newest[:1]}}

    def may_type(self, request: HttpRequest) -> bool:
        may_review = request.user.has_perm("benchmarks.approve_description")
        return self.has_change_permission(request) or may_review

    def was_saved(self, request: HttpRequest, subject: Described) -> bool:
        """Whether this person saved that text after opening the form."""
        text = plain_text(request.POST.get("text", ""))
        since = number(request.POST.get("base_version")) or 0
        theirs = Description.objects.filter(
            **subject._asdict(), author=user_of(request), version__gt=since, text=text
        )
        return not self.own_words(subject, request.POST.dict()) or theirs.exists()

    def note_typing(self, request: HttpRequest, subject: Described) -> None:
        if self.has_change_permission(request):
            figure, language = subject.figure.pk, subject.language
            claim(figure_id=figure, language=language, user=user_of(request), holds_review=True)

    # --- pages ------------------------------------------------------------------------------------

    def any_language_view(self, request: HttpRequest, figure_id: int) -> HttpResponse:
        self.require(self.has_view_permission(request))
        languages = figure_languages(get_object_or_404(Figure, pk=figure_id))
        if not languages:
            raise Http404("No release shows this figure.")
        return redirect(FIGURE_PAGE, figure_id, "en" if "en" in languages else languages[0])

    def version_view(self, request: HttpRequest, pk: int) -> HttpResponse:
        self.require(self.has_view_permission(request))
        found = get_object_or_404(Description.objects.select_related("figure"), pk=pk)
        path = self.path_of(Described(found.figure, found.language))
        return redirect(f"{path}?version={found.version}")

    def figure_view(self, request: HttpRequest, figure_id: int, language: str) -> HttpResponse:
        self.require(self.has_view_permission(request))
        if request.method == "POST":
            subject = self.subject_of(request, figure_id=figure_id, language=language)
            return self.save(request, subject)
        figures = Figure.objects.select_related("benchmark")
        subject = Described(get_object_or_404(figures, pk=figure_id), language)
        return self.show(request, subject)

    def presence_view(self, request: HttpRequest, **key: Any) -> HttpResponse:
        """Who else has the form open, as a line of text."""
        self.require(self.has_view_permission(request))
        figure, language = self.subject_of(request, **key)
        found = claims_of(figure_id=figure.pk, language=language, but=user_of(request))
        return HttpResponse(presence(found), content_type="text/plain; charset=utf-8")

    def show(
        self,
        request: HttpRequest,
        subject: Described,
        form: forms.Form | None = None,
        *,
        status: int = 200,
        conflict: Mapping[str, Any] | None = None,
        typed: str | None = None,
    ) -> HttpResponse:
        """With `typed` its changes against older versions, else those of the version shown."""
        figure, language = subject
        file = read_figure(figure)
        if language not in file.languages:
            raise Http404("No release shows this figure in this language.")
        asked = {name: number(request.GET.get(name)) for name in ("version", "against", "page")}
        page = figure_page(
            file=file,
            language=language,
            user=user_of(request),
            typed=typed,
            asks_stale="stale" in request.GET,
            **asked,
        )
        kept = self.kept_text(request, subject) if form is None else None
        newest = page["newest"]
        if form is None:
            initial = {
                "text": newest.text if newest else "",
                "base_version": newest.version if newest else 0,
            }
            form = DescriptionForm(initial={**initial, **(kept.fields if kept else {})})
            waits = newest is not None and newest.state == Description.State.IN_REVIEW
            if self.has_change_permission(request) and not waits:
                claim(figure_id=figure.pk, language=language, user=user_of(request))
        attrs = form.fields["text"].widget.attrs
        attrs["lang"] = language
        if conflict is None:  # what somebody else saved is read first
            attrs["autofocus"] = True
        return self.render_form(
            request,
            "figure",
            subject,
            title=file.name,
            name=f"{file.name}, {language}",
            status=status,
            page=page,
            form=form,
            kept=kept,
            conflict=conflict,
            hidden=hidden_in(str(form["text"].value() or "")),
            moves=moves_of(request, figure, language),
        )

    # --- steps ------------------------------------------------------------------------------------

    def save(self, request: HttpRequest, subject: Described) -> HttpResponse:
        """The text is a new draft, and in review where that button was pressed."""
        self.require(self.has_change_permission(request))
        if "clean" in request.POST or "compare" in request.POST:
            return self.show_typed(request, subject)
        form, user = DescriptionForm(request.POST), user_of(request)

        def step() -> str:
            text, base = form.cleaned_data["text"], form.cleaned_data["base_version"]
            newest = subject.newest
            is_saved = newest is not None and (newest.version, newest.text) == (base, text)
            if newest is None or not is_saved or newest.state != Description.State.DRAFT:
                newest = save_draft(**subject._asdict(), text=text, author=user, base_version=base)
            if "submit" in request.POST:
                submit_for_review(description=newest, by=user)
                give_up(figure_id=subject.figure.pk, language=subject.language, user=user)
            what = "waits for review" if "submit" in request.POST else "is saved as a draft"
            return self.logged(request, newest, f"Version {newest.version} {what}.")

        return self.take_step(request, subject, step, form=form)

    def show_typed(self, request: HttpRequest, subject: Described) -> HttpResponse:
        """What is typed, kept and not saved: against the versions before it, and without hidden
        characters where that button was pressed."""
        text = request.POST.get("text", "")
        base = str(number(request.POST.get("base_version")) or 0)
        if "clean" in request.POST and len(text) <= MOST_KEPT:
            text = without_hidden(text)
        self.keep(request, subject, text=text, base_version=base)
        form = DescriptionForm(initial={"text": text, "base_version": base})
        return self.show(request, subject, form, typed=plain_text(text))

    def refuse(
        self, request: HttpRequest, subject: Described, error: ProposalError, form: Any
    ) -> HttpResponse:
        """After somebody else saved, both texts: the form keeps the one that was sent and is based
        on the other from now on."""
        if form is None:
            return super().refuse(request, subject, error, form)
        if not isinstance(error, EditConflictError) or error.newest is None:
            form.add_error(None, str(error))
            return self.show(request, subject, form, status=409)
        newest, text = error.newest, form.cleaned_data["text"]
        form = DescriptionForm(initial={"text": text, "base_version": newest.version})
        segments = word_diff(newest.text, text)
        conflict = {"message": str(error), "newest": newest, "segments": segments}
        return self.show(request, subject, form, status=409, conflict=conflict)

    def go_on(self, request: HttpRequest, subject: Described, done: str) -> HttpResponse:
        return and_next(request, super().go_on(request, subject, done))

    def restore_view(self, request: HttpRequest, pk: int) -> HttpResponse:
        self.require(self.has_change_permission(request))
        old = get_object_or_404(Description.objects.select_related("figure"), pk=pk)

        def step() -> str:
            restore(description=old, author=user_of(request))
            message = f"The text of version {old.version} is the newest draft again."
            return self.logged(request, old, message)

        return self.take_step(request, Described(old.figure, old.language), step, uses=())

    def take_view(self, request: HttpRequest, **key: Any) -> HttpResponse:
        """The newest draft has the words approved last of the same picture in another benchmark."""
        self.require(self.has_change_permission(request))
        subject = self.subject_of(request, **key)

        def step() -> str:
            newest = subject.newest
            twin = newer_of(twins_of(**subject._asdict()), newest)
            if twin is None or twin.approved is None:
                raise ProposalError("No newer text of the same picture is approved elsewhere.")
            saved = save_draft(
                **subject._asdict(),
                text=twin.approved.text,
                author=user_of(request),
                base_version=newest.version if newest else 0,
            )
            made = f"Version {saved.version}, a draft, has the text of"
            return self.logged(request, saved, f"{made} {twin.name} in {twin.benchmark}.")

        return self.take_step(request, subject, step, uses=())

    def logged(self, request: HttpRequest, description: Description, message: str) -> str:
        self.log_change(request, description, message)
        return message

    def rejudge_view(self, request: HttpRequest, **key: Any) -> HttpResponse:
        self.require(may_rejudge(request.user))
        subject = self.subject_of(request, **key)
        reason, path = reason_in(request), self.path_of(subject)
        if not reason:
            messages.error(request, "Nothing is judged again: say why it should be.")
            return redirect(f"{path}?stale=1#judging")
        found = rejudge_stale(figure=subject.figure)
        done = (
            f"{found.waiting} judgements wait for the judge again; {found.decided} needed no call."
        )
        self.log_change(request, subject.figure, done, reason=reason)
        messages.success(request, done)
        return redirect(f"{path}?stale=1")
