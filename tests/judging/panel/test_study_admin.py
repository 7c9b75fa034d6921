"""Studies in the admin: drawing one by the wizard, its raters and links, and how it ends."""

import re
from datetime import timedelta
from html import unescape
from typing import Any
from uuid import uuid4

import pytest
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import Group, User
from django.core import mail
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from benchmarks.releases.states import move_release
from benchmarks.submissions.models import Submission
from benchmarks.submissions.services import restore_submission, withdraw_submission
from judging.panel.models import Rating, Study, StudyRater
from judging.panel.studies.handing_out import give_out
from judging.panel.studies.lifecycle import close_study, settle_late_votes
from judging.panel.studies.raters import note_device, withdraw_votes
from tests.conftest import make_groups
from tests.judging.panel.study_world import (
    raters_of,
    spelled,
    study_of,
    vote,
    vote_on_all,
    words,
)
from tests.judging.room import says

NOW = timezone.now()
ADD = reverse("admin:panel_study_add")


def page_of(study: Study) -> str:
    return reverse("admin:panel_study_change", args=[study.pk])


def step(study: Study, name: str) -> str:
    return reverse("admin:panel_study_move", args=[study.pk, name])


def rater_page(rater: StudyRater) -> str:
    return reverse("admin:panel_study_rater", args=[rater.study_id, rater.pk])


def text_of(response) -> str:
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", response.text)).split())


def shown(staff: Client, address: str) -> str:
    return text_of(staff.get(address))


def invite(staff: Client, study: Study, people: str = "", **more: object):
    address = reverse("admin:panel_study_invite", args=[study.pk])
    return staff.post(address, {"people": people, **more})


def form_for(entry, **more: object) -> dict[str, object]:
    return {
        "title": "Is it spelled right?",
        "questionnaire": "correct",
        "entries": [str(entry.pk)],
        "size": "4",
        "raters_per_item": "3",
        "check_every": "3",
        "seed": "11",
        "least_passed": "75",
        "failing": "marked",
        "note": "",
        **more,
    }


def sent(staff: Client, entry, button: str = "create", **more: object):
    release = entry.release.slug
    return staff.post(f"{ADD}?release={release}", form_for(entry, **{button: "x"}, **more))


# --- the wizard -----------------------------------------------------------------------------------


def test_the_wizard_begins_with_a_release_and_offers_its_entries(
    staff, owner, django_assert_max_num_queries
):
    entry = spelled(words(6, slug="own"), owner)  # of a release with no other entry
    assert f"{ADD}?release=own" in staff.get(ADD).text
    with django_assert_max_num_queries(6):
        alone = shown(staff, f"{ADD}?release=own")
    day = f"{entry.created:%Y-%m-%d}"
    offered = f"Speller, {day}: all 6 questions answered, not judged yet"
    says(
        alone,
        f"Correct: 6 questions of the release Whose answers {offered} Questions:",
        "references of this release are not public",
    )
    for number in range(4):
        made = spelled(entry.release, owner, f"Another {number}")
        Submission.objects.filter(pk=made.pk).update(
            created=entry.created + timedelta(hours=number + 1)
        )
    with django_assert_max_num_queries(6):
        page = staff.get(f"{ADD}?release=own")
    assert re.findall(r"(\w+(?: \d)?), \d{4}-\S+ all 6 questions", text_of(page)) == [
        *("Another 3", "Another 2", "Another 1", "Another 0", "Speller"),
    ]
    (field,) = re.findall(r'<input[^>]*name="size"[^>]*>', page.text)
    assert ('value="6"' in field, 'max="6"' in field) == (True, True)
    found = f"{ADD}?release=own&q=another 2"
    assert re.findall(r"(\w+(?: \d)?), \d{4}", shown(staff, found)) == ["Another 2"]
    posted = text_of(staff.post(found, form_for(entry, preview="x")))
    assert offered in posted  # ticked before the search


@pytest.mark.parametrize("query", ["release=nothing", "release=" + "x" * 5000, "release=%00"])
def test_a_release_that_is_none_is_not_found(staff, query):
    assert staff.get(f"{ADD}?{query}").status_code == 404


