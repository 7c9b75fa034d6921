"""What a rater sees and sends, by a link alone or by an account, with and without a script."""

import hashlib
import json
import re
import uuid
from collections.abc import Callable
from datetime import timedelta
from functools import partial
from html import unescape
from typing import Any, NamedTuple
from uuid import UUID

import pytest
from allauth.account.models import EmailAddress
from django.contrib.auth.models import User
from django.core import signing
from django.core.cache import cache
from django.db.models import Sum
from django.template.loader import render_to_string
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from benchmarks.registry import protocol
from benchmarks.submissions.models import Submission
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
from judging.panel.studies.reports import study_progress
from judging.panel.studies.voting import answer_is_first
from tests.conftest import confirmed, import_spelling, submit
from tests.judging.panel.study_world import compared, spelled, study_of, words
from tests.leaderboard.web.pages.shown_text import shown

NOW = timezone.now()


class Made(NamedTuple):
    """Keys of what the module made. six, thirty: entries of as many words, the owner's; compared:
    two entries whose answers are held against each other."""

    owner: int
    staff: int
    stranger: int
    six: UUID
    thirty: UUID
    compared: list[UUID]


@pytest.fixture(scope="module")
def made(module_rows) -> Made:
    owner, staff, stranger = (
        confirmed(User.objects.create_user(name, f"{name}@example.org", "a long enough password"))
        for name in ("rosa", "ada", "sam")
    )
    six = spelled(words(6), owner)
    thirty = spelled(words(30, slug="thirty"), owner)
    pairs = [one.pk for one in compared(owner)]
    return Made(owner.pk, staff.pk, stranger.pk, six.pk, thirty.pk, pairs)


@pytest.fixture
def owner(made, db) -> User:
    return User.objects.get(pk=made.owner)


@pytest.fixture
def staff(made, db) -> User:
    return User.objects.get(pk=made.staff)


@pytest.fixture
def stranger(made, db) -> User:
    return User.objects.get(pk=made.stranger)


@pytest.fixture
def six(made, db) -> Submission:
    return Submission.objects.get(pk=made.six)


@pytest.fixture
def thirty(made, db) -> Submission:
    return Submission.objects.get(pk=made.thirty)


@pytest.fixture
def study(six) -> Study:
    return study_of([six], raters=0)


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


def send(client: Client, study: Study, *votes: object, **more: Any):
    sent = {"votes": list(votes)}
    return client.post(address(study, "rate-votes"), sent, "application/json", **more)


def vote_on(item: int, value: object = 1, **more: object) -> dict[str, object]:
    return {"item": item, "key": str(uuid.uuid4()), "values": {"correct": value}, **more}


def vote_on_some(client: Client, study: Study, count: int) -> None:
    send(client, study, *(vote_on(item["id"]) for item in begin(client, study)[:count]))


def states(response) -> list[str]:
    return [result["state"] for result in response.json()["results"]]


def standing() -> list[int]:
    """Numbers of the raters whose votes were not taken back, a vote each."""
    return list(Vote.objects.filter(taken_back=None).values_list("rater__number", flat=True))


def form_of(page: str) -> dict[str, str]:
    """What the forms of the page send besides what somebody chooses."""
    return dict(re.findall(r'name="(item|key|rater|consent)" value="([^"]+)"', page))


# --- who may --------------------------------------------------------------------------------------


def test_a_link_opens_its_study_without_an_account_and_leaves_the_address(study, staff, six):
    client = Client()
    key = link_of(study, staff)
    assert key not in str(list(StudyRater.objects.values()))  # a digest of it is kept
    response = client.get(reverse("rate-join", args=[key]))
    assert response["Location"] == address(study)
    cookie = response.cookies["rater"]
    looks = (cookie["path"], cookie["httponly"], cookie["samesite"])
    assert looks == (address(study), True, "Lax")
    assert "_auth_user_id" not in client.session
    page = client.get(address(study))
    assert (page.status_code, "Begin" in page.text) == (200, True)
    assert "no-store" in page["Cache-Control"]
    other = study_of([six], raters=0)
    for value in (cookie.value, "forged:x", "", "a" * 5000):
        client = Client()
        client.cookies["rater"] = value
        assert client.get(address(other)).status_code == 404
    draft = link_of(study_of([six], raters=0, is_open=False), staff)
    assert Client().get(reverse("rate-join", args=[draft])).status_code == 404


