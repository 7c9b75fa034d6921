"""How releases grow in the admin: their texts go out as a file and come back for review, and a page
tells what a draft lacks.

It stands in the admin of judging because texts that come back are versions and proposals, which
reviewers decide on.
"""

from django import forms
from django.contrib import messages
from django.http import (
    Http404,
    HttpRequest,
    HttpResponse,
    HttpResponseBase,
    StreamingHttpResponse,
)
from django.shortcuts import get_object_or_404, redirect
from django.urls import URLPattern
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from benchmarks.admin import PageAdmin, user_of
from benchmarks.forms.uploaded_file import TakesFile
from benchmarks.models import Release
from benchmarks.registry import protocols
from benchmarks.releases.readiness import lacking_texts
from benchmarks.releases.text_files import as_csv, as_json_lines
from benchmarks.services.importing import ReleaseRefusedError
from benchmarks.services.release_texts import written_rows
from benchmarks.submissions.files.reading import RETRY_SECONDS, ReadersBusyError
from benchmarks.wake import wake
from judging.desk.releases.texts_page import DraftPage, PreviewPage, draft_page, preview_page
from judging.services.draft_uploads import import_draft, preview_draft
from judging.services.text_imports import ImportRefusedError, preview_texts, submit_preview

TEXTS_PAGE = "admin:benchmarks_release_texts"
FORMATS = {
    "csv": (as_csv, "text/csv; charset=utf-8"),
    "jsonl": (as_json_lines, "application/jsonl; charset=utf-8"),
}
MESSAGES_SHOWN = 5  # in one message; the preview has listed all that a file can be told before
BUSY = "As many files are being read as this site reads at once. Send it again in a moment."


class UploadForm(TakesFile, forms.Form):
    file = forms.FileField(
        allow_empty_file=True,
        max_length=10_000,
        help_text="UTF-8, at most 20 MiB",
    )


class DraftForm(UploadForm):
    """Names may be left empty: the checksum of the questions makes one."""

    benchmark = forms.ChoiceField(
        choices=lambda: [(slug, family.title) for slug, family in protocols().items()]
    )
    slug = forms.SlugField(
        required=False,
        max_length=50,
        label="Name in addresses",
        help_text="Letters, digits, hyphens; made from the content where it is left empty",
    )
    title = forms.CharField(required=False, max_length=200)
    language = forms.SlugField(
        max_length=10, initial="en", help_text="Of questions and descriptions: en, zh"
    )


def known_sentence(release: Release, differences: int) -> str:
    message = f"The questions are those of {release} already; nothing was imported."
    if not differences:
        return f"{message} Its texts are known too."
    texts = (
        "1 text of the file is" if differences == 1 else f"{differences:,} texts of the file are"
    )
    return (
        f"{message} But {texts} not on this site: bring the file here to hand them in for review."
    )


class TextsForm(UploadForm):
    layout = forms.ChoiceField(
        label="What it is",
        choices=[
            ("texts", "A file of texts, as they are handed out above"),
            ("official", "The official file of the benchmark, corrected"),
        ],
        widget=forms.RadioSelect,
        initial="texts",
    )