def previewed(staff: Client, entry, **more: object) -> str:
    """What the wizard says a study would be."""
    return text_of(sent(staff, entry, "preview", **more)).partition("Preview ")[2]


PREVIEW = (
    "4 questions × 1 entry = 4 answers , each rated by 3: 12 votes . At an assumed 30 seconds "
    "per vote, that is 6 minutes of work for all raters together. A rater with 4 answers, the "
    "maximum, also gets 2 attention checks. It takes at least 3 raters. The report of this "
    "study cannot say: A coefficient of agreement: that takes 30 answers to 20 groups of "
    "questions, and 4 to 4 are drawn. Whether a judge could replace a rater: that takes 3 "
    "raters with 30 groups of questions each, and nobody would see more than 4. Drawn by ability, "
    "with seed 11 Ability Questions Drawn Words 6 4"
)


def test_a_preview_tells_the_work_and_the_draw_and_stores_nothing(staff, entry):
    assert previewed(staff, entry) == PREVIEW
    assert "each answer is rated by one person" in previewed(staff, entry, raters_per_item="1")
    assert not Study.objects.exists()


@pytest.mark.parametrize("kinds", [{"check_every": "20"}, {"check_every": "3", "quota": "1"}])
def test_a_study_where_nobody_meets_a_check_says_so_before_and_after_it_is_drawn(
    staff, entry, kinds
):
    page = previewed(staff, entry, **kinds)
    says(
        page,
        "also gets 0 attention checks",
        f"one check in {kinds['check_every']} items nobody meets one",
    )
    sent(staff, entry, **kinds)
    page = shown(staff, page_of(Study.objects.get()))
    assert "no attention checks: with one in" in page
    assert "is an attention check" not in page


def test_a_preview_of_enough_says_what_a_quota_keeps_it_from(staff, long_entry):
    page = previewed(staff, long_entry, size="40")
    assert ("It takes at least 3 raters." in page, "cannot say" in page) == (True, False)
    page = previewed(staff, long_entry, size="40", quota="25")
    assert "It takes at least 5 raters with at most 25 answers each" in page
    assert "nobody would see more than 25" in page.partition("cannot say:")[2]
    page = previewed(staff, long_entry, size="60", quota="3")
    assert "at least 60 raters with at most 3 answers each, and a study has at most 50" in page


DRAFT = (
    "Is it right? Draft. Answers to Spelling, 6 questions: 4 questions, drawn with seed 11; "
    "answers of Speller. Asked: Correct. 3 raters for each answer; one item in 3 is an attention "
    "check; raters who pass fewer than 60 % of theirs fail: their votes do not count; at most 3 "
    "answers for one rater. 0 of 12 votes; 0 of 4 answers have all of theirs. Open Withdraw "
    "Raters Rater Who Answers rated Checks passed Seconds a vote Link Nobody is invited yet. Invite"
)


def test_what_was_previewed_is_drawn_and_logged_and_its_page_says_all_of_it(staff, entry):
    kinds = {"failing": "left out", "least_passed": "60", "quota": "3", "consent": "Agree."}
    response = sent(staff, entry, title="Is it\nright?", **kinds)
    study = Study.objects.get()
    assert response["Location"] == page_of(study)
    assert (study.state, study.consent, study.created_by.username) == ("draft", "Agree.", "ada")
    assert "4 questions with seed 11" in LogEntry.objects.get().get_change_message()
    assert study.items.filter(is_check=False).count() == 4
    page = shown(staff, page_of(study))
    assert page[page.index("Is it right? Draft") :].partition(" People:")[0] == DRAFT
    assert invite(staff, study, "bo@example.org").status_code == 200
    assert mail.outbox[0].subject.endswith("Rate answers: Is it right?")


