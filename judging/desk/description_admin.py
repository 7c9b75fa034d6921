"""The annotators' room: a worklist, and for each figure the form of its description with review and
history.

It stands in the admin of judging because whoever approves a description is told which judgements it
makes stale.
"""

from collections.abc import Callable, Mapping
from typing import Any

from django import forms
from django.contrib import messages
from django.contrib.auth.models import User
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect
from django.urls import URLPattern, path, reverse
from django.views.decorators.http import require_POST

from benchmarks.admin import PageAdmin
from benchmarks.forms.diff import word_diff
from benchmarks.forms.typed_text import TypedTextField, plain_text
from benchmarks.forms.unsaved import discard_text, keep_text, keeps_text, ticket_for, unsaved_text
from benchmarks.models import Description, Figure, UnsavedText
from benchmarks.services.descriptions import (
    DescriptionError,
    EditConflictError,
    approve,
    restore,
    save_draft,
    send_back,
    submit_for_review,
)
from benchmarks.worklist import figure_languages, newest_description
from judging.desk.description_page import Conflict, figure_page, worklist_page
from judging.desk.staleness import rejudge_stale

FIGURE_PAGE = "admin:benchmarks_description_figure"
MAX_CHARACTERS = 20_000  # ten pages: a prompt holds all of it, which is 5,000 tokens of every call
FORM = "typed"


class DescriptionForm(forms.Form):
    """`base_version` is the version the text was written from: the check against lost edits needs
    it.

    Its fields belong to the form "typed", as the comment of a review does: every button of the page
    sends them all.
    """

    use_required_attribute = False  # or a reviewer could not send back without a text
    text = TypedTextField(
        limit=MAX_CHARACTERS,
        what="A description",
        label="Description",
        widget=forms.Textarea(
            attrs={
                "rows": 18,
                "spellcheck": "true",
                "data-counts-into": "words",
                "form": FORM,
            }
        ),
        error_messages={"required": "Describe the figure before you save."},
    )
    base_version = forms.IntegerField(
        min_value=0, max_value=1_000_000, widget=forms.HiddenInput(attrs={"form": FORM})
    )


def user_of(request: HttpRequest) -> User:
    assert isinstance(request.user, User)
    return request.user


def number(text: str | None) -> int | None:
    return int(text) if text and text.isascii() and text.isdigit() and len(text) < 10 else None


