"""The annotators' room: a worklist, and for each figure the form of its description with review and history.

It stands in the admin of judging because whoever approves a description is told which judgements it makes stale.
"""

from collections.abc import Callable
from typing import Any

from django import forms
from django.contrib import admin, messages
from django.contrib.auth.models import User
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect
from django.template.response import TemplateResponse
from django.urls import URLPattern, path
from django.views.decorators.http import require_POST

from benchmarks.descriptions import (
    DescriptionError,
    EditConflictError,
    approve,
    plain_text,
    restore,
    save_draft,
    send_back,
    submit_for_review,
)
from benchmarks.diff import word_diff
from benchmarks.models import Description, Figure
from benchmarks.worklist import figure_languages, newest_description
from judging.description_page import Conflict, figure_page, worklist_page
from judging.staleness import rejudge_stale

FIGURE_PAGE = "admin:benchmarks_description_figure"
MAX_CHARACTERS = 20_000


class DescriptionForm(forms.Form):
    """`base_version` is the version the text was written from: the check against lost edits needs it."""

    text = forms.CharField(
        max_length=MAX_CHARACTERS,
        label="Description",
        widget=forms.Textarea(attrs={"rows": 18, "spellcheck": "true", "data-counts-into": "words"}),
        error_messages={
            "required": "Describe the figure before you save.",
            "max_length": f"A description has at most {MAX_CHARACTERS:,} characters.",
        },
    )
    base_version = forms.IntegerField(min_value=0, max_value=1_000_000, widget=forms.HiddenInput)


def user_of(request: HttpRequest) -> User:
    assert isinstance(request.user, User)
    return request.user


def number(text: str | None) -> int | None:
    return int(text) if text and text.isascii() and text.isdigit() and len(text) < 10 else None