def test_a_browser_that_opened_its_link_before_an_update_goes_on(study, staff):
    link_of(study, staff, "Cy")
    found = StudyRater.objects.get(study=study)
    client = Client()
    client.cookies["rater"] = signing.dumps(
        [found.pk, found.digest], salt="leaderboard.views.rating"
    )
    assert client.get(reverse("rate-study", args=[study.pk])).status_code == 200


def test_a_link_that_was_renewed_or_revoked_opens_nothing_also_in_a_browser_that_had_it(
    study, staff
):
    key = link_of(study, staff)
    for ends in (renew_link, revoke_link):
        client = browser_of(key)
        assert client.get(address(study)).status_code == 200
        (item, *_) = begin(client, study)
        link = ends(rater=study.raters.get())
        page = client.get(address(study))
        assert (page.status_code, f'data-ended="rating-{study.pk}"' in page.text) == (404, True)
        assert send(client, study, vote_on(item["id"])).status_code == 404
        page = Client().get(reverse("rate-join", args=[key]))
        assert (page.status_code, 'data-ended="rating-"' in page.text) == (404, True)
        assert study.title not in page.text
        key = link.key if link else ""


@pytest.mark.parametrize(
    ("ends", "said"),
    [
        (
            "removed",
            "You are no longer a rater of this study. The person who invited you knows why.",
        ),
        ("closed", "This study ended on"),
        ("expired", "This study ended on"),
        ("withdrawn", "This study was withdrawn"),
    ],
)
def test_a_study_that_takes_no_votes_says_so_and_offers_what_was_not_sent(study, staff, ends, said):
    key = link_of(study, staff)
    client = browser_of(key)
    vote_on_some(client, study, 1)
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
        assert page.status_code == 200
        for part in (said, f'data-ended="rating-{study.pk}"', "js/rate.js", 'id="save"'):
            assert part in page.text
    sent = send(client, study, vote_on(1))
    assert (sent.status_code, said in sent.json()["detail"]) == (410, True)
    assert client.post(address(study, "rate-items")).status_code == 410
    form = client.post(address(study, "rate-undo"), headers={"Accept": "text/html"})
    assert form["Location"] == address(study)
    assert standing() == [1]


@pytest.mark.parametrize("ends", ["closed", "expired"])
def test_after_the_end_a_rater_is_told_the_truth_and_what_is_there_is_taken(study, staff, ends):
    client = browser_of(link_of(study, staff))
    first, second, third, *_ = begin(client, study)
    note = "There are no new items; your votes on the items you have are accepted until"
    assert send(client, study, vote_on(first["id"])).json()["note"] == ""
    assert note not in client.get(address(study)).text
    if ends == "closed":
        close_study(study=study)
    else:
        Study.objects.filter(pk=study.pk).update(expires=NOW)
    study.refresh_from_db()
    until = f"{study.late_until:%Y-%m-%d}"
    answer = send(client, study, vote_on(second["id"]))
    assert (states(answer), f"{note} {until}" in answer.json()["note"]) == (["stored"], True)
    page = client.get(address(study)).text
    assert f"{note} {until}" in page
    assert form_of(page)["item"] == str(third["id"])
    client.post(address(study), {**form_of(page), "value-correct": "1"})
    assert Vote.objects.count() == 3
    if ends == "expired":
        other = browser_of(link_of(study, staff, "Cy"))
        assert begin(other, study) == []
        page = other.get(address(study)).text
        assert ("Begin</button>" in page, note in page) == (False, True)
        assert "There is nothing left for you to rate" in page


