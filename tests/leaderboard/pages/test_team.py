"""The pages of teams, what they show to whom, and the mail that invites."""

import re

import pytest
from django.contrib.auth.models import User
from django.core import mail
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from benchmarks.submissions.models import Submission
from benchmarks.submissions.team_models import LimitRaise, Membership, Team, TeamVerification
from benchmarks.submissions.teams.services import (
    close_team,
    decide_team_verification,
    found_team,
)
from leaderboard.editions import store_boards_as_of
from leaderboard.models import BoardRow
from tests.api_clients import session_client
from tests.conftest import ANSWERS, confirmed, judged, submit


@pytest.fixture
def team(owner) -> Team:
    return found_team(name="The Spellers", by=owner)


def text(reply) -> str:
    return " ".join(re.sub(r"<[^>]+>", " ", reply.content.decode()).split())


def test_a_team_is_founded_on_the_page_and_its_founder_owns_it(owner):
    client = session_client(owner)
    reply = client.post("/teams/", {"name": "The Spellers"})
    assert reply["Location"] == f"/teams/{Team.objects.get().pk}/"
    assert "The Spellers owner 1" in text(client.get("/teams/"))
    again = client.post("/teams/", {"name": "The Spe11ers"})
    assert again.status_code == 422
    assert "easily taken for it" in text(again)


def test_from_invitation_to_membership(team, owner, stranger):
    client = session_client(owner)
    client.post(f"/teams/{team.pk}/invite/", {"email": "Sam@example.org"})
    (message,) = mail.outbox
    assert message.to == ["sam@example.org"]
    assert "The Spellers" in message.subject
    assert "Assay" in message.subject
    link = re.search(r"http://testserver(/teams/join/\S+/)", str(message.body))
    assert link, mail.outbox[0].body
    assert "sam@example.org" in text(client.get(f"/teams/{team.pk}/"))
    visitor = session_client(stranger)
    assert "invites you to the team The Spellers" in text(visitor.get(link[1]))
    assert not Membership.objects.filter(user=stranger).exists()
    assert visitor.post(link[1])["Location"] == f"/teams/{team.pk}/"
    assert Membership.objects.get(user=stranger).role == "member"
    assert visitor.get(link[1]).status_code == 404


def test_who_finds_the_link_does_not_learn_whose_team_it_is(team, owner, stranger):
    session_client(owner).post(f"/teams/{team.pk}/invite/", {"email": "ann@example.org"})
    link = re.search(r"/teams/join/\S+/", str(mail.outbox[0].body))
    assert link, mail.outbox[0].body
    visitor = session_client(stranger)
    page = visitor.get(link[0])
    assert "for another address" in text(page)
    assert "The Spellers" not in text(page)
    assert "ann@example.org" not in text(page)
    assert visitor.post(link[0]).status_code == 422
    assert not Membership.objects.filter(user=stranger).exists()


def test_everybody_sees_name_badge_and_public_entries_and_nobody_else_more(
    client, spelling, team, owner, stranger, admin_user
):
    judged(submit(spelling, owner, team=team, name="Shown"))
    judged(submit(spelling, owner, team=team, name="Kept back", visibility="private"))
    session_client(owner).post(f"/teams/{team.pk}/invite/", {"email": "ann@example.org"})
    decide_team_verification(team=team, is_verified=True, reason="Called them.", by=admin_user)
    for visitor in (client, session_client(stranger)):
        page = text(visitor.get(f"/teams/{team.pk}/"))
        assert "The Spellers verified team" in page
        assert "Called them." in page
        assert "Shown" in page
        for hidden in ("Kept back", "ann@example.org", "Members", f"member {owner.pk}"):
            assert hidden not in page
    assert "ann@example.org" in text(session_client(owner).get(f"/teams/{team.pk}/"))


def test_members_are_cards_on_phones_whose_buttons_have_room(team, owner, stranger):
    Membership.objects.create(team=team, user=stranger)
    page = session_client(owner).get(f"/teams/{team.pk}/").content.decode()
    members = page.partition('id="members"')[2].partition("</table>")[0]
    assert '<table class="ledger cards">' in members
    assert members.count('data-label="Role"') == members.count('data-label="Since"') == 2


