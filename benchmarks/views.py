"""Public files of a benchmark: pictures, and a template to fill with answers."""

from typing import Any

from django.http import FileResponse, Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.utils.cache import patch_cache_control
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_safe

from benchmarks.figures.files import picture_response
from benchmarks.models import FigureImage, Release, Rendition
from benchmarks.selectors import of_drafts_alone, release_template

A_YEAR = 31_536_000
SOON = 300  # seconds: by then a rendition may have been made


@require_safe
@cache_control(public=True, max_age=A_YEAR, immutable=True)
def figure_image(request: HttpRequest, image_id: int) -> FileResponse:
    """A picture of a published release. Its bytes never change: they are named by their hash."""
    image = published_image(image_id)
    return picture_response(image.file, image.sha256)


@require_safe
def figure_rendition(request: HttpRequest, image_id: int) -> FileResponse:
    """What pages show of a picture: its rendition; the picture itself where it has none, or none
    yet."""
    image = published_image(image_id)
    rendition = Rendition.objects.filter(sha256=image.sha256).first()
    lasting: dict[str, Any] = {"max_age": A_YEAR, "immutable": True}
    try:
        if rendition is None:
            raise Http404
        response = picture_response(
            rendition.file or image.file, rendition.file_sha256 if rendition.file else image.sha256
        )
    except Http404:  # not made yet, gone, or damaged: the sweep makes it
        response, lasting = picture_response(image.file, image.sha256), {"max_age": SOON}
    patch_cache_control(response, public=True, **lasting)
    return response


def published_image(image_id: int) -> FigureImage:
    """Raises Http404 for one of drafts alone; staff see it in the admin."""
    shown = FigureImage.objects.exclude(sha256="").exclude(of_drafts_alone())
    return get_object_or_404(shown, pk=image_id)


@require_safe
def release_template_file(request: HttpRequest, slug: str) -> HttpResponse:
    """A CSV with every public id of the release and an empty prediction."""
    release = get_object_or_404(Release.objects.published(), slug=slug)
    headers = {"Content-Disposition": f'attachment; filename="{release.slug}-template.csv"'}
    return HttpResponse(
        release_template(release), content_type="text/csv; charset=utf-8", headers=headers
    )
