"""How boards came to stand as they do."""

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from leaderboard.web.pages.boards.history import NoSuchHistoryPageError, board_history_page
from leaderboard.web.views.questions import benchmark_named


@require_safe
def board_history(request: HttpRequest, slug: str) -> HttpResponse:
    try:
        page = board_history_page(benchmark_named(slug), request.GET)
    except NoSuchHistoryPageError as error:
        raise Http404(str(error)) from None
    return render(request, "boards/history.html", {"page": page})