class ReleaseTextsPages(PageAdmin):
    """Beside the form of a release: its texts as files, for everybody who writes them, and what a
    draft lacks."""

    def get_urls(self) -> list[URLPattern]:
        page = self.page
        looked_at = require_http_methods(["GET", "HEAD", "POST"])
        return [
            page("texts/", require_safe(self.list_view), "texts_list"),
            page("<int:pk>/texts/", looked_at(self.texts_view), "texts"),
            page("<int:pk>/texts/submit/", require_POST(self.submit_view), "texts_submit"),
            page("<int:pk>/texts/<slug:kind>/", require_safe(self.export_view), "texts_export"),
            page("upload/", looked_at(self.upload_view), "upload"),
            page("upload/confirm/", require_POST(self.confirm_view), "upload_confirm"),
            page("<int:pk>/lacking/", require_safe(self.lacking_view), "lacking"),
            *super().get_urls(),
        ]

    # --- texts as files ---------------------------------------------------------------------------

    def list_view(self, request: HttpRequest) -> HttpResponse:
        """Releases whose texts may still change."""
        self.require(request.user.has_perm("benchmarks.view_description"))
        releases = Release.objects.filter(state__in=Release.TAKES_TEXTS).main_first()
        found = releases.select_related("benchmark")
        return self.render(request, "texts_list", "Texts as files", releases=found)

    def texts_view(self, request: HttpRequest, pk: int) -> HttpResponse:
        """What can be taken away, and the form of a file that comes back; its differences once
        there is one. Nothing is handed in before they were looked at."""
        self.require(request.user.has_perm("benchmarks.view_description"))
        release = self.release_or_404(pk)
        if request.method != "POST":
            return self.show_texts(request, release, TextsForm())
        self.require(request.user.has_perm("benchmarks.add_description"))
        form = TextsForm(request.POST, request.FILES)
        if not form.is_valid():
            return self.show_texts(request, release, form, status=422)
        try:
            preview = preview_texts(
                release=release,
                upload=form.upload(),
                by=user_of(request),
                is_official=form.cleaned_data["layout"] == "official",
            )
        except ReadersBusyError:
            form.add_error(None, BUSY)
            response = self.show_texts(request, release, form, status=503)
            response["Retry-After"] = str(RETRY_SECONDS)
            return response
        page = preview_page(preview)
        status = 422 if page.problems else 200
        return self.show_texts(request, release, form, page=page, status=status)

    def submit_view(self, request: HttpRequest, pk: int) -> HttpResponse:
        self.require(request.user.has_perm("benchmarks.add_description"))
        release = self.release_or_404(pk)
        try:
            done = submit_preview(
                token=request.POST.get("token", ""), release=release, by=user_of(request)
            )
        except ImportRefusedError as error:
            messages.error(request, str(error))
            return redirect(TEXTS_PAGE, pk)
        texts = done.descriptions + done.references
        message = f"{texts:,} {'text waits' if texts == 1 else 'texts wait'} for review"
        detail = f"descriptions: {done.descriptions:,}, references: {done.references:,}"
        source = f"from {done.file_name} (SHA-256 {done.sha256[:16]})"
        self.log_change(request, release, f"{message}, {source}; {detail}.")
        messages.success(request, f"{message}; {detail}.")
        return redirect(TEXTS_PAGE, pk)

    def export_view(self, request: HttpRequest, pk: int, kind: str) -> HttpResponseBase:
        """Every text, streamed."""
        self.require(request.user.has_perm("benchmarks.view_description"))
        release = self.release_or_404(pk)
        if kind not in FORMATS:
            raise Http404("Texts are handed out as csv and jsonl.")
        write, content_type = FORMATS[kind]
        name = f"{release.slug}-texts.{kind}"
        return StreamingHttpResponse(
            write(written_rows(release)),
            content_type=content_type,
            headers={
                "Content-Disposition": f'attachment; filename="{name}"',
                "Cache-Control": "private, no-store",
            },
        )

    # --- what a draft lacks -----------------------------------------------------------------------

    def lacking_view(self, request: HttpRequest, pk: int) -> HttpResponse:
        """The texts that its judge would read as empty ones; while there are any it cannot be
        opened."""
        self.require(request.user.has_perm("benchmarks.view_release"))
        release = self.release_or_404(pk)
        lacking = lacking_texts(release) if release.state == Release.State.DRAFT else ()
        title = f"What {release} lacks"
        return self.render(request, "lacking", title, release=release, lacking=lacking)

    # --- a new draft ------------------------------------------------------------------------------

    def upload_view(self, request: HttpRequest) -> HttpResponse:
        """An official file, and what would become of it."""
        self.require(request.user.has_perm("benchmarks.add_release"))
        if request.method != "POST":
            return self.show_upload(request, DraftForm())
        form = DraftForm(request.POST, request.FILES)
        if not form.is_valid():
            return self.show_upload(request, form, status=422)
        data = form.cleaned_data
        try:
            preview = preview_draft(
                benchmark=data["benchmark"],
                upload=form.upload(),
                names={name: data[name] for name in ("slug", "title", "language")},
                by=user_of(request),
            )
        except ReadersBusyError:
            form.add_error(None, BUSY)
            response = self.show_upload(request, form, status=503)
            response["Retry-After"] = str(RETRY_SECONDS)
            return response
        status = 422 if preview.problems else 200
        return self.show_upload(request, form, page=draft_page(preview), status=status)

    def confirm_view(self, request: HttpRequest) -> HttpResponse:
        """The previewed file is a draft; one of known questions leads to the release that has
        them."""
        self.require(request.user.has_perm("benchmarks.add_release"))
        try:
            imported = import_draft(token=request.POST.get("token", ""), by=user_of(request))
        except ImportRefusedError as error:
            messages.error(request, str(error))
            return redirect("admin:benchmarks_release_upload")
        except ReleaseRefusedError as error:
            listed = " ".join(problem.message for problem in error.problems[:MESSAGES_SHOWN])
            messages.error(request, f"Nothing was imported. {listed}")
            return redirect("admin:benchmarks_release_upload")
        release = imported.release
        if not imported.is_new:
            messages.warning(request, known_sentence(release, len(imported.differences)))
            return redirect(TEXTS_PAGE, release.pk)
        message = f"Imported as a draft: {release.question_count:,} questions."
        self.log_change(request, release, message)
        messages.success(request, message)
        wake()
        return redirect("admin:benchmarks_release_lacking", release.pk)

    def show_upload(
        self,
        request: HttpRequest,
        form: "DraftForm",
        *,
        page: DraftPage | None = None,
        status: int = 200,
    ) -> HttpResponse:
        title = "A draft from an official file"
        return self.render(request, "upload", title, status=status, form=form, page=page)

    # --- what they share --------------------------------------------------------------------------

    def release_or_404(self, pk: int) -> Release:
        return get_object_or_404(Release.objects.select_related("benchmark"), pk=pk)

    def show_texts(
        self,
        request: HttpRequest,
        release: Release,
        form: TextsForm,
        *,
        page: PreviewPage | None = None,
        status: int = 200,
    ) -> HttpResponse:
        given = {
            "release": release,
            "form": form,
            "page": page,
            "takes_texts": release.state in Release.TAKES_TEXTS,
            "may_hand_in": request.user.has_perm("benchmarks.add_description"),
        }
        return self.render(request, "texts", f"Texts of {release}", status=status, **given)
