"""Releases in the admin: states that would fail are not offered, and each step asks first."""

import pytest

from benchmarks.models import Release
from benchmarks.staff_models import StaffAction
from tests.judging.panel.study_world import spelled, study_of, words

State = Release.State
STEPS = {
    "draft": {"open"},
    "open": {"freeze", "retire"},
    "frozen": {"open", "retire"},
    "retired": {"open", "freeze"},
}
BECOMES = {"open": "open", "freeze": "frozen", "retire": "retired"}


@pytest.fixture
def desk(client, admin_user):
    client.force_login(admin_user)
    return client


def page_of(response) -> str:
    return str(response.content, "utf-8")


def place(release: Release, step: str = "") -> str:
    page = f"step/{step}/" if step else "change/"
    return f"/admin/benchmarks/release/{release.pk}/{page}"


def press(client, release: Release, step: str, reason: str = "It is full."):
    return client.post(place(release, step), {"confirmed": "yes", "reason": reason}, follow=True)


def in_state(release: Release, state: str) -> Release:
    if state == "draft":
        return Release.objects.create(
            benchmark=release.benchmark, slug="drawn", title="Drawn", question_count=0
        )
    Release.objects.filter(pk=release.pk).update(state=state)
    return release


@pytest.mark.parametrize("state", STEPS)
def test_only_states_that_may_follow_are_offered(desk, spelling, state):
    release = in_state(spelling, state)
    page = page_of(desk.get(place(release)))
    offered = {step for step in BECOMES if place(release, step) in page}
    assert offered == STEPS[state]
    assert 'name="state"' not in page


@pytest.mark.parametrize("state", STEPS)
@pytest.mark.parametrize("step", BECOMES)
def test_no_step_from_no_state_fails_and_none_but_those_offered_does_anything(
    desk, spelling, state, step
):
    release = in_state(spelling, state)
    response = press(desk, release, step)
    assert response.status_code == 200
    release.refresh_from_db()
    assert release.state == (BECOMES[step] if step in STEPS[state] else state)
    assert StaffAction.objects.count() == (step in STEPS[state])


def test_a_posted_state_changes_nothing(desk, spelling):
    data = {"title": "New title", "state": "draft", "disclosure": "open"}
    assert desk.post(place(spelling), data).status_code == 302
    spelling.refresh_from_db()
    found = (spelling.title, spelling.state, spelling.references_are_public)
    assert found == ("New title", "open", False)
    action = StaffAction.objects.get()
    assert (action.before["title"], action.after["title"]) == ("Spelling 1", "New title") or (
        action.after == {"title": "New title"}
    )


def test_it_asks_with_counts_before_it_freezes(desk, spelling, submission):
    page = page_of(desk.get(place(spelling, "freeze")))
    assert "1 public entry and 0 private ones stay." in page
    assert "Descriptions and references of 4 questions get no new versions" in page
    assert "The way back: Open." in page
    spelling.refresh_from_db()
    assert spelling.state == State.OPEN


@pytest.mark.parametrize("step", ["freeze", "retire"])
def test_closing_a_release_says_that_its_open_studies_go_on(desk, owner, step):
    release = words(3)
    assert "people rate now" not in page_of(desk.get(place(release, step)))
    entry = spelled(release, owner)
    study_of([entry])
    study_of([entry], is_open=False)
    study_of([spelled(words(3, slug="other"), owner, "Other")])
    page = page_of(desk.get(place(release, step)))
    assert "1 study of its entries that people rate now: they may go on" in page
    study_of([entry])
    assert "2 studies of its entries that people rate now" in page_of(
        desk.get(place(release, step))
    )


def test_a_page_left_open_does_not_freeze_what_was_retired_meanwhile(desk, spelling):
    desk.get(place(spelling, "freeze"))
    Release.objects.update(state="retired")
    press(desk, spelling, "retire")
    assert not StaffAction.objects.exists()


def test_publishing_references_says_that_there_is_no_way_back(desk, spelling):
    page = page_of(desk.get(place(spelling, "publish_references")))
    assert "References of 4 questions become public" in page
    assert "None that counts" in page
    press(desk, spelling, "publish_references", reason="The paper is out.")
    spelling.refresh_from_db()
    assert spelling.references_are_public
    action = StaffAction.objects.get()
    assert action.before == {"state": "open", "disclosure": "hidden_references"}
    assert action.after == {"state": "open", "disclosure": "open"}
    assert (action.reason, action.what) == ("The paper is out.", "publish_references")
    assert place(spelling, "hide_references") in page_of(desk.get(place(spelling)))
