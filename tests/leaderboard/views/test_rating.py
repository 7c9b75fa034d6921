"""What a rater sees and sends, by a link alone or by an account, with and without a script."""

import hashlib
import json
import re
import uuid
from datetime import timedelta
from html import unescape
from typing import Any

import pytest
from allauth.account.models import EmailAddress
from django.contrib.auth.models import User
from django.core.cache import cache
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from benchmarks.submissions.services import withdraw_submission
from benchmarks.submissions.team_models import Membership
from benchmarks.submissions.teams.services import found_team
from judging.panel.models import Assignment, Rating, Study, StudyRater, Vote
from judging.panel.studies.errors import StudyRefusedError
from judging.panel.studies.lifecycle import close_study, withdraw_study
from judging.panel.studies.raters import (
    MOST_DEVICES,
    Invitee,
    invite_account,
    invite_people,
    note_device,
    reinstate_rater,
    remove_rater,
    renew_link,
    revoke_link,
)
from judging.panel.studies.reports import standing_of
from judging.panel.studies.voting import answer_is_first
from tests.conftest import submit
from tests.judging.panel.study_world import compared, spelled, study_of, words

NOW = timezone.now()

KEY = "0e5c8a52-9a3f-4f0e-8f52-3f1d6a3d9a11"
"""Of a vote, where a test says it while tests are collected."""


@pytest.fixture
def staff(db) -> User:
    return User.objects.create_superuser("ada", "ada@example.org", "a long enough password")


@pytest.fixture
def study(db, owner) -> Study:
    return study_of([spelled(words(6), owner)], raters=0)


def link_of(study: Study, staff: User, name: str = "Bo") -> str:
    (link,) = invite_people(study=study, people=[Invitee(name)], by=staff)
    return link.key


def browser_of(key: str) -> Client:
    client = Client()
    client.get(reverse("rate-join", args=[key]))
    return client


def address(study: Study, name: str = "rate-study") -> str:
    return reverse(name, args=[study.pk])


@pytest.fixture
def rater(study, staff) -> Client:
    return browser_of(link_of(study, staff))


def begin(client: Client, study: Study) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = client.post(address(study, "rate-items")).json()["items"]
    return found


def send(client: Client, study: Study, *votes: object):
    return client.post(
        address(study, "rate-votes"), {"votes": list(votes)}, content_type="application/json"
    )


def vote_on(item: int, value: int = 1, **more: object) -> dict[str, object]:
    return {"item": item, "key": str(uuid.uuid4()), "values": {"correct": value}, **more}


def states(response) -> list[str]:
    return [result["state"] for result in response.json()["results"]]


# --- who may --------------------------------------------------------------------------------------


def test_a_link_opens_its_study_without_an_account_and_leaves_the_address(study, staff):
    client = Client()
    key = link_of(study, staff)
    response = client.get(reverse("rate-join", args=[key]))
    assert response["Location"] == address(study)
    assert key not in response["Location"]
    cookie = response.cookies["rater"]
    assert (cookie["path"], cookie["httponly"], cookie["samesite"]) == (
        address(study),
        True,
        "Lax",
    )
    assert "_auth_user_id" not in client.session
    page = client.get(address(study))
    assert (page.status_code, "Begin" in page.text) == (200, True)
    assert "no-store" in page["Cache-Control"]


def test_only_a_digest_of_the_link_is_kept(study, staff):
    key = link_of(study, staff)
    assert key not in str(list(StudyRater.objects.values()))


@pytest.mark.parametrize("ends", ["revoked", "renewed"])
def test_a_link_that_is_another_opens_nothing_also_in_a_browser_that_had_it(study, staff, ends):
    key = link_of(study, staff)
    client = browser_of(key)
    (item, *_) = begin(client, study)
    send(client, study, vote_on(item["id"]))
    rater = study.raters.get()
    {"revoked": revoke_link, "renewed": renew_link}[ends](rater=rater)
    page = client.get(address(study))
    assert (page.status_code, f'data-ended="rating-{study.pk}"' in page.text) == (404, True)
    assert send(client, study, vote_on(item["id"])).status_code == 404
    page = Client().get(reverse("rate-join", args=[key]))
    assert (page.status_code, 'data-ended="rating-"' in page.text) == (404, True)
    assert study.title not in page.text


