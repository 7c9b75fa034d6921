"""The terminal: counts of what was imported, and a refusal with every problem and exit status 2."""

import pytest

from judging.panel.models import Rating
from tests.judging.panel.files import labels, ratings
from tests.test_commands import refusal, run


@pytest.fixture
def write(tmp_path):
    """Writes a file of ratings and gives its path."""

    def write(upload) -> str:
        path = tmp_path / upload.name
        path.write_bytes(upload.content)
        return str(path)

    return write


def test_an_import_prints_counts_by_entry_and_dimension(submission, write):
    told = run(
        "import_ratings",
        write(ratings(submission, "1,ann,neatness,4", "1,ann,correct,1", "2,ann,correct,0")),
    )
    assert ": 3 ratings\n" in told
    assert f"  {submission.pk} Speller, correct: 2\n" in told
    assert f"  {submission.pk} Speller, neatness: 1\n" in told


def test_importing_again_says_that_nothing_changed(submission, write):
    path = write(labels(submission, "1,ann,correct"))
    run("import_ratings", path)
    assert "Already imported as file" in run("import_ratings", path)
    assert Rating.objects.count() == 1


def test_a_refused_file_lists_its_problems(submission, write):
    message = refusal(
        "import_ratings", write(ratings(submission, "1,ann,neatness,4.0", "1,,neatness,4"))
    )
    assert message.startswith("Nothing was imported: 2 problems.\n  line 2, score: ")
    assert "Expected a whole number from 1 to 5. Found 4.0." in message
    assert Rating.objects.count() == 0


def test_a_file_that_is_not_there_is_refused(db):
    assert refusal("import_ratings", "/nowhere/ratings.csv").startswith(
        "Cannot read /nowhere/ratings.csv"
    )
