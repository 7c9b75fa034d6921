"""Studies in the admin: drawing one by the wizard, its raters and links, and how it ends."""

import re
from datetime import timedelta
from html import unescape
from uuid import uuid4

import pytest
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import Group, User
from django.core import mail
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from benchmarks.release_states import move_release
from benchmarks.submissions.services import restore_submission, withdraw_submission
from judging.panel.models import Rating, Study, StudyRater
from judging.panel.studies.handing_out import give_out
from judging.panel.studies.lifecycle import close_study, settle_late_votes
from judging.panel.studies.raters import note_device, withdraw_votes
from judging.panel.studies.reports import standing_of
from tests.conftest import make_groups
from tests.judging.panel.study_world import (
    raters_of,
    spelled,
    study_of,
    vote,
    vote_on_all,
    words,
)

NOW = timezone.now()
ADD = reverse("admin:panel_study_add")


@pytest.fixture
def staff(db) -> Client:
    user = User.objects.create_superuser("ada", "ada@example.org", "a long enough password")
    client = Client()
    client.force_login(user)
    return client


@pytest.fixture
def entry(db, owner):
    return spelled(words(6), owner)


def page_of(study: Study) -> str:
    return reverse("admin:panel_study_change", args=[study.pk])


def step(study: Study, name: str) -> str:
    return reverse("admin:panel_study_move", args=[study.pk, name])


def rater_page(rater: StudyRater) -> str:
    return reverse("admin:panel_study_rater", args=[rater.study_id, rater.pk])


def text_of(response) -> str:
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", response.text)).split())


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


# --- the wizard -----------------------------------------------------------------------------------


def test_the_wizard_begins_with_a_release_and_offers_its_entries(staff, entry):
    assert f"{ADD}?release=words" in staff.get(ADD).text
    page = text_of(staff.get(f"{ADD}?release=words"))
    assert "Correct: 6 questions of the release" in page
    assert "Speller, " in page
    assert "not judged yet" in page
    assert "references of this release are not public" in page


@pytest.mark.parametrize("entries", [1, 6])
def test_the_wizard_costs_as_many_queries_however_many_entries_it_offers(
    staff, owner, entries, django_assert_max_num_queries
):
    release = words(3, slug="few")
    for number in range(entries):
        spelled(release, owner, f"Speller {number}")
    staff.get(f"{ADD}?release=few")
    with django_assert_max_num_queries(6):
        page = text_of(staff.get(f"{ADD}?release=few"))
    assert page.count("all 3 questions answered") == entries


def test_a_preview_tells_the_work_and_the_draw_and_stores_nothing(staff, entry):
    page = text_of(staff.post(f"{ADD}?release=words", form_for(entry, preview="Preview")))
    assert "4 questions × 1 entry = 4 answers , each rated by 3: 12 votes" in page
    assert "that is 6 minutes of work" in page
    assert "meets 2 attention checks" in page
    assert "with seed 11" in page
    assert re.search(r"Ability Questions Drawn \S+ 6 4", page)
    assert not Study.objects.exists()


def test_what_was_previewed_is_drawn_and_logged(staff, entry):
    response = staff.post(f"{ADD}?release=words", form_for(entry, create="Draw"))
    study = Study.objects.get()
    assert response["Location"] == page_of(study)
    assert (study.state, study.size, study.seed, study.created_by.username) == (
        "draft",
        4,
        11,
        "ada",
    )
    assert "4 questions with seed 11" in LogEntry.objects.get().get_change_message()
    assert study.items.filter(is_check=False).count() == 4


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"entries": []}, "Choose at least one entry."),
        ({"entries": ["00000000-0000-0000-0000-000000000000"]}, "Select a valid choice"),
        ({"size": "0"}, "greater than or equal to 1"),
        ({"raters_per_item": "99"}, "less than or equal to 20"),
        ({"seed": "9" * 400}, "less than or equal to"),
        ({"questionnaire": "charm"}, "Select a valid choice"),
        ({"title": "x" * 101}, "at most 100 characters"),
        ({"check_every": "1"}, "Not every item can be a check."),
    ],
    ids=str,
)
def test_a_wrong_form_is_told_and_draws_nothing(staff, entry, change, sentence):
    response = staff.post(f"{ADD}?release=words", form_for(entry, create="Draw", **change))
    assert (response.status_code, sentence in text_of(response)) == (422, True)
    assert not Study.objects.exists()


