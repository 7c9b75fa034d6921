"""What a visitor is shown in the place of a page: what happened, what to do, and a link to go on
with."""

import pytest
from django.contrib.auth.models import AnonymousUser
from django.template.loader import render_to_string
from django.urls import reverse
from lxml import html  # type: ignore[import-untyped]  # ships no types

from benchmarks.models import Release
from leaderboard.results.selectors import BoardNotStoredError
from leaderboard.web.board.not_stored import BoardNotStoredMiddleware
from tests.conftest import import_spelling, import_words
from tests.leaderboard.web.pages.shown_text import links, part, shown
from tests.person import words

AGAIN = {"Try again": ""}


@pytest.mark.parametrize(
    ("template", "context", "said"),
    [
        ("503.html", {}, "Try again in half a minute."),
        ("507.html", {}, "Try again in ten minutes"),
        ("500.html", {}, "Try again in a minute"),
        ("429.html", {"sentence": "Try again in 10 seconds."}, "Try again in 10 seconds."),
    ],
)
def test_a_page_that_will_be_there_again_is_asked_for_by_one_link(template, context, said):
    page = part(html.fromstring(render_to_string(template, context)))
    assert said in words(page)
    assert links(page).items() >= AGAIN.items()


def test_a_board_that_is_being_computed_leads_to_the_others_in_the_meantime(rf):
    middleware = BoardNotStoredMiddleware(lambda request: None)  # type: ignore[arg-type]  # never called
    response = middleware.process_exception(rf.get("/boards/x/"), BoardNotStoredError())
    assert response is not None
    page = part(html.fromstring(response.content.decode()))
    assert "being computed for the first time" in words(page)
    assert links(page) == AGAIN | {"other boards": f"{reverse('home')}#boards"}
    assert (response.status_code, response["Retry-After"]) == (503, "60")


@pytest.mark.parametrize("kept", ["", "/rate/1/"])
def test_a_form_that_has_expired_says_how_to_keep_what_was_typed(rf, kept):
    request = rf.get("/")
    request.user = AnonymousUser()
    page = part(html.fromstring(render_to_string("403_csrf.html", {"kept": kept}, request)))
    assert ("copy what you typed" in words(page)) is not bool(kept)
    assert links(page) == ({"Open the form again": kept} if kept else {"home page": "/"})


def test_a_page_that_is_not_there_says_why_and_leads_to_the_boards(client, db):
    import_spelling()
    for address, said in (
        ("/nothing/", "The address may be mistyped, or the entry may be private or withdrawn."),
        ("/boards/spelling/export.pdf", "Boards are exported as json, csv, latex."),
    ):
        page = part(html.fromstring(client.get(address).text))
        assert said in words(page)
        assert ("mistyped" in words(page)) is ("mistyped" in said)
        assert links(page)["boards"] == "/#boards"


def test_a_board_without_a_model_says_how_to_submit_one(client, db):
    import_spelling()
    page = part(html.fromstring(client.get("/boards/spelling/").text))
    assert "No model is on this board yet." in words(page)
    assert links(page)["Submit a model"] == reverse("submit")
    assert "each covers all questions" not in words(page)


def test_the_board_of_a_closed_release_stays_on_the_home_page(client, db):
    import_spelling()
    Release.objects.update(state="frozen")
    home = part(html.fromstring(client.get("/").text))
    assert links(home)["Spelling"] == "/boards/spelling/"


def test_a_retired_release_gives_its_place_to_one_that_is_not(client, db):
    (old,) = Release.objects.filter(pk=import_spelling().pk)
    import_words(range(12))
    Release.objects.filter(slug="words").update(state="retired")
    assert Release.objects.published().main_first()[0] == old


def test_a_site_without_any_content_says_what_it_will_have(client, db):
    assert "No benchmark is open yet." in shown(client, "/")
    assert "No model has a public entry yet." in shown(client, "/models/")
    for address in ("/", "/submit/"):
        assert "no release takes submissions at the moment." in shown(client, address)
        assert "Submit a model" not in links(part(html.fromstring(client.get(address).text)))


def test_staff_read_on_a_site_without_an_open_release_what_to_do_first(admin_client):
    for address in ("/", "/submit/"):
        page = part(html.fromstring(admin_client.get(address).text))
        assert "or open a draft under Releases" in words(page)
        assert links(page)["Releases"] == reverse("admin:benchmarks_release_changelist")


def test_a_board_of_a_closed_release_without_an_entry_asks_nobody_to_submit(client, db):
    import_spelling()
    home = part(html.fromstring(client.get("/").text))
    assert links(home)["Submit a model"] == reverse("submit")
    Release.objects.update(state="frozen")
    assert "Submit a model" not in links(part(html.fromstring(client.get("/").text)))
