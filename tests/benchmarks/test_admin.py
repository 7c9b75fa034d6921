"""States of releases, and groups in the admin: what is refused with a sentence."""

import pytest
from django.contrib.auth.models import Group
from django.db import IntegrityError, transaction

from benchmarks.common.groups import PROJECT_GROUPS
from benchmarks.models import Description, Figure, Reference, Release
from benchmarks.releases.states import ReleaseStateError, move_release

State = Release.State


@pytest.fixture
def desk(client, admin_user):
    client.force_login(admin_user)
    return client


def page_of(response) -> str:
    return str(response.content, "utf-8")


def test_a_release_that_is_opened_knows_since_when(draft):
    Description.objects.create(
        figure=Figure.objects.get(), version=1, text="A pen.", state=Description.State.APPROVED
    )
    move_release(release=draft, found="draft", to="open")
    assert draft.opened is not None


def test_who_is_slower_is_told_the_state_it_has(spelling):
    Release.objects.update(state="retired")
    with pytest.raises(ReleaseStateError, match="is retired by now, no longer open"):
        move_release(release=spelling, found="open", to="frozen")


def test_the_groups_of_the_project_stay_and_keep_their_names_whoever_asks(desk):
    """Those of a site can be deleted."""
    for name in PROJECT_GROUPS:
        group = Group.objects.get_or_create(name=name)[0]
        place = f"/admin/auth/group/{group.pk}"
        assert desk.post(f"{place}/delete/", {"post": "yes"}).status_code == 403
        chosen = {"action": "delete_selected", "_selected_action": [group.pk], "post": "yes"}
        desk.post("/admin/auth/group/", chosen)
        desk.post(f"{place}/change/", {"name": "others"})
        found = Group.objects.filter(pk=group.pk)
        for change in (found.delete, lambda found=found: found.update(name="others")):
            told = pytest.raises(IntegrityError, match="group of the site itself")
            with told, transaction.atomic():
                change()
        assert found.update(name=name) == 1
        assert found.get().name == name
    own = Group.objects.create(name="visitors")
    desk.post(f"/admin/auth/group/{own.pk}/delete/", {"post": "yes"})
    assert not Group.objects.filter(name="visitors").exists()


def test_references_say_whether_they_are_stale_in_one_query_for_all(
    desk, spelling, django_assert_max_num_queries
):
    question = spelling.questions.first()
    figure = Figure.objects.create(benchmark=spelling.benchmark, key="one.png", content_hash="1")
    versions = [
        Description.objects.create(figure=figure, version=number, text="A cat.", state="approved")
        for number in (1, 2)
    ]
    for number in range(2, 20):
        Reference.objects.create(
            question=question,
            version=number,
            text=f"reference {number}",
            origin="generated",
            description=versions[number % 2],
        )
    with django_assert_max_num_queries(12):
        page = page_of(desk.get("/admin/benchmarks/reference/"))
    rows = {number: row_of(page, f"reference {number}") for number in (2, 3)}
    assert ["icon-yes" in rows[number] for number in (2, 3)] == [True, False]


def row_of(page: str, text: str) -> str:
    (row,) = (row for row in page.split("<tr") if f">{text}<" in row)
    return row