def test_a_wrong_form_is_told_and_draws_nothing(staff, entry):
    wrong: list[tuple[dict[str, Any], str]] = [
        ({"entries": []}, "Choose at least one entry."),
        ({"entries": ["00000000-0000-0000-0000-000000000000"]}, "Select a valid choice"),
        ({"size": "0"}, "greater than or equal to 1"),
        ({"size": "7"}, "The release has 6 questions of this kind."),
        ({"raters_per_item": "99"}, "less than or equal to 20"),
        ({"seed": "9" * 400}, "less than or equal to"),
        ({"questionnaire": "charm"}, "Select a valid choice"),
        ({"title": "x" * 101}, "at most 100 characters"),
        ({"check_every": "1"}, "Not every item can be a check."),
    ]
    for change, sentence in wrong:
        response = sent(staff, entry, **change)
        assert (change, response.status_code, sentence in text_of(response)) == (change, 422, True)
    assert not Study.objects.exists()


# --- who may --------------------------------------------------------------------------------------


def test_staff_without_the_permission_see_and_change_nothing(entry):
    study = study_of([entry])
    client = Client()
    client.force_login(User.objects.create_user("cy", is_staff=True))
    rater = raters_of(study)[0]
    addresses = [ADD, page_of(study), step(study, "close"), rater_page(rater)]
    assert {client.get(address).status_code for address in addresses} == {403}
    assert invite(client, study, "x").status_code == 403


def test_a_moderator_draws_opens_and_closes_a_study_and_imports_nothing(entry):
    make_groups()
    user = User.objects.create_user("mo", is_staff=True)
    user.groups.add(Group.objects.get(name="moderators"))
    client = Client()
    client.force_login(user)
    sent(client, entry)
    study = Study.objects.get()
    assert "/rate/join/" in invite(client, study, "Bo").text
    client.post(step(study, "open"))
    vote_on_all(raters_of(study)[0], most=2, now=NOW)
    client.post(step(study, "close"))
    study.refresh_from_db()
    assert (study.state, study.created_by.username) == ("closed", "mo")
    assert client.get(reverse("admin:panel_ratingfile_add")).status_code == 403


# --- raters ---------------------------------------------------------------------------------------


def test_people_get_links_that_are_shown_once_and_mailed_where_there_is_an_address(staff, entry):
    study = study_of([entry], raters=0)
    response = invite(staff, study, "Bo Li\ncy@example.org\nDi <di@example.org>\n\n")
    keys = re.findall(r"/rate/join/([\w-]+)/", response.text)
    assert list(study.raters.values_list("number", "name", "email")) == [
        (1, "Bo Li", ""),
        (2, "cy@example.org", "cy@example.org"),
        (3, "Di", "di@example.org"),
    ]
    found = {address: one.body for one in mail.outbox for address in one.to}
    mailed = {"cy@example.org": keys[1], "di@example.org": keys[2]}
    links = {to: re.findall(r"/rate/join/([\w-]+)/", str(body)) for to, body in found.items()}
    assert (len(keys), len(mail.outbox)) == (3, 2)
    assert links == {to: [key] for to, key in mailed.items()}
    assert not any(key in staff.get(page_of(study)).text for key in keys)
    body = str(mail.outbox[0].body)
    assert f"in the study “{study.title}” at Assay." in body
    assert study.expires
    assert f"It works until {study.expires:%Y-%m-%d}, or until the study is closed." in body


def test_a_wrong_list_invites_nobody(staff, entry):
    study = study_of([entry], raters=0)
    wrong = {
        "": "Name somebody.",
        "bo@nowhere": "is no e-mail address",
        "bo@l\N{LATIN SMALL LETTER DOTLESS I}.org": "letters a to z only",
        "\n".join(f"P{n}" for n in range(51)): "At most 50 people",
        "x" * 101: "at most 100 characters",
        "a@example.org\nA@example.org": "invited before",
        "x" * 20_000: "at most 15000 characters",
    }
    for people, sentence in wrong.items():
        response = invite(staff, study, people)
        told = people[:20], response.status_code, sentence in text_of(response)
        assert told == (people[:20], 422, True)
    assert not study.raters.exists()
    assert not mail.outbox


def test_members_of_the_group_are_chosen_and_an_owner_is_refused(staff, entry, owner, stranger):
    group, _ = Group.objects.get_or_create(name="raters")
    group.user_set.add(owner, stranger)
    study = study_of([entry], raters=0)
    assert "Members of the group of raters rosa sam" in shown(staff, page_of(study))
    group.user_set.clear()
    assert "group of raters" not in staff.get(page_of(study)).text
    group.user_set.add(owner, stranger)
    assert invite(staff, study, accounts=[stranger.pk]).status_code == 200
    response = invite(staff, study, "Bo", accounts=[owner.pk])
    assert (response.status_code, "own answers" in response.text) == (422, True)
    assert list(study.raters.values_list("account", flat=True)) == [stranger.pk]