class DescriptionAdmin(PageAdmin):
    """Every page needs `view`, every change the permission its button needs; services refuse the
    rest."""

    def get_urls(self) -> list[URLPattern]:
        def page(route: str, view: Callable[..., HttpResponseBase], name: str) -> URLPattern:
            guarded = keeps_text(self.admin_site.admin_view(view), self.admin_site.has_permission)
            return path(route, guarded, name=f"benchmarks_description_{name}")

        def step(route: str, view: Callable[..., HttpResponseBase], name: str) -> URLPattern:
            return page(route, require_POST(view), name)

        return [
            page("", self.worklist_view, "changelist"),
            page("figure/<int:figure_id>/", self.any_language_view, "any_language"),
            page("figure/<int:figure_id>/<slug:language>/", self.figure_view, "figure"),
            step(
                "figure/<int:figure_id>/<slug:language>/judge-again/", self.rejudge_view, "rejudge"
            ),
            page("<int:pk>/change/", self.version_view, "change"),
            step("figure/<int:figure_id>/<slug:language>/typed/", self.typed_view, "typed"),
            step("figure/<int:figure_id>/<slug:language>/discard/", self.discard_view, "discard"),
            step("<int:pk>/approve/", self.approve_view, "approve"),
            step("<int:pk>/send-back/", self.send_back_view, "send_back"),
            step("<int:pk>/restore/", self.restore_view, "restore"),
        ]

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_add_permission(self, request: HttpRequest) -> bool:
        """A description is added on the page of its figure, not on its own."""
        return False

    # --- pages ------------------------------------------------------------------------------------

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
        initial = {
            "text": newest.text if newest else "",
            "base_version": newest.version if newest else 0,
        }
        kept = self.kept_text(request, figure, language)
        form = DescriptionForm(initial={**initial, **(kept.fields if kept else {})})
        return self.show_figure(request, figure, language, form, kept=kept)

    # --- steps ------------------------------------------------------------------------------------

    def save(self, request: HttpRequest, figure: Figure, language: str) -> HttpResponse:
        """The text is a new draft, and in review where that button was pressed. Nothing typed is
        lost on the way."""
        self.require(request, self.has_change_permission(request))
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
                submit_for_review(description=saved)
        except EditConflictError as error:
            self.keep(request, figure, language)
            return self.show_conflict(request, figure, language, text, error)
        except DescriptionError as error:
            self.keep(request, figure, language)
            form.add_error(None, str(error))
            return self.show_figure(request, figure, language, form, status=409)
        self.forget_text(request, figure, language)
        what = "waits for review" if "submit" in request.POST else "is saved as a draft"
        return self.tell(request, saved, f"Version {saved.version} {what}.")

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

    def approve_view(self, request: HttpRequest, pk: int) -> HttpResponse:
        self.require(request, request.user.has_perm("benchmarks.approve_description"))
        description = self.description_or_404(pk)
        if self.has_typed(request, description) and "unchanged" not in request.POST:
            return self.ask_about_text(request, description)
        return self.take_step(
            request,
            description,
            lambda: approve(description=description, reviewer=user_of(request)),
            f"Version {description.version} is approved: from now on it is the one judged.",
        )

    def send_back_view(self, request: HttpRequest, pk: int) -> HttpResponse:
        self.require(request, request.user.has_perm("benchmarks.approve_description"))
        description = self.description_or_404(pk)
        comment = plain_text(request.POST.get("comment", "").replace("\0", ""))
        if len(comment) > MAX_CHARACTERS:
            self.keep(request, description.figure, description.language)
            messages.error(
                request,
                f"A comment has at most {MAX_CHARACTERS:,} characters;"
                f" this one has {len(comment):,}. It is kept below: shorten it and send it again.",
            )
            return self.back_to(description)
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
        if "text" in request.POST:
            self.keep(request, figure, language)
        found = rejudge_stale(figure=figure)
        done = (
            f"{found.waiting} judgements wait for the judge again; {found.decided} needed no call."
        )
        self.log_change(request, figure, done)
        messages.success(request, done)
        return redirect(FIGURE_PAGE, figure_id, language)

    # --- what is typed and not saved
    # -----------------------------------------------------------------------

    def typed_view(self, request: HttpRequest, figure_id: int, language: str) -> HttpResponse:
        """What stands in the form now is kept, or kept no longer where it is what is saved; 413
        where it is too much."""
        may_type = self.has_change_permission(request)
        self.require(request, may_type or request.user.has_perm("benchmarks.approve_description"))
        figure = self.figure_or_404(figure_id, language)
        return HttpResponse(status=204 if self.keep(request, figure, language) else 413)

    def discard_view(self, request: HttpRequest, figure_id: int, language: str) -> HttpResponse:
        self.require(request, self.has_view_permission(request))
        self.figure_or_404(figure_id, language)
        discard_text(user=user_of(request), path=form_path(figure_id, language))
        messages.success(request, "What was typed and not saved is thrown away.")
        return redirect(FIGURE_PAGE, figure_id, language)

    def keep(self, request: HttpRequest, figure: Figure, language: str) -> bool:
        fields = {name: value for name, value in request.POST.items() if isinstance(value, str)}
        path = form_path(figure.pk, language)
        if not fields.get("comment", "").strip() and not differs(figure, language, fields):
            discard_text(user=user_of(request), path=path, names=fields)
            return True
        title = form_title(figure, language)
        return keep_text(user_id=user_of(request).pk, path=path, title=title, fields=fields)

    def kept_text(self, request: HttpRequest, figure: Figure, language: str) -> UnsavedText | None:
        """None where what was kept has been saved since, by a button whose page was left before it
        answered."""
        kept = unsaved_text(user=user_of(request), path=form_path(figure.pk, language))
        if kept is None or kept.fields.get("comment", "").strip():
            return kept
        newest = newest_description(figure, language)
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

    def ask_about_text(self, request: HttpRequest, description: Description) -> HttpResponse:
        """Approving takes the version as it stands. Whoever changed its text in the form is asked
        which they mean."""
        figure, language = description.figure, description.language
        self.keep(request, figure, language)
        form = DescriptionForm(initial=request.POST.dict())
        return self.show_figure(request, figure, language, form, status=409, asks_about=description)

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
        asks_about: Description | None = None,
    ) -> HttpResponse:
        chosen = {name: number(request.GET.get(name)) for name in ("version", "against")}
        page = figure_page(figure=figure, language=language, user=user_of(request), **chosen)
        ticket = ticket_for(
            user=user_of(request),
            path=form_path(figure.pk, language),
            title=form_title(figure, language),
        )
        typed = {
            "form": form,
            "ticket": ticket,
            "kept": kept,
            "comment": request.POST.get("comment", kept.fields.get("comment", "") if kept else ""),
            "asks_about": asks_about,
            "limit": MAX_CHARACTERS,
        }
        title = f"Figure {figure.key}"
        return self.render(
            request, "figure", title, status=status, page=page, conflict=conflict, **typed
        )

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


def form_path(figure_id: int, language: str) -> str:
    return reverse(FIGURE_PAGE, args=[figure_id, language])


def form_title(figure: Figure, language: str) -> str:
    return f"Figure {figure.key}, {language}"


def differs(figure: Figure, language: str, fields: Mapping[str, str]) -> bool:
    """Whether a text was sent that is not the one of the version it was written from."""
    if "text" not in fields:
        return False
    base = Description.objects.filter(
        figure=figure, language=language, version=number(fields.get("base_version")) or 0
    )
    return plain_text(fields["text"]) != (base.values_list("text", flat=True).first() or "")


def unchanged_draft(
    figure: Figure, language: str, text: str, base_version: int
) -> Description | None:
    """The newest version, where it is the draft this very text was loaded from: saving it again
    adds nothing."""
    newest = newest_description(figure, language)
    if newest is None or newest.version != base_version or newest.text != text:
        return None
    return newest if newest.state == Description.State.DRAFT else None
