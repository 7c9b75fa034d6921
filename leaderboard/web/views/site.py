"""What the site says of itself: home, methods, judges, and its state."""

from django.http import (
    Http404,
    HttpRequest,
    HttpResponse,
    JsonResponse,
)
from django.shortcuts import get_object_or_404, redirect, render
from django.templatetags.static import static
from django.views.decorators.cache import cache_control, never_cache
from django.views.decorators.http import (
    require_safe,
)

from benchmarks.registry import protocols
from judging.models import JudgeSpec
from leaderboard.operations.health import NOT_READY, problems, state
from leaderboard.web.pages.judges.judge import judge_page
from leaderboard.web.pages.judges.method import method_page
from leaderboard.web.pages.site.design import design_page
from leaderboard.web.pages.site.home import home_page
from leaderboard.web.pages.site.status import status_page

STATUS_SECONDS = 5  # a crowd that reloads costs twelve renderings a minute


@require_safe
@cache_control(public=True, max_age=86_400)
def favicon(request: HttpRequest) -> HttpResponse:
    """Browsers ask for it where a page names no icon of its own: in the admin, beside JSON and
    files."""
    return redirect(static("seal.svg"))


@require_safe
def home(request: HttpRequest) -> HttpResponse:
    return render(request, "site/home.html", {"page": home_page()})


@require_safe
def design(request: HttpRequest) -> HttpResponse:
    """For staff (urls.py)."""
    return render(request, "site/design.html", {"page": design_page()})


@require_safe
def judge(request: HttpRequest, slug: str) -> HttpResponse:
    spec = get_object_or_404(JudgeSpec.objects.select_related("prompt_set"), slug=slug)
    return render(request, "judges/judge.html", {"page": judge_page(spec)})


@require_safe
def method(request: HttpRequest, slug: str) -> HttpResponse:
    if slug not in protocols():
        raise Http404("There is no such benchmark.")
    return render(request, "judges/method.html", method_page(protocols()[slug]))


@never_cache
@require_safe
def health_live(request: HttpRequest) -> JsonResponse:
    """This process answers. Nothing else is asked, least of all the database."""
    return JsonResponse({"status": "live"})


@never_cache
@require_safe
def health_ready(request: HttpRequest) -> JsonResponse:
    """200 while pages can be made, degraded or not, with a sentence per thing that is wrong; 503
    otherwise."""
    found = problems()
    status = state(found)
    return JsonResponse(
        {"status": status, "wrong": found}, status=503 if status == NOT_READY else 200
    )


@require_safe
@cache_control(public=True, max_age=STATUS_SECONDS)
def status(request: HttpRequest) -> HttpResponse:
    return render(request, "site/status.html", {"page": status_page()})


@require_safe
@cache_control(public=True, max_age=STATUS_SECONDS)
def status_json(request: HttpRequest) -> JsonResponse:
    """The figures of the status page."""
    return JsonResponse(status_page())