def test_a_link_is_renewed_taken_back_and_its_rater_removed_and_reinstated(staff, entry):
    study = study_of([entry], raters=0)
    invite(staff, study, "Bo")
    rater = study.raters.get()
    before = rater.digest
    assert "/rate/join/" in staff.post(rater_page(rater), {"do": "renew"}).text
    rater.refresh_from_db()
    assert rater.digest not in ("", before)
    staff.post(rater_page(rater), {"do": "revoke"})
    assert staff.post(rater_page(rater), {"do": "remove", "reason": ""}).status_code == 422
    staff.post(rater_page(rater), {"do": "remove", "reason": "Did not look."})
    rater.refresh_from_db()
    assert (rater.digest, rater.reason, rater.removed is not None) == ("", "Did not look.", True)
    assert "removed: Did not look." in shown(staff, page_of(study))
    staff.post(rater_page(rater), {"do": "reinstate"})
    rater.refresh_from_db()
    assert rater.removed is None
    log = [line.get_change_message() for line in LogEntry.objects.order_by("pk")]
    assert log == [
        "Invited 1 rater.",
        "New link for rater 1.",
        "The link of rater 1 no longer works.",
        "Removed rater 1: Did not look.",
        "Rater 1 counts again.",
    ]


def test_after_the_close_a_link_is_made_anew_and_the_mail_says_what_it_is_for(staff, entry):
    study = study_of([entry], raters=0)
    invite(staff, study, "Bo bo@example.org")
    rater = study.raters.select_related("study").get()
    vote_on_all(rater, most=2, now=NOW)
    close_study(study=study)
    page = staff.get(rater_page(rater)).text
    assert ('value="renew"' in page, 'value="remove"' in page) == (True, False)
    renewed = staff.post(rater_page(rater), {"do": "renew"}).text
    key = re.findall(r"/rate/join/([^/<]+)/", renewed)[0]
    assert "The study has ended" in mail.outbox[-1].body
    assert key in mail.outbox[-1].body
    client = Client()
    client.get(reverse("rate-join", args=[key]))
    client.post(reverse("rate-withdraw", args=[study.pk]))
    rater.refresh_from_db()
    assert rater.withdrew
    assert 'value="renew"' not in staff.get(rater_page(rater)).text


# --- how it stands and ends -----------------------------------------------------------------------


def test_a_study_is_opened_closed_and_withdrawn_after_a_question(staff, entry):
    study = study_of([entry], is_open=False)
    assert step(study, "close") not in staff.get(page_of(study)).text
    assert staff.get(step(study, "close"))["Location"] == page_of(study)
    assert staff.get(step(study, "nothing")).status_code == 404
    states = []
    steps = [
        (staff.get, "open", {}, "questions, entries and instructions are now fixed"),
        (staff.post, "open", {}, ""),
        (staff.post, "close", {}, "Nobody has voted yet"),
        (staff.get, "close", {}, "2 of 18 votes"),
        (staff.post, "close", {}, ""),
        (staff.post, "withdraw", {"reason": " "}, ""),
        (staff.post, "withdraw", {"reason": "Wrong instructions."}, ""),
    ]
    for ask, name, values, said in steps:
        if (ask, name) == (staff.get, "close"):
            vote_on_all(raters_of(study)[0], most=2, now=NOW)
        assert said in text_of(ask(step(study, name), values, follow=True))
        study.refresh_from_db()
        states.append((study.state, Rating.objects.not_withdrawn().count()))
    assert states == [
        ("draft", 0),
        *[("open", 0)] * 3,
        *[("closed", 2)] * 2,
        ("withdrawn", 0),
    ]
    assert (study.reason, LogEntry.objects.count()) == ("Wrong instructions.", 3)