def test_browsers_that_were_given_items_are_counted_to_a_limit_and_others_are_not(study, staff):
    """A program without cookies makes no more of them than anybody has."""
    key = link_of(study, staff)
    browsers = [browser_of(key) for _ in range(3)]
    for client in browsers[:2]:
        client.post(address(study))
        client.get(address(study))
        client.get(address(study))
    cookie = browsers[0].cookies["device"]
    assert (cookie["path"], cookie["httponly"], cookie["samesite"]) == (address(study), True, "Lax")
    out = study_progress(study).out
    assert (out.answers, out.raters, out.devices, out.seen is not None) == (6, 1, 2, True)
    rater = study.raters.get()
    for _ in range(MOST_DEVICES + 3):
        note_device(rater, uuid.uuid4(), NOW)
    assert rater.devices.count() == MOST_DEVICES


def test_who_guesses_links_is_not_answered_for_long(db):
    cache.clear()
    client = Client()
    found = [client.get(f"/rate/join/guess-{n}/").status_code for n in range(22)]
    assert (found[0], found[-1]) == (404, 429)
    page = shown(client, "/rate/join/guess/", 429)
    assert "Too many requests Too many wrong links were opened from here. Wait a minute" in page


def test_whoever_tries_too_often_elsewhere_reads_why(db):
    assert "Too many attempts in a short time." in render_to_string("429.html")


def test_strangers_and_accounts_that_were_not_invited_see_and_withdraw_nothing(
    rater, study, stranger
):
    vote_on_some(rater, study, 1)
    client = Client()
    client.force_login(stranger)
    for one in (Client(), client):
        assert one.get(address(study)).status_code == 404
        for name in ("rate-votes", "rate-items", "rate-undo", "rate-withdraw"):
            assert one.post(address(study, name)).status_code == 404
    assert standing() == [1]


def test_an_account_finds_its_study_and_the_way_to_withdraw_after_the_end(study, staff, stranger):
    invite_account(study=study, user=stranger, by=staff)
    assert Client().get(reverse("rate")).status_code == 302
    client = Client()
    client.force_login(stranger)
    assert study.title in client.get(reverse("rate")).text
    (item, *_) = begin(client, study)
    Study.objects.update(expires=NOW, late_until=NOW)
    assert study.title not in client.get(reverse("rate")).text  # nothing was said in it
    Study.objects.update(expires=None, late_until=None)
    assert states(send(client, study, vote_on(item["id"]))) == ["stored"]
    close_study(study=study)
    Study.objects.update(late_until=NOW)
    page = client.get(reverse("rate")).text
    assert ("This study ended on" in page, "Continue" in page) == (True, False)
    assert address(study, "rate-withdraw") in page
    client.post(address(study, "rate-withdraw"))
    assert study.title not in client.get(reverse("rate")).text


# --- invitations ----------------------------------------------------------------------------------


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


def test_who_cannot_be_invited_is_not_and_nobody_of_the_same_list(study, staff, stranger):
    """Without a confirmed address, twice, by two addresses of theirs, and more than there may
    be."""

    def refuses(sentence: str, *people: Invitee) -> None:
        before = study.raters.count()
        invite: Callable[..., object] = partial(invite_people, people=people)
        if not people:
            invite = partial(invite_account, user=stranger)
        with pytest.raises(StudyRefusedError, match=sentence):
            invite(study=study, by=staff)
        assert study.raters.count() == before

    EmailAddress.objects.filter(user=stranger).update(verified=False)
    refuses("no confirmed e-mail address")
    EmailAddress.objects.filter(user=stranger).update(verified=True)
    EmailAddress.objects.create(user=stranger, email="sam@work.example", verified=True)
    sam, at_work = Invitee("Sam", "Sam@Example.org"), Invitee("S", "sam@work.example")
    refuses(r"sam@work\.example is an address of somebody", sam, at_work)
    invite_people(study=study, people=[sam], by=staff)
    refuses("invited before, by an address of theirs")
    refuses("invited before", Invitee("Cy"), Invitee("Sam", "SAM@example.org"))
    refuses("an address of somebody who was invited before", at_work)
    refuses("at most 50", *(Invitee(f"P{n}") for n in range(50)))


