"""The page for what failed on our side: 503 while the database is away, for it will be back; 500 for the rest."""

import sys

from django.db import InterfaceError, OperationalError
from django.http import HttpRequest, HttpResponse
from django.template.loader import render_to_string

RETRY_SECONDS = 30


def server_error(request: HttpRequest) -> HttpResponse:
    """Called by Django while the exception is being handled. Its templates ask the database nothing."""
    if isinstance(sys.exc_info()[1], OperationalError | InterfaceError):
        headers = {"Retry-After": str(RETRY_SECONDS)}
        return HttpResponse(render_to_string("503.html"), status=503, headers=headers)
    return HttpResponse(render_to_string("500.html"), status=500)
