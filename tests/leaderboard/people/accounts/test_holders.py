"""An account that changes hands: no way in of whoever made it opens it afterwards.

A stranger signs up with somebody else's address, and never confirms it. Every way in that such a
stranger can have is tried again after every way by which the account becomes the other person's and
gains power; and that person enters.
"""

import re
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from itertools import product
from typing import Any
from urllib.parse import quote

import pytest
from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from allauth.mfa.recovery_codes.internal.auth import RecoveryCodes
from allauth.mfa.totp.internal.auth import TOTP, format_hotp_value, hotp_value
from allauth.socialaccount.models import SocialAccount, SocialLogin
from allauth.usersessions.models import UserSession
from django.contrib.auth.hashers import make_password
from django.contrib.auth.models import Group, Permission, User
from django.core import mail
from django.core.exceptions import PermissionDenied
from django.core.management import call_command
from django.db import IntegrityError
from django.test import Client
from django.utils import timezone

from benchmarks.submissions.models import AccessToken
from benchmarks.submissions.team_models import Invitation, Membership, Team
from benchmarks.submissions.teams.services import TeamRefusedError, found_team, invite
from leaderboard.models.invitations import PersonInvitation
from leaderboard.models.notices import Webhook
from leaderboard.people.accounts.holders import WAYS_IN
from leaderboard.people.accounts.services import (
    DEMO_ACCOUNTS,
    delete_account,
    demo_email,
    ensure_demo_accounts,
)
from leaderboard.people.accounts.sign_in import COOKIE, AccountAdapter, browser_mark
from leaderboard.people.staff.invitations import invite_person
from tests.api_clients import session_client, token_client
from tests.conftest import confirmed, submit
from tests.other_site import LOGINS, ROSA, OtherSite, through
from tests.slow import slow_except, slow_except_every

STRANGERS, HOLDERS = "a password of the stranger", "a password of the holder"
SECRET = "JBSWY3DPEHPK3PXP"
PEOPLE: dict[
    str, dict[str, Any]
] = {  # as each site tells of the stranger, who has no address there that it is sure of
    "github": {"id": 7, "login": "stranger"},
    "openid": {"sub": "7f", "preferred_username": "stranger"},
    "orcid": {"orcid-identifier": {"path": "0000-0002-1825-0097"}},
}


@dataclass
class World:
    """`email` is the holder's address. `stranger` is the browser in which the account was made."""

    elsewhere: OtherSite
    capsys: pytest.CaptureFixture[str]
    email: str = ROSA
    stranger: Client = field(default_factory=Client)

    @property
    def user(self) -> User:
        return User.objects.get(email=self.email)

    @cached_property
    def desk(self) -> Client:
        """Of an admin, who has a second factor."""
        boss = User.objects.create_superuser("boss", "boss@example.org", HOLDERS)
        TOTP.activate(confirmed(boss), SECRET)
        client = sign_in(boss.email, HOLDERS)
        client.post("/accounts/2fa/authenticate/", {"code": code_of_now()})
        return client


@pytest.fixture
def world(elsewhere, capsys) -> World:
    elsewhere.emails = []
    return World(elsewhere, capsys)


def link_of(kind: str) -> str:
    """In the newest mail of this kind."""
    found = re.findall(
        rf"http://testserver(/\S*{kind}/\S+/)", "\n".join(str(one.body) for one in mail.outbox)
    )
    return str(found[-1])


def sign_in(email: str, password: str, client: Client | None = None) -> Client:
    client = client or Client()
    client.post("/accounts/login/", {"login": email, "password": password})
    return client


def choose_password(link: str, password: str, client: Client | None = None) -> Client:
    """By the link of a mail, or to which a page led."""
    client = client or Client()
    page = client.get(link, follow=True)
    path = page.redirect_chain[-1][0] if page.redirect_chain else link
    client.post(path, {"password1": password, "password2": password})
    return client


