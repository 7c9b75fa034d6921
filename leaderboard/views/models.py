"""Models, and entries beside each other."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from leaderboard.pages.compare import compare_page
from leaderboard.pages.compare_choices import compare_choices


@require_safe
def compare(request: HttpRequest) -> HttpResponse:
    page = compare_page(compare_choices(request.GET))
    return render(request, "compare.html", {"page": page})
