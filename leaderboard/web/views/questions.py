"""Questions: the page of one, and those of a board."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required, permission_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from benchmarks.models import Benchmark
from benchmarks.registry import protocols
from benchmarks.services.question_reports import ReportRefusedError, report_question
from leaderboard.web.pages.boards.matrix import matrix_page
from leaderboard.web.pages.boards.questions import board_questions_page, suspects_page
from leaderboard.web.pages.questions.question import published_question, question_page
from leaderboard.web.pages.questions.report import QuestionReportForm, pictures_of

ANNOTATES = "benchmarks.view_reference"


def benchmark_named(slug: str) -> Benchmark:
    """Raises Http404 for one that this site has not."""
    if slug not in protocols():
        raise Http404("There is no such board.")
    return get_object_or_404(Benchmark, slug=slug)


@require_safe
def question(request: HttpRequest, question_id: int) -> HttpResponse:
    page = question_page(question_id, request.GET)
    return render(request, "questions/question.html", {"page": page})


@login_required
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def question_report(request: HttpRequest, question_id: int) -> HttpResponse:
    assert request.user.is_authenticated
    asked = published_question(question_id)
    form = QuestionReportForm(request.POST if request.method == "POST" else None)
    if form.is_valid():
        try:
            report_question(question=asked, reporter=request.user, **form.cleaned_data)
        except ReportRefusedError as error:
            form.add_error(None, str(error))
        else:
            messages.success(request, "Thank you. Staff will check your report and answer it.")
            return redirect("question", question_id)
    context = {"question": asked, "images": pictures_of(asked), "form": form}
    return render(request, "questions/report.html", context, status=422 if form.errors else 200)


@require_safe
def board_questions(request: HttpRequest, slug: str) -> HttpResponse:
    page = board_questions_page(
        benchmark_named(slug), request.GET, sees_suspects=request.user.has_perm(ANNOTATES)
    )
    return render(request, "boards/questions.html", {"page": page})


@require_safe
def board_matrix(request: HttpRequest, slug: str) -> HttpResponse:
    page = matrix_page(benchmark_named(slug), request.GET)
    return render(request, "boards/matrix.html", {"page": page})


@require_safe
@permission_required(ANNOTATES, raise_exception=True)
def board_suspects(request: HttpRequest, slug: str) -> HttpResponse:
    """For annotators: reached through the admin's sign-in (urls.py)."""
    page = suspects_page(benchmark_named(slug), request.GET)
    return render(request, "boards/suspects.html", {"page": page})