@pytest.mark.parametrize(
    ("ends", "said"),
    [
        ("removed", "You are no rater of this study any more"),
        ("closed", "This study ended on"),
        ("expired", "This study ended on"),
        ("withdrawn", "This study was withdrawn"),
    ],
)
def test_a_study_that_takes_no_votes_says_so_and_offers_what_was_not_sent(study, staff, ends, said):
    key = link_of(study, staff)
    client = browser_of(key)
    (item, *_) = begin(client, study)
    send(client, study, vote_on(item["id"]))
    past = Study.objects.filter(pk=study.pk)
    if ends == "closed":
        close_study(study=study)
    {
        "removed": lambda: remove_rater(rater=study.raters.get(), reason="Did not look."),
        "closed": lambda: past.update(late_until=NOW),
        "expired": lambda: past.update(expires=NOW, late_until=NOW),
        "withdrawn": lambda: withdraw_study(study=study, reason="Wrong instructions."),
    }[ends]()
    for opened in (client, browser_of(key)):
        page = opened.get(address(study))
        assert (page.status_code, said in page.text) == (200, True)
        assert f'data-ended="rating-{study.pk}"' in page.text
        assert "js/rate.js" in page.text
        assert 'id="save"' in page.text
    assert send(client, study, vote_on(item["id"])).status_code == 410
    assert client.post(address(study, "rate-items")).status_code == 410
    form = client.post(address(study, "rate-undo"), headers={"Accept": "text/html"})
    assert form["Location"] == address(study)
    assert Vote.objects.filter(taken_back=None).count() == 1


@pytest.mark.parametrize("ends", ["closed", "expired"])
def test_after_the_end_a_rater_is_told_the_truth_and_what_is_there_is_taken(study, staff, ends):
    client = browser_of(link_of(study, staff))
    first, second, third, *_ = begin(client, study)
    send(client, study, vote_on(first["id"]))
    if ends == "closed":
        close_study(study=study)
    else:
        Study.objects.filter(pk=study.pk).update(expires=NOW)
    study.refresh_from_db()
    until = f"{study.late_until:%Y-%m-%d}"
    note = "Nothing new is handed out; what you have here is taken until"
    answer = send(client, study, vote_on(second["id"]))
    assert (states(answer), f"{note} {until}" in answer.json()["note"]) == (["stored"], True)
    page = client.get(address(study)).text
    assert f"{note} {until}" in page
    assert form_of(page)["item"] == str(third["id"])
    client.post(address(study), {**form_of(page), "value-correct": "1"})
    assert Vote.objects.count() == 3
    other = browser_of(link_of(study, staff, "Cy")) if ends == "expired" else None
    if other:
        assert begin(other, study) == []
        page = other.get(address(study)).text
        assert ("Begin</button>" in page, note in page) == (False, True)
        assert "Nothing is left here for you to rate" in page


def test_a_study_that_is_open_says_nothing_of_an_end(rater, study):
    (item, *_) = begin(rater, study)
    assert send(rater, study, vote_on(item["id"])).json()["note"] == ""
    assert "Nothing new is handed out" not in rater.get(address(study)).text


def test_a_draft_opens_to_nobody(study, staff, owner):
    draft = study_of([study.submissions.get()], raters=0, is_open=False)
    key = link_of(draft, staff)
    assert Client().get(reverse("rate-join", args=[key])).status_code == 404


def test_browsers_that_were_given_items_are_counted_and_others_are_not(study, staff):
    key = link_of(study, staff)
    browsers = [browser_of(key) for _ in range(3)]
    for client in browsers[:2]:
        client.post(address(study))
        client.get(address(study))
        client.get(address(study))
    (cookie,) = (c for name, c in browsers[0].cookies.items() if name == "device")
    assert (cookie["path"], cookie["httponly"], cookie["samesite"]) == (address(study), True, "Lax")
    assert study.raters.get().devices.count() == 2
    out = standing_of(study).out
    assert (out.answers, out.raters, out.devices, out.seen is not None) == (6, 1, 2, True)


def test_a_program_without_cookies_makes_no_more_devices_than_anybody_has(study, staff):
    rater = study.raters.get(number=link_rater(study, staff))
    for _ in range(MOST_DEVICES + 3):
        note_device(rater, uuid.uuid4(), NOW)
    assert rater.devices.count() == MOST_DEVICES


