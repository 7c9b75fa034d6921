"""An entry page says where what was judged is not, word for word, what the file says."""

from benchmarks.submissions.models import Submission
from tests.conftest import judged

TOLD = "Answers that begin with a block: 1 of 4."
OTHER = "An unknown column was passed over."


def page_of(client, submission: Submission) -> str:
    content: str = client.get(f"/entries/{submission.pk}/").content.decode()
    return content


def test_thoughts_taken_out_of_answers_are_told_at_the_entry(submission, client):
    judged(submission)
    notes = [{"code": "thinking", "message": TOLD}, {"code": "columns", "message": OTHER}]
    Submission.objects.filter(pk=submission.pk).update(reading_notes=notes)
    page = page_of(client, submission)
    assert TOLD in page
    assert OTHER not in page


def test_an_entry_without_thoughts_says_nothing_of_them(submission, client):
    judged(submission)
    assert "How its answers were read" not in page_of(client, submission)