def test_an_account_that_rates_is_not_invited_by_an_address_of_its_own(study, staff, stranger):
    invite_account(study=study, user=stranger, by=staff)
    with pytest.raises(StudyRefusedError, match="invited before"):
        invite_account(study=study, user=stranger, by=staff)
    with pytest.raises(StudyRefusedError, match="somebody who was invited before"):
        invite_people(study=study, people=[Invitee("Sam", "SAM@example.org")], by=staff)
    # an address that nobody has confirmed may be anybody's
    EmailAddress.objects.create(user=stranger, email="other@example.org", verified=False)
    invite_people(study=study, people=[Invitee("Cy", "other@example.org")], by=staff)


# --- consent and withdrawal -----------------------------------------------------------------------


@pytest.fixture
def asking(six) -> Study:
    """A study that asks for consent."""
    return study_of([six], raters=0, consent="We keep your votes.\n\nYou may leave.")


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


@pytest.mark.parametrize("is_closed", [False, True])
def test_a_rater_withdraws_all_votes_by_the_link_also_after_the_end(study, staff, is_closed):
    client, other = (browser_of(link_of(study, staff, name)) for name in "ab")
    page = client.get(address(study, "rate-withdraw")).text
    assert "We have received no votes from you" in page
    vote_on_some(client, study, 3)
    vote_on_some(other, study, 2)
    if is_closed:
        close_study(study=study)
        assert Rating.objects.not_withdrawn().count() == 5
        Study.objects.filter(pk=study.pk).update(late_until=NOW)
    page = client.get(address(study, "rate-withdraw")).text
    assert "Your votes on 3 items will be withdrawn" in page
    assert len(standing()) == 5
    page = client.post(address(study, "rate-withdraw"), follow=True).text
    assert "You withdrew your votes" in page
    assert f'data-forget="rating-{study.pk}-rater-1"' in page
    assert standing() == [2, 2]
    sent = send(client, study, vote_on(1))
    assert sent.status_code == 410
    assert sent.json()["detail"].startswith("You withdrew your votes on")
    client.post(address(study, "rate-withdraw"))
    assert standing() == [2, 2]
    if is_closed:
        names = Rating.objects.not_withdrawn().values_list("rater", flat=True)
        assert set(names) == {f"study {study.code}, rater 2"}
    else:
        with pytest.raises(StudyRefusedError, match="withdrew all votes"):
            reinstate_rater(rater=study.raters.get(number=1))
        assert study.items.aggregate(Sum("taken"))["taken__sum"] == 6


def test_a_page_of_one_rater_does_nothing_as_another(rater, study, staff):
    items = begin(rater, study)
    token = form_of(rater.get(address(study)).text)
    rater.get(reverse("rate-join", args=[link_of(study, staff, "Cy")]))
    begin(rater, study)
    form = rater.post(address(study), {**token, "value-correct": "1"})
    sent = send(rater, study, vote_on(items[0]["id"]), headers={"Rater": "1"})
    undone = rater.post(address(study, "rate-undo"), {"rater": "1"})
    assert [response.status_code for response in (form, sent, undone)] == [404, 404, 404]
    assert "Another rater" in form.text
    assert not Vote.objects.exists()


def test_a_page_of_one_rater_agrees_to_nothing_and_withdraws_nothing_as_another(asking, staff):
    """The first rater's pages are still open when the second one's link is opened here."""
    client = browser_of(link_of(asking, staff))
    pages = [address(asking, name) for name in ("rate-study", "rate-withdraw")]
    forms = [form_of(client.get(page).text) for page in pages]
    client.get(reverse("rate-join", args=[link_of(asking, staff, "Cy")]))
    for page, form in zip(pages, forms, strict=True):
        assert client.post(page, form).status_code == 404
    second = asking.raters.get(number=2)
    assert (second.consented, second.withdrew) == (None, None)
    for page in pages:
        assert client.post(page, form_of(client.get(page).text)).status_code == 302
    second.refresh_from_db()
    assert None not in (second.consented, second.withdrew)


