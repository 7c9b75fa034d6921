"""Requests whose query and body are UTF-8, whatever charset Content-Type names: Django would read
them by it, and fail where it cannot. BodyLimitMiddleware refuses a body in another one."""

from typing import Any

from django.core.handlers.wsgi import WSGIRequest
from django.utils.http import parse_header_parameters


class Utf8Request(WSGIRequest):
    def _set_content_type_params(self, meta: dict[str, Any]) -> None:
        try:
            found = parse_header_parameters(meta.get("CONTENT_TYPE", ""))
        except ValueError:  # a parameter in a charset of its own (RFC 2231), which there is not
            found = "", {"charset": "unknown"}
        self.content_type, self.content_params = found
