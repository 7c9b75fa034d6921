"""The answer to an address that leads nowhere."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from leaderboard.web.pages.site.search import not_found_page


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    """What the end of the address may have meant is looked for, and the page asks for more."""
    page = not_found_page(request.path, exception)
    return render(request, "404.html", {"page": page}, status=404)
