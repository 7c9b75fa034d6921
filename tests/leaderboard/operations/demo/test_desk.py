"""A demo has work for its annotator and its reviewer, and its boards know nothing of it."""

import pytest
from django.contrib.auth.models import User
from django.test import Client

from benchmarks.models import Description, Release
from benchmarks.registry import protocols
from benchmarks.services.descriptions import DESCRIPTION_REVIEW
from leaderboard.operations.demo.desk import load_desk
from leaderboard.people.accounts.services import demo_email, ensure_demo_accounts
from tests.conftest import make_groups

WORKLIST = "/admin/benchmarks/description/"


@pytest.fixture
def people(db) -> dict[str, User]:
    make_groups()
    ensure_demo_accounts(later=True)
    names = ("annotator", "reviewer")
    return {name: User.objects.get(email=demo_email(name)) for name in names}


@pytest.fixture
def load(people):
    return lambda: load_desk(families=protocols().values(), **people)


def opened(user: User, kind: str) -> str:
    """The page that the button for the next one leads to."""
    client = Client()
    client.force_login(user)
    answer = client.post(f"{WORKLIST}next/", {"kind": kind}, follow=True)
    assert answer.redirect_chain[-1][0].startswith(WORKLIST)
    return answer.content.decode()


def test_annotator_and_reviewer_have_work_in_their_first_minute(load, people, settings):
    settings.STAFF_SECOND_FACTOR = False
    load()
    assert "The attic is the warmest room." in opened(people["annotator"], "write")
    assert "What approving does" in opened(people["reviewer"], "review")
    client = Client()
    client.force_login(people["annotator"])
    page = client.get("/admin/").content.decode()
    for count, kind in ((2, "Sent back to me"), (1, "My drafts"), (3, "Missing")):
        assert f"<strong>{count}</strong> {kind}" in page
    client.force_login(people["reviewer"])
    assert "<strong>2</strong> To review" in client.get("/admin/").content.decode()


def test_it_is_loaded_once_and_leaves_what_people_did(load, people):
    assert len(load()) == 1
    DESCRIPTION_REVIEW.approve(
        proposal=Description.objects.filter(state="in review")[0], reviewer=people["reviewer"]
    )
    count = Description.objects.count()
    assert load() == []
    assert Description.objects.count() == count
    assert Description.objects.filter(state="approved").count() == 1


def test_nobody_else_sees_the_draft(load, client):
    (draft,) = load()
    assert draft.state == Release.State.DRAFT
    assert client.get(f"/releases/{draft.slug}/").status_code == 404
    assert draft.title not in client.get("/releases/").content.decode()