def code_of_now() -> str:
    return str(format_hotp_value(hotp_value(SECRET, int(time.time()) // 30)))


def opens(client: Client, user: User) -> bool:
    if "HTTP_AUTHORIZATION" in client.defaults:
        return client.get("/api/v1/submissions/").status_code == 200
    is_page = client.get("/accounts/").status_code == 200
    return is_page and client.session["_auth_user_id"] == str(user.pk)


# --- what the stranger has ------------------------------------------------------------------------


def sign_up(world: World) -> User:
    form = {"email": world.email, "password1": STRANGERS, "password2": STRANGERS}
    world.stranger.post("/accounts/signup/", form)
    return world.user


def password(world: World) -> Callable[[], Client]:
    sign_up(world)
    return lambda: sign_in(world.email, STRANGERS)


def other_site(by: str) -> Callable[[World], Callable[[], Client]]:
    def come_from_there(world: World) -> Client:
        world.elsewhere.person = dict(PEOPLE[by])
        client = Client()
        through(client, by)
        return client

    def prepare(world: World) -> Callable[[], Client]:
        world.stranger = come_from_there(world)
        world.stranger.post("/accounts/other-sites/new/", {"email": world.email})
        assert SocialAccount.objects.get().user == world.user
        return lambda: come_from_there(world)

    return prepare


def token(world: World) -> Callable[[], Client]:
    client = token_client(sign_up(world), "publish")
    return lambda: client


def session(world: World) -> Callable[[], Client]:
    client = session_client(sign_up(world))
    return lambda: client


def remembered_browser(world: World) -> Callable[[], Client]:
    client = Client()
    client.cookies[COOKIE] = browser_mark(sign_up(world))
    return lambda: sign_in(world.email, STRANGERS, client)


def reset_link(world: World) -> Callable[[], Client]:
    sign_up(world)
    Client().post("/accounts/password/reset/", {"email": world.email})
    link = link_of("password/reset/key")
    return lambda: sign_in(world.email, STRANGERS * 2, choose_password(link, STRANGERS * 2))


def confirmation_link(world: World) -> Callable[[], Client]:
    sign_up(world)
    link = link_of("confirm-email")

    def enter() -> Client:
        world.stranger.post(link)
        return sign_in(world.email, STRANGERS, world.stranger)

    return enter


def factor(world: World) -> Callable[[], Client]:
    user = sign_up(world)
    TOTP.activate(user, SECRET)
    return lambda: with_code(world, code_of_now())


def recovery_code(world: World) -> Callable[[], Client]:
    user = sign_up(world)
    TOTP.activate(user, SECRET)
    (code, *_) = RecoveryCodes.activate(user).generate_codes()
    return lambda: with_code(world, code)


def with_code(world: World, code: str) -> Client:
    client = sign_in(world.email, STRANGERS)
    client.post("/accounts/2fa/authenticate/", {"code": code})
    return client


def passkey(world: World) -> Callable[[], Client]:
    """No page takes one here; one that stayed would keep the holder out."""
    user = sign_up(world)
    Authenticator.objects.create(user=user, type=Authenticator.Type.WEBAUTHN, data={})
    return lambda: sign_in(world.email, STRANGERS)


WAYS: dict[str, Callable[[World], Callable[[], Client]]] = {
    "password": password,
    **{by: other_site(by) for by in LOGINS},
    "token": token,
    "session": session,
    "remembered browser": remembered_browser,
    "link to a new password": reset_link,
    "link that confirms": confirmation_link,
    "factor": factor,
    "recovery code": recovery_code,
    "passkey": passkey,
}


@pytest.mark.parametrize("way", sorted(WAYS.keys() - {"passkey"}))
def test_each_way_in_is_one_as_long_as_nothing_ends_it(world, way):
    """Or the tests below would see closed doors where there are none."""
    enter = WAYS[way](world)
    if way != "link that confirms":
        EmailAddress.objects.update(verified=True)
    assert opens(enter(), world.user)


# --- how the account becomes the holder's, and gains power ----------------------------------------


def invitation(world: World) -> str:
    form = {"email": world.email, "groups": ["reviewers"]}
    world.desk.post("/admin/leaderboard/personinvitation/add/", form)
    return link_of("accounts/invitation")


def reset(world: World) -> Client:
    """A new password by mail; then the address is confirmed in the same browser."""
    client = Client()
    client.post("/accounts/password/reset/", {"email": world.email})
    choose_password(link_of("password/reset/key"), HOLDERS, client)
    sign_in(world.email, HOLDERS, client)
    client.post(link_of("confirm-email"))
    return sign_in(world.email, HOLDERS, client)


def confirm_elsewhere(world: World) -> Client:
    """In a browser that did not make the account, which leads to a new password."""
    client = Client()
    reply = client.post(link_of("confirm-email"))
    choose_password(reply["Location"], HOLDERS, client)
    return sign_in(world.email, HOLDERS, client)


def confirmed_by_staff(world: World) -> Client:
    address = EmailAddress.objects.get(email=world.email)
    step = f"/admin/account/emailaddress/{address.pk}/step/confirm/"
    world.desk.post(step, {"confirmed": "yes", "reason": "Mail does not reach them."})
    form = {"password1": HOLDERS, "password2": HOLDERS, "usable_password": "true"}
    world.desk.post(f"/admin/auth/user/{world.user.pk}/password/", form)
    return sign_in(world.email, HOLDERS)


def password_of_staff(world: World) -> Client:
    """Who is then asked to confirm the address, and does in the same browser."""
    form = {"password1": HOLDERS, "password2": HOLDERS, "usable_password": "true"}
    world.desk.post(f"/admin/auth/user/{world.user.pk}/password/", form)
    client = sign_in(world.email, HOLDERS)
    client.post(link_of("confirm-email"))
    return sign_in(world.email, HOLDERS, client)


def new_account_invited(world: World) -> Client:
    client = Client()
    client.get(invitation(world))
    client.post("/accounts/invitation/", {"name": "", "password": HOLDERS, "again": HOLDERS})
    return client


def account_invited(world: World) -> Client:
    client = reset(world)
    join_staff(client, world)
    return client


def join_staff(client: Client, world: World) -> None:
    client.get(invitation(world))
    client.post("/accounts/invitation/")


def join_team(client: Client, world: World) -> None:
    founder = confirmed(User.objects.create_user("ann", "ann@example.org"))
    made = invite(team=found_team(name="Lab", by=founder), email=world.email, by=founder)
    client.post(f"/teams/join/{made.key}/")


def made_admin(world: World) -> Client:
    world.capsys.readouterr()
    call_command("create_admin", world.email)
    said = world.capsys.readouterr().out
    return sign_in(world.email, said.partition("Password: ")[2].split()[0])


def made_demo_account(world: World) -> Client:
    return sign_in(world.email, ensure_demo_accounts()[world.email])


def let_into_team(world: World) -> Client:
    client = confirm_elsewhere(world)
    join_team(client, world)
    return client


def owner_of_team(world: World) -> Client:
    client = let_into_team(world)
    (team,) = Membership.objects.filter(user=world.user)
    founder = session_client(User.objects.get(username="ann"))
    founder.post(f"/teams/{team.team_id}/members/{world.user.pk}/", {"role": "owner"})
    return client


def given_rights(**rights: Any) -> Callable[[World], Client]:
    """Refused as long as nobody confirmed the address."""

    def give(world: World) -> Client:
        groups = Group.objects.filter(name__in=rights.get("groups", ()))
        form = {**rights, "groups": [group.pk for group in groups]}
        page = f"/admin/auth/user/{world.user.pk}/change/"
        reply = world.desk.post(page, form)
        assert "The e-mail address of this account is not confirmed" in reply.text
        assert not is_admin(world.user)
        assert not world.user.groups.exists()
        client = reset(world)
        assert world.desk.post(page, form).status_code == 302
        return client

    return give


def is_plain(user: User) -> bool:
    return not user.is_staff


def is_staff(user: User) -> bool:
    return user.is_staff and user.groups.filter(name="reviewers").exists()


def is_admin(user: User) -> bool:
    return user.is_staff and user.is_superuser


def is_member(user: User) -> bool:
    return Membership.objects.filter(user=user, role="member").exists()


def is_owner(user: User) -> bool:
    return Membership.objects.filter(user=user, role="owner").exists()


GAINS: dict[str, tuple[Callable[[World], Client], Callable[[User], bool]]] = {
    "a new password": (reset, is_plain),
    "confirmed in another browser": (confirm_elsewhere, is_plain),
    "confirmed by staff": (confirmed_by_staff, is_plain),
    "given a password by staff": (password_of_staff, is_plain),
    "invited": (new_account_invited, is_staff),
    "invited, and signed in": (account_invited, is_staff),
    "made admin at the terminal": (made_admin, is_admin),
    "made the admin of a demo": (made_demo_account, is_admin),
    "let into a team": (let_into_team, is_member),
    "made owner of a team": (owner_of_team, is_owner),
    "put into a group": (given_rights(groups=["reviewers"]), is_staff),
    "made admin by staff": (given_rights(is_superuser="on"), is_admin),
}


def is_quick(cell: tuple[str, str, bool]) -> bool:
    """Each gain with one way where staff need a factor, and with another one where they do not, so
    that each way is there as often."""
    gain, way, asks_for_factor = cell
    place = [*GAINS].index(gain) + [*WAYS].index(way)
    return place % len(WAYS) == (5 if asks_for_factor else 0)


@pytest.mark.parametrize(
    ("gain", "way", "asks_for_factor"),
    slow_except(product(GAINS, WAYS, (False, True)), is_quick),
)
def test_who_made_the_account_has_no_way_in_and_its_holder_has(
    world, settings, gain, way, asks_for_factor
):
    settings.STAFF_SECOND_FACTOR = asks_for_factor
    named_for(gain, world)
    enter = WAYS[way](world)
    made = world.user.pk
    become_the_holders, has_power = GAINS[gain]
    holder = become_the_holders(world)
    assert world.user.pk == made
    assert has_power(world.user)
    assert opens(holder, world.user)
    assert not opens(enter(), world.user)
    reply = holder.get("/admin/", follow=True)
    is_led_to_factor = asks_for_factor and world.user.is_staff
    assert reply.status_code == (200 if world.user.is_staff else 403)
    assert ("/2fa/totp/activate/" in str(reply.redirect_chain)) == is_led_to_factor


# --- what is under way while the account becomes the holder's -------------------------------------


def just_before(monkeypatch, owner: Any, name: str, happens: Callable[[], Any]) -> None:
    """What else happens once before the next call of this function, whose arguments were read."""
    real = getattr(owner, name)

    def late(*args: Any, **options: Any) -> Any:
        monkeypatch.setattr(owner, name, real)
        happens()
        return real(*args, **options)

    monkeypatch.setattr(owner, name, late)


def named_for(gain: str, world: World) -> None:
    if gain == "made the admin of a demo":
        world.email = demo_email("admin")


@pytest.mark.parametrize(("gain", "by"), slow_except_every(7, product(GAINS, LOGINS)))
def test_a_sign_in_by_another_site_under_way_brings_no_connection_back(
    world, monkeypatch, gain, by
):
    named_for(gain, world)
    enter = other_site(by)(world)
    become_the_holders, has_power = GAINS[gain]
    just_before(monkeypatch, SocialAccount, "save", lambda: become_the_holders(world))
    stranger = Client()
    reply = through(stranger, by)
    assert reply.status_code == 401
    assert "socialaccount/authentication_error.html" in [one.name for one in reply.templates]
    assert not SocialAccount.objects.exists()
    assert has_power(world.user)
    assert not opens(stranger, world.user)
    assert not opens(enter(), world.user)


def test_a_sign_in_by_another_site_under_way_does_not_connect_it_again(world, monkeypatch, settled):
    world.elsewhere.person = dict(PEOPLE["github"])
    owner = sign_in(ROSA, "a long enough password", session_client(settled))
    owner.post("/accounts/reauthenticate/", {"password": "a long enough password"})
    row = SocialAccount.objects.get()
    just_before(
        monkeypatch,
        SocialAccount,
        "save",
        lambda: owner.post("/accounts/other-sites/", {"account": row.pk}),
    )
    stranger = Client()
    assert through(stranger, "github").status_code == 401
    assert not SocialAccount.objects.exists()
    assert not opens(stranger, settled)


@pytest.mark.parametrize("gain", slow_except_every(5, GAINS))
def test_a_new_password_under_way_is_not_set_over_the_holders(world, monkeypatch, gain):
    named_for(gain, world)
    enter = reset_link(world)
    become_the_holders, has_power = GAINS[gain]
    just_before(monkeypatch, AccountAdapter, "set_password", lambda: become_the_holders(world))
    stranger = enter()
    assert not opens(stranger, world.user)
    assert not opens(sign_in(world.email, STRANGERS * 2), world.user)
    assert has_power(world.user)


@pytest.mark.parametrize("form", ["/accounts/signup/", "/accounts/other-sites/new/"])
def test_an_account_is_made_whole_or_not_at_all(world, monkeypatch, form):
    """Or it could be handed over before the last of it, the connection, is there."""

    def break_off(*args: Any, **options: Any) -> None:
        raise RuntimeError("the process ends here")

    monkeypatch.setattr(EmailAddress, "save", break_off)
    world.elsewhere.person = dict(PEOPLE["github"])
    through(world.stranger, "github")
    with pytest.raises(RuntimeError):
        world.stranger.post(
            form, {"email": world.email, "password1": STRANGERS, "password2": STRANGERS}
        )
    assert not User.objects.exists()
    assert not SocialAccount.objects.exists()


def test_a_code_after_the_password_became_another_one_opens_nothing(settled):
    Authenticator.objects.all().delete()
    TOTP.activate(settled, SECRET)
    client = sign_in(ROSA, "a long enough password")
    settled.set_password(HOLDERS)
    settled.save()
    reply = client.post("/accounts/2fa/authenticate/", {"code": code_of_now()}, follow=True)
    assert "The password of this account has been changed in the meantime." in reply.text
    assert not opens(client, settled)


def test_connecting_another_site_keeps_a_password_that_was_chosen_meanwhile(
    world, monkeypatch, owner
):
    client = sign_in(ROSA, "a long enough password")
    client.post("/accounts/reauthenticate/", {"password": "a long enough password"})
    world.elsewhere.person = dict(PEOPLE["github"])
    chosen = make_password(HOLDERS)
    just_before(monkeypatch, SocialLogin, "connect", lambda: User.objects.update(password=chosen))
    through(client, "github", "?process=connect")
    assert SocialAccount.objects.get().user == owner
    assert User.objects.get().password == chosen


ALLAUTHS = {
    relation.related_model
    for relation in User._meta.related_objects
    if relation.related_model.__module__.startswith("allauth.")
}


def test_no_row_of_an_account_is_saved_once_it_is_deleted(owner):
    options: tuple[dict[str, Any], ...] = ({}, {"update_fields": ["user"]})
    for model, more in product(ALLAUTHS, options):
        rows = model._default_manager
        row: Any = rows.filter(user=owner).first() or model(user=owner)
        for name, value in (("ip", "127.0.0.1"), ("data", {})):
            if hasattr(row, name):
                setattr(row, name, value)
        row.save()
        rows.all().delete()
        with pytest.raises(PermissionDenied):
            row.save(**more)
        assert not rows.exists()


def test_a_fault_of_the_database_is_no_row_that_is_gone(owner):
    EmailAddress.objects.create(user=owner, email="b@example.org")
    row = EmailAddress.objects.get(email="b@example.org")
    row.email = ROSA
    with pytest.raises(IntegrityError):
        row.save()


# --- what ends, and what its holder is told -------------------------------------------------------


def told() -> list[str]:
    """The lines of the mails that say what ended."""
    mails = [str(one.body) for one in mail.outbox if "Earlier sign-in details" in one.subject]
    return [line for body in mails for line in body.splitlines() if line.startswith("- ")]


def test_all_that_acts_for_who_made_the_account_ends_and_is_told(world, spelling):
    prepare = other_site("github")
    prepare(world)
    user, now = world.user, timezone.now()
    TOTP.activate(user, SECRET)
    token_client(user, "read")
    UserSession.objects.create(user=user, ip="127.0.0.1", session_key="x", user_agent="")
    Webhook.objects.create(owner=user, url="https://example.org/", secret="x")
    EmailAddress.objects.create(user=user, email="stranger@example.org")
    Invitation.objects.create(
        team=Team.objects.create(), email="a@example.org", digest="x", invited_by=user, expires=now
    )
    invite_person(email="b@example.org", groups=["raters"], by=user)
    draft = submit(spelling, user, visibility="private", confirm=False)
    reset(world)
    draft.refresh_from_db()
    assert draft.withdrawn
    assert not SocialAccount.objects.exists()
    assert not AccessToken.objects.valid(now).exists()
    assert not PersonInvitation.objects.filter(ended=None).exists()
    assert told() == [
        "- 1 connection to another site",
        "- 1 second factor",
        "- 1 signed-in browser",
        "- 1 API token",
        "- 1 webhook",
        "- 1 invitation to a team",
        "- 1 invitation of a person",
        "- 1 unconfirmed file",
        "- 1 other address",
    ]
    (message,) = (one for one in mail.outbox if "Earlier sign-in details" in one.subject)
    assert message.to == [world.email]


def test_whatever_allauth_keeps_of_an_account_is_among_what_ends():
    assert ALLAUTHS - {EmailAddress} <= {way.model for way in WAYS_IN}


@pytest.mark.parametrize(
    ("way", "become_the_holders", "sentences"),
    [
        ("password", reset, []),  # a new one is in its place
        ("password", confirm_elsewhere, ["- the password"]),
        ("github", confirm_elsewhere, ["- 1 connection to another site"]),
    ],
)
def test_what_was_there_and_ended_is_told_and_nothing_else(
    world, way, become_the_holders, sentences
):
    WAYS[way](world)
    become_the_holders(world)
    assert told() == sentences


def test_who_confirms_in_the_browser_of_the_sign_up_keeps_everything(world):
    prepare = other_site("orcid")
    enter = prepare(world)
    world.stranger.post(link_of("confirm-email"))
    assert opens(enter(), world.user)
    assert told() == []


def test_a_browser_that_gave_an_earlier_password_is_not_that_of_the_account(world):
    sign_up(world)
    Client().post("/accounts/password/reset/", {"email": world.email})
    choose_password(link_of("password/reset/key"), HOLDERS)
    reply = world.stranger.post(link_of("confirm-email"))
    assert "/password/reset/key/" in reply["Location"]


# --- a confirmed account never changes hands ------------------------------------------------------


def kept(user: User) -> list[int]:
    return [
        SocialAccount.objects.filter(user=user).count(),
        Authenticator.objects.filter(user=user).count(),
        AccessToken.objects.filter(owner=user, revoked=None).count(),
        Webhook.objects.filter(owner=user).count(),
    ]


@pytest.fixture
def settled(owner: User) -> User:
    """Rosa, who has set up everything."""
    SocialAccount.objects.create(user=owner, provider="github", uid="7")
    Authenticator.objects.create(user=owner, type="totp", data={"secret": SECRET})
    token_client(owner, "read")
    Webhook.objects.create(owner=owner, url="https://example.org/", secret="x")
    return owner


def become_admin(client: Client, world: World) -> None:
    call_command("create_admin", world.email)


def be_given_a_group(client: Client, world: World) -> None:
    form = {"groups": [Group.objects.get(name="reviewers").pk]}
    world.desk.post(f"/admin/auth/user/{world.user.pk}/change/", form)


def add_an_address(client: Client, world: World) -> None:
    client.post("/accounts/email/", {"email": "new@example.org", "action_add": ""})
    client.post(link_of("confirm-email"))
    client.post("/accounts/email/", {"email": "new@example.org", "action_primary": ""})
    assert EmailAddress.objects.get(email="new@example.org").primary
    world.email = "new@example.org"


def reset_by_mail(client: Client, world: World) -> None:
    client.post("/accounts/password/reset/", {"email": world.email})
    choose_password(link_of("password/reset/key"), HOLDERS)


def reset_at_the_terminal(client: Client, world: World) -> None:
    call_command("create_admin", world.email, "--reset-password")


@pytest.mark.parametrize(
    ("change", "has_new_password"),
    [
        *((each, False) for each in (join_staff, join_team, become_admin)),
        *((each, False) for each in (be_given_a_group, add_an_address)),
        *((each, True) for each in (reset_by_mail, reset_at_the_terminal)),
    ],
)
def test_who_has_a_confirmed_address_loses_nothing_but_tokens_by_a_new_password(
    world, settled, change, has_new_password
):
    client = session_client(settled)
    if change is add_an_address:  # which allauth refuses beside a factor
        Authenticator.objects.all().delete()
    before = kept(settled)
    change(client, world)
    settled.refresh_from_db()
    assert opens(client, settled) is not has_new_password
    assert settled.check_password("a long enough password") is not has_new_password
    before[2] -= has_new_password
    assert kept(settled) == before
    assert told() == []


# --- addresses that an account only claims --------------------------------------------------------


@pytest.fixture
def claimed(world, stranger) -> Client:
    """Sam has added Rosa's address to an account of his own."""
    client = session_client(stranger)
    client.post("/accounts/email/", {"email": ROSA, "action_add": ""})
    assert not EmailAddress.objects.get(email=ROSA).verified
    return client


def test_who_reads_the_mail_does_not_confirm_for_an_account_of_somebody_else(claimed, stranger):
    link = link_of("confirm-email")
    Client().post("/accounts/password/reset/", {"email": ROSA})
    assert "No Assay account for this address" in mail.outbox[-1].subject
    reply = Client().post(link)
    assert reply["Location"] == f"/accounts/login/?next={quote(link, safe='')}"
    assert not EmailAddress.objects.get(email=ROSA).verified
    claimed.post(link)
    assert EmailAddress.objects.get(email=ROSA).verified


@pytest.mark.parametrize("by", ["password", "openid"])
def test_a_claimed_address_is_free_for_its_owner(claimed, world, stranger, by):
    WAYS[by](world)
    assert world.user != stranger
    assert EmailAddress.objects.filter(email=ROSA, user=world.user).exists()


def test_a_form_that_anybody_may_send_takes_no_claim_away(claimed, stranger):
    """Passwords that differ: no account is made."""
    form = {"email": ROSA, "password1": "a long enough password", "password2": "another one"}
    Client().post("/accounts/signup/", form)
    assert EmailAddress.objects.filter(email=ROSA, user=stranger).exists()


def test_a_claim_ends_with_the_address_confirmed_as_another_accounts(claimed, world):
    call_command("create_admin", ROSA)
    assert EmailAddress.objects.get(email=ROSA).user == world.user


def test_an_invitation_makes_nobody_elses_account_the_holders(world, stranger):
    """Sam's account has kept an address that he never confirmed beside the one that he did."""
    User.objects.filter(pk=stranger.pk).update(email=ROSA)
    holder = new_account_invited(world)
    assert EmailAddress.objects.get(email=ROSA).user != stranger
    assert not opens(holder, stranger)
    assert stranger.check_password("a long enough password")


# --- accounts that are deleted, and names of demo accounts ----------------------------------------


@pytest.mark.parametrize("way", sorted(WAYS.keys() - {"passkey", "link that confirms"}))
def test_whoever_has_a_deleted_accounts_address_next_is_alone_in_it(world, way):
    enter = WAYS[way](world)
    EmailAddress.objects.update(verified=True)
    delete_account(user=world.user)
    sign_in_again = Client()
    form = {"email": world.email, "password1": HOLDERS, "password2": HOLDERS}
    sign_in_again.post("/accounts/signup/", form)
    sign_in_again.post(link_of("confirm-email"))
    holder = sign_in(world.email, HOLDERS, sign_in_again)
    assert opens(holder, world.user)
    assert not opens(enter(), world.user)


def test_a_link_to_a_new_password_ends_with_the_address_it_was_mailed_to(world, owner):
    client = session_client(owner)
    Client().post("/accounts/password/reset/", {"email": ROSA})
    link = link_of("password/reset/key")
    add_an_address(client, world)
    client.post("/accounts/email/", {"email": ROSA, "action_remove": ""})
    assert not opens(sign_in(world.email, STRANGERS, choose_password(link, STRANGERS)), owner)


def test_no_demo_account_is_that_of_somebody_who_took_its_name(db):
    taken = confirmed(User.objects.create_user("admin", "admin@example.org", STRANGERS))
    passwords = ensure_demo_accounts(reset=True)
    taken.refresh_from_db()
    assert taken.check_password(STRANGERS)
    assert not taken.is_staff
    assert set(passwords) == {demo_email(name) for name in DEMO_ACCOUNTS}
    assert User.objects.get(email="admin@assay.example").is_superuser
    assert ensure_demo_accounts() == {}


def test_nobody_signs_in_by_a_code_of_a_mail_or_by_a_passkey(client, db):
    """Ways in that allauth has; one that is offered here gets a row in WAYS."""
    for path in ("/accounts/login/code/", "/accounts/signup/passkey/"):
        assert client.get(path).status_code == 404
    assert client.get("/accounts/2fa/webauthn/login/").status_code == 404


# --- rights are of confirmed addresses ------------------------------------------------------------


@pytest.fixture
def unconfirmed(stranger: User) -> User:
    EmailAddress.objects.filter(user=stranger).update(verified=False)
    return stranger


def test_no_team_is_of_an_account_without_a_confirmed_address(owner, unconfirmed):
    with pytest.raises(TeamRefusedError, match="no confirmed e-mail address"):
        found_team(name="Lab", by=unconfirmed)
    team = found_team(name="Lab", by=owner)
    Membership.objects.create(team=team, user=unconfirmed)
    session_client(owner).post(f"/teams/{team.pk}/members/{unconfirmed.pk}/", {"role": "owner"})
    assert Membership.objects.get(user=unconfirmed).role == "member"
    delete_account(user=owner)
    team.refresh_from_db()
    assert team.closed


@pytest.mark.parametrize("right", ["groups", "is_superuser", "user_permissions"])
def test_rights_that_an_unconfirmed_account_has_stay_and_can_be_taken(world, unconfirmed, right):
    raters, other = Group.objects.filter(name__in=["raters", "annotators"]).order_by("-name")
    unconfirmed.groups.add(raters)
    page = f"/admin/auth/user/{unconfirmed.pk}/change/"
    assert world.desk.post(page, {"groups": [raters.pk]}).status_code == 302
    more = {
        "groups": [raters.pk, other.pk],
        "is_superuser": "on",
        "user_permissions": [Permission.objects.all()[0].pk],
    }
    form = {"groups": [raters.pk], right: more[right]}
    assert "is not confirmed" in world.desk.post(page, form).text
    assert world.desk.post(page, {"groups": []}).status_code == 302
    assert not unconfirmed.groups.exists()
