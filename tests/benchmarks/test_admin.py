"""Releases and groups in the admin: what is offered, and what is refused with a sentence."""

import pytest
from django.contrib.auth.models import Group

from benchmarks.models import Description, Figure, Reference, Release
from benchmarks.release_states import ReleaseStateError, move_release

State = Release.State


@pytest.fixture
def desk(client, admin_user):
    client.force_login(admin_user)
    return client


def page_of(response) -> str:
    return str(response.content, "utf-8")


def place(release: Release) -> str:
    return f"/admin/benchmarks/release/{release.pk}/change/"


def post(client, release: Release, **fields):
    data = {"title": "New title", "state": release.state, "found_state": release.state, **fields}
    return client.post(place(release), data)


@pytest.mark.parametrize(
    ("state", "offered"),
    [
        ("open", ["open", "frozen", "retired"]),
        ("frozen", ["frozen", "open", "retired"]),
        ("retired", ["retired", "open", "frozen"]),
    ],
)
def test_only_states_that_may_follow_are_offered(desk, spelling, state, offered):
    Release.objects.update(state=state)
    page = page_of(desk.get(place(spelling)))
    assert [v for v in State.values if f'<option value="{v}"' in page] == sorted(
        offered, key=State.values.index
    )


def test_an_opened_release_cannot_become_a_draft_and_the_page_says_so(desk, spelling):
    response = post(desk, spelling, state="draft")
    assert response.status_code == 200
    assert "A release that is open cannot become draft; it can become" in page_of(response)
    assert "New title" in page_of(response)
    spelling.refresh_from_db()
    assert (spelling.state, spelling.title == "New title") == ("open", False)


def test_a_page_left_open_does_not_open_what_was_frozen_meanwhile(desk, spelling):
    Release.objects.update(state="frozen")
    response = post(desk, spelling, state="open", found_state="open")
    assert "The release is frozen by now, no longer open." in page_of(response)
    spelling.refresh_from_db()
    assert spelling.state == "frozen"


def test_a_freeze_and_its_way_back(desk, spelling):
    for state in ("frozen", "open"):
        spelling.refresh_from_db()
        assert post(desk, spelling, state=state).status_code == 302
        assert Release.objects.get().state == state


def test_a_release_that_is_opened_knows_since_when(draft):
    move_release(release=draft, found="draft", to="open")
    assert draft.opened is not None


def test_who_is_slower_is_told_the_state_it_has(spelling):
    Release.objects.update(state="retired")
    with pytest.raises(ReleaseStateError, match="is retired by now, no longer open"):
        move_release(release=spelling, found="open", to="frozen")


@pytest.fixture
def group(db) -> Group:
    return Group.objects.get_or_create(name="annotators")[0]


def test_the_groups_of_the_project_stay_and_keep_their_names(desk, group):
    assert desk.post(f"/admin/auth/group/{group.pk}/delete/", {"post": "yes"}).status_code == 403
    chosen = {"action": "delete_selected", "_selected_action": [group.pk], "post": "yes"}
    desk.post("/admin/auth/group/", chosen)
    desk.post(f"/admin/auth/group/{group.pk}/change/", {"name": "others"})
    assert Group.objects.filter(name="annotators").exists()


def test_groups_of_a_site_can_be_deleted(desk):
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
