"""Samples may ship with what people say of them."""

import csv
from dataclasses import replace
from pathlib import Path

import pytest
from django.db import transaction

from benchmarks.protocols.base import (
    BenchmarkProtocol,
    BundledRelease,
    QuestionRow,
    SampleModel,
)
from benchmarks.registry import protocol, protocols
from benchmarks.submissions.models import Submission
from benchmarks.submissions.samples.bundled import load_bundled
from benchmarks.submissions.services import withdraw_submission
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
    bundled = BundledRelease("spelling-b", "Bundled", paths["words.txt"], samples=samples)
    made = replace(protocol("spelling"), bundled=(bundled,))
    load_bundled(protocol=made, owner=None)
    return made


def test_samples_get_the_ratings_that_ship_with_them_once(family):
    found = load_sample_ratings(family)
    assert [one.count for one in found] == [2, 1]
    rated, unrated = (Submission.objects.get(model__name=name) for name in ("Rated", "Unrated"))
    assert ratings_of(rated, WORDS) == {
        "neatness": [(4,), (), (), (2,)],
        "correct": [(), (0,), (), ()],
    }
    assert ratings_of(unrated, WORDS) == {}
    assert load_sample_ratings(family) == []
    for one in found:  # what somebody withdrew stays withdrawn
        withdraw_ratings(file=one.file, reason="not wanted here")
    assert load_sample_ratings(family) == []
    assert not RatingFile.objects.not_withdrawn().exists()


# --- studies --------------------------------------------------------------------------------------

STUDY = """entry,item,rater,dimension,score
Rated,1,r1,correct,1
Rated,1,r2,correct,0
Unrated,1,r1,correct,1
"""


@pytest.fixture
def studied(family, tmp_path):
    """The same release with a study of both samples, which have no ratings of their own."""
    path = tmp_path / "study.csv"
    path.write_text(STUDY)
    (bundled,) = family.bundled
    samples = tuple(replace(sample, ratings=()) for sample in bundled.samples)
    return replace(family, bundled=(replace(bundled, samples=samples, studies=(path,)),))


def test_a_study_of_several_samples_is_one_file_where_all_of_them_are_there(studied):
    with transaction.atomic():
        withdraw_submission(submission=Submission.objects.get(model__name="Unrated"))
        assert load_sample_ratings(studied) == []
        transaction.set_rollback(True)
    (found,) = load_sample_ratings(studied)
    assert (found.count, found.file.submissions.count()) == (3, 2)
    assert load_sample_ratings(studied) == []


@pytest.mark.parametrize(
    "release",
    [one for family in protocols().values() for one in family.bundled if one.studies],
    ids=lambda one: one.slug,
)
def test_studies_that_ship_rate_questions_and_samples_that_ship(release):
    family = next(f for f in protocols().values() if release in f.bundled)
    with release.dataset.open("rb") as stream:
        rows = [row for row in family.dataset.read(stream) if isinstance(row, QuestionRow)]
    asked = {
        row.public_id: {d.slug: d for d in family.panel.dimensions(row.view())} for row in rows
    }
    for path in release.studies:
        for line in csv.DictReader(path.read_text().splitlines()):
            assert line["entry"] in {sample.name for sample in release.samples}
            assert int(line["score"]) in asked[line["item"]][line["dimension"]].values
