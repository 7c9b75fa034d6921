"""What visitors and programs are told while the database is away, full or at its limit: come back in a moment."""

import logging
from collections.abc import Callable

from django.db import InterfaceError, OperationalError
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.template.loader import render_to_string

from benchmarks.problem_details import MEDIA_TYPE

log = logging.getLogger(__name__)
RETRY_SECONDS = 10
DETAIL = "The database does not answer just now. Nothing was half saved; try again in a moment."


class DatabaseAwayMiddleware:
    """503 with a Retry-After in place of an error of the server; a problem document where the API was asked."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self.get_response(request)

    def process_exception(self, request: HttpRequest, error: Exception) -> HttpResponse | None:
        if not isinstance(error, (OperationalError, InterfaceError)):
            return None
        log.error("The database failed under %s", request.path, exc_info=error)
        response = refusal(request)
        response["Retry-After"] = str(RETRY_SECONDS)
        return response


def refusal(request: HttpRequest) -> HttpResponse:
    """Made without the database."""
    if request.path.startswith("/api/"):
        document = {"type": "about:blank", "title": "Service Unavailable", "status": 503, "detail": DETAIL}
        return JsonResponse(document, status=503, content_type=MEDIA_TYPE)
    return HttpResponse(render_to_string("503.html"), status=503)
