"""Fixtures of the pages for annotators and reviewers."""

import io
from pathlib import Path

import pytest
from django.contrib.auth.models import Group, Permission, User
from django.test import Client

from benchmarks.models import Description, Figure, Release
from benchmarks.registry import protocol
from benchmarks.services.importing import import_release
from tests.benchmarks.pictures import picture
from tests.conftest import make_groups
from tests.judging.room import save

LINES = b"1|two|two|one.png\n2|colour|colour|one.png\n3|night|night|dark.png\n4|sea|sea\n"


@pytest.fixture
def release(db, tmp_path) -> Release:
    return import_pictured(tmp_path)


def import_pictured(folder: Path) -> Release:
    """Four words: two of one picture, one of another, one of none."""
    for name in ("one.png", "dark.png"):
        (folder / name).write_bytes(picture())
    return import_release(
        protocol=protocol("spelling"), stream=io.BytesIO(LINES), images=folder, slug="spelling-1"
    ).release


@pytest.fixture
def load_spelling(db):
    """Imports lines of the spelling protocol, those of the release unless told otherwise."""

    def load(lines: bytes = LINES, slug: str = "spelling-1", **options) -> Release:
        found: Release = import_release(
            protocol=protocol("spelling"), stream=io.BytesIO(lines), slug=slug, **options
        ).release
        return found

    return load


@pytest.fixture
def figure(release) -> Figure:
    return Figure.objects.get(key="one.png")


@pytest.fixture
def people(db) -> dict[str, User]:
    return make_people()


def make_people() -> dict[str, User]:
    """One of each kind."""
    make_groups()
    made = {
        name: User.objects.create_user(name, f"{name}@example.org", is_staff=name != "submitter")
        for name in ("annotator", "reviewer", "other_reviewer", "moderator", "submitter", "staff")
    }
    made["annotator"].groups.add(Group.objects.get(name="annotators"))
    for name in ("reviewer", "other_reviewer"):
        made[name].groups.add(Group.objects.get(name="reviewers"))
    moderating = ["view_description", "approve_description", "change_judgement", "view_submission"]
    made["moderator"].user_permissions.set(Permission.objects.filter(codename__in=moderating))
    return made


@pytest.fixture
def visit(people):
    """A browser in which this person is signed in; nobody is signed in where there is no name."""

    def visit(name: str = "") -> Client:
        client = Client()
        if name:
            client.force_login(people[name])
        return client

    return visit


@pytest.fixture
def in_review(visit, figure) -> Description:
    save(visit("annotator"), figure, button="submit")
    return Description.objects.get()