@pytest.mark.parametrize("query", ["release=nothing", "release=" + "x" * 5000, "release=%00"])
def test_a_release_that_is_none_is_not_found(staff, query):
    assert staff.get(f"{ADD}?{query}").status_code == 404


def test_entries_are_searched_and_those_ticked_stay(staff, entry, owner):
    spelled(entry.release, owner, "Another")
    page = staff.get(f"{ADD}?release=words&q=anoth").text
    assert ("Another" in page, "Speller, " in page) == (True, False)
    posted = staff.post(f"{ADD}?release=words&q=anoth", form_for(entry, preview="x")).text
    assert "Speller, " in posted


def test_a_preview_says_what_the_report_cannot_say(staff, entry):
    page = text_of(staff.post(f"{ADD}?release=words", form_for(entry, preview="Preview")))
    said = page.partition("The report of this study cannot say:")[2]
    assert "A coefficient of agreement: that takes 30 answers to 20 groups" in said
    assert "and 4 to 4 are drawn" in said
    assert "3 raters with 30 groups of questions each, and nobody would see more than 4" in said
    assert "each answer is rated by one person" not in said
    alone = form_for(entry, preview="Preview", raters_per_item="1")
    page = text_of(staff.post(f"{ADD}?release=words", alone))
    assert "each answer is rated by one person" in page


def test_a_preview_of_enough_says_nothing_is_missing_unless_a_quota_keeps_it_from_it(staff, owner):
    entry = spelled(words(40, slug="forty"), owner)
    form = form_for(entry, preview="Preview", size="40")
    page = text_of(staff.post(f"{ADD}?release=forty", form))
    assert ("It takes at least 3 raters." in page, "cannot say" in page) == (True, False)
    page = text_of(staff.post(f"{ADD}?release=forty", form | {"quota": "25"}))
    assert "It takes at least 5 raters with at most 25 answers each" in page
    assert "nobody would see more than 25" in page.partition("cannot say:")[2]


@pytest.mark.parametrize("kinds", [{"check_every": "20"}, {"check_every": "3", "quota": "1"}])
def test_a_preview_says_where_nobody_meets_a_check(staff, entry, kinds):
    form = form_for(entry, preview="Preview", **kinds)
    page = text_of(staff.post(f"{ADD}?release=words", form))
    assert "meets 0 attention checks besides" in page
    assert f"one check in {kinds['check_every']} items nobody meets one" in page
    staff.post(f"{ADD}?release=words", form_for(entry, create="Draw", **kinds))
    page = text_of(staff.get(page_of(Study.objects.get())))
    assert "no attention checks: with one in" in page
    assert "is an attention check" not in page


def test_a_preview_says_where_a_study_would_need_more_raters_than_it_has(staff, owner):
    entry = spelled(words(60, slug="sixty"), owner)
    form = form_for(entry, preview="Preview", size="60", quota="3")
    page = text_of(staff.post(f"{ADD}?release=sixty", form))
    assert "at least 60 raters with at most 3 answers each, and a study has at most 50" in page


def test_a_title_of_two_lines_is_one_and_its_raters_are_mailed(staff, entry):
    staff.post(f"{ADD}?release=words", form_for(entry, create="Draw", title="Is it\nright?"))
    study = Study.objects.get()
    assert invite(staff, study, "bo@example.org").status_code == 200
    assert mail.outbox[0].subject.endswith("Rate answers: Is it right?")


def test_the_wizard_offers_no_more_questions_than_the_release_has(staff, entry):
    page = staff.get(f"{ADD}?release=words").text
    (field,) = re.findall(r'<input[^>]*name="size"[^>]*>', page)
    assert ('value="6"' in field, 'max="6"' in field) == (True, True)
    response = staff.post(f"{ADD}?release=words", form_for(entry, create="Draw", size="7"))
    assert "The release has 6 questions of this kind." in text_of(response)
    assert not Study.objects.exists()