def test_a_member_sees_members_and_no_invitation(team, owner, stranger):
    Membership.objects.create(team=team, user=stranger)
    session_client(owner).post(f"/teams/{team.pk}/invite/", {"email": "ann@example.org"})
    page = text(session_client(stranger).get(f"/teams/{team.pk}/"))
    assert f"member {owner.pk}" in page
    assert "ann@example.org" not in page
    assert "Leave the team" in page


def test_the_form_hands_in_for_a_team_of_the_sender_alone(spelling, team, owner, stranger):
    others = found_team(name="Others", by=stranger)
    client = session_client(owner)
    page = client.get("/submit/").content.decode()
    assert "The Spellers" in page
    assert "Others" not in page
    form = {"release": "spelling-1", "model_name": "Speller"}
    token = "6c4d0c0e-4b36-4c09-9a31-3a0e4f7b0d0"
    for number, chosen, status in ((1, others.pk, 422), (2, team.pk, 302)):
        sent = {**form, "team": chosen, "client_token": f"{token}{number}"}
        reply = client.post("/submit/", {**sent, "file": upload()})
        assert reply.status_code == status
    assert Submission.objects.get().team == team


def upload():
    return SimpleUploadedFile("answers.txt", ANSWERS)


def test_who_is_in_no_team_is_not_asked_for_whom(spelling, owner):
    assert "id_team" not in session_client(owner).get("/submit/").content.decode()


def test_the_team_is_named_on_the_board_the_entry_and_the_page_of_its_model(
    client, spelling, team, owner
):
    entry = submit(spelling, owner, team=team)
    judged(entry)
    for address in (f"/entries/{entry.pk}/", f"/models/{entry.model.slug}/"):
        page = text(client.get(address))
        assert "handed in by The Spellers" in page
        assert f"member {owner.pk}" not in page


def test_my_entries_has_those_of_my_teams(spelling, team, owner, stranger):
    Membership.objects.create(team=team, user=stranger)
    submit(spelling, owner, team=team, name="Of us", visibility="private")
    page = text(session_client(stranger).get("/submissions/"))
    assert "Of us" in page
    assert "The Spellers" in page


@pytest.mark.parametrize("number", ["0", "99999999999999999999", "2147483648"])
def test_no_such_team_is_not_found(client, db, owner, number):
    assert client.get(f"/teams/{number}/").status_code == 404
    team = found_team(name="The Spellers", by=owner)
    mine = session_client(owner)
    assert mine.post(f"/teams/{team.pk}/members/{number}/").status_code == 404
    assert mine.post(f"/teams/{team.pk}/invitations/{number}/end/").status_code in (302, 404)


# --- the admin ------------------------------------------------------------------------------------


def test_staff_verify_a_team_and_raise_limits_with_a_reason(client, team, owner, admin_user):
    client.force_login(admin_user)
    add = "/admin/submissions/teamverification/add/"
    wanted = {"team": team.pk, "is_verified": "on"}
    assert "Say why." in text(client.post(add, wanted))
    client.post(add, {**wanted, "reason": "Called them."})
    assert TeamVerification.objects.get().decided_by == admin_user
    team.refresh_from_db()
    assert team.verification == TeamVerification.objects.get()
    add = "/admin/submissions/limitraise/add/"
    wanted = {"submissions_day": 20, "until_0": "2999-01-01", "until_1": "00:00", "reason": "Fair."}
    for whose in ({}, {"team": team.pk, "owner": owner.pk}):
        assert "one of the two" in text(client.post(add, {**wanted, **whose}))
    past = {**wanted, "team": team.pk, "until_0": "2001-01-01"}
    assert "still to come" in text(client.post(add, past))
    client.post(add, {**wanted, "team": team.pk})
    assert LimitRaise.objects.get().decided_by == admin_user
    assert client.get("/admin/submissions/limitraise/").status_code == 200
    assert client.get(f"/admin/submissions/limitraise/{LimitRaise.objects.get().pk}/change/")


# --- the seal -------------------------------------------------------------------------------------


@pytest.fixture
def entry(spelling, owner, team) -> Submission:
    submission = submit(spelling, owner, team=team)
    judged(submission)
    return submission


