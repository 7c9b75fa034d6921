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
from benchmarks.submissions.naming.public_names import team_name
from benchmarks.submissions.team_models import LimitRaise, Membership, Team, TeamVerification
from benchmarks.submissions.teams.services import (
    close_team,
    decide_team_verification,
    found_team,
)
from leaderboard.models import BoardRow
from leaderboard.results.boards.editions import store_boards_as_of
from tests.api_clients import session_client
from tests.conftest import ANSWERS, confirmed, import_spelling, judged, make_owner, submit
from tests.leaderboard.web.pages.shown_text import cells, links, page_at, part, shown
from tests.person import words

NEWER = b"1=two\n2=x\n3=y\n4=z\n"


@pytest.fixture(scope="module")
def made(module_rows) -> None:
    """A team with an owner and a member, Mia, a public entry and a private one."""
    spelling, owner = import_spelling(), make_owner()
    team = found_team(name="The Spellers", by=owner)
    mia = User.objects.create_user("mia", "mia@example.org", "a long enough password")
    Membership.objects.create(team=team, user=confirmed(mia))
    for name, visibility in (("Shown", "public"), ("Kept back", "private")):
        judged(submit(spelling, owner, team=team, name=name, visibility=visibility))


@pytest.fixture
def team(made, db) -> Team:
    return Team.objects.get()


@pytest.fixture
def page(team) -> str:
    return f"/teams/{team.pk}/"


@pytest.fixture
def member(team) -> User:
    return User.objects.get(username="mia")


def decide(team: Team, by: User, *, is_verified: bool = True) -> None:
    decide_team_verification(team=team, is_verified=is_verified, reason="Called <them>.", by=by)


def invited(team: Team, owner: User, address: str) -> str:
    """Where the mail leads to."""
    session_client(owner).post(f"/teams/{team.pk}/invite/", {"email": address})
    (message,) = mail.outbox
    assert message.to == [address.lower()]
    assert message.subject == "[Assay] Join the team The Spellers"
    (link,) = re.findall(r"http://testserver(/teams/join/\S+/)", str(message.body))
    return str(link)


def test_a_team_is_founded_on_the_page_and_its_founder_owns_it(stranger):
    client = session_client(stranger)
    reply = client.post("/teams/", {"name": "Literals"})
    assert reply["Location"] == f"/teams/{Team.objects.latest('pk').pk}/"
    assert cells(part(page_at(client, "/teams/"))) == [["Literals", "owner", "1"]]
    for name in ("kay", "lou"):  # of one role
        Membership.objects.create(
            team=Team.objects.latest("pk"), user=User.objects.create_user(name)
        )
    assert cells(part(page_at(client, "/teams/"))) == [["Literals", "owner", "3"]]
    again = client.post("/teams/", {"name": "L1terals"})
    assert (again.status_code, "easily taken for it" in again.text) == (422, True)


def test_from_invitation_to_membership(team, page, owner, stranger):
    link, visitor = invited(team, owner, "Sam@example.org"), session_client(stranger)
    until = f"{team.invitations.get().expires:%Y-%m-%d %H:%M} UTC"
    assert mail.outbox[0].body.strip() == (
        f"Hello from Assay.\n\nmember {owner.pk} invites you to the team “The Spellers” at Assay. "
        "Members of a team submit answers together, and each can see and manage everything the "
        "team has. To join, sign in with this address and open\n\n"
        f"http://testserver{link}\n\n"
        f"The link works until {until}. If you do not know the team, ignore this email.\n\n"
        "Assay, http://testserver/"
    )
    assert "invites you to the team The Spellers" in shown(visitor, link)
    assert not Membership.objects.filter(user=stranger).exists()
    assert visitor.post(link)["Location"] == page
    assert Membership.objects.get(user=stranger).role == "member"
    assert visitor.get(link).status_code == 404


