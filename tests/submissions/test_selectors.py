"""What a submission answered, read as columns."""

from benchmarks.selectors import question_view
from benchmarks.submissions.selectors import answer_sheet


def test_a_sheet_holds_what_the_rows_do_in_their_order(submission):
    rows = list(
        submission.answers.select_related(
            "question__subtask__ability", "question__figure"
        ).order_by("pk")
    )
    sheet = answer_sheet(submission)
    assert list(sheet.answers) == [row.pk for row in rows]
    assert list(sheet.texts) == [row.text for row in rows]
    assert list(sheet.views) == [question_view(row.question) for row in rows]
    assert list(sheet.figures) == [row.question.figure_id for row in rows]
    assert len(rows) > 1