def link_rater(study: Study, staff: User) -> int:
    link_of(study, staff)
    return study.raters.latest("number").number


# --- consent and withdrawal -----------------------------------------------------------------------


@pytest.fixture
def asking(db, owner) -> Study:
    """A study that asks for consent."""
    entry = spelled(words(6), owner)
    return study_of([entry], raters=0, consent="We keep your votes.\n\nYou may leave.")


def test_nobody_is_shown_an_item_before_they_agreed_and_the_version_is_kept(asking, staff):
    client = browser_of(link_of(asking, staff))
    page = client.get(address(asking)).text
    assert ("We keep your votes." in page, "I agree: begin" in page) == (True, True)
    assert client.post(address(asking, "rate-items")).status_code == 409
    client.post(address(asking))
    client.post(address(asking), {"consent": "another text"})
    assert not Assignment.objects.exists()
    client.post(address(asking), {"consent": asking.consent_version})
    page = client.get(address(asking)).text
    assert ('id="item"' in page, "I agree" in page) == (True, False)
    rater = asking.raters.get()
    assert (rater.consent_version, rater.consented is not None) == (asking.consent_version, True)
    digest = hashlib.sha256(b"We keep your votes.\n\nYou may leave.").hexdigest()
    assert digest.startswith(rater.consent_version)


def test_a_study_that_asks_for_no_consent_begins_without(rater, study):
    assert "I agree" not in rater.get(address(study)).text
    assert len(begin(rater, study)) == 6


@pytest.mark.parametrize("is_closed", [False, True])
def test_a_rater_withdraws_all_votes_by_the_link_also_after_the_end(study, staff, is_closed):
    client, other = (browser_of(link_of(study, staff, name)) for name in "ab")
    for item in begin(client, study)[:3]:
        send(client, study, vote_on(item["id"]))
    for item in begin(other, study)[:2]:
        send(other, study, vote_on(item["id"]))
    if is_closed:
        close_study(study=study)
        assert Rating.objects.not_withdrawn().count() == 5
        Study.objects.filter(pk=study.pk).update(late_until=NOW)
    page = client.get(address(study, "rate-withdraw")).text
    assert "What you said of 3 items is taken back" in page
    assert Vote.objects.filter(taken_back=None).count() == 5
    page = client.post(address(study, "rate-withdraw"), follow=True).text
    assert "You withdrew your votes" in page
    assert f'data-forget="rating-{study.pk}-rater-1"' in page
    assert set(Vote.objects.filter(taken_back=None).values_list("rater__number", flat=True)) == {2}
    assert send(client, study, vote_on(1)).status_code == 410
    if is_closed:
        names = Rating.objects.not_withdrawn().values_list("rater", flat=True)
        assert set(names) == {f"study {study.code}, rater 2"}


def test_a_page_that_is_still_open_hears_why_nothing_is_taken(study, staff):
    withdrew, removed = (browser_of(link_of(study, staff, name)) for name in "ab")
    items = [begin(client, study)[0]["id"] for client in (withdrew, removed)]
    withdrew.post(address(study, "rate-withdraw"))
    remove_rater(rater=study.raters.get(number=2), reason="Did not look.")
    said = [
        send(client, study, vote_on(item)).json()["detail"]
        for client, item in zip((withdrew, removed), items, strict=True)
    ]
    assert said[0].startswith("You withdrew your votes on")
    assert said[1].startswith("You are no rater of this study any more.")


def test_before_the_first_vote_withdrawing_says_that_there_is_none(rater, study):
    begin(rater, study)
    page = rater.get(address(study, "rate-withdraw")).text
    assert "No vote of yours came in so far" in page


def test_who_withdrew_does_not_come_back(rater, study):
    for item in begin(rater, study)[:2]:
        send(rater, study, vote_on(item["id"]))
    for _ in range(2):
        rater.post(address(study, "rate-withdraw"))
    with pytest.raises(StudyRefusedError, match="withdrew all votes"):
        reinstate_rater(rater=study.raters.get())
    assert set(study.items.values_list("taken", flat=True)) == {0}


