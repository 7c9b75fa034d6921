"""What is said of a board that is too large to be computed for its reader and was never stored:
503, and when to ask again. A page for visitors, a problem document for programs."""

from django.http import HttpRequest, HttpResponse
from django.template.loader import render_to_string
from django.utils.deprecation import MiddlewareMixin

from benchmarks.api.problem_details import asks_for_documents, problem
from leaderboard.project.middleware.failures import announced
from leaderboard.results.selectors import BoardNotStoredError

RETRY_SECONDS = 60  # a thousand entries take a worker some seconds, ten thousand some minutes


class BoardNotStoredMiddleware(MiddlewareMixin):
    def process_exception(self, request: HttpRequest, error: Exception) -> HttpResponse | None:
        if not isinstance(error, BoardNotStoredError):
            return None
        response: HttpResponse
        if asks_for_documents(request):
            response = problem(503, str(error))
        else:
            page = render_to_string("boards/not_stored.html", {"sentence": str(error)})
            response = HttpResponse(page, status=503)
        return announced(request, response, RETRY_SECONDS)
