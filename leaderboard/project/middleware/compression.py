"""Compressing what is answered: pages, JSON, and exports as they are written."""

from django.http import FileResponse, HttpRequest, HttpResponseBase
from django.middleware.gzip import GZipMiddleware


class CompressionMiddleware(GZipMiddleware):
    """Compresses what is neither a file (pictures, what was uploaded) nor compressed already
    (stored pages, plotly.js), nor
    a stream of events, each of which is to arrive when it is written.

    Why this gives no secret away (BREACH): the secret that every form of a visitor repeats is the
    CSRF token, and Django masks it anew in each answer. What else of a person stands in a page
    cannot be asked for unseen, over and over, with chosen words beside it: the session cookie is
    SameSite=Lax and comes along with nothing that another site embeds or fetches. And Django
    lengthens each compressed answer by a random number of bytes.
    """

    def process_response(
        self, request: HttpRequest, response: HttpResponseBase
    ) -> HttpResponseBase:
        if isinstance(response, FileResponse) or is_stream_of_events(response):
            return response
        return super().process_response(request, response)


def is_stream_of_events(response: HttpResponseBase) -> bool:
    return bool(response.get("Content-Type", "").startswith("text/event-stream"))
