"""Filters of admin lists that somebody wrote into the address: one that the database cannot answer
is a bad request.

Django refuses lookups that it does not know, and leaves these to the database: `contains` on JSON,
which SQLite has not; a number of four hundred digits; NUL, which PostgreSQL does not take.
"""

from django.core.exceptions import FieldError
from django.db import DataError, NotSupportedError
from django.http import HttpRequest, HttpResponse
from django.utils.deprecation import MiddlewareMixin
from django.views.defaults import bad_request

REFUSED = (DataError, FieldError, NotSupportedError, OverflowError, TypeError, ValueError)
LIST = "_changelist"


class AdminFiltersMiddleware(MiddlewareMixin):
    def process_exception(self, request: HttpRequest, error: Exception) -> HttpResponse | None:
        """Only where a list of the admin was asked for with a query; what fails elsewhere is a
        fault of ours."""
        match = request.resolver_match
        is_list = match and "admin" in match.app_names and (match.url_name or "").endswith(LIST)
        if is_list and request.method == "GET" and request.GET and isinstance(error, REFUSED):
            return bad_request(request, error)
        return None
