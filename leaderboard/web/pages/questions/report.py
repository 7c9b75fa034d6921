"""The form by which people say what is wrong with a question."""

from django import forms

from benchmarks.forms.typed_text import TypedTextField
from benchmarks.models import Question, QuestionReport
from benchmarks.services.question_reports import MOST_CHARACTERS
from leaderboard.web.pages.entries.questions import ShownImage, images_of, shown_image


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