def test_who_finds_the_link_does_not_learn_whose_team_it_is(team, owner, stranger):
    link, visitor = invited(team, owner, "ann@example.org"), session_client(stranger)
    said = shown(visitor, link)
    assert "for another address" in said
    assert "The Spellers" not in said
    assert "ann@example.org" not in said
    assert visitor.post(link).status_code == 422
    assert not Membership.objects.filter(user=stranger).exists()


def test_everybody_sees_the_public_part_members_each_other_and_owners_what_they_may_do(
    client, team, page, owner, member, stranger, admin_user
):
    invited(team, owner, "ann@example.org")
    decide(team, admin_user)
    today = f"{timezone.now():%Y-%m-%d}"
    public = ["Shown", "Spelling, 4 questions", today]
    me, other = f"member {owner.pk}", f"member {member.pk}"
    until = f"{team.invitations.get().expires:%Y-%m-%d %H:%M}"
    expected = {
        client: [public],
        session_client(stranger): [public],
        session_client(member): [
            public,
            [me, "owner", today],
            [f"{other} you", "member", today],
        ],
        session_client(owner): [
            public,
            [f"{me} you", "owner", today, ""],
            [other, "member", today, f"Make an owner of {other} Remove {other}"],
            ["ann@example.org", until, "Revoke the invitation of ann@example.org"],
        ],
    }
    for visitor, rows in expected.items():
        found = page_at(visitor, page)
        assert cells(part(found)) == rows
        said = words(part(found))
        assert "The Spellers verified team" in said
        assert f"Verified {today} by member {admin_user.pk} (staff): Called <them>." in said
        assert ("Leave the team" in said) is (len(rows) > 1)
    entry = Submission.objects.get(model__name="Shown")
    assert links(part(found))["Shown"] == f"/entries/{entry.pk}/"
    for address in (f"/entries/{entry.pk}/", f"/models/{entry.model.slug}/"):
        said = shown(client, address)
        assert "submitted by The Spellers" in said
        assert me not in said
    mine = cells(part(page_at(session_client(member), "/submissions/")))
    assert [row[0] for row in mine] == ["Kept back", "Shown"]
    assert all("The Spellers" in " ".join(row) for row in mine)


def test_the_form_hands_in_for_a_team_of_the_sender_alone(team, owner, stranger):
    others, client = found_team(name="Others", by=stranger), session_client(owner)
    (choice,) = page_at(client, "/submit/").xpath("//select[@name='team']")
    assert [one.strip() for one in choice.xpath("./option/text()")][1:] == ["The Spellers"]
    alone = confirmed(User.objects.create_user("ann", "ann@example.org"))
    assert not page_at(session_client(alone), "/submit/").xpath("//*[@name='team']")
    form = {"release": "spelling-1", "model_name": "Speller"}
    token = "6c4d0c0e-4b36-4c09-9a31-3a0e4f7b0d0"
    for number, chosen, status in ((1, others.pk, 422), (2, team.pk, 302)):
        file = SimpleUploadedFile("answers.txt", ANSWERS)
        sent = {**form, "team": chosen, "client_token": f"{token}{number}", "file": file}
        assert client.post("/submit/", sent).status_code == status
    assert Submission.objects.get(model__name="Speller").team == team


def test_no_such_team_member_or_invitation_is_not_found(client, page, owner):
    mine = session_client(owner)
    for number in ("0", "99999999999999999999", "2147483648"):
        assert client.get(f"/teams/{number}/").status_code == 404
        assert mine.post(f"{page}members/{number}/").status_code == 404
        assert mine.post(f"{page}invitations/{number}/end/").status_code in (302, 404)


