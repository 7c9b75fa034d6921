"""Releases: their pages, and the files that everybody may have of them."""

import hashlib
import json
from datetime import datetime
from typing import Any

from django.http import FileResponse, Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.utils.cache import get_conditional_response, patch_cache_control
from django.utils.http import http_date
from django.views.decorators.http import require_safe

from benchmarks.models import Release, ReleaseArchive
from benchmarks.releases.files import archive_name, example_program
from leaderboard.web.pages.releases.croissant import dataset_document, in_a_page
from leaderboard.web.pages.releases.release import archive_of, release_page

SOON = 300
"""Seconds that a browser keeps a file of a release without asking: what is said of its licence may
be corrected."""
NO_ARCHIVE = "The archive of this release is not made yet. Sweeps make it within the hour."


def published(slug: str) -> Release:
    found = Release.objects.published().select_related("benchmark", "archive")
    release: Release = get_object_or_404(found, slug=slug)
    return release


def archived(slug: str) -> tuple[Release, ReleaseArchive]:
    release = published(slug)
    archive = archive_of(release)
    if archive is None:
        raise Http404(NO_ARCHIVE)
    return release, archive


def document_of(request: HttpRequest, release: Release) -> dict[str, Any]:
    return dataset_document(
        release,
        archive_of(release),
        page_url=request.build_absolute_uri(reverse("release", args=[release.slug])),
        archive_url=request.build_absolute_uri(reverse("release-archive", args=[release.slug])),
    )


@require_safe
def releases(request: HttpRequest) -> HttpResponse:
    """Benchmark by benchmark, the main one of each first."""
    found = Release.objects.published().main_first().select_related("benchmark", "archive")
    return render(request, "releases/releases.html", {"releases": found})


@require_safe
def release(request: HttpRequest, slug: str) -> HttpResponse:
    found = published(slug)
    dataset = in_a_page(document_of(request, found))
    return render(
        request, "releases/release.html", {"page": release_page(found), "dataset": dataset}
    )


@require_safe
def release_archive(request: HttpRequest, slug: str) -> HttpResponseBase:
    """All that is public of a release, in one file."""
    release, archive = archived(slug)
    etag = f'"{archive.sha256}"'
    if unchanged := get_conditional_response(request, etag, int(archive.made.timestamp())):
        return unchanged
    try:
        content = archive.file.open("rb")
    except FileNotFoundError:
        raise Http404("The archive is not in the file storage.") from None
    response = FileResponse(
        content,
        content_type="application/zip",
        as_attachment=True,
        filename=archive_name(release),
    )
    return kept_a_while(response, etag, archive.made)


@require_safe
def release_example(request: HttpRequest, slug: str) -> HttpResponseBase:
    """The program that the page shows, and that is in the archive."""
    release = published(slug)
    name = f"{release.slug}-example.py"
    return file_of_text(request, example_program(release), "text/x-python", name)


@require_safe
def release_croissant(request: HttpRequest, slug: str) -> HttpResponseBase:
    release, _archive = archived(slug)
    text = json.dumps(document_of(request, release), indent=2, ensure_ascii=False) + "\n"
    return file_of_text(request, text, "application/ld+json", f"{release.slug}-croissant.json")


def file_of_text(request: HttpRequest, text: str, kind: str, name: str) -> HttpResponseBase:
    """A small file, told from others by its content."""
    etag = f'"{hashlib.sha256(text.encode()).hexdigest()}"'
    if unchanged := get_conditional_response(request, etag):
        return unchanged
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    response = HttpResponse(text, content_type=f"{kind}; charset=utf-8", headers=headers)
    return kept_a_while(response, etag, None)


def kept_a_while(response: HttpResponseBase, etag: str, made: datetime | None) -> HttpResponseBase:
    response.headers["ETag"] = etag
    if made is not None:
        response.headers["Last-Modified"] = http_date(made.timestamp())
    patch_cache_control(response, public=True, max_age=SOON)
    return response
