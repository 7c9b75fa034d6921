"""The form by which people say what is wrong with a question."""

from django import forms
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from benchmarks.forms.typed_text import TypedTextField
from benchmarks.models import Question, QuestionReport
from benchmarks.services.question_reports import (
    MOST_CHARACTERS,
    ReportRefusedError,
    report_question,
)
from leaderboard.web.pages.entries.questions import ShownImage, images_of, shown_image
from leaderboard.web.pages.questions.question import published_question


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


def pictures_of(question: Question) -> list[ShownImage]:
    """Those that are stored on this site."""
    pictures = images_of([question]).get(question.figure_id or 0, [])
    return [shown_image(image) for image in pictures if image.sha256]


class QuestionReportForm(forms.Form):
    category = forms.ChoiceField(
        label="What is wrong",
        choices=QuestionReport.Category.choices,
        widget=forms.RadioSelect,
    )
    text = TypedTextField(
        limit=MOST_CHARACTERS,
        what="A report",
        label="Say why",
        widget=forms.Textarea(attrs={"rows": 6}),
        help_text=f"At most {MOST_CHARACTERS:,} characters. Staff read it; if they confirm it, "
        f"it appears on the question's page with their answer, without your name.",
    )