def test_what_the_owner_settles_beforehand_is_drawn_with_the_study(staff, entry):
    kinds = {"failing": "left out", "least_passed": "60", "quota": "3", "consent": "Agree."}
    staff.post(f"{ADD}?release=words", form_for(entry, create="Draw", **kinds))
    study = Study.objects.get()
    assert (study.failing, study.least_passed, study.quota, study.consent) == (
        "left out",
        60,
        3,
        "Agree.",
    )
    page = text_of(staff.get(page_of(study)))
    assert "passes fewer than 60 % of those met fails: their votes do not count" in page
    assert "at most 3 answers for one rater" in page


# --- who may --------------------------------------------------------------------------------------


def test_staff_without_the_permission_see_and_change_nothing(entry):
    study = study_of([entry])
    user = User.objects.create_user("cy", is_staff=True)
    client = Client()
    client.force_login(user)
    rater = raters_of(study)[0]
    addresses = [ADD, page_of(study), step(study, "close"), rater_page(rater)]
    assert {client.get(address).status_code for address in addresses} == {403}
    invite = reverse("admin:panel_study_invite", args=[study.pk])
    assert client.post(invite, {"people": "x"}).status_code == 403


def test_a_moderator_draws_opens_and_closes_a_study_and_imports_nothing(entry):
    make_groups()
    user = User.objects.create_user("mo", is_staff=True)
    user.groups.add(Group.objects.get(name="moderators"))
    client = Client()
    client.force_login(user)
    client.post(f"{ADD}?release=words", form_for(entry, create="Draw"))
    study = Study.objects.get()
    assert "/rate/join/" in invite(client, study, "Bo").text
    client.post(step(study, "open"))
    vote_on_all(raters_of(study)[0], [1, 1], NOW)
    client.post(step(study, "close"))
    study.refresh_from_db()
    assert (study.state, study.created_by.username) == ("closed", "mo")
    assert client.get(reverse("admin:panel_ratingfile_add")).status_code == 403


# --- raters ---------------------------------------------------------------------------------------


def invite(staff: Client, study: Study, people: str = "", **more: object):
    address = reverse("admin:panel_study_invite", args=[study.pk])
    return staff.post(address, {"people": people, **more})


def test_people_get_links_that_are_shown_once_and_mailed_where_there_is_an_address(staff, entry):
    study = study_of([entry], raters=0)
    response = invite(staff, study, "Bo Li\ncy@example.org\nDi <di@example.org>\n\n")
    keys = re.findall(r"/rate/join/([\w-]+)/", response.text)
    assert len(keys) == 3
    assert list(study.raters.values_list("number", "name", "email")) == [
        (1, "Bo Li", ""),
        (2, "cy@example.org", "cy@example.org"),
        (3, "Di", "di@example.org"),
    ]
    assert sorted(to for one in mail.outbox for to in one.to) == [
        "cy@example.org",
        "di@example.org",
    ]
    assert keys[1] in mail.outbox[0].body
    assert not any(key in staff.get(page_of(study)).text for key in keys)


@pytest.mark.parametrize(
    ("people", "sentence"),
    [
        ("", "Name somebody."),
        ("bo@nowhere", "is no e-mail address"),
        ("bo@l\N{LATIN SMALL LETTER DOTLESS I}.org", "letters a to z only"),
        ("\n".join(f"P{n}" for n in range(51)), "At most 50 people"),
        ("x" * 101, "at most 100 characters"),
        ("a@example.org\nA@example.org", "invited before"),
        ("x" * 20_000, "at most 15000 characters"),
    ],
)
def test_a_wrong_list_invites_nobody(staff, entry, people, sentence):
    study = study_of([entry], raters=0)
    response = invite(staff, study, people)
    assert (response.status_code, sentence in text_of(response)) == (422, True)
    assert not study.raters.exists()
    assert not mail.outbox


def test_members_of_the_group_are_chosen_and_an_owner_is_refused(staff, entry, owner, stranger):
    group, _ = Group.objects.get_or_create(name="raters")
    group.user_set.add(owner, stranger)
    study = study_of([entry], raters=0)
    assert stranger.username in staff.get(page_of(study)).text
    group.user_set.clear()
    assert "group of raters" not in staff.get(page_of(study)).text
    group.user_set.add(owner, stranger)
    assert invite(staff, study, accounts=[stranger.pk]).status_code == 200
    response = invite(staff, study, "Bo", accounts=[owner.pk])
    assert (response.status_code, "own answers" in response.text) == (422, True)
    assert list(study.raters.values_list("account", flat=True)) == [stranger.pk]


