"""The annotators' room: a worklist, and for each figure the form of its description with its
history. Versions are reviewed on pages of their own (description_review.py).

It stands in the admin of judging because whoever approves a description is told which judgements it
makes stale.
"""

from collections.abc import Callable, Mapping
from typing import Any

from django.contrib import messages
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.urls import URLPattern
from django.views.decorators.http import require_safe

from benchmarks.admin import PageAdmin, user_of
from benchmarks.figure_names import name_of
from benchmarks.forms.diff import word_diff
from benchmarks.forms.hidden_characters import without_hidden
from benchmarks.forms.typed_text import plain_text
from benchmarks.forms.unsaved import MAX_CHARACTERS as MOST_KEPT
from benchmarks.forms.unsaved import (
    discard_text,
    keep_text,
    keeps_newer,
    ticket_for,
    unsaved_text,
)
from benchmarks.models import Description, Figure, UnsavedText
from benchmarks.services.claims import claim, claims_of, give_up
from benchmarks.services.descriptions import (
    DescriptionError,
    EditConflictError,
    restore,
    save_draft,
    submit_for_review,
)
from benchmarks.services.twins import newer_of, twins_of
from benchmarks.worklist import figure_languages, newest_description
from judging.desk.description_form import (
    FIGURE_PAGE,
    MAX_CHARACTERS,
    DescriptionForm,
    differs,
    form_path,
    form_title,
    hidden_in,
    number,
    unchanged_draft,
    was_saved,
)
from judging.desk.description_page import (
    Conflict,
    FigureFile,
    Versions,
    figure_page,
    presence,
    read_figure,
    read_versions,
)
from judging.desk.description_review import DescriptionReviews
from judging.desk.queue_admin import FigureQueue, and_next, moves_of
from judging.desk.several_admin import SeveralReviews
from judging.desk.stale_admin import reason_in
from judging.desk.staleness import may_rejudge, rejudge_stale
from judging.desk.work_done_admin import WorkDonePages

NOT_SHOWN = "No release shows this figure in this language."


def figures() -> "QuerySet[Figure]":
    return Figure.objects.select_related("benchmark")


def asked_for(request: HttpRequest) -> dict[str, int | None]:
    """What an address says of versions; garbage says nothing."""
    return {name: number(request.GET.get(name)) for name in ("version", "against", "page")}


