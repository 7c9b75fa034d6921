"""What every answer says about itself to browsers and caches on the way."""

from collections.abc import Callable

from django.conf import settings
from django.http import HttpRequest, HttpResponseBase

Next = Callable[[HttpRequest], HttpResponseBase]

PRIVATE = "private, no-store"
NO_STORE = "no-store"
UNUSED = (
    "camera",
    "display-capture",
    "geolocation",
    "gyroscope",
    "magnetometer",
    "microphone",
    "midi",
    "payment",
    "usb",
)
"""What no page of the site asks a browser for, and no script that got in may. Names that browsers
know: they warn of others in the console."""


class PermissionsPolicyMiddleware:
    header = ", ".join(f"{feature}=()" for feature in UNUSED)

    def __init__(self, get_response: Next):
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        response = self.get_response(request)
        response.headers.setdefault("Permissions-Policy", self.header)
        return response


class PrivatePagesMiddleware:
    """What was made for one person is kept by no cache, the browser's on a shared machine included.

    That is every answer to a token, and every answer for which the session of somebody was read,
    whatever the view said of it. Pages that never look at the session keep what their views say:
    pictures, the icon, the chart script. Stands below the session's middleware, and decides without
    a query of its own.
    """

    def __init__(self, get_response: Next):
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        response = self.get_response(request)
        if is_personal(request) and NO_STORE not in response.get("Cache-Control", ""):
            response.headers["Cache-Control"] = PRIVATE
        return response


def is_personal(request: HttpRequest) -> bool:
    if "Authorization" in request.headers:
        return True
    session = request.session
    return bool(session.accessed) and (
        settings.SESSION_COOKIE_NAME in request.COOKIES or not session.is_empty()
    )
