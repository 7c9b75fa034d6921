"""The judges beside each other."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from leaderboard.web.pages.judges.judge_list import judges_page


@require_safe
def judges(request: HttpRequest) -> HttpResponse:
    return render(request, "judges/judges.html", {"page": judges_page()})
