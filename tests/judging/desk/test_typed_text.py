"""No typed text is lost: not by a button that does something else, a sign-in that ended, a limit or
a lost race."""

import base64
import re
from datetime import timedelta

from django.test import Client
from django.utils import timezone

from benchmarks.forms.unsaved import MAX_CHARACTERS, delete_old_texts, ticket_for
from benchmarks.models import Description, UnsavedText
from tests.judging.room import WORKLIST, page_of, place, save

State = Description.State
TYPED = "A cat that I described with care."


def textarea(response, name: str = "text") -> str:
    found = re.search(rf'<textarea name="{name}"[^>]*>\s*(.*?)</textarea>', page_of(response), re.S)
    found = found or re.search(
        rf'<textarea id="{name}"[^>]*>\s*(.*?)</textarea>', page_of(response), re.S
    )
    return found[1] if found else ""


def ticket_on(response) -> str:
    found = re.search(r'name="ticket" value="([^"]+)"', page_of(response))
    assert found, "the form has no ticket"
    return found[1]


# --- a button that does something else ------------------------------------------------------------


def test_a_text_typed_beside_another_step_is_kept(visit, in_review, figure):
    client = visit("reviewer")
    data = {"text": TYPED, "base_version": 1}
    response = client.post(f"{WORKLIST}{in_review.pk}/restore/", data, follow=True)
    assert textarea(response) == TYPED


def test_a_page_without_the_text_does_not_throw_it_away(visit, in_review, figure):
    client = visit("reviewer")
    client.post(f"{place(figure)}typed/", {"text": TYPED, "base_version": 1})
    client.post(f"{WORKLIST}{in_review.pk}/send-back/", {"comment": "Which cat?"})
    assert textarea(client.get(place(figure))) == TYPED


# --- a sign-in that ended -------------------------------------------------------------------------


def test_a_text_sent_after_the_sign_in_ended_waits_behind_the_next(visit, figure, people):
    client = visit("annotator")
    ticket = ticket_on(client.get(place(figure)))
    client.session.flush()
    sent = {"text": TYPED, "base_version": 0, "ticket": ticket, "save": "x"}
    response = client.post(place(figure), sent)
    assert response.status_code == 302
    assert place(figure) in response["Location"]
    client.force_login(people["annotator"])
    page = client.get(place(figure))
    assert textarea(page) == TYPED
    assert "Unsaved text" in page_of(page)


def test_only_its_writer_finds_it(visit, figure, people):
    ticket = ticket_on(visit("annotator").get(place(figure)))
    Client().post(place(figure), {"text": TYPED, "base_version": 0, "ticket": ticket})
    assert textarea(visit("reviewer").get(place(figure))) == ""


def test_a_form_that_is_too_old_keeps_its_text_and_says_where_it_is(people, figure):
    client = Client(enforce_csrf_checks=True)
    client.force_login(people["annotator"])
    ticket = ticket_on(client.get(place(figure)))
    response = client.post(place(figure), {"text": TYPED, "base_version": 0, "ticket": ticket})
    assert response.status_code == 403
    assert "Your text is kept" in page_of(response)
    assert f'href="{place(figure)}"' in page_of(response)
    assert textarea(client.get(place(figure))) == TYPED


def test_without_a_ticket_of_ours_or_of_an_open_account_nothing_is_kept(people, figure):
    closed = ticket_for(user=people["annotator"], path=place(figure), title="x")
    people["annotator"].is_active = False
    people["annotator"].save()
    for ticket in ("", "forged", "WzEsIi8iLCJ4Il0:1:x", closed):
        sent = {"text": TYPED, "base_version": 0, "ticket": ticket}
        assert Client().post(place(figure), sent).status_code == 302
    assert not UnsavedText.objects.exists()


# --- a page that was left -------------------------------------------------------------------------


def test_what_was_typed_is_in_the_form_and_the_worklist_until_it_is_saved_or_thrown_away(
    visit, figure
):
    client = visit("annotator")
    typed = {"text": TYPED, "base_version": 0}
    assert client.post(f"{place(figure)}typed/", typed).status_code == 204
    assert textarea(client.get(place(figure))) == TYPED
    client.post(f"{place(figure)}discard/")
    assert textarea(client.get(place(figure))) == ""
    client.post(f"{place(figure)}typed/", typed)
    assert "Typed and not saved" in page_of(client.get(WORKLIST))
    save(client, figure, TYPED)
    assert not UnsavedText.objects.exists()
    client.post(f"{place(figure)}typed/", typed)  # it came after its own save
    assert "Unsaved text" not in page_of(client.get(place(figure)))