class DescriptionAdmin(PageAdmin):
    """Every page needs `view`, every change the permission its button needs; services refuse the
    rest."""

    def get_urls(self) -> list[URLPattern]:
        page, step = self.page, self.step
        return [
            page("figure/<int:figure_id>/", self.any_language_view, "any_language"),
            page("figure/<int:figure_id>/<slug:language>/", self.figure_view, "figure"),
            step(
                "figure/<int:figure_id>/<slug:language>/judge-again/", self.rejudge_view, "rejudge"
            ),
            page("<int:pk>/change/", self.version_view, "change"),
            step("figure/<int:figure_id>/<slug:language>/typed/", self.typed_view, "typed"),
            page(
                "figure/<int:figure_id>/<slug:language>/presence/",
                require_safe(self.presence_view),
                "presence",
            ),
            step("figure/<int:figure_id>/<slug:language>/discard/", self.discard_view, "discard"),
            step("<int:pk>/restore/", self.restore_view, "restore"),
            step("figure/<int:figure_id>/<slug:language>/take/", self.take_view, "take"),
            *DescriptionReviews(self.model, self.admin_site).get_urls(),
            *SeveralReviews(self.model, self.admin_site).get_urls(),
            *FigureQueue(self.model, self.admin_site).get_urls(),
            *WorkDonePages(self.model, self.admin_site).get_urls(),
        ]

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_add_permission(self, request: HttpRequest) -> bool:
        """A description is added on the page of its figure, not on its own."""
        return False

    # --- pages ------------------------------------------------------------------------------------

    def any_language_view(self, request: HttpRequest, figure_id: int) -> HttpResponse:
        self.require(self.has_view_permission(request))
        languages = figure_languages(get_object_or_404(Figure, pk=figure_id))
        if not languages:
            raise Http404("No release shows this figure.")
        return redirect(FIGURE_PAGE, figure_id, "en" if "en" in languages else languages[0])

    def version_view(self, request: HttpRequest, pk: int) -> HttpResponse:
        self.require(self.has_view_permission(request))
        return self.back_to(get_object_or_404(Description, pk=pk))

    def figure_view(self, request: HttpRequest, figure_id: int, language: str) -> HttpResponse:
        self.require(self.has_view_permission(request))
        if request.method == "POST":
            return self.save(request, self.figure_or_404(figure_id, language), language)
        file = read_figure(get_object_or_404(figures(), pk=figure_id))
        if language not in file.languages:
            raise Http404(NOT_SHOWN)
        versions = read_versions(file, language, **asked_for(request))
        figure, newest = file.figure, versions.newest
        initial = {
            "text": newest.text if newest else "",
            "base_version": newest.version if newest else 0,
        }
        kept = self.kept_text(request, figure, language, newest)
        form = DescriptionForm(initial={**initial, **(kept.fields if kept else {})})
        waits = newest is not None and newest.state == Description.State.IN_REVIEW
        if self.may_write(request) and not waits:
            claim(figure_id=figure.pk, language=language, user=user_of(request))
        return self.show_figure(
            request, figure, language, form, kept=kept, file=file, versions=versions
        )

    def presence_view(self, request: HttpRequest, figure_id: int, language: str) -> HttpResponse:
        """Who else has the form open, as a line of text."""
        self.require(self.has_view_permission(request))
        figure = self.figure_or_404(figure_id, language)
        found = claims_of(figure_id=figure.pk, language=language, but=user_of(request))
        return HttpResponse(presence(found), content_type="text/plain; charset=utf-8")

    # --- steps ------------------------------------------------------------------------------------

    def save(self, request: HttpRequest, figure: Figure, language: str) -> HttpResponse:
        """The text is a new draft, and in review where that button was pressed. Nothing typed is
        lost on the way."""
        self.require(self.has_change_permission(request))
        if "clean" in request.POST or "compare" in request.POST:
            return self.show_typed(request, figure, language)
        form = DescriptionForm(request.POST)
        if not form.is_valid():
            self.keep(request, figure, language)
            return self.show_figure(request, figure, language, form, status=422)
        text, base = form.cleaned_data["text"], form.cleaned_data["base_version"]
        try:
            saved = unchanged_draft(figure, language, text, base) or save_draft(
                figure=figure,
                language=language,
                text=text,
                author=user_of(request),
                base_version=base,
            )
            if "submit" in request.POST:
                submit_for_review(description=saved, by=user_of(request))
        except EditConflictError as error:
            self.keep(request, figure, language)
            return self.show_conflict(request, figure, language, text, error)
        except DescriptionError as error:
            self.keep(request, figure, language)
            form.add_error(None, str(error))
            return self.show_figure(request, figure, language, form, status=409)
        self.forget_text(request, figure, language)
        if "submit" in request.POST:
            give_up(figure_id=figure.pk, language=language, user=user_of(request))
        what = "waits for review" if "submit" in request.POST else "is saved as a draft"
        return and_next(request, self.tell(request, saved, f"Version {saved.version} {what}."))

    def show_typed(self, request: HttpRequest, figure: Figure, language: str) -> HttpResponse:
        """What is typed, kept and not saved: against the versions before it, and without hidden
        characters where that button was pressed."""
        fields = {"text": request.POST.get("text", "")}
        fields["base_version"] = str(number(request.POST.get("base_version")) or 0)
        if "clean" in request.POST and len(fields["text"]) <= MOST_KEPT:
            fields["text"] = without_hidden(fields["text"])
        self.keep(request, figure, language, fields)
        form = DescriptionForm(initial=fields)
        return self.show_figure(request, figure, language, form, typed=plain_text(fields["text"]))

    def show_conflict(
        self,
        request: HttpRequest,
        figure: Figure,
        language: str,
        text: str,
        error: EditConflictError,
    ) -> HttpResponse:
        """Both texts; the form keeps the one that was sent and is based on the other from now
        on."""
        newest = error.newest
        form = DescriptionForm(
            initial={"text": text, "base_version": newest.version if newest else 0}
        )
        conflict = Conflict(str(error), newest, word_diff(newest.text, text)) if newest else None
        return self.show_figure(request, figure, language, form, status=409, conflict=conflict)

    def restore_view(self, request: HttpRequest, pk: int) -> HttpResponse:
        self.require(self.has_change_permission(request))
        description = self.description_or_404(pk)
        return self.take_step(
            request,
            description,
            lambda: restore(description=description, author=user_of(request)),
            f"The text of version {description.version} is the newest draft again.",
        )

    def take_view(self, request: HttpRequest, figure_id: int, language: str) -> HttpResponse:
        """The newest draft has the words approved last of the same picture in another benchmark.
        What was typed beside is kept."""
        self.require(self.has_change_permission(request))
        figure, user = self.figure_or_404(figure_id, language), user_of(request)
        newest = newest_description(figure, language)
        twin = newer_of(twins_of(figure=figure, language=language), newest)
        if "text" in request.POST:
            self.keep(request, figure, language)
        if twin is None or twin.approved is None:
            messages.error(request, "No newer text of the same picture is approved elsewhere.")
            return redirect(FIGURE_PAGE, figure_id, language)
        try:
            saved = save_draft(
                figure=figure,
                language=language,
                text=twin.approved.text,
                author=user,
                base_version=newest.version if newest else 0,
            )
        except DescriptionError as error:
            messages.error(request, str(error))
            return redirect(FIGURE_PAGE, figure_id, language)
        done = f"Version {saved.version}, a draft, has the text of {twin.name} in {twin.benchmark}."
        return self.tell(request, saved, done)

    def rejudge_view(self, request: HttpRequest, figure_id: int, language: str) -> HttpResponse:
        self.require(may_rejudge(request.user))
        figure = self.figure_or_404(figure_id, language)
        reason = reason_in(request)
        if not reason:
            messages.error(request, "Nothing is judged again: say why it should be.")
            return redirect(f"{form_path(figure_id, language)}?stale=1#judging")
        found = rejudge_stale(figure=figure)
        done = (
            f"{found.waiting} judgements wait for the judge again; {found.decided} needed no call."
        )
        self.log_change(request, figure, done, reason=reason)
        messages.success(request, done)
        return redirect(f"{form_path(figure_id, language)}?stale=1")

    # --- what is typed and not saved --------------------------------------------------------------

    def typed_view(self, request: HttpRequest, figure_id: int, language: str) -> HttpResponse:
        """What stands in the form now is kept, or kept no longer where it is what is saved; 413
        where it is too much.

        A text that a browser kept and now found has its `age` in seconds: 205 where it was saved
        before it ended, 200 where what is kept here is newer and stays.
        """
        may_type = self.has_change_permission(request)
        self.require(may_type or request.user.has_perm("benchmarks.approve_description"))
        figure = self.figure_or_404(figure_id, language)
        age, user = number(request.POST.get("age")), user_of(request)
        if age is not None and was_saved(figure, language, request.POST, user):
            return HttpResponse(status=205)
        path = form_path(figure_id, language)
        if age is not None and keeps_newer(user=user, path=path, age_seconds=age):
            return HttpResponse("What is kept here is newer.", content_type="text/plain")
        if self.may_write(request):
            claim(figure_id=figure_id, language=language, user=user, holds_review=True)
        return HttpResponse(status=204 if self.keep(request, figure, language) else 413)

    def discard_view(self, request: HttpRequest, figure_id: int, language: str) -> HttpResponse:
        self.require(self.has_view_permission(request))
        self.figure_or_404(figure_id, language)
        discard_text(user=user_of(request), path=form_path(figure_id, language))
        messages.success(request, "What was typed and not saved is thrown away.")
        return redirect(FIGURE_PAGE, figure_id, language)

    def may_write(self, request: HttpRequest) -> bool:
        return self.has_change_permission(request)

    def keep(
        self,
        request: HttpRequest,
        figure: Figure,
        language: str,
        changed: Mapping[str, str] | None = None,
    ) -> bool:
        """What was sent, with what was changed of it, is kept for whoever sent it."""
        sent = {name: value for name, value in request.POST.items() if isinstance(value, str)}
        fields = {**sent, **(changed or {})}
        path = form_path(figure.pk, language)
        if not fields.get("comment", "").strip() and not differs(figure, language, fields):
            discard_text(user=user_of(request), path=path, names=fields)
            return True
        title = form_title(name_of(figure), language)
        return keep_text(user_id=user_of(request).pk, path=path, title=title, fields=fields)

    def kept_text(
        self, request: HttpRequest, figure: Figure, language: str, newest: Description | None
    ) -> UnsavedText | None:
        """None where what was kept has been saved since, by a button whose page was left before it
        answered."""
        kept = unsaved_text(user=user_of(request), path=form_path(figure.pk, language))
        if kept is None or kept.fields.get("comment", "").strip():
            return kept
        text = plain_text(kept.fields.get("text", ""))
        return None if not text or (newest and newest.text == text) else kept

    def forget_text(self, request: HttpRequest, figure: Figure, language: str) -> None:
        """What the request sent is saved, or shall be; a field that its page did not show stays
        kept."""
        path = form_path(figure.pk, language)
        discard_text(user=user_of(request), path=path, names=request.POST.keys())

    def has_typed(self, request: HttpRequest, description: Description) -> bool:
        fields = {name: value for name, value in request.POST.items() if isinstance(value, str)}
        return differs(description.figure, description.language, fields)

    # --- what they share --------------------------------------------------------------------------

    def take_step(
        self, request: HttpRequest, description: Description, step: Callable[[], object], done: str
    ) -> HttpResponse:
        """What was typed beside is kept: after a refusal all of it, after the step a text that was
        changed."""
        figure, language = description.figure, description.language
        try:
            step()
        except DescriptionError as error:
            if "comment" in request.POST or "text" in request.POST:
                self.keep(request, figure, language)
            messages.error(request, str(error))
            return self.back_to(description)
        changed = self.has_typed(request, description)
        if changed:
            self.keep(request, figure, language)
        path = form_path(figure.pk, language)
        sent = ["comment"] if changed else request.POST.keys()
        discard_text(user=user_of(request), path=path, names=sent)
        return self.tell(request, description, done)

    def tell(self, request: HttpRequest, description: Description, done: str) -> HttpResponse:
        self.log_change(request, description, done)
        messages.success(request, done)
        return redirect(FIGURE_PAGE, description.figure_id, description.language)

    def back_to(self, description: Description) -> HttpResponse:
        response = redirect(FIGURE_PAGE, description.figure_id, description.language)
        response["Location"] += f"?version={description.version}"
        return response

    def show_figure(
        self,
        request: HttpRequest,
        figure: Figure,
        language: str,
        form: DescriptionForm,
        *,
        status: int = 200,
        conflict: Conflict | None = None,
        kept: UnsavedText | None = None,
        typed: str | None = None,
        file: FigureFile | None = None,
        versions: Versions | None = None,
    ) -> HttpResponse:
        """With `typed` its changes against older versions, else those of the version shown."""
        chosen = asked_for(request)
        file = file or read_figure(figure)
        page = figure_page(
            file=file,
            versions=versions or read_versions(file, language, **chosen),
            language=language,
            user=user_of(request),
            against=chosen["against"],
            typed=typed,
            asks_stale="stale" in request.GET,
        )
        attrs = form.fields["text"].widget.attrs
        attrs["lang"] = language
        if conflict is None:  # what somebody else saved is read first
            attrs["autofocus"] = True
        ticket = ticket_for(
            user=user_of(request),
            path=form_path(figure.pk, language),
            title=form_title(file.name, language),
        )
        words = {
            "form": form,
            "hidden": hidden_in(form),
            "ticket": ticket,
            "kept": kept,
            "comment": request.POST.get("comment", kept.fields.get("comment", "") if kept else ""),
            "limit": MAX_CHARACTERS,
            "moves": moves_of(request, figure, language),
        }
        return self.render(
            request, "figure", file.name, status=status, page=page, conflict=conflict, **words
        )

    def figure_or_404(self, figure_id: int, language: str) -> Figure:
        """A figure that some release or description has in this language."""
        figure = get_object_or_404(figures(), pk=figure_id)
        if language not in figure_languages(figure):
            raise Http404(NOT_SHOWN)
        return figure

    def description_or_404(self, pk: int) -> Description:
        return get_object_or_404(Description.objects.select_related("figure"), pk=pk)
