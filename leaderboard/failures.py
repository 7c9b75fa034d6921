"""What is said of a failure on our side: 503 while the database is away, for it will be back; 500 for the rest.

A page for visitors, a problem document for programs. Neither asks the database anything.
"""

import sys

from django.db import InterfaceError, OperationalError
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.template.loader import render_to_string

from benchmarks.problem_details import MEDIA_TYPE

RETRY_SECONDS = 30
DETAILS = {
    500: "This failed on our side, and is in the log of the site. Nothing was half saved.",
    503: "The database of the site does not answer right now. Nothing was half saved; try again in half a minute.",
}


def server_error(request: HttpRequest) -> HttpResponse:
    """Called by Django while the exception is being handled."""
    is_away = isinstance(sys.exc_info()[1], OperationalError | InterfaceError)
    response = failure(request, 503 if is_away else 500)
    if is_away:
        response["Retry-After"] = str(RETRY_SECONDS)
    return response


def failure(request: HttpRequest, status: int) -> HttpResponse:
    if not request.path.startswith("/api/"):
        return HttpResponse(render_to_string(f"{status}.html"), status=status)
    title = {500: "Internal Server Error", 503: "Service Unavailable"}[status]
    document = {"type": "about:blank", "title": title, "status": status, "detail": DETAILS[status]}
    return JsonResponse(document, status=status, content_type=MEDIA_TYPE)