def seals(client, team: Team, entry: Submission, query: str = "") -> list[int]:
    """On board, entry and model page: how many links lead to the team."""
    pages = [f"/boards/spelling/{query}", f"/entries/{entry.pk}/", f"/models/{entry.model.slug}/"]
    found = [client.get(page).content.decode() for page in pages]
    link = f'href="/teams/{team.pk}/">✓ verified team<span class="sr"> The Spellers</span>'
    return [page.count(link) for page in found]


def decide(team: Team, by, *, is_verified: bool) -> None:
    decide_team_verification(team=team, is_verified=is_verified, reason="Called them.", by=by)


def test_the_seal_stands_where_the_team_does_as_long_as_it_holds(client, team, entry, admin_user):
    assert seals(client, team, entry) == [0, 0, 0]
    decide(team, admin_user, is_verified=True)
    assert seals(client, team, entry) == [1, 1, 1]
    decide(team, admin_user, is_verified=False)
    assert seals(client, team, entry) == [0, 0, 0]


def test_a_stored_board_has_the_seal_once_it_is_stored_anew(client, team, entry, admin_user):
    store_boards_as_of("spelling", now=timezone.now())
    decide(team, admin_user, is_verified=True)
    store_boards_as_of("spelling", now=timezone.now())
    assert BoardRow.objects.latest("pk").verified_team == team.pk
    assert seals(client, team, entry)[0] == 1


def test_a_board_as_it_stood_has_the_seal_of_today(client, team, entry, admin_user):
    store_boards_as_of("spelling", now=timezone.now())
    decide(team, admin_user, is_verified=True)
    day = timezone.now().date().isoformat()
    assert seals(client, team, entry, f"?as_of={day}")[0] == 1


def test_a_closed_team_has_no_seal(client, team, entry, admin_user):
    decide(team, admin_user, is_verified=True)
    close_team(team=team)
    assert seals(client, team, entry) == [0, 0, 0]


def test_the_seal_of_one_team_is_of_no_other(client, spelling, team, entry, stranger, admin_user):
    others = found_team(name="Readers", by=stranger)
    judged(submit(spelling, stranger, b"1=two\n2=x\n3=y\n4=z\n", team=others, name="Other"))
    decide(others, admin_user, is_verified=True)
    assert seals(client, team, entry) == [0, 0, 0]


def test_seals_cost_no_query_a_row(client, spelling, team, entry, admin_user):
    decide(team, admin_user, is_verified=True)
    with CaptureQueriesContext(connection) as one:
        client.get("/boards/spelling/?ranges=all")
    for number in range(3):
        by = confirmed(User.objects.create_user(f"u{number}", f"u{number}@example.org"))
        other = found_team(name=f"Team {'abc'[number] * 9}", by=by)
        decide(other, admin_user, is_verified=True)
        answers = f"1=two\n2=x\n3={number}\n4=z\n".encode()
        judged(submit(spelling, by, answers, team=other, name=f"M {'xyz'[number] * 9}"))
    with CaptureQueriesContext(connection) as four:
        page = client.get("/boards/spelling/?ranges=all").content.decode()
    assert page.count("✓ verified team") == 4
    assert len(four) <= len(one) + 1


# --- places ---------------------------------------------------------------------------------------


def test_members_read_what_is_left_of_the_teams_day(spelling, team, owner, stranger, settings):
    settings.QUOTA_SUBMISSIONS_DAY = 3
    page = f"/teams/{team.pk}/"
    assert "All places of today are left." in text(session_client(owner).get(page))
    submit(spelling, owner, team=team, from_outside=True)
    submit(spelling, owner, name="For nobody", from_outside=True)
    told = f"{spelling.title}: 1 of 3, one more at"
    shown = text(session_client(owner).get(page))
    assert told in shown, shown[shown.index("Owners invite") :]
    assert "one more at" not in text(session_client(stranger).get(page))


def test_without_a_limit_nothing_is_said_of_what_is_left(spelling, team, owner):
    submit(spelling, owner, team=team, from_outside=True)
    assert "left" not in text(session_client(owner).get(f"/teams/{team.pk}/")).partition("Leave")[0]