def test_staff_verify_a_team_and_raise_limits_with_a_reason(client, team, owner, admin_user):
    client.force_login(admin_user)
    add = "/admin/submissions/teamverification/add/"
    wanted = {"team": team.pk, "is_verified": "on"}
    assert "Say why." in client.post(add, wanted).text
    client.post(add, {**wanted, "reason": "Called them."})
    team.refresh_from_db()
    assert team.verification == TeamVerification.objects.get(decided_by=admin_user)
    add = "/admin/submissions/limitraise/add/"
    wanted = {"submissions_day": 20, "until_0": "2999-01-01", "until_1": "00:00", "reason": "Fair."}
    for whose in ({}, {"team": team.pk, "owner": owner.pk}):
        assert "one of the two" in client.post(add, {**wanted, **whose}).text
    wanted["team"] = team.pk
    assert "still to come" in client.post(add, {**wanted, "until_0": "2001-01-01"}).text
    client.post(add, wanted)
    raised = LimitRaise.objects.get(decided_by=admin_user)
    for address in ("", f"{raised.pk}/change/"):
        assert client.get(f"/admin/submissions/limitraise/{address}").status_code == 200


# --- the seal -------------------------------------------------------------------------------------


BOARD = "/boards/spelling/"


def seals(client, team: Team, *pages: str) -> list[int]:
    """How many links of each page lead to the team."""
    name = f"✓ verified team {team_name(team)}"
    found = [page_at(client, page).xpath(f"//a[@href='/teams/{team.pk}/']") for page in pages]
    return [sum(words(link) == name for link in there) for there in found]


def test_the_seal_stands_where_the_team_does_as_long_as_it_holds(
    client, team, stranger, admin_user
):
    entry = team.submissions.select_related("model", "release").get(model__name="Shown")
    others = found_team(name="Readers", by=stranger)
    judged(submit(entry.release, stranger, NEWER, team=others, name="Other"))
    decide(others, admin_user)
    store_boards_as_of("spelling", now=timezone.now())
    pages = (BOARD, f"/entries/{entry.pk}/", f"/models/{entry.model.slug}/")
    assert seals(client, team, *pages) == [0, 0, 0]
    decide(team, admin_user)
    as_of = f"{BOARD}?as_of={timezone.now():%Y-%m-%d}"
    assert seals(client, team, *pages, as_of) == [1, 1, 1, 1]
    store_boards_as_of("spelling", now=timezone.now())
    rows = BoardRow.objects.filter(edition__replaced=None)
    assert {row.verified_team for row in rows} == {team.pk, others.pk}
    assert seals(client, team, BOARD) == [1]
    decide(team, admin_user, is_verified=False)
    assert seals(client, team, *pages) == [0, 0, 0]
    decide(team, admin_user)
    close_team(team=team)
    assert seals(client, team, *pages) == [0, 0, 0]


def test_seals_cost_no_query_a_row(client, team, stranger, admin_user):
    counts, release = [], team.submissions.all()[0].release
    decide(team, admin_user)
    for number in range(3):
        with CaptureQueriesContext(connection) as asked:
            page = page_at(client, f"{BOARD}?ranges=all")
        assert words(part(page)).count("✓ verified team") == number + 1
        counts.append(len(asked))
        other = found_team(name=f"Team {'abc'[number] * 9}", by=stranger)
        decide(other, admin_user)
        answers = NEWER.replace(b"y", b"%d" % number)
        judged(submit(release, stranger, answers, team=other, name=f"M {'xyz'[number] * 9}"))
    assert counts[2] <= counts[0] + 1


# --- places ---------------------------------------------------------------------------------------


def test_members_read_what_is_left_of_the_teams_day(team, page, owner, stranger, settings):
    mine, release = session_client(owner), team.submissions.all()[0].release
    assert "left" not in shown(mine, page).partition("Leave")[0]
    settings.QUOTA_SUBMISSIONS_DAY = 3
    assert "Today’s limit is unused." in shown(mine, page)
    submit(release, owner, team=team, from_outside=True)
    submit(release, owner, name="For nobody", from_outside=True)
    assert f"{release.title}: 1 of 3, one more at" in shown(mine, page)
    assert "one more at" not in shown(session_client(stranger), page)
