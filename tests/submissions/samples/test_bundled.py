"""What ships with the project: whole, and the same as ever."""

from pathlib import Path

from benchmarks.models import FigureImage
from benchmarks.registry import protocol, protocols
from benchmarks.submissions.models import Submission
from benchmarks.submissions.samples.bundled import ensure_release, load_bundled
from tests.each_case import each_case

CHECKSUMS = {
    "touchstone-mini": "fb044c206ef18ad3",
    "touchstone-mini-zh": "742e45709bfdf0b3",
    "touchstone-hallucination-mini": "2f9ad0feaf507834",
    "hallusionbench-mini": "4b56b74a6d7e145d",
    "tiny-lvlm-ehub-mini": "58c84c8941eb0b43",
    "tiny-lvlm-ehub-ability-mini": "134ed15eacd644c8",
}
"""How they begin: of questions, references and the bytes of their pictures. Who changes any of
these makes another release, for figures of this one are of these."""


@each_case("family", list(protocols().values()))
def test_every_release_is_the_one_that_was_ever_shipped(family, db):
    for bundled in family.bundled:
        found = ensure_release(family, bundled)
        assert str(found.public_checksum)[:16] == CHECKSUMS[bundled.slug]


def test_every_picture_that_ships_is_named_by_a_release():
    named: dict[Path, str] = {}
    for family in protocols().values():
        prepared = (family.prepared,) if family.prepared else ()
        for one in (*family.bundled, *prepared):
            assert one.pictures is not None
            named[one.pictures] = named.get(one.pictures, "") + one.dataset.read_text()
    pictures = [(folder, picture) for folder in named for picture in folder.rglob("*.png")]
    assert len(pictures) == 200
    for folder, picture in pictures:
        assert f'{picture.relative_to(folder).as_posix()}"' in named[folder]


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