def test_who_comes_back_after_somebody_saved_gets_both_texts_on_saving(visit, figure):
    client = visit("annotator")
    client.post(f"{place(figure)}typed/", {"text": TYPED, "base_version": 0})
    save(visit("reviewer"), figure, "A dog.")
    page = client.get(place(figure))
    assert textarea(page) == TYPED
    assert 'name="base_version" value="0"' in page_of(page)
    assert "Someone else saved first" in page_of(save(client, figure, TYPED, base=0))


def found_in_a_browser(client: Client, figure, text: str, age: int | str = 60, **more) -> int:
    data = {"text": text, "base_version": 0, "age": age, **more}
    return client.post(f"{place(figure)}typed/", data).status_code


def test_what_a_browser_kept_is_taken_over_unless_it_was_saved(visit, figure):
    client = visit("annotator")
    assert found_in_a_browser(client, figure, TYPED) == 204
    save(client, figure, TYPED)
    save(visit("reviewer"), figure, "A dog.", base=1)
    client = visit("annotator")
    assert found_in_a_browser(client, figure, TYPED) == 205
    assert not UnsavedText.objects.exists()
    assert found_in_a_browser(visit("reviewer"), figure, TYPED) == 204


def test_what_a_browser_kept_gives_way_to_what_was_typed_later(visit, figure):
    client = visit("annotator")
    client.post(f"{place(figure)}typed/", {"text": TYPED, "base_version": 0})
    assert found_in_a_browser(client, figure, "Earlier words.") == 200
    assert textarea(client.get(place(figure))) == TYPED
    UnsavedText.objects.update(typed=timezone.now() - timedelta(minutes=2))
    assert found_in_a_browser(client, figure, "Later words.") == 204
    assert textarea(client.get(place(figure))) == "Later words."


def test_an_age_that_is_none_is_not_heeded(visit, figure):
    for age in ("", "x", "-1", "9" * 40):
        assert found_in_a_browser(visit("annotator"), figure, TYPED, age) == 204, age


def test_a_browser_seals_what_it_keeps_with_a_key_of_its_person(visit, figure):
    def key_on_the_page(name: str) -> str:
        return page_of(visit(name).get(place(figure))).partition('data-browser-key="')[2][:44]

    keys = {key_on_the_page(name) for name in ("annotator", "annotator", "reviewer")}
    assert len(keys) == 2
    assert all(len(base64.b64decode(key)) == 32 for key in keys)


def test_a_form_keeps_a_bounded_text_for_a_month(visit, figure):
    client = visit("annotator")
    too_much = {"text": "x" * (MAX_CHARACTERS + 1), "base_version": 0}
    assert client.post(f"{place(figure)}typed/", too_much).status_code == 413
    client.post(f"{place(figure)}typed/", {"text": TYPED, "base_version": 0})
    UnsavedText.objects.update(typed=timezone.now() - timedelta(days=31))
    delete_old_texts()
    assert not UnsavedText.objects.exists()


# --- a limit --------------------------------------------------------------------------------------


def test_a_text_that_is_too_long_is_refused_whole_and_stays_in_the_form(visit, figure):
    client = visit("annotator")
    assert "maxlength" not in page_of(client.get(place(figure)))  # no browser cuts it
    long = "x" * 25_000
    response = save(client, figure, long)
    assert response.status_code == 422
    assert "has at most 20,000 characters; this one has 25,000" in page_of(response)
    assert textarea(response) == long
    assert not Description.objects.exists()
    # line ends of the browser do not count
    assert save(client, figure, "x\r\n" * 9_999 + "xx").status_code == 200


# --- whose words ----------------------------------------------------------------------------------


def test_nobody_approves_words_of_their_own_that_somebody_else_submitted(visit, in_review, figure):
    visit("reviewer").post(f"{WORKLIST}{in_review.pk}/send-back/", {"comment": "Why?"})
    save(visit("reviewer"), figure, "My own words.", base=1)
    save(visit("annotator"), figure, "Others.", base=2)
    mine = Description.objects.get(version=2)
    visit("annotator").post(f"{WORKLIST}{mine.pk}/restore/")
    newest = Description.objects.get(version=4)
    save(visit("annotator"), figure, "My own words.", base=4, button="submit")
    response = visit("reviewer").post(f"{WORKLIST}{newest.pk}/approve/", follow=True)
    assert "You cannot approve your own description" in page_of(response)
    newest.refresh_from_db()
    assert newest.state == State.IN_REVIEW