def test_instructions_are_read_before_the_first_item_and_on_a_page_of_their_own_after(six, staff):
    study = study_of([six], raters=0, note="Two lines\nof <our> own.", check_every=3)
    client = browser_of(link_of(study, staff))
    read = address(study, "rate-instructions")
    told = (
        protocol("spelling").panel.INSTRUCTIONS.split("\n")[0],
        "Two lines<br>of &lt;our&gt; own.",
        "do not discuss the items with anyone",
        "A few items are attention checks",
    )
    before = client.get(address(study)).text
    assert ("I agree" in before or "Begin</button>" in before, read in before) == (True, False)
    vote_on_some(client, study, 1)
    item, page = client.get(address(study)).text, client.get(read).text
    for part in told:
        assert (part in before, part in item, part in page) == (True, False, True), part
    assert f'href="{read}"' in item
    for part in ("<kbd>1</kbd> Correct", "<kbd>u</kbd>", address(study, "rate-withdraw")):
        assert (part in item, part in page) == (False, True), part
    assert f'href="{address(study)}"' in page
    Study.objects.update(late_until=NOW, expires=NOW)
    ended = client.get(read, headers={"Accept": "text/html"})
    assert (ended.status_code, ended.headers["Location"]) == (302, address(study))
    assert Client().get(read).status_code == 404


# --- checks, quotas and what others have ----------------------------------------------------------


def test_raters_read_of_checks_only_where_they_meet_any(six, staff):
    cases: tuple[tuple[dict[str, Any], bool], ...] = (
        ({}, True),
        ({"size": 1}, False),
        ({"quota": 1}, False),
    )
    for kinds, is_told in cases:
        study = study_of([six], raters=0, check_every=3, failing="marked", **kinds)
        page = browser_of(link_of(study, staff)).get(address(study)).text
        assert ("are attention checks" in page) is is_told, kinds


def test_a_quota_ends_with_everything_rated_and_the_total_stays(thirty, staff):
    study = study_of([thirty], raters=0, raters_per_item=2, quota=4, check_every=3)
    client = browser_of(link_of(study, staff))
    seen = set()
    while items := begin(client, study):
        seen.add(send(client, study, vote_on(items[0]["id"])).json()["total"])
    voted = Vote.objects.values_list("item__is_check", flat=True)
    assert (sum(not is_check for is_check in voted), sum(voted)) == (4, 2)
    assert seen == {6}
    assert "You have rated everything: 6 items" in client.get(address(study)).text


def test_a_removed_raters_items_go_to_others_and_come_back_with_them(study, staff):
    clients = [browser_of(link_of(study, staff, name)) for name in "abc"]
    for client in clients:
        vote_on_some(client, study, 6)
    first = study.raters.order_by("number")[0]
    assert begin(browser_of(link_of(study, staff, "d")), study) == []
    remove_rater(rater=first, reason="Did not look.")
    assert set(study.items.values_list("taken", flat=True)) == {2}
    reinstate_rater(rater=first)
    assert set(study.items.values_list("taken", flat=True)) == {3}


def test_a_browser_is_told_what_it_fetched_of_an_entry_that_was_withdrawn(staff, owner, six):
    other = spelled(six.release, owner, "Other")
    study = study_of([six, other], raters=0)
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


@pytest.mark.parametrize("has_more", [True, False])
def test_who_comes_back_after_others_began_is_told_what_is_left(six, thirty, staff, has_more):
    entry = thirty if has_more else six
    study = study_of([entry], raters=0, raters_per_item=1)
    rater, other = (browser_of(link_of(study, staff, name)) for name in "ab")
    vote_on_some(rater, study, 3)
    Assignment.objects.update(lease_until=NOW - timedelta(hours=1))
    begin(other, study)
    page = rater.get(address(study)).text
    assert f"You have rated 3 of {30 if has_more else 6} items." in page
    assert ("everything" in page, "Continue" in page) == (False, has_more)
    page = rater.post(address(study), follow=True).text
    assert ("4 of 30" in page) is has_more
    nothing = "There is nothing for you right now: the remaining items are with other raters"
    assert (nothing in page) is not has_more


