"""How large a body may be, told by its Content-Length before a byte of it is kept, on every route,
and that it is UTF-8.

Few routes take files. There a body may be as large as a file; from nobody who is not signed in,
where Django would read it to find the form's CSRF token before the page asks who sends it.
"""

import codecs
from collections.abc import Callable, Sequence
from typing import Any

from django.conf import settings
from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest, HttpResponse
from django.template.loader import render_to_string

from benchmarks.api.problem_details import asks_for_documents, problem

ORDINARY_BYTES = 1024 * 1024  # the longest form, a description of 20,000 characters, takes 180 kB
FORM_BYTES = 64 * 1024  # what the fields beside a file may add to a body
FILE_ROUTES = frozenset({"submit", "api-submissions", "admin:panel_ratingfile_add"})
OTHER_CHARSET = (
    "Content-Type names another charset than UTF-8. Send the body as UTF-8, or name no charset."
)
TITLES = {413: "Content Too Large"}  # RFC 9110; the standard library has the older name


class BodyLimitMiddleware:
    """Stands before the CSRF check, which reads forms."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if request.META.get("HTTP_TRANSFER_ENCODING"):
            return refusal(request, 411, "Send the length of the body, as Content-Length.")
        length = request.META.get("CONTENT_LENGTH") or "0"
        if not (length.isascii() and length.isdigit()):
            return refusal(request, 400, "Content-Length is not a number.")
        charset = (request.content_params or {}).get("charset", "utf-8")
        if length != "0" and not is_utf_8(charset):
            return refusal(request, 415, OTHER_CHARSET)
        return self.get_response(request)

    def process_view(
        self,
        request: HttpRequest,
        view: Callable[..., HttpResponse],
        args: Sequence[Any],
        kwargs: dict[str, Any],
    ) -> HttpResponse | None:
        length = int(request.META.get("CONTENT_LENGTH") or 0)
        match = request.resolver_match
        takes_files = match is not None and match.view_name in FILE_ROUTES
        most = settings.UPLOAD_LIMIT_BYTES + FORM_BYTES if takes_files else ORDINARY_BYTES
        if length > most:
            return too_large(request, length, takes_files=takes_files)
        # Views without the CSRF check are the API's, which asks who sends a body before reading it.
        asks_first = getattr(view, "csrf_exempt", False)
        if length <= ORDINARY_BYTES or asks_first or request.user.is_authenticated:
            return None
        return redirect_to_login(request.get_full_path())


def is_utf_8(charset: str) -> bool:
    """Under whatever name Python knows it."""
    try:
        return codecs.lookup(charset).name == "utf-8"
    except LookupError:
        return False


def too_large(request: HttpRequest, length: int, *, takes_files: bool) -> HttpResponse:
    most = settings.UPLOAD_LIMIT_BYTES if takes_files else ORDINARY_BYTES
    what = "a file" if takes_files else "what is sent here"
    megabytes = most // 1024 // 1024
    message = f"{length:,} bytes were announced; {what} may have at most {megabytes} MiB."
    return refusal(request, 413, f"{message} Nothing was read or saved.")


def refusal(request: HttpRequest, status: int, sentence: str) -> HttpResponse:
    """A page for visitors, a problem document for programs; of the body nothing was read."""
    if asks_for_documents(request):
        return problem(status, sentence, TITLES.get(status, ""))
    page = render_to_string("refused_body.html", {"sentence": sentence})
    return HttpResponse(page, status=status)
