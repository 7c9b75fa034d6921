"""The terminal: counts of what was imported, and a refusal with every problem and exit status 2."""

import pytest

from judging.panel.models import Rating
from tests.judging.panel.files import ratings
from tests.test_commands import refusal, run


@pytest.fixture
def write(tmp_path):
    """Writes a file of ratings and gives its path."""

    def write(upload) -> str:
        path = tmp_path / upload.name
        path.write_bytes(upload.content)
        return str(path)

    return write


def test_an_import_prints_counts_by_entry_and_dimension_and_nothing_changes_again(
    submission, write
):
    path = write(ratings(submission, "1,ann,neatness,4", "1,ann,correct,1", "2,ann,correct,0"))
    told = run("import_ratings", path)
    assert ": 3 ratings\n" in told
    assert f"  {submission.pk} Speller, correct: 2\n" in told
    assert f"  {submission.pk} Speller, neatness: 1\n" in told
    assert "Already imported as file" in run("import_ratings", path)
    assert Rating.objects.count() == 3


def test_a_refused_file_lists_its_problems_and_one_that_is_not_there_is_said(submission, write):
    message = refusal(
        "import_ratings", write(ratings(submission, "1,ann,neatness,4.0", "1,,neatness,4"))
    )
    assert message.startswith("Nothing was imported: 2 problems.\n  line 2, score: ")
    assert "Expected a whole number from 1 to 5. Found 4.0." in message
    assert Rating.objects.count() == 0
    assert refusal("import_ratings", "/nowhere/ratings.csv").startswith(
        "Cannot read /nowhere/ratings.csv"
    )