def test_who_comes_when_others_have_every_item_is_offered_no_button(staff, six, owner):
    study = study_of([six], raters=0, raters_per_item=1)
    first, late = (browser_of(link_of(study, staff, name)) for name in "ab")
    StudyRater.objects.filter(study=study, name="b").update(account=owner)
    listed = Client()
    listed.force_login(owner)
    for is_taken in (False, True):
        if is_taken:
            begin(first, study)
        for page in (late.get(address(study)).text, listed.get(reverse("rate")).text):
            assert ("Begin" in page) is not is_taken
            assert ("There is nothing for you right now" in page) is is_taken
    Assignment.objects.update(lease_until=NOW - timedelta(hours=9))
    assert "Begin" in late.get(address(study)).text


def test_a_reinstated_rater_goes_on(rater, study):
    vote_on_some(rater, study, 2)
    remove_rater(rater=study.raters.get(), reason="By mistake.")
    reinstate_rater(rater=study.raters.get())
    assert "You have rated 2 of 6 items." in rater.get(address(study)).text
    assert "3 of 6" in rater.post(address(study), follow=True).text


# --- without a script -----------------------------------------------------------------------------


def test_a_study_is_rated_to_its_end_without_a_script(rater, study):
    page = rater.get(address(study)).text
    assert ('id="item"' in page, "I agree" in page) == (False, False)
    page = rater.post(address(study), follow=True).text
    form = form_of(page)
    for number in range(1, 7):
        # every page sends what a script kept
        assert (f"{number} of 6" in page, 'id="item"' in page) == (True, True)
        assert f'data-votes="{address(study, "rate-votes")}"' in page
        assert "js/rate.js" in page
        page = rater.post(address(study), {**form_of(page), "value-correct": "1"}, follow=True).text
    assert "You have rated everything" in page
    assert Vote.objects.count() == 6
    again = rater.post(address(study), {**form, "value-correct": "1"}, follow=True)
    assert "your first vote stays" not in again.text  # it is that vote
    other = {**form, "key": str(uuid.uuid4()), "value-correct": "0"}
    assert "your first vote stays" in rater.post(address(study), other, follow=True).text
    assert set(Vote.objects.values_list("value", flat=True)) == {1}
    assert Vote.objects.count() == 6


def test_the_ends_of_a_scale_say_what_they_mean(owner, staff):
    entry = submit(import_spelling(), owner)
    study = study_of([entry], raters=0, questionnaire="neatness+correct")
    browser_of(key := link_of(study, staff)).post(address(study))
    assert "Neatness 1: untidy; 5: neat" in shown(browser_of(key), address(study))


def test_the_last_vote_is_taken_back_with_and_without_a_script(rater, study):
    form = form_of(rater.post(address(study), follow=True).text)
    rater.post(address(study), {**form, "value-correct": "1"})
    page = rater.post(address(study, "rate-undo"), follow=True).text
    assert form_of(page)["item"] == form["item"]
    assert Vote.objects.get().taken_back
    item = int(form["item"])
    send(rater, study, vote_on(item))
    answer = rater.post(address(study, "rate-undo"), headers={"Accept": "application/json"}).json()
    assert (answer["undone"], answer["items"][0]["id"], answer["done"]) == (item, item, 0)


# --- with a script --------------------------------------------------------------------------------


def test_votes_made_without_network_come_together_and_are_answered_one_by_one(rater, study):
    first, second, third, *_ = begin(rater, study)
    one, two = vote_on(first["id"], 1, milliseconds=4200), vote_on(second["id"], 2)
    others = (vote_on(first["id"], 0), vote_on(third["id"], 7), one | {"item": third["id"]}, "no")
    response = send(rater, study, one, two, *others)
    assert states(response) == ["stored", "stored", "late", "refused", "refused", "refused"]
    assert (response.json()["done"], response.json()["total"]) == (2, 6)
    assert states(send(rater, study, one, two)) == ["stored", "stored"]
    assert list(Vote.objects.order_by("pk").values_list("item", "value", "milliseconds")) == [
        (first["id"], 1, 4200),
        (second["id"], 2, None),
    ]


