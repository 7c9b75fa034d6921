"""Several versions approved with one comment: what each of them is stands there first, and one that
is refused keeps no other back."""

import re
from typing import Any
from urllib.parse import urlencode

import pytest
from django.test import Client

from benchmarks.models import Description, Figure, UnsavedText
from benchmarks.services.descriptions import save_draft, submit_for_review
from benchmarks.staff_models import StaffAction
from judging.desk.queue import admin as queue_admin
from tests.judging.room import WORKLIST, page_of, says

TYPED = "Well seen, all of them."
ASK, CONFIRM = f"{WORKLIST}approve/", f"{WORKLIST}approve/confirmed/"


def waiting(figure: Figure, author, text: str) -> Description:
    base = Description.objects.filter(figure=figure).count()
    made = save_draft(figure=figure, language="en", text=text, author=author, base_version=base)
    submit_for_review(description=made)
    return made


@pytest.fixture
def both(release, people) -> list[Description]:
    figures = Figure.objects.filter(key__in=("one.png", "dark.png")).order_by("pk")
    return [waiting(figure, people["annotator"], f"Figure {figure.pk}.") for figure in figures]


def tick(client: Client, versions):
    """The answer to a press in the list."""
    rows = client.get(WORKLIST, {"state": ""}).context["cl"].items
    figures = {one.figure_id for one in versions}
    chosen = [one["row"].pk for one in rows if one["row"].figure in figures]
    sent = {"action": "approve_several", "_selected_action": chosen}
    return client.post(f"{WORKLIST}?state=", sent, follow=True)


def states(versions) -> list[str]:
    found = Description.objects.in_bulk([one.pk for one in versions])
    return [str(found[one.pk].state) for one in versions]


def test_each_text_is_read_before_those_that_stay_ticked_are_approved_with_one_comment(visit, both):
    client = visit("reviewer")
    page = page_of(tick(client, both))
    for one in both:
        says(page, one.text, f'name="version" value="{one.pk}"')
    for nothing in ("", "?versions=x", "?versions=99-x"):
        page = page_of(client.get(f"{ASK}{nothing}", follow=True))
        assert "first select figures that are in review" in page
    client.post(CONFIRM, {"version": ["x", "999999"]})
    for name in ("annotator", "staff"):
        assert visit(name).get(page_with(both)).status_code == 403
        assert visit(name).post(CONFIRM, {"version": both[0].pk}).status_code == 403
    assert states(both) == ["in review"] * 2
    sent = {"version": [one.pk for one in both], "comment": "Well seen."}
    page = page_of(client.post(CONFIRM, sent, follow=True))
    assert "2 versions are approved." in page
    assert states(both) == ["approved"] * 2
    assert set(Description.objects.values_list("review_comment", flat=True)) == {"Well seen."}
    assert StaffAction.objects.filter(sentence__contains="is approved").count() == 2


def test_own_words_are_named_and_refused_and_the_others_are_approved(visit, both, people):
    both[0].delete()
    mine = waiting(both[0].figure, people["reviewer"], "Mine.")
    page = page_of(tick(visit("reviewer"), [mine, both[1]]))
    assert "These words are yours in part" in page
    assert f'name="version" value="{mine.pk}"' not in page
    sent = {"version": [mine.pk, both[1].pk]}
    page = page_of(visit("reviewer").post(CONFIRM, sent, follow=True))
    says(page, "1 version is approved.", "You cannot approve your own description")
    assert states([mine, both[1]]) == ["in review", "approved"]


def test_one_that_was_decided_meanwhile_is_not_decided_again(visit, both):
    visit("other_reviewer").post(CONFIRM, {"version": both[0].pk, "comment": "First."})
    page = page_of(
        visit("reviewer").post(CONFIRM, {"version": [one.pk for one in both]}, follow=True)
    )
    assert "is approved, not in review." in page
    both[0].refresh_from_db()
    assert both[0].review_comment == "First."
    assert states(both) == ["approved"] * 2


# --- the comment ----------------------------------------------------------------------------------


def page_with(versions) -> str:
    return f"{ASK}?versions={'-'.join(str(one.pk) for one in versions)}"


def sent_with(browser, versions, **more) -> dict[str, object]:
    """What the page of these would send."""
    page = page_of(browser.get(page_with(versions)))
    fields = re.findall(r'name="(ticket|shown)" value="([^"]*)"', page)
    return {**dict(fields), "version": [one.pk for one in versions], "comment": TYPED, **more}


def test_a_comment_sent_after_the_sign_in_ended_is_on_the_page_behind_the_next(visit, both, people):
    browser = visit("reviewer")
    sent = sent_with(browser, both)
    browser.logout()
    led = browser.post(CONFIRM, sent)["Location"]
    assert led == f"/admin/login/?{urlencode({'next': page_with(both)}, safe='/')}"
    browser.force_login(people["reviewer"])
    page = page_of(browser.get(page_with(both)))
    assert f">{TYPED}</textarea>" in page.replace(">\n", ">")
    assert "Unsaved text" in page
    assert states(both) == ["in review"] * 2


def test_a_comment_that_approves_nothing_stands_on_the_page_again(visit, both):
    browser = visit("reviewer")
    refused: list[tuple[dict[str, Any], str]] = [
        ({"version": []}, "Nothing is approved: tick what you approve."),
        ({"comment": "x" * 20_001}, "A comment has at most 20,000 characters"),
    ]
    for more, said in refused:
        sent = sent_with(browser, both, **more)
        response = browser.post(CONFIRM, sent, follow=True)
        for page in (page_of(response), page_of(browser.get(page_with(both)))):
            says(page, both[0].text, both[1].text, f"{sent['comment']}</textarea>")
        assert said in page_of(response)
    assert states(both) == ["in review"] * 2


def test_a_comment_is_kept_while_it_is_typed_until_it_is_sent_or_taken_out(visit, both, people):
    browser = visit("reviewer")
    sent = sent_with(browser, both)
    assert browser.post(f"{ASK}typed/", sent).status_code == 204
    assert "Comment on 2 versions approved at once" in page_of(browser.get("/admin/"))
    assert browser.post(f"{ASK}typed/", {**sent, "comment": " "}).status_code == 204
    assert not UnsavedText.objects.exists()
    browser.post(f"{ASK}typed/", sent)
    browser.post(CONFIRM, sent)
    assert not UnsavedText.objects.exists()
    assert browser.post(f"{ASK}typed/", {**sent, "age": "1"}).status_code == 205


def test_more_than_a_page_holds_is_said_and_stays_in_the_list(visit, both, monkeypatch):
    monkeypatch.setattr(queue_admin, "AT_ONCE", 1)
    page = page_of(tick(visit("reviewer"), both))
    assert "You ticked 1 more: these are the first 1." in page
    assert both[1].text not in page
