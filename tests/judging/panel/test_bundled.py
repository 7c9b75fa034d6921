"""Samples may ship with what people say of them."""

from dataclasses import replace
from pathlib import Path

import pytest

from benchmarks.protocols.base import BenchmarkProtocol, BundledRelease, SampleModel
from benchmarks.registry import protocol
from benchmarks.submissions.bundled import load_bundled
from benchmarks.submissions.models import Submission
from judging.panel.bundled import load_sample_ratings
from judging.panel.models import RatingFile
from judging.panel.selectors import ratings_of
from judging.panel.services import withdraw_ratings
from tests.conftest import ANSWERS, SPELLING

WORDS = ["1", "2", "3", "4"]
FILES = {
    "words.txt": SPELLING.decode(),
    "answers.txt": ANSWERS.decode(),
    "ratings.csv": 'item,rater,dimension,score\n1,"Ann, a teacher",neatness,4\n4,bob,neatness,2\n',
    "labels.csv": "item,rater,label\n2,ann,incorrect\n",
}


@pytest.fixture
def family(db, tmp_path) -> BenchmarkProtocol:
    paths: dict[str, Path] = {name: tmp_path / name for name in FILES}
    for name, path in paths.items():
        path.write_text(FILES[name])
    samples = (
        SampleModel(
            "Rated", "about", paths["answers.txt"], (paths["ratings.csv"], paths["labels.csv"])
        ),
        SampleModel("Unrated", "about", paths["answers.txt"]),
    )
    bundled = BundledRelease(
        "spelling-b", "Bundled", paths["words.txt"], draw=lambda folder: 0, samples=samples
    )
    made = replace(protocol("spelling"), bundled=(bundled,))
    load_bundled(protocol=made, owner=None)
    return made


def test_samples_get_the_ratings_that_ship_with_them(family):
    assert [found.count for found in load_sample_ratings(family)] == [2, 1]
    rated, unrated = (Submission.objects.get(model__name=name) for name in ("Rated", "Unrated"))
    assert ratings_of(rated, WORDS) == {
        "neatness": [(4,), (), (), (2,)],
        "correct": [(), (0,), (), ()],
    }
    assert ratings_of(unrated, WORDS) == {}


def test_loading_again_changes_nothing(family):
    load_sample_ratings(family)
    assert load_sample_ratings(family) == []
    assert RatingFile.objects.count() == 2


def test_what_somebody_withdrew_stays_withdrawn(family):
    for found in load_sample_ratings(family):
        withdraw_ratings(file=found.file, reason="not wanted here")
    assert load_sample_ratings(family) == []
    assert not RatingFile.objects.not_withdrawn().exists()
