"""Finding a model, an entry or a question by its words."""

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_safe

from leaderboard.web.pages.site.search import not_found_page, search_page, suggestions

SUGGESTION_SECONDS = 60  # who types, deletes and types again asks once


@require_safe
def search(request: HttpRequest) -> HttpResponse:
    return render(request, "site/search.html", {"page": search_page(request.GET.get("q", ""))})


@require_safe
@cache_control(public=True, max_age=SUGGESTION_SECONDS)
def suggest(request: HttpRequest) -> JsonResponse:
    return JsonResponse({"suggestions": suggestions(request.GET.get("q", ""))})


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    """What the end of the address may have meant is looked for, and the page asks for more."""
    page = not_found_page(request.path, exception)
    return render(request, "404.html", {"page": page}, status=404)