def test_strangers_withdraw_nothing(rater, study):
    (item, *_) = begin(rater, study)
    send(rater, study, vote_on(item["id"]))
    assert Client().post(address(study, "rate-withdraw")).status_code == 404
    assert Vote.objects.filter(taken_back=None).count() == 1


# --- checks -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("size", "kinds", "is_told"), [(6, {}, True), (1, {}, False), (6, {"quota": 1}, False)]
)
def test_raters_read_of_checks_only_where_they_meet_any(owner, staff, size, kinds, is_told):
    entry = spelled(words(6, slug="checked"), owner)
    study = study_of([entry], raters=0, size=size, check_every=3, failing="marked", **kinds)
    page = browser_of(link_of(study, staff)).get(address(study)).text
    assert ("see whether raters look" in page) is is_told


# --- quotas ---------------------------------------------------------------------------------------


def test_a_quota_ends_with_everything_rated_and_the_total_stays(owner, staff):
    entry = spelled(words(30, slug="thirty"), owner)
    study = study_of([entry], raters=0, raters_per_item=2, quota=4, check_every=3)
    client = browser_of(link_of(study, staff))
    seen = []
    while items := begin(client, study):
        seen.append(client.post(address(study, "rate-items")).json()["total"])
        send(client, study, vote_on(items[0]["id"]))
    voted = Vote.objects.values_list("item__is_check", flat=True)
    assert (sum(not is_check for is_check in voted), sum(voted)) == (4, 2)
    assert set(seen) == {6}
    assert "everything there is for you: 6 items" in client.get(address(study)).text


def test_a_renewed_link_opens_the_study_again(study, staff):
    link_of(study, staff)
    link = renew_link(rater=study.raters.get())
    assert browser_of(link.key).get(address(study)).status_code == 200


def test_a_page_of_one_rater_sends_nothing_as_another(rater, study, staff):
    items = begin(rater, study)
    page = rater.get(address(study)).text
    token = dict(re.findall(r'name="(item|key|rater)" value="([^"]+)"', page))
    rater.get(reverse("rate-join", args=[link_of(study, staff, "Cy")]))
    begin(rater, study)
    form = rater.post(address(study), {**token, "value-correct": "1"})
    sent = rater.post(
        address(study, "rate-votes"),
        {"votes": [vote_on(items[0]["id"])]},
        content_type="application/json",
        headers={"Rater": "1"},
    )
    undone = rater.post(address(study, "rate-undo"), {"rater": "1"})
    assert [response.status_code for response in (form, sent, undone)] == [404, 404, 404]
    assert "another rater" in form.text
    assert not Vote.objects.exists()


def test_a_page_of_one_rater_agrees_to_nothing_and_withdraws_nothing_as_another(asking, staff):
    """The first rater's pages are still open when the second one's link is opened here."""
    client = browser_of(link_of(asking, staff))
    forms = [hidden_in(client.get(address(asking, name)).text) for name in ASKING_PAGES]
    client.get(reverse("rate-join", args=[link_of(asking, staff, "Cy")]))
    for name, form in zip(ASKING_PAGES, forms, strict=True):
        assert client.post(address(asking, name), form).status_code == 404
    second = asking.raters.get(number=2)
    assert (second.consented, second.withdrew) == (None, None)
    for name in ASKING_PAGES:
        own = hidden_in(client.get(address(asking, name)).text)
        assert client.post(address(asking, name), own).status_code == 302
    second.refresh_from_db()
    assert None not in (second.consented, second.withdrew)


ASKING_PAGES = ("rate-study", "rate-withdraw")


def hidden_in(page: str) -> dict[str, str]:
    return dict(re.findall(r'name="(rater|consent)" value="([^"]+)"', page))


def test_a_key_that_was_sent_with_another_item_stores_nothing_and_says_so(rater, study):
    first, second, *_ = begin(rater, study)
    one = vote_on(first["id"])
    answer = send(rater, study, one, one | {"item": second["id"]})
    assert states(answer) == ["stored", "refused"]
    assert Vote.objects.get().item_id == first["id"]


def test_a_link_opens_no_other_study_and_a_forged_cookie_none(rater, study, owner):
    other = study_of([spelled(words(3, slug="others"), owner, "Other")], raters=0)
    for value in (rater.cookies["rater"].value, "forged:x", "", "a" * 5000):
        client = Client()
        client.cookies["rater"] = value
        assert client.get(address(other)).status_code == 404


