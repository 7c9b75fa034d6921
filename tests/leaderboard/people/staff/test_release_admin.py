"""Releases in the admin: states that would fail are not offered, and each step asks first."""

import pytest
from django.db import transaction

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
def test_only_states_that_may_follow_are_offered_and_no_other_step_does_anything(
    desk, spelling, state
):
    release = in_state(spelling, state)
    page = desk.get(place(release)).text
    assert {step for step in BECOMES if place(release, step) in page} == STEPS[state]
    assert 'name="state"' not in page
    for step, becomes in BECOMES.items():
        with transaction.atomic():
            assert press(desk, release, step).status_code == 200
            release.refresh_from_db()
            assert release.state == (becomes if step in STEPS[state] else state)
            assert StaffAction.objects.count() == (step in STEPS[state])
            transaction.set_rollback(True)


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
    page = desk.get(place(spelling, "freeze")).text
    assert "1 public entry and 0 private ones stay." in page
    assert "Descriptions and references of 4 questions get no new versions" in page
    assert "How to undo: Open." in page
    spelling.refresh_from_db()
    assert spelling.state == State.OPEN


def test_closing_a_release_says_that_its_open_studies_go_on(desk, owner):
    release = words(3)
    closing = [place(release, step) for step in ("freeze", "retire")]
    assert not any("people now rate" in desk.get(address).text for address in closing)
    entry = spelled(release, owner)
    study_of([entry])
    study_of([entry], is_open=False)
    study_of([spelled(words(3, slug="other"), owner, "Other")])
    said = "1 study in which people now rate its entries can continue"
    assert all(said in desk.get(address).text for address in closing)
    study_of([entry])
    said = "2 studies in which people now rate its entries"
    assert all(said in desk.get(address).text for address in closing)


def test_a_page_left_open_does_not_freeze_what_was_retired_meanwhile(desk, spelling):
    desk.get(place(spelling, "freeze"))
    Release.objects.update(state="retired")
    press(desk, spelling, "retire")
    assert not StaffAction.objects.exists()


def test_publishing_references_says_that_there_is_no_way_back(desk, spelling):
    page = desk.get(place(spelling, "publish_references")).text
    assert "References of 4 questions become public" in page
    assert "Not fully possible" in page
    press(desk, spelling, "publish_references", reason="The paper is out.")
    spelling.refresh_from_db()
    assert spelling.references_are_public
    action = StaffAction.objects.get()
    assert action.before == {"state": "open", "disclosure": "hidden_references"}
    assert action.after == {"state": "open", "disclosure": "open"}
    assert (action.reason, action.what) == ("The paper is out.", "publish_references")
    assert place(spelling, "hide_references") in desk.get(place(spelling)).text
