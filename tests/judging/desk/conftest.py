"""The release of pictures and the people of the desk, made once for each module."""

import pytest
from django.contrib.auth.models import User

from benchmarks.models import Description, Figure, Release
from benchmarks.services.descriptions import save_draft, submit_for_review
from tests.judging.conftest import import_pictured, make_people
from tests.judging.made_once import module_submission, rosa, spelling, submission

__all__ = ["module_submission", "rosa", "spelling", "submission"]  # for pytest to find


@pytest.fixture(scope="module")
def module_release(module_rows, tmp_path_factory) -> Release:
    return import_pictured(tmp_path_factory.mktemp("pictures"))


@pytest.fixture
def release(module_release, db) -> Release:
    return Release.objects.select_related("benchmark").get(pk=module_release.pk)


@pytest.fixture(scope="module")
def module_people(module_rows) -> dict[str, User]:
    return make_people()


@pytest.fixture
def people(module_people, db) -> dict[str, User]:
    return {user.username: user for user in User.objects.filter(username__in=module_people)}


@pytest.fixture
def in_review(people, figure) -> Description:
    version: Description = save_draft(
        figure=figure, language="en", text="A cat.", author=people["annotator"], base_version=0
    )
    submit_for_review(description=version)
    return version


@pytest.fixture
def dark(release) -> Figure:
    return Figure.objects.get(key="dark.png")