def test_who_guesses_links_is_not_answered_for_long(db):
    cache.clear()
    client = Client()
    found = [client.get(f"/rate/join/guess-{n}/").status_code for n in range(22)]
    assert (found[0], found[-1]) == (404, 429)


def test_strangers_and_accounts_that_were_not_invited_see_nothing(study, staff, stranger):
    client = Client()
    client.force_login(stranger)
    for one in (Client(), client):
        for name in ("rate-study", "rate-votes", "rate-items", "rate-undo"):
            method = one.get if name == "rate-study" else one.post
            assert method(address(study, name)).status_code == 404


def test_an_account_finds_the_study_it_was_invited_to(study, staff, stranger):
    invite_account(study=study, user=stranger, by=staff)
    client = Client()
    client.force_login(stranger)
    assert study.title in client.get(reverse("rate")).text
    (item, *_) = begin(client, study)
    assert states(send(client, study, vote_on(item["id"]))) == ["stored"]
    assert Client().get(reverse("rate")).status_code == 302


def test_an_account_finds_the_way_to_withdraw_after_the_end_as_well(study, staff, stranger):
    invite_account(study=study, user=stranger, by=staff)
    client = Client()
    client.force_login(stranger)
    (item, *_) = begin(client, study)
    Study.objects.update(expires=NOW, late_until=NOW)
    assert study.title not in client.get(reverse("rate")).text  # nothing was said in it
    Study.objects.update(expires=None, late_until=None)
    send(client, study, vote_on(item["id"]))
    close_study(study=study)
    Study.objects.update(late_until=NOW)
    page = client.get(reverse("rate")).text
    assert ("This study ended on" in page, "Continue" in page) == (True, False)
    assert address(study, "rate-withdraw") in page
    client.post(address(study, "rate-withdraw"))
    assert study.title not in client.get(reverse("rate")).text


def test_no_account_without_a_confirmed_address_is_invited(study, staff, stranger):
    EmailAddress.objects.filter(user=stranger).update(verified=False)
    with pytest.raises(StudyRefusedError, match="no confirmed e-mail address"):
        invite_account(study=study, user=stranger, by=staff)
    assert not study.raters.exists()


def test_nobody_rates_answers_of_their_own_or_of_their_team(study, staff, owner, stranger):
    with pytest.raises(StudyRefusedError, match="own answers"):
        invite_account(study=study, user=owner, by=staff)
    with pytest.raises(StudyRefusedError, match="own answers"):
        invite_people(study=study, people=[Invitee("Rosa", owner.email.upper())], by=staff)
    client = browser_of(link_of(study, staff))
    client.force_login(owner)
    assert client.get(address(study)).status_code == 404
    team = found_team(name="Spellers", by=owner)
    Membership.objects.create(team=team, user=stranger)
    release = words(3, slug="of-team")
    entry = submit(release, owner, b"1=word1\n2=word2\n3=word3\n", name="Theirs", team=team)
    with pytest.raises(StudyRefusedError, match="own answers"):
        invite_account(study=study_of([entry], raters=0), user=stranger, by=staff)


def test_nobody_is_invited_twice_or_into_a_study_that_ended(study, staff, stranger):
    invite_people(study=study, people=[Invitee("Bo", "bo@example.org")], by=staff)
    with pytest.raises(StudyRefusedError, match="invited before"):
        invite_people(
            study=study, people=[Invitee("Cy"), Invitee("Bo", "BO@example.org")], by=staff
        )
    assert study.raters.count() == 1
    invite_account(study=study, user=stranger, by=staff)
    with pytest.raises(StudyRefusedError, match="invited before"):
        invite_account(study=study, user=stranger, by=staff)
    with pytest.raises(StudyRefusedError, match="at most 50"):
        invite_people(study=study, people=[Invitee(f"P{n}") for n in range(49)], by=staff)


