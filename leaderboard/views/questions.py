"""Questions: the page of one, and those of a board."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from leaderboard.pages.question import question_choices, question_page


@require_safe
def question(request: HttpRequest, question_id: int) -> HttpResponse:
    page = question_page(question_id, question_choices(request.GET))
    return render(request, "question.html", {"page": page})