@pytest.mark.parametrize("state", ["open", "frozen", "retired"])
def test_closing_a_study_of_a_closed_release_says_that_it_counts_there(staff, entry, state):
    study = study_of([entry])
    if state != "open":
        move_release(release=entry.release, found="open", to=state)
    said = f"The release is {state}. Its boards stay, and these ratings will count on them."
    assert (said in shown(staff, step(study, "close"))) is (state != "open")


def test_the_page_that_closes_a_study_says_what_is_out_and_where(staff, entry):
    study = study_of([entry], raters=2)
    first, second = raters_of(study)
    vote_on_all(first, most=2, now=NOW)
    page = shown(staff, step(study, "close"))
    assert "4 votes are still awaited from 1 rater. They are accepted for 7" in page
    for rater in (first, first, second):
        note_device(rater, uuid4(), NOW)
    give_out(second, NOW)
    page = shown(staff, step(study, "close"))
    says(
        page,
        "10 votes are still awaited from 2 raters",
        "on 3 devices that may hold votes not sent yet",
    )
    for rater in (first, second):
        vote_on_all(rater, now=NOW)
    assert "No rater has open items." in shown(staff, step(study, "close"))


def test_the_page_of_a_closed_study_tells_late_votes_and_till_when_they_come(staff, entry):
    study = study_of([entry], raters=1)
    (rater,) = raters_of(study)
    first, second, *_ = (given.item for given in give_out(rater, NOW))
    vote(rater, first, now=NOW)
    close_study(study=study, now=NOW)
    study.refresh_from_db()
    page = shown(staff, page_of(study))
    assert (
        "5 votes are still awaited from raters. They are taken until "
        f"{study.late_until:%Y-%m-%d %H:%M} UTC" in page
    )
    vote(rater, second, now=NOW + timedelta(hours=1))
    page = shown(staff, page_of(study))
    says(page, "1 of these votes came after the study was closed.", "not in the ratings yet")
    settle_late_votes(NOW + timedelta(hours=2))
    assert "not in the ratings yet" not in shown(staff, page_of(study))
    report = reverse("study", args=[study.pk])
    assert report in staff.get(page_of(study)).text
    withdraw_votes(rater=rater)  # no rating is left
    assert report not in staff.get(page_of(study)).text


def test_the_page_of_a_study_whose_links_ended_says_till_when_votes_are_taken(staff, entry):
    study = study_of([entry], raters=1)
    give_out(raters_of(study)[0], NOW)
    ended, late = NOW - timedelta(days=9), NOW - timedelta(days=2)
    for until, said in ((late, "were taken"), (NOW + timedelta(days=1), "are taken")):
        Study.objects.update(expires=ended, late_until=until)
        page = shown(staff, page_of(study))
        says(
            page,
            f"Links ended on {ended:%Y-%m-%d}, and no more items are given out.",
            f"They {said} until {until:%Y-%m-%d %H:%M} UTC.",
        )


def test_the_page_tells_votes_checks_and_time_of_each_rater_in_as_many_queries(
    staff, owner, django_assert_max_num_queries
):
    study = study_of([spelled(words(10, slug="ten"), owner)], raters=2, check_every=5)
    for rater, value in zip(raters_of(study), (1, 0), strict=True):
        vote_on_all(rater, value, now=NOW)
    with django_assert_max_num_queries(25):
        page = shown(staff, page_of(study))
    says(
        page,
        "20 of 30 votes; 0 of 10 answers have all of theirs.",
        "Seconds a vote Link rater 1 Person 1 10 2 of 2 – unknown revoked "
        "rater 2 Person 2 10 0 of 2 fails – unknown revoked",
    )


def test_answers_of_a_withdrawn_entry_are_not_missing_and_their_votes_are_told(staff, entry, other):
    study = study_of([entry, other], raters=1)
    vote_on_all(raters_of(study)[0], now=NOW)
    withdraw_submission(submission=other)
    page = shown(staff, page_of(study))
    says(
        page,
        "6 of 18 votes",
        "6 answers of withdrawn entries are left out",
        "Votes on them stay (6)",
        "Other (withdrawn)",
    )
    restore_submission(submission=other)
    assert "12 of 36 votes" in shown(staff, page_of(study))