def test_nobody_is_two_raters_of_a_study_by_an_address_and_an_account(study, staff, stranger):
    EmailAddress.objects.create(user=stranger, email="sam@work.example", verified=True)
    invite_people(study=study, people=[Invitee("Sam", "Sam@Example.org")], by=staff)
    with pytest.raises(StudyRefusedError, match="by an address of theirs"):
        invite_account(study=study, user=stranger, by=staff)
    with pytest.raises(StudyRefusedError, match="somebody who was invited before"):
        invite_people(study=study, people=[Invitee("S", "sam@work.example")], by=staff)
    assert study.raters.count() == 1


def test_nobody_is_two_raters_of_a_study_by_an_account_and_an_address(study, staff, stranger):
    invite_account(study=study, user=stranger, by=staff)
    with pytest.raises(StudyRefusedError, match="somebody who was invited before"):
        invite_people(study=study, people=[Invitee("Sam", "SAM@example.org")], by=staff)
    # an address that nobody has confirmed may be anybody's
    EmailAddress.objects.create(user=stranger, email="other@example.org", verified=False)
    invite_people(study=study, people=[Invitee("Cy", "other@example.org")], by=staff)


def test_two_addresses_of_one_person_are_not_invited_together(study, staff, stranger):
    EmailAddress.objects.create(user=stranger, email="sam@work.example", verified=True)
    people = [Invitee("Sam", "sam@example.org"), Invitee("S", "sam@work.example")]
    with pytest.raises(StudyRefusedError, match=r"sam@work\.example is an address of somebody"):
        invite_people(study=study, people=people, by=staff)
    assert not study.raters.exists()


def test_a_removed_raters_items_go_to_others_and_come_back_with_them(study, staff):
    clients = [browser_of(link_of(study, staff, name)) for name in "abc"]
    for client in clients:
        for item in begin(client, study):
            send(client, study, vote_on(item["id"]))
    first = study.raters.order_by("number")[0]
    assert begin(browser_of(link_of(study, staff, "d")), study) == []
    remove_rater(rater=first, reason="Did not look.")
    assert set(study.items.values_list("taken", flat=True)) == {2}
    reinstate_rater(rater=first)
    assert set(study.items.values_list("taken", flat=True)) == {3}


def test_a_browser_is_told_what_it_fetched_of_an_entry_that_was_withdrawn(staff, owner):
    first = spelled(words(6), owner)
    other = spelled(first.release, owner, "Other")
    study = study_of([first, other], raters=0)
    client = browser_of(link_of(study, staff))
    ours = set(study.items.filter(answer__submission=other).values_list("pk", flat=True))
    fetched = [item["id"] for item in begin(client, study)]
    voted = next(pk for pk in fetched if pk not in ours)
    assert send(client, study, vote_on(voted)).json()["gone"] == []
    withdraw_submission(submission=other)
    late = next(pk for pk in fetched if pk in ours)
    answer = send(client, study, vote_on(late))
    assert states(answer) == ["stored"]  # what somebody said of it stays
    assert set(answer.json()["gone"]) == ours - {late}


# --- without a script -----------------------------------------------------------------------------


def form_of(page: str) -> dict[str, str]:
    return dict(re.findall(r'<input type="hidden" name="(item|key)" value="([^"]+)"', page))


def test_a_study_is_rated_to_its_end_without_a_script(rater, study):
    rater.post(address(study))
    for number in range(1, 7):
        page = rater.get(address(study)).text
        assert f"{number} of 6" in page
        rater.post(address(study), {**form_of(page), "value-correct": "1"})
    assert "everything there is" in rater.get(address(study)).text
    assert Vote.objects.count() == 6


def test_the_same_form_twice_is_one_vote_and_an_older_one_is_told(rater, study):
    rater.post(address(study))
    form = form_of(rater.get(address(study)).text)
    for _ in range(2):
        rater.post(address(study), {**form, "value-correct": "1"})
    assert Vote.objects.count() == 1
    other = {**form, "key": str(uuid.uuid4()), "value-correct": "0"}
    assert "your first vote stays" in rater.post(address(study), other, follow=True).text
    assert Vote.objects.get().value == 1


def test_who_comes_back_after_others_began_is_not_told_that_everything_is_rated(owner, staff):
    study = study_of([spelled(words(60, slug="sixty"), owner)], raters=0, raters_per_item=1)
    rater, other = (browser_of(link_of(study, staff, name)) for name in "ab")
    for item in begin(rater, study)[:3]:
        send(rater, study, vote_on(item["id"]))
    Assignment.objects.update(lease_until=NOW - timedelta(hours=1))
    begin(other, study)
    page = rater.get(address(study)).text
    assert "You have rated 3 of 60 items." in page
    assert "everything" not in page
    assert "Go on" in page
    rater.post(address(study))
    assert "4 of 60" in rater.get(address(study)).text


