"""Public files of a benchmark: pictures, and a template to fill with answers."""

from django.http import FileResponse, Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_safe

from benchmarks.models import FigureImage, Release
from benchmarks.selectors import release_template


@require_safe
@cache_control(public=True, max_age=31_536_000, immutable=True)
def figure_image(request: HttpRequest, image_id: int) -> FileResponse:
    """A picture of a published release. Its bytes never change: they are named by their hash."""
    shown = FigureImage.objects.exclude(sha256="").exclude(
        figure__questions__releases__state=Release.State.DRAFT
    )
    image = get_object_or_404(shown.distinct(), pk=image_id)
    try:
        return FileResponse(image.file.open("rb"))
    except FileNotFoundError:
        raise Http404("The picture is not in the file storage.") from None


@require_safe
def release_template_file(request: HttpRequest, slug: str) -> HttpResponse:
    """A CSV with every public id of the release and an empty prediction."""
    release = get_object_or_404(Release.objects.published(), slug=slug)
    headers = {"Content-Disposition": f'attachment; filename="{release.slug}-template.csv"'}
    return HttpResponse(
        release_template(release), content_type="text/csv; charset=utf-8", headers=headers
    )
