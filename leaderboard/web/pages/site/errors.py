"""Answers to what cannot be answered."""

from django.core.exceptions import BadRequest
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views import defaults

from leaderboard.web.pages.site.search import not_found_page


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Says what is wrong where a view does; what Django found suspicious is told to nobody."""
    if not isinstance(exception, BadRequest):
        return defaults.bad_request(request, exception)
    return render(request, "400.html", {"sentence": str(exception)}, status=400)


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    """What the end of the address may have meant is looked for, and the page asks for more."""
    page = not_found_page(request.path, exception)
    return render(request, "404.html", {"page": page}, status=404)