def test_who_goes_on_where_others_have_the_rest_is_told_so(owner, staff):
    study = study_of([spelled(words(6), owner)], raters=0, raters_per_item=1)
    rater, other = (browser_of(link_of(study, staff, name)) for name in "ab")
    (item, *_) = begin(rater, study)
    send(rater, study, vote_on(item["id"]))
    Assignment.objects.update(lease_until=NOW - timedelta(hours=1))
    begin(other, study)
    page = rater.post(address(study), follow=True).text
    assert "You have rated 1 of 6 items." in page
    assert "There is nothing for you now: other raters have what is left" in page


def test_a_reinstated_rater_goes_on(rater, study):
    for item in begin(rater, study)[:2]:
        send(rater, study, vote_on(item["id"]))
    remove_rater(rater=study.raters.get(), reason="By mistake.")
    reinstate_rater(rater=study.raters.get())
    assert "You have rated 2 of 6 items." in rater.get(address(study)).text
    rater.post(address(study))
    assert "3 of 6" in rater.get(address(study)).text


@pytest.mark.parametrize("has_item", [False, True])
def test_every_page_of_a_rater_sends_what_a_browser_kept(rater, study, has_item):
    if has_item:
        rater.post(address(study))
    page = rater.get(address(study)).text
    assert ('id="item"' in page) is has_item
    assert f'data-votes="{address(study, "rate-votes")}"' in page
    assert "js/rate.js" in page


def test_the_last_vote_is_taken_back_without_a_script(rater, study):
    rater.post(address(study))
    form = form_of(rater.get(address(study)).text)
    rater.post(address(study), {**form, "value-correct": "1"})
    page = rater.post(address(study, "rate-undo"), follow=True).text
    assert form_of(page)["item"] == form["item"]
    assert Vote.objects.get().taken_back


@pytest.mark.parametrize(
    "form",
    [
        {"item": "x", "key": "y"},
        {"item": "9" * 40, "key": KEY, "value-correct": "1"},
        {"item": "1", "key": KEY, "value-correct": "9" * 5000},
        {"item": "-1", "key": KEY, "value-correct": "1"},
    ],
)
def test_odd_forms_are_told_and_store_nothing(rater, study, form):
    response = rater.post(address(study), form, follow=True)
    assert (response.status_code, "notice error" in response.text) == (200, True)
    assert not Vote.objects.exists()


# --- with a script --------------------------------------------------------------------------------


def test_votes_made_without_network_come_together_and_are_answered_one_by_one(rater, study):
    first, second, third, *_ = begin(rater, study)
    one, two = vote_on(first["id"], 1, milliseconds=4200), vote_on(second["id"], 2)
    response = send(rater, study, one, two, vote_on(first["id"], 0), vote_on(third["id"], 7), "no")
    assert states(response) == ["stored", "stored", "late", "refused", "refused"]
    assert (response.json()["done"], response.json()["total"]) == (2, 6)
    assert states(send(rater, study, one, two)) == ["stored", "stored"]
    assert list(Vote.objects.order_by("pk").values_list("value", "milliseconds")) == [
        (1, 4200),
        (2, None),
    ]


def test_a_vote_and_its_taking_back_may_both_wait_for_the_network(rater, study):
    (item, *_) = begin(rater, study)
    wrong, right = vote_on(item["id"], 0), vote_on(item["id"], 1)
    back = {"item": item["id"], "key": str(uuid.uuid4()), "takes_back": wrong["key"]}
    assert states(send(rater, study, wrong, back, right)) == ["stored"] * 3
    # sent again, as by a browser that never heard the answer: nothing changes
    assert states(send(rater, study, wrong, back, right)) == ["late", "stored", "stored"]
    assert list(Vote.objects.filter(taken_back=None).values_list("value", flat=True)) == [1]


