"""Names of figures: what people call them, and where a description may be written."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from benchmarks.figures.names import (
    distinct_titles,
    name_of,
    pictures_key,
    read_index,
    release_marks,
)
from benchmarks.figures.worklist import figure_languages
from benchmarks.models import Figure, Release
from tests.conftest import freeze_release

LINES = b"1|two|two|one.png\n2|colour|colour|one.png\n3|night|night|dark.png\n4|sea|sea\n"


@pytest.fixture
def release(load) -> Release:
    found: Release = load(LINES, slug="spelling-1").release
    return found


def index_of(release: Release):
    return read_index(release_marks(release.benchmark_id)[release.benchmark_id])


def test_a_figure_is_called_by_its_subtask_and_number_and_known_by_its_questions(load, release):
    """A number stays when other releases come and go, and no name is a hash."""
    names = {str(place.name): place.name.questions for place in index_of(release).places}
    assert names == {"Short 1": ("1", "2"), "Long 1": ("3",)}
    with CaptureQueriesContext(connection) as queries:
        index_of(release)
    assert len(queries) == 1, "who looks again reads only the releases"
    bare = Figure.objects.create(
        benchmark=release.benchmark, key="0977acfc72f2ce33", content_hash="a" * 64
    )
    assert name_of(bare) == f"Figure {bare.pk}"
    load(b"9|drizzle|drizzle|wet.png\n" + LINES, slug="spelling-2")
    freeze_release(release=release)
    assert name_of(Figure.objects.get(key="dark.png")) == "Long 1"
    assert name_of(Figure.objects.get(key="wet.png")) == "Long 2"


def test_places_are_those_of_open_releases_in_their_languages(load, release):
    figure = Figure.objects.get(key="one.png")
    assert figure_languages(figure) == ["en"]
    load(LINES, slug="spelling-zh", language="zh")
    assert figure_languages(figure) == ["en", "zh"]
    dark, one = Figure.objects.get(key="dark.png").pk, figure.pk
    places = [place.key for place in index_of(release).places]
    assert places == [(one, "en"), (dark, "en"), (one, "zh"), (dark, "zh")]
    freeze_release(release=release)
    assert [place.key for place in index_of(release).places] == [(one, "zh"), (dark, "zh")]


def test_two_releases_of_equal_titles_are_told_apart(load, release):
    other = load(LINES + b"5|rain|rain\n", slug="spelling-2").release
    Release.objects.update(title="Spelling, 5 questions")
    titles = distinct_titles(release_marks()[release.benchmark_id][1])
    assert titles == {
        release.pk: "Spelling, 5 questions (spelling-1)",
        other.pk: "Spelling, 5 questions (spelling-2)",
    }
    Release.objects.filter(pk=other.pk).update(title="Spelling, again")
    titles = distinct_titles(release_marks()[release.benchmark_id][1])
    assert titles == {release.pk: "Spelling, 5 questions", other.pk: "Spelling, again"}


def test_pictures_are_compared_by_what_is_in_them():
    assert pictures_key(["a"], "x") == pictures_key(["a"], "y") == "a"
    assert pictures_key(["a", "b"], "x") != pictures_key(["b", "a"], "x")
    assert pictures_key(["a", ""], "x") == "x"  # imported without its files
    assert pictures_key([], "x") == "x"
