"""Letters that a database without regard to case takes for others: as of Rosa's address and of one
that only looks like it. On PostgreSQL UPPER() makes the same of both."""

from datetime import timedelta
from itertools import product

import pytest
from allauth.account.models import EmailAddress
from django.contrib.auth.models import User
from django.core import mail
from django.core.management import CommandError, call_command
from django.test import Client, RequestFactory
from django.urls import reverse
from django.utils import timezone

from benchmarks.submissions.management.commands.submit import find_user
from benchmarks.submissions.naming.addresses import NOT_ASCII
from benchmarks.submissions.team_models import Invitation
from benchmarks.submissions.teams.services import found_team, invite, is_invited
from judging.panel.studies.raters import Invitee, accounts_of, invite_people
from leaderboard.people.accounts.holders import confirm_address, drop_claims, hand_over
from leaderboard.people.accounts.services import ensure_admin
from leaderboard.people.accounts.sign_in import COOKIE, browser_mark, known_browser
from leaderboard.people.staff.invitations import invite_person, make_account
from tests.api_clients import session_client
from tests.conftest import confirmed
from tests.judging.panel.study_world import spelled, study_of, words
from tests.other_site import ROSA, through

PAIRS = {
    "dotless i": ("admin@mail.org", "admin@ma\N{LATIN SMALL LETTER DOTLESS I}l.org"),
    "long s": ("rosa@mail.org", "ro\N{LATIN SMALL LETTER LONG S}a@mail.org"),
    "Kelvin sign": ("kim@mail.org", "\N{KELVIN SIGN}im@mail.org"),
}
LIKE = [like for _, like in PAIRS.values()]
PASSWORD = "a password of the stranger"


@pytest.fixture(params=PAIRS)
def pair(request, db) -> tuple[str, str]:
    return PAIRS[request.param]


def stranger_of(email: str, *, is_confirmed: bool = True) -> User:
    user = confirmed(User.objects.create_user("stranger", email, PASSWORD))
    EmailAddress.objects.update(verified=is_confirmed)
    return user


# --- nobody's account is that of somebody whose address looks like theirs -------------------------


@pytest.mark.parametrize("is_confirmed", [False, True])
def test_whose_address_only_looks_like_it_is_no_admin_and_no_file_is_handed_in_for_them(
    pair, is_confirmed
):
    email, like = pair
    stranger = stranger_of(like, is_confirmed=is_confirmed)
    with pytest.raises(CommandError, match="There is no account"):
        find_user(email)
    ensure_admin(email=email)
    assert User.objects.get(is_superuser=True).email == email
    assert EmailAddress.objects.get(email=like).user == stranger


@pytest.mark.parametrize("is_confirmed", [False, True])
def test_whose_address_only_looks_like_it_is_not_among_staff(pair, is_confirmed):
    email, like = pair
    stranger = stranger_of(like, is_confirmed=is_confirmed)
    boss = User.objects.create_superuser("boss", "boss@mail.org")
    made = invite_person(email=email, groups=["reviewers"], by=boss)
    assert make_account(invitation=made, name="", password="a password of mine") != stranger
    assert not stranger.groups.exists()


def test_a_claim_of_what_only_looks_like_the_address_stays(pair):
    email, like = pair
    stranger = confirmed(User.objects.create_user("stranger", "stranger@mail.org"))
    EmailAddress.objects.create(user=stranger, email=like)
    drop_claims(email)
    confirm_address(user=User.objects.create_user("rosa", email), email=email)
    assert EmailAddress.objects.filter(email=like).exists()


def test_an_address_that_only_looks_like_the_holders_ends(pair):
    email, like = pair
    user = User.objects.create_user("rosa", email)
    EmailAddress.objects.create(user=user, email=like)
    hand_over(user=user)
    assert not EmailAddress.objects.exists()


def test_an_address_that_only_looks_like_the_first_one_is_first_no_more(pair):
    email, like = pair
    confirm_address(user=stranger_of(like, is_confirmed=False), email=email)
    assert EmailAddress.objects.get(primary=True).email == email


def test_whose_address_only_looks_like_the_invited_one_is_let_into_no_team(pair):
    email, like = pair
    stranger = stranger_of(like)
    founder = confirmed(User.objects.create_user("ann", "ann@mail.org"))
    team = found_team(name="Lab", by=founder)
    later = timezone.now() + timedelta(days=1)
    earlier = Invitation.objects.create(
        team=team, email=like, digest="x", invited_by=founder, expires=later
    )
    made = invite(team=team, email=email, by=founder)
    assert not is_invited(stranger, made)
    earlier.refresh_from_db()
    assert earlier.ended is None


def test_whose_address_only_looks_like_a_raters_is_another_person(pair):
    email, like = pair
    stranger = stranger_of(like)
    study = study_of([spelled(words(6), stranger)], raters=0)
    assert len(invite_people(study=study, people=[Invitee("Rosa", email)], by=stranger)) == 1
    assert accounts_of(study, {email}) == set()


def test_a_browser_of_another_account_is_not_known(pair):
    email, like = pair
    request = RequestFactory().get("/")
    request.COOKIES[COOKIE] = browser_mark(stranger_of(like))
    assert known_browser(request, like)
    assert not known_browser(request, email)


def test_a_file_is_handed_in_for_who_confirmed_the_address_alone(owner):
    assert find_user("ROSA@example.org") == find_user("rosa") == owner
    EmailAddress.objects.update(verified=False)
    with pytest.raises(CommandError, match="There is no account"):
        find_user(ROSA)


# --- nobody gives such an address -----------------------------------------------------------------


def test_forms_and_the_terminal_refuse_it_in_words(owner, settings):
    settings.STAFF_SECOND_FACTOR = False
    User.objects.update(is_staff=True, is_superuser=True)
    team, mine = found_team(name="Lab", by=owner), session_client(owner)
    forms: tuple[tuple[Client, str, dict[str, str]], ...] = (
        (Client(), "/accounts/signup/", {"password1": PASSWORD, "password2": PASSWORD}),
        (Client(), "/accounts/password/reset/", {}),
        (mine, "/accounts/email/", {"action_add": ""}),
        (mine, "/admin/leaderboard/personinvitation/add/", {"groups": "reviewers"}),
        (mine, reverse("team-invite", args=[team.pk]), {}),
    )
    umlaut = "rosa@m\N{LATIN SMALL LETTER U WITH DIAERESIS}nchen.org"
    asked = [*product([*LIKE[:2], umlaut], forms), (LIKE[2], forms[-1])]  # others make it a plain k
    for like, (client, path, names) in asked:
        assert NOT_ASCII in client.post(path, {"email": like, **names}).text, (path, ascii(like))
    for like in LIKE:
        with pytest.raises(CommandError, match="letters a to z only"):
            call_command("create_admin", like)
    assert mail.outbox == []
    assert not EmailAddress.objects.exclude(user=owner).exists()
    assert not Invitation.objects.exists()


@pytest.mark.parametrize("by", ["openid", "github"])
@pytest.mark.parametrize("told", [LIKE[2], LIKE[0]])
def test_of_such_an_address_another_site_is_not_believed(elsewhere, by, told):
    elsewhere.person.update(id=7, login="kim", email=told)
    elsewhere.emails = [{"email": told, "primary": True, "verified": True}]
    client = Client()
    page = client.get(through(client, by)["Location"]).text
    assert ".org" not in page.partition("<main")[2].partition("</main>")[0]
    client.post("/accounts/other-sites/new/", {"email": told.lower()})
    assert not EmailAddress.objects.filter(verified=True).exists()