@pytest.mark.parametrize("state", ["open", "frozen", "retired"])
def test_closing_a_study_of_a_closed_release_says_that_it_counts_there(staff, entry, state):
    study = study_of([entry])
    if state != "open":
        move_release(release=entry.release, found="open", to=state)
    said = f"The release is {state}. Its boards stay, and these ratings will count on them."
    assert (said in text_of(staff.get(step(study, "close")))) is (state != "open")


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
    assert "removed: Did not look." in staff.get(page_of(study)).text
    staff.post(rater_page(rater), {"do": "reinstate"})
    rater.refresh_from_db()
    assert rater.removed is None
    log = [line.get_change_message() for line in LogEntry.objects.order_by("pk")]
    assert log == [
        "Invited 1 rater.",
        "New link for rater 1.",
        "The link of rater 1 opens nothing any more.",
        "Removed rater 1: Did not look.",
        "Rater 1 counts again.",
    ]


def test_after_the_close_a_link_is_made_anew_and_the_mail_says_what_it_is_for(staff, entry):
    study = study_of([entry], raters=0)
    invite(staff, study, "Bo bo@example.org")
    rater = study.raters.select_related("study").get()
    vote_on_all(rater, [1, 1], NOW)
    close_study(study=study)
    page = staff.get(rater_page(rater)).text
    assert ('value="renew"' in page, 'value="remove"' in page) == (True, False)
    key = re.findall(r"/rate/join/([^/<]+)/", staff.post(rater_page(rater), {"do": "renew"}).text)[
        0
    ]
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
    assert "what is asked is fixed" in staff.get(step(study, "open")).text
    study.refresh_from_db()
    assert study.state == "draft"
    staff.post(step(study, "open"))
    study.refresh_from_db()
    assert study.state == "open"
    vote_on_all(raters_of(study)[0], [1, 1], NOW)
    staff.post(step(study, "close"))
    study.refresh_from_db()
    assert (study.state, Rating.objects.count()) == ("closed", 2)
    assert staff.post(step(study, "withdraw"), {"reason": " "}).status_code == 422
    staff.post(step(study, "withdraw"), {"reason": "Wrong instructions."})
    study.refresh_from_db()
    assert (study.state, study.reason) == ("withdrawn", "Wrong instructions.")
    assert not Rating.objects.not_withdrawn().exists()
    assert LogEntry.objects.count() == 3


def test_a_step_that_would_fail_is_neither_offered_nor_done(staff, entry):
    study = study_of([entry], is_open=False)
    assert step(study, "close") not in staff.get(page_of(study)).text
    assert staff.get(step(study, "close"))["Location"] == page_of(study)
    assert staff.get(step(study, "nothing")).status_code == 404


def test_the_page_that_closes_a_study_says_what_is_out_and_where(staff, entry):
    study = study_of([entry], raters=2)
    first, second = raters_of(study)
    vote_on_all(first, [1, 1], NOW)
    page = text_of(staff.get(step(study, "close")))
    assert "4 votes are still awaited from 1 rater. They are taken for 7" in page
    for rater in (first, first, second):
        note_device(rater, uuid4(), NOW)
    give_out(second, NOW)
    page = text_of(staff.get(step(study, "close")))
    assert "10 votes are still awaited from 2 raters" in page
    assert "on 3 devices that may hold votes not sent yet" in page
    vote_on_all(first, [1] * 4, NOW)
    vote_on_all(second, [1] * 6, NOW)
    assert "No answer is out with a rater." in text_of(staff.get(step(study, "close")))


def test_the_page_of_a_closed_study_tells_late_votes_and_till_when_they_come(staff, entry):
    study = study_of([entry], raters=1)
    (rater,) = raters_of(study)
    first, second, *_ = (given.item for given in give_out(rater, NOW))
    vote(rater, first, now=NOW)
    close_study(study=study, now=NOW)
    study.refresh_from_db()
    page = text_of(staff.get(page_of(study)))
    until = f"{study.late_until:%Y-%m-%d %H:%M}"
    assert "5 votes are still awaited from raters" in page
    assert f"They are taken until {until} UTC" in page
    vote(rater, second, now=NOW + timedelta(hours=1))
    page = text_of(staff.get(page_of(study)))
    assert "1 of these votes came after the study was closed." in page
    assert "in no ratings yet" in page
    settle_late_votes(NOW + timedelta(hours=2))
    assert "in no ratings yet" not in text_of(staff.get(page_of(study)))


