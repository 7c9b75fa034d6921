import pytest
from django.contrib.auth.models import User

from benchmarks.models import FigureImage, Release
from benchmarks.registry import protocol
from benchmarks.submissions.bundled import load_bundled
from benchmarks.submissions.models import Submission


@pytest.fixture(scope="module")
def stored(module_rows) -> Release:
    owner = User.objects.create_user("rosa", "rosa@example.org", "a long enough password")
    (release,) = load_bundled(protocol=protocol("hallusionbench"), owner=owner)
    return release


@pytest.fixture
def loaded(stored: Release, db) -> Release:
    return stored


def test_the_bundled_set_covers_every_subtask_with_at_least_forty_questions(loaded):
    subtasks = set(loaded.questions.values_list("subtask__slug", flat=True))
    assert loaded.question_count >= 40
    assert subtasks == {
        s.slug for a in protocol("hallusionbench").dataset.TAXONOMY for s in a.subtasks
    }


def test_every_figure_of_the_bundled_set_is_drawn_and_stored(loaded):
    images = FigureImage.objects.filter(figure__questions__releases=loaded)
    assert images.exists()
    assert not images.filter(sha256="").exists()
    assert all(image.file.storage.exists(str(image.file.name)) for image in images.distinct())


def test_the_bundled_set_has_no_anomalies(loaded):
    assert loaded.anomalies == []


@pytest.mark.slow
def test_samples_and_baselines_are_public_submissions(loaded):
    origins = Submission.objects.public().filter(release=loaded).values_list("origin", flat=True)
    assert sorted(origins) == ["baseline"] * 10 + ["sample"] * 3


def test_loading_again_changes_nothing(loaded):
    owner = User.objects.get(username="rosa")
    before = set(Submission.objects.values_list("pk", flat=True))
    assert load_bundled(protocol=protocol("hallusionbench"), owner=owner) == [loaded]
    assert set(Submission.objects.values_list("pk", flat=True)) == before
