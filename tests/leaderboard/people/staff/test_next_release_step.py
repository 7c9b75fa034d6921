"""The step that makes the next release: it asks, tells in counts, and makes one."""

import io
import re

import pytest
from django.test import Client

from benchmarks.models import Release
from benchmarks.registry import protocol
from benchmarks.services.importing import import_release
from benchmarks.services.references import add_reference
from benchmarks.staff_models import StaffAction
from tests.conftest import freeze_release, import_words
from tests.judging.threads import at_once

TITLE = "Make the next release"
TYPED = {
    "confirmed": "yes",
    "reason": "Labels are wrong.",
    "slug": "spelling-1-2",
    "title": "Spelling, release 2",
}


@pytest.fixture
def closed(spelling) -> Release:
    freeze_release(release=spelling)
    return Release.objects.get(pk=spelling.pk)


def page_of(response) -> str:
    return " ".join(str(response.content, "utf-8").split())


def place(release: Release, page: str = "step/make_next/") -> str:
    return f"/admin/benchmarks/release/{release.pk}/{page}"


def press(client: Client, release: Release, **typed: str):
    return client.post(place(release), {**TYPED, **typed}, follow=True)


def drafts() -> list[Release]:
    return list(Release.objects.filter(state="draft"))


def test_it_is_offered_on_the_page_of_a_closed_release_and_in_no_list(desk, closed):
    assert place(closed) in page_of(desk.get(place(closed, "change/")))
    assert TITLE not in page_of(desk.get("/admin/benchmarks/release/"))
    chosen = {"action": "make_next", "_selected_action": [closed.pk], **TYPED}
    desk.post("/admin/benchmarks/release/", chosen)
    assert drafts() == []


@pytest.mark.parametrize("state", ["draft", "open"])
def test_it_is_not_offered_for_one_that_takes_corrections_itself(desk, spelling, state):
    release = spelling
    if state == "draft":
        release = Release.objects.create(
            benchmark=spelling.benchmark, slug="drawn", title="Drawn", question_count=0
        )
    assert place(release) not in page_of(desk.get(place(release, "change/")))
    page = page_of(press(desk, release))
    assert f"{TITLE}: it was done already, or cannot be done by now. Nothing changed." in page
    assert not StaffAction.objects.exists()


def test_it_asks_with_counts_and_proposes_names(desk, spelling, submission):
    freeze_release(release=spelling)
    page = page_of(desk.get(place(spelling)))
    assert "A draft with 4 questions about 0 figures, the same ones in the same order" in page
    assert "since the release was closed: 0 descriptions, 0 references and 0 labels." in page
    assert "it lacks nothing: 0 texts are empty." in page
    assert "1 public entry and 0 private ones stay." in page
    assert 'value="spelling-1-2"' in page
    assert re.search(r'name="title" value="Spelling.*, release 2"', page)
    assert drafts() == []
    assert "Its references are public" not in page
    Release.objects.update(disclosure="open")
    assert "Its references are public once it is opened" in page_of(desk.get(place(spelling)))


def test_it_tells_what_lacks_before_the_next_one_can_be_opened(desk):
    lines = b"1|two|two|one.png\n2|colour|colour|one.png\n3|sea|\n"
    release = import_release(protocol=protocol("spelling"), stream=io.BytesIO(lines)).release
    freeze_release(release=release)
    page = page_of(desk.get(place(release)))
    assert "A draft with 3 questions about 1 figure," in page
    assert "Before it can be opened it lacks 1 description and 1 reference." in page


def test_it_makes_one_draft_leads_to_what_that_lacks_and_is_logged(desk, closed):
    assert "No release follows it." in page_of(desk.get(place(closed, "change/")))
    response = press(desk, closed)
    (draft,) = drafts()
    assert response.redirect_chain == [(place(draft, "lacking/"), 302)]
    assert "Next release made: 1 release." in page_of(response)
    assert (draft.slug, draft.title) == ("spelling-1-2", "Spelling, release 2")
    assert (draft.follows, draft.members.count()) == (closed, 4)
    page = page_of(desk.get(place(closed, "change/")))
    assert f'<a href="{place(draft, "change/")}">Spelling, release 2</a> (draft)' in page
    assert place(closed) not in page
    assert place(closed, "change/") in page_of(desk.get(place(draft, "change/")))
    response = press(desk, closed, slug="another")
    assert response.redirect_chain == [(place(draft, "lacking/"), 302)]
    assert "it was done already" in page_of(response)
    assert drafts() == [draft]
    action = StaffAction.objects.get()
    assert (action.what, action.reason) == ("make_next", "Labels are wrong.")
    assert (action.object_id, action.about) == (str(closed.pk), "benchmarks.release")
    assert (action.before, action.after) == ({"next_release": ""}, {"next_release": draft.slug})
    assert "A draft with 4 questions" in action.told


def test_names_are_checked_and_what_was_typed_stays(desk, closed):
    wrong: tuple[tuple[dict[str, str], str], ...] = (
        ({"slug": "spelling-1"}, "There is a release &#x27;spelling-1&#x27; already"),
        ({"slug": "no words"}, "Enter a valid"),
        ({"slug": "w" * 51}, "at most 50 characters"),
        ({"slug": ""}, "This field is required"),
        ({"title": ""}, "This field is required"),
        ({"title": "W" * 201}, "at most 200 characters"),
        ({"reason": ""}, "Say why."),
    )
    for typed, said in wrong:
        response = press(desk, closed, **typed)
        assert response.status_code == 422, typed
        page, title = page_of(response), {**TYPED, **typed}["title"]
        assert [text in page for text in (said, title, "make_next")] == [True] * 3, typed
    assert drafts() == []


def test_what_was_approved_since_is_told(desk, closed):
    press(desk, closed)
    (draft,) = drafts()
    add_reference(question=closed.questions.get(public_id="1"), text="Two.", origin="human")
    Release.objects.filter(pk=draft.pk).update(state="retired")
    page = page_of(desk.get(place(closed)))
    assert "since the release was closed: 0 descriptions, 1 reference and 0 labels." in page


def test_two_people_at_one_instant_make_one(committed, admin_user, django_user_model):
    release = import_words(range(4))
    freeze_release(release=release)
    other = django_user_model.objects.create_superuser("bea", "bea@example.org", "x")
    clients = [Client(), Client()]
    for client, user in zip(clients, (admin_user, other), strict=True):
        client.force_login(user)
    pages: list[str] = []

    def pressing(client: Client, slug: str):
        return lambda: pages.append(page_of(press(client, release, slug=slug)))

    at_once(pressing(clients[0], "words-2"), pressing(clients[1], "words-3"))
    (draft,) = drafts()
    assert draft.members.count() == 4
    assert StaffAction.objects.count() == 1
    assert all(f"What {draft} lacks" in page for page in pages)
    assert sum("Next release made: 1 release." in page for page in pages) == 1