def test_a_rater_who_fails_checks_is_marked_on_the_page(staff, owner):
    study = study_of([spelled(words(10, slug="ten"), owner)], raters=2, check_every=5)
    for rater, value in zip(raters_of(study), (1, 0), strict=True):
        while vote_on_all(rater, [value], NOW):
            pass
    page = text_of(staff.get(page_of(study)))
    assert page.count("fails") == 2  # the rule, and one rater
    assert re.search(r"0 of \d fails", page)


def test_the_page_of_a_study_whose_links_ended_says_till_when_votes_are_taken(staff, entry):
    study = study_of([entry], raters=1)
    give_out(raters_of(study)[0], NOW)
    ended, late = NOW - timedelta(days=9), NOW - timedelta(days=2)
    for until, said in ((late, "were taken"), (NOW + timedelta(days=1), "are taken")):
        Study.objects.update(expires=ended, late_until=until)
        page = text_of(staff.get(page_of(study)))
        assert f"Links ended on {ended:%Y-%m-%d}, and nothing is handed out any more." in page
        assert f"They {said} until {until:%Y-%m-%d %H:%M} UTC." in page


def test_the_page_of_a_study_leads_to_a_report_only_where_ratings_stand(staff, entry):
    study = study_of([entry], raters=1)
    (rater,) = raters_of(study)
    vote_on_all(rater, [1, 1], NOW)
    close_study(study=study)
    report = reverse("study", args=[study.pk])
    assert report in staff.get(page_of(study)).text
    withdraw_votes(rater=rater)
    assert report not in staff.get(page_of(study)).text


def test_closing_without_a_vote_is_told(staff, entry):
    study = study_of([entry])
    assert "Nobody has voted yet" in staff.post(step(study, "close"), follow=True).text


def test_the_page_tells_votes_checks_and_time_of_each_rater(staff, owner):
    entry = spelled(words(10, slug="ten"), owner)
    study = study_of([entry], raters=2, check_every=5)
    first, second = raters_of(study)
    while vote_on_all(first, [1], NOW):
        pass
    while vote_on_all(second, [0], NOW):
        pass
    standing = standing_of(study)
    assert (standing.items, standing.votes, standing.wanted, standing.complete) == (10, 20, 30, 0)
    lines = [
        (line.voted, line.checked.met, line.checked.passed, line.seconds)
        for line in standing.raters
    ]
    assert [line[0] for line in lines] == [10, 10]
    assert lines[0][1] == lines[0][2] > 0
    assert lines[1][1] > lines[1][2] == 0
    page = text_of(staff.get(page_of(study)))
    assert f"{lines[0][1]} of {lines[0][1]} – not told" in page
    assert "20 of 30 votes" in page


def test_answers_of_a_withdrawn_entry_are_not_missing_and_their_votes_are_told(staff, entry, owner):
    other = spelled(entry.release, owner, "Other")
    study = study_of([entry, other], raters=1)
    vote_on_all(raters_of(study)[0], [1] * 12, NOW)
    withdraw_submission(submission=other)
    standing = standing_of(study)
    assert (standing.items, standing.votes, standing.wanted) == (6, 6, 18)
    page = text_of(staff.get(page_of(study)))
    assert "6 of 18 votes" in page
    assert "6 answers of withdrawn entries are left out of that" in page
    assert "Votes on them stay (6)" in page
    assert "Other (withdrawn)" in page
    restore_submission(submission=other)
    assert "12 of 36 votes" in text_of(staff.get(page_of(study)))


def test_the_page_takes_as_many_queries_whatever_was_voted(
    staff, entry, django_assert_max_num_queries
):
    study = study_of([entry])
    for rater in raters_of(study):
        vote_on_all(rater, [1] * 6, NOW)
    with django_assert_max_num_queries(25):
        staff.get(page_of(study))


def test_a_vote_counts_nowhere_before_the_study_is_closed(entry):
    study = study_of([entry])
    rater = raters_of(study)[0]
    vote_on_all(rater, [1], NOW)
    assert not Rating.objects.exists()
    with pytest.raises(Exception, match="never given"):
        vote(rater, 10**9)
