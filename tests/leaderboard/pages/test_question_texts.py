"""The texts of a figure on its question's page, and where nothing of them is shown."""

import io
import re

import pytest
from django.contrib.auth.models import User

from benchmarks.models import Description, Figure, Question, Release, ReleaseQuestion
from benchmarks.registry import protocol
from benchmarks.services.importing import import_release
from tests.benchmarks.pictures import picture
from tests.conftest import judged, submit


def page_of(client) -> str:
    response = client.get(f"/questions/{Question.objects.get().pk}/")
    assert response.status_code == 200
    return str(response.content.decode())


@pytest.fixture
def described(owner, tmp_path) -> Question:
    """Of a figure with two approved versions and a draft."""
    (tmp_path / "one.png").write_bytes(picture())
    lines = io.BytesIO(b"1|two|two|one.png\n")
    release = import_release(protocol=protocol("spelling"), stream=lines, images=tmp_path).release
    judged(submit(release, owner, b"1=two\n"))
    author = User.objects.create_user("ann")
    for version, text, state in (
        (1, "A red square.", "approved"),
        (2, "A green square.", "approved"),
        (3, "A draft of a square.", "draft"),
    ):
        Description.objects.create(
            figure=Figure.objects.get(), version=version, text=text, state=state, author=author
        )
    return Question.objects.get()


def test_approved_versions_are_shown_with_what_each_changed(client, described):
    Release.objects.update(disclosure="open")
    page = page_of(client)
    assert "A <del>red</del><ins>green</ins> square." in page
    assert "A red square." in page
    assert "draft" not in page


def test_nothing_of_a_description_is_shown_where_references_are_hidden(client, described):
    page = page_of(client)
    assert "square" not in page
    assert "– not public in this release" in page


def test_nothing_of_it_is_shown_where_another_release_hides_it(client, described):
    Release.objects.update(disclosure="open")
    (shown,) = Release.objects.all()
    hidden = Release.objects.create(
        benchmark=shown.benchmark, slug="hidden", title="H", checksum="c", question_count=1
    )
    ReleaseQuestion.objects.create(release=hidden, question=described, position=0)
    page = page_of(client)
    assert "square" not in page
    assert "<dd>two</dd>" in page


def test_the_figure_opens_in_full_size_without_a_script(client, described):
    assert re.search(r'<a href="(/figures/\d+/)"><img src="\1small/"', page_of(client))
