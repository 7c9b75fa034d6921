from benchmarks.models import FigureImage
from benchmarks.registry import protocol
from benchmarks.submissions.bundled import load_bundled
from benchmarks.submissions.models import Submission


def test_the_bundled_set_is_loaded_whole_and_loading_again_changes_nothing(owner):
    family = protocol("hallusionbench")
    (loaded,) = load_bundled(protocol=family, owner=owner)
    subtasks = {s.slug for a in family.dataset.TAXONOMY for s in a.subtasks}
    assert set(loaded.questions.values_list("subtask__slug", flat=True)) == subtasks
    assert loaded.question_count >= 40
    assert loaded.anomalies == []
    images = FigureImage.objects.filter(figure__questions__releases=loaded)
    assert images.exists()
    assert not images.filter(sha256="").exists()
    assert all(image.file.storage.exists(str(image.file.name)) for image in images.distinct())
    public = Submission.objects.public().filter(release=loaded)
    assert sorted(public.values_list("origin", flat=True)) == ["baseline"] * 10 + ["sample"] * 3
    before = set(Submission.objects.values_list("pk", flat=True))
    assert load_bundled(protocol=family, owner=owner) == [loaded]
    assert set(Submission.objects.values_list("pk", flat=True)) == before