def test_taking_back_with_a_script_gives_the_item_again(rater, study):
    (item, *_) = begin(rater, study)
    send(rater, study, vote_on(item["id"]))
    answer = rater.post(address(study, "rate-undo"), headers={"Accept": "application/json"}).json()
    assert (answer["undone"], answer["items"][0]["id"], answer["done"]) == (
        item["id"],
        item["id"],
        0,
    )


@pytest.mark.parametrize("body", ["", "[]", "{}", '{"votes": []}', '{"votes": 1}', "[" * 9000])
def test_what_is_no_list_of_votes_is_refused(rater, study, body):
    response = rater.post(address(study, "rate-votes"), body, content_type="application/json")
    assert response.status_code == 400


@pytest.mark.parametrize(
    "vote",
    [
        {},
        {"item": None, "key": 1, "values": []},
        {"item": 1e400, "key": KEY, "values": {"correct": 1}},
        {"item": 1, "key": KEY, "values": {"correct": None}},
        {"item": 1, "key": KEY, "takes_back": "x"},
    ],
    ids=str,
)
def test_odd_votes_are_refused_one_by_one(rater, study, vote):
    assert states(send(rater, study, vote)) == ["refused"]


@pytest.mark.parametrize("value", [0.9, True, "0.9"])
def test_a_number_that_is_not_whole_is_no_vote(rater, study, value):
    (item, *_) = begin(rater, study)
    assert states(send(rater, study, vote_on(item["id"], value))) == ["refused"]
    assert not Vote.objects.exists()


def test_sending_a_vote_takes_thirteen_queries_at_most(rater, study, django_assert_max_num_queries):
    first, second, *_ = begin(rater, study)
    send(rater, study, vote_on(first["id"]))
    # Two of them begin and end the test's own savepoint; two ask what was corrected since the draw.
    with django_assert_max_num_queries(15):
        send(rater, study, vote_on(second["id"]))


# --- blind ----------------------------------------------------------------------------------------


@pytest.fixture
def comparison(db, owner) -> Study:
    entries = compared(owner)
    return study_of(entries, raters=0, questionnaire="comparison", size=8, check_every=4)


def test_nothing_a_rater_gets_names_a_model_or_an_entry(comparison, staff):
    client = browser_of(link_of(comparison, staff))
    begin(client, comparison)
    answers = [
        client.get(address(comparison)),
        client.post(address(comparison, "rate-items")),
        client.post(address(comparison, "rate-undo"), headers={"Accept": "application/json"}),
    ]
    entries = [str(pk) for pk in comparison.submissions.values_list("pk", flat=True)]
    for answer in answers:
        said = f"{answer.headers} {answer.text}"
        for word in ("Tellingname", "lucid", "parrot", "is_check", "passed", *entries):
            assert word not in said


def test_two_texts_stand_in_random_order_and_a_vote_is_about_the_answer(comparison, staff):
    client = browser_of(link_of(comparison, staff))
    rater = comparison.raters.select_related("study").get()
    orders = set()
    for item in begin(client, comparison):
        stored = comparison.items.get(pk=item["id"])
        is_first = answer_is_first(rater, stored)
        orders.add(is_first)
        texts = [stored.shown_answer, stored.shown_reference]
        assert item["texts"] == (texts if is_first else texts[::-1])
        vote = {"item": item["id"], "key": str(uuid.uuid4()), "values": {"comparison": 1}}
        send(client, comparison, vote)
        assert stored.votes.get().value == (1 if is_first else -1)
    assert orders == {True, False}


def test_the_page_and_the_list_say_the_same_of_an_item(comparison, staff):
    client = browser_of(link_of(comparison, staff))
    (item, *_) = begin(client, comparison)
    page = client.get(address(comparison)).text
    (text,) = re.findall(r'id="rating-data"[^>]*>(.*?)</script>', page)
    data = json.loads(text)
    assert data["items"][0] == item
    assert [choice["word"] for choice in data["asked"][0]["choices"]] == [
        "The first is better",
        "Equally good",
        "The second is better",
    ]
    for text in item["texts"]:
        assert unescape(text.split("\n")[0]) in unescape(page)


def test_a_reference_is_shown_only_where_the_task_needs_it(rater, study):
    (item, *_) = begin(rater, study)
    assert item["truth"] == study.items.get(pk=item["id"]).shown_reference != ""
