"""How boards came to stand as they do."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from leaderboard.web.pages.boards.history import board_history_page
from leaderboard.web.views.questions import benchmark_named


@require_safe
def board_history(request: HttpRequest, slug: str) -> HttpResponse:
    page = board_history_page(benchmark_named(slug), request.GET)
    return render(request, "boards/history.html", {"page": page})
