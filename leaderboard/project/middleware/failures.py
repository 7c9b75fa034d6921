"""What is said of a failure on our side: 503 while the database is away, for it will be back, and
while it lacks what this version asks for, for the site is being updated; 507 while there is no
space to keep what was sent; 500 for the rest.

A page for visitors, a problem document for programs. Neither asks the database anything.
"""

import sys

from django.db import InterfaceError, OperationalError, ProgrammingError
from django.http import HttpRequest, HttpResponse
from django.template.loader import render_to_string
from django.utils.log import log_response

from benchmarks.api.problem_details import asks_for_documents, problem
from benchmarks.common.file_storage import is_no_space
from benchmarks.forms.unsaved import keep_posted

RETRY_SECONDS = {503: 30, 507: 600}
"""A database that restarts is back within half a minute; whoever makes room on a disk has to be
told first."""
DETAILS = {
    500: "Something went wrong on our side; the error is in the site's log. Nothing was half"
    " saved.",
    503: (
        "The site's database is not answering right now, or is being updated. Nothing was half"
        " saved; try again in half a minute."
    ),
    507: (
        "The site has no space left for what you sent. Nothing was half saved, and everything"
        " accepted before is safe; try again in ten minutes."
    ),
}
MISSING = ("42P01", "42703")  # undefined_table, undefined_column; SQLite's are OperationalErrors


def server_error(request: HttpRequest) -> HttpResponse:
    """Called by Django while the exception is being handled."""
    error = sys.exc_info()[1]
    status = 507 if is_no_space(error) else 503 if will_pass(error) else 500
    response = failure(request, status)
    if status in RETRY_SECONDS:
        response["Retry-After"] = str(RETRY_SECONDS[status])
    return response


def will_pass(error: BaseException | None) -> bool:
    """Whether the database is away, or of another version than this process."""
    if isinstance(error, ProgrammingError):
        return getattr(error.__cause__, "sqlstate", "") in MISSING
    return isinstance(error, OperationalError | InterfaceError)


def announced(request: HttpRequest, response: HttpResponse, seconds: int) -> HttpResponse:
    """A 503 that is no failure: what was asked for is being made, and is there in that time. The
    log has it as information, where Django would call it an error. Returns the response."""
    response["Retry-After"] = str(seconds)
    log_response(
        "%s, there in %s seconds: %s",
        response.reason_phrase,
        seconds,
        request.path,
        response=response,
        request=request,
        level="info",
    )
    return response


def form_too_old(request: HttpRequest, reason: str = "") -> HttpResponse:
    """A form without its CSRF token. What was typed into one that keeps its text waits for its
    writer."""
    page = render_to_string("403_csrf.html", {"kept": keep_posted(request)}, request)
    return HttpResponse(page, status=403)


def failure(request: HttpRequest, status: int) -> HttpResponse:
    if asks_for_documents(request):
        return problem(status, DETAILS[status])
    return HttpResponse(render_to_string(f"{status}.html"), status=status)