class DescriptionAdmin(admin.ModelAdmin):  # type: ignore[type-arg]  # generic only in the stubs
    """Every page needs `view`, every change the permission its button needs; services refuse the rest."""

    def get_urls(self) -> list[URLPattern]:
        def page(route: str, view: Callable[..., HttpResponseBase], name: str) -> URLPattern:
            return path(route, self.admin_site.admin_view(view), name=f"benchmarks_description_{name}")

        def step(route: str, view: Callable[..., HttpResponseBase], name: str) -> URLPattern:
            return page(route, require_POST(view), name)

        return [
            page("", self.worklist_view, "changelist"),
            page("figure/<int:figure_id>/", self.any_language_view, "any_language"),
            page("figure/<int:figure_id>/<slug:language>/", self.figure_view, "figure"),
            step("figure/<int:figure_id>/<slug:language>/judge-again/", self.rejudge_view, "rejudge"),
            page("<int:pk>/change/", self.version_view, "change"),
            step("<int:pk>/approve/", self.approve_view, "approve"),
            step("<int:pk>/send-back/", self.send_back_view, "send_back"),
            step("<int:pk>/restore/", self.restore_view, "restore"),
        ]

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_add_permission(self, request: HttpRequest) -> bool:
        """A description is added on the page of its figure, not on its own."""
        return False

    # --- pages ---------------------------------------------------------------------------------------------

    def worklist_view(self, request: HttpRequest) -> HttpResponse:
        self.require(request, self.has_view_permission(request))
        page = worklist_page(user=user_of(request), slug=request.GET.get("benchmark", ""))
        return self.render(request, "worklist", "Descriptions of figures", page=page)

    def any_language_view(self, request: HttpRequest, figure_id: int) -> HttpResponse:
        self.require(request, self.has_view_permission(request))
        languages = figure_languages(get_object_or_404(Figure, pk=figure_id))
        if not languages:
            raise Http404("No release shows this figure.")
        return redirect(FIGURE_PAGE, figure_id, "en" if "en" in languages else languages[0])

    def version_view(self, request: HttpRequest, pk: int) -> HttpResponse:
        self.require(request, self.has_view_permission(request))
        return self.back_to(get_object_or_404(Description, pk=pk))

    def figure_view(self, request: HttpRequest, figure_id: int, language: str) -> HttpResponse:
        self.require(request, self.has_view_permission(request))
        figure = self.figure_or_404(figure_id, language)
        if request.method == "POST":
            return self.save(request, figure, language)
        newest = newest_description(figure, language)
        form = DescriptionForm(
            initial={"text": newest.text if newest else "", "base_version": newest.version if newest else 0}
        )
        return self.show_figure(request, figure, language, form)

    # --- steps ---------------------------------------------------------------------------------------------

    def save(self, request: HttpRequest, figure: Figure, language: str) -> HttpResponse:
        """The text is a new draft, and in review where that button was pressed. Nothing typed is lost on the way."""
        self.require(request, self.has_change_permission(request))
        form = DescriptionForm(request.POST)
        if not form.is_valid():
            return self.show_figure(request, figure, language, form, status=422)
        text, base = plain_text(form.cleaned_data["text"]), form.cleaned_data["base_version"]
        try:
            saved = unchanged_draft(figure, language, text, base) or save_draft(
                figure=figure, language=language, text=text, author=user_of(request), base_version=base
            )
            if "submit" in request.POST:
                submit_for_review(description=saved)
        except EditConflictError as error:
            return self.show_conflict(request, figure, language, text, error)
        except DescriptionError as error:
            form.add_error(None, str(error))
            return self.show_figure(request, figure, language, form, status=409)
        what = "waits for review" if "submit" in request.POST else "is saved as a draft"
        return self.tell(request, saved, f"Version {saved.version} {what}.")

    def show_conflict(
        self, request: HttpRequest, figure: Figure, language: str, text: str, error: EditConflictError
    ) -> HttpResponse:
        """Both texts; the form keeps the one that was sent and is based on the other from now on."""
        newest = error.newest
        form = DescriptionForm(initial={"text": text, "base_version": newest.version if newest else 0})
        conflict = Conflict(str(error), newest, word_diff(newest.text, text)) if newest else None
        return self.show_figure(request, figure, language, form, status=409, conflict=conflict)

    def approve_view(self, request: HttpRequest, pk: int) -> HttpResponse:
        self.require(request, request.user.has_perm("benchmarks.approve_description"))
        description = self.description_or_404(pk)
        return self.take_step(
            request,
            description,
            lambda: approve(description=description, reviewer=user_of(request)),
            f"Version {description.version} is approved: from now on it is the one judged.",
        )

    def send_back_view(self, request: HttpRequest, pk: int) -> HttpResponse:
        self.require(request, request.user.has_perm("benchmarks.approve_description"))
        description = self.description_or_404(pk)
        comment = request.POST.get("comment", "").replace("\0", "")[:MAX_CHARACTERS]
        return self.take_step(
            request,
            description,
            lambda: send_back(description=description, reviewer=user_of(request), comment=comment),
            f"Version {description.version} is sent back with your comment.",
        )

    def restore_view(self, request: HttpRequest, pk: int) -> HttpResponse:
        self.require(request, self.has_change_permission(request))
        description = self.description_or_404(pk)
        return self.take_step(
            request,
            description,
            lambda: restore(description=description, author=user_of(request)),
            f"The text of version {description.version} is the newest draft again.",
        )

    def rejudge_view(self, request: HttpRequest, figure_id: int, language: str) -> HttpResponse:
        self.require(request, request.user.has_perm("judging.change_judgement"))
        figure = self.figure_or_404(figure_id, language)
        found = rejudge_stale(figure=figure)
        done = f"{found.waiting} judgements wait for the judge again; {found.decided} needed no call."
        self.log_change(request, figure, done)
        messages.success(request, done)
        return redirect(FIGURE_PAGE, figure_id, language)

    # --- what they share -----------------------------------------------------------------------------------

    def take_step(
        self, request: HttpRequest, description: Description, step: Callable[[], object], done: str
    ) -> HttpResponse:
        try:
            step()
        except DescriptionError as error:
            messages.error(request, str(error))
            return self.back_to(description)
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
    ) -> HttpResponse:
        chosen = {name: number(request.GET.get(name)) for name in ("version", "against")}
        page = figure_page(figure=figure, language=language, user=user_of(request), **chosen)
        title = f"Figure {figure.key}"
        return self.render(request, "figure", title, status=status, page=page, form=form, conflict=conflict)

    def render(
        self, request: HttpRequest, template: str, title: str, *, status: int = 200, **context: Any
    ) -> HttpResponse:
        context = {**self.admin_site.each_context(request), "title": title, "opts": self.opts, **context}
        return TemplateResponse(request, f"admin/benchmarks/description/{template}.html", context, status=status)

    def figure_or_404(self, figure_id: int, language: str) -> Figure:
        """A figure that some release or description has in this language."""
        figure = get_object_or_404(Figure.objects.select_related("benchmark"), pk=figure_id)
        if language not in figure_languages(figure):
            raise Http404("No release shows this figure in this language.")
        return figure

    def description_or_404(self, pk: int) -> Description:
        return get_object_or_404(Description.objects.select_related("figure"), pk=pk)

    def require(self, request: HttpRequest, allowed: bool) -> None:
        if not allowed:
            raise PermissionDenied


def unchanged_draft(figure: Figure, language: str, text: str, base_version: int) -> Description | None:
    """The newest version, where it is the draft this very text was loaded from: saving it again adds nothing."""
    newest = newest_description(figure, language)
    if newest is None or newest.version != base_version or newest.text != text:
        return None
    return newest if newest.state == Description.State.DRAFT else None