def test_a_vote_and_its_taking_back_may_both_wait_for_the_network(rater, study):
    (item, *_) = begin(rater, study)
    wrong, right = vote_on(item["id"], 0), vote_on(item["id"], 1)
    back = {"item": item["id"], "key": str(uuid.uuid4()), "takes_back": wrong["key"]}
    assert states(send(rater, study, wrong, back, right)) == ["stored"] * 3
    # sent again, as by a browser that never heard the answer: nothing changes
    assert states(send(rater, study, wrong, back, right)) == ["late", "stored", "stored"]
    assert list(Vote.objects.filter(taken_back=None).values_list("value", flat=True)) == [1]


def test_what_is_no_vote_is_refused_and_nothing_is_stored(rater, study):
    for body in ("", "[]", "{}", '{"votes": []}', '{"votes": 1}', "[" * 9000):
        response = rater.post(address(study, "rate-votes"), body, content_type="application/json")
        assert response.status_code == 400, body[:20]
    (item, *_) = begin(rater, study)
    odd = (
        {},
        {"item": None, "key": 1, "values": []},
        {**vote_on(1), "item": 1e400},
        vote_on(item["id"], None),
        {**vote_on(item["id"]), "takes_back": "x"},
        # a number that is not whole would be stored as another one
        *(vote_on(item["id"], value) for value in (0.9, True, "0.9")),
    )
    for vote in odd:
        assert states(send(rater, study, vote)) == ["refused"], vote
    key = str(uuid.uuid4())
    for form in (
        {"item": "x", "key": "y"},
        {"item": "9" * 40, "key": key, "value-correct": "1"},
        {"item": str(item["id"]), "key": key, "value-correct": "9" * 5000},
        {"item": "-1", "key": key, "value-correct": "1"},
    ):
        page = rater.post(address(study), form, follow=True)
        assert (page.status_code, "notice error" in page.text) == (200, True), form
    assert not Vote.objects.exists()


def test_sending_a_vote_takes_thirteen_queries_at_most(rater, study, django_assert_max_num_queries):
    first, second, *_ = begin(rater, study)
    send(rater, study, vote_on(first["id"]))
    # Two of them begin and end the test's own savepoint; two ask what was corrected since the draw.
    with django_assert_max_num_queries(15):
        send(rater, study, vote_on(second["id"]))


# --- blind ----------------------------------------------------------------------------------------


@pytest.fixture
def comparison(made, db) -> Study:
    entries = [Submission.objects.get(pk=pk) for pk in made.compared]
    return study_of(entries, raters=0, questionnaire="comparison", size=8, check_every=4)


def test_nothing_a_rater_gets_names_a_model_or_an_entry_and_page_and_list_say_the_same(
    comparison, staff
):
    client = browser_of(link_of(comparison, staff))
    (item, *_) = begin(client, comparison)
    page = client.get(address(comparison))
    answers = [
        page,
        client.post(address(comparison, "rate-items")),
        client.post(address(comparison, "rate-undo"), headers={"Accept": "application/json"}),
    ]
    entries = [str(pk) for pk in comparison.submissions.values_list("pk", flat=True)]
    for answer in answers:
        said = f"{answer.headers} {answer.text}"
        for word in ("Tellingname", "lucid", "parrot", "is_check", "passed", *entries):
            assert word not in said
    (text,) = re.findall(r'id="rating-data"[^>]*>(.*?)</script>', page.text)
    data = json.loads(text)
    assert data["items"][0] == item
    assert [choice["word"] for choice in data["asked"][0]["choices"]] == [
        "The first is better",
        "Equally good",
        "The second is better",
    ]
    for text in item["texts"]:
        assert unescape(text.split("\n")[0]) in unescape(page.text)


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
        send(client, comparison, vote_on(item["id"], values={"comparison": 1}))
        assert stored.votes.get().value == (1 if is_first else -1)
    assert orders == {True, False}


def test_a_reference_is_shown_only_where_the_task_needs_it(rater, study):
    (item, *_) = begin(rater, study)
    assert item["truth"] == study.items.get(pk=item["id"]).shown_reference != ""
