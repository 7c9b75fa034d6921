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

import pytest
from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from allauth.mfa.recovery_codes.internal.auth import RecoveryCodes
from allauth.mfa.totp.internal.auth import TOTP, format_hotp_value, hotp_value
from allauth.socialaccount.models import SocialAccount
from django.contrib.auth.models import Group, User
from django.core import mail
from django.core.management import call_command
from django.test import Client

from benchmarks.submissions.team_models import Membership
from benchmarks.submissions.teams.services import found_team, invite
from leaderboard.accounts.services import demo_email, ensure_demo_accounts
from leaderboard.accounts.sign_in import COOKIE, browser_mark
from tests.api_clients import session_client, token_client
from tests.conftest import confirmed
from tests.other_site import LOGINS, ROSA, OtherSite, through
from tests.slow import slow_except_every

STRANGERS, HOLDERS = "a password of the stranger", "a password of the holder"
SECRET = "JBSWY3DPEHPK3PXP"
PEOPLE = {  # as each site tells of the stranger, who has no address there that it is sure of
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
    client.get(invitation(world))
    client.post("/accounts/invitation/")
    return client


def made_admin(world: World) -> Client:
    world.capsys.readouterr()
    call_command("create_admin", world.email)
    said = world.capsys.readouterr().out
    return sign_in(world.email, said.partition("Password: ")[2].split()[0])


def made_demo_account(world: World) -> Client:
    return sign_in(world.email, ensure_demo_accounts()[world.email])


def let_into_team(world: World) -> Client:
    founder = confirmed(User.objects.create_user("ann", "ann@example.org"))
    made = invite(team=found_team(name="Lab", by=founder), email=world.email, by=founder)
    client = confirm_elsewhere(world)
    client.post(f"/teams/join/{made.key}/")
    return client


def owner_of_team(world: World) -> Client:
    client = let_into_team(world)
    (team,) = Membership.objects.filter(user=world.user)
    founder = session_client(User.objects.get(username="ann"))
    founder.post(f"/teams/{team.team_id}/members/{world.user.pk}/", {"role": "owner"})
    return client


def given_rights(**rights: object) -> Callable[[World], Client]:
    """Refused as long as nobody confirmed the address."""

    def give(world: World) -> Client:
        groups = Group.objects.filter(name__in=rights.get("groups", ()))
        form = {**rights, "groups": [group.pk for group in groups]}
        page = f"/admin/auth/user/{world.user.pk}/change/"
        reply = world.desk.post(page, form)
        assert "Nobody has confirmed the e-mail address of this account" in reply.text
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


def has_role(role: str) -> Callable[[User], bool]:
    return lambda user: Membership.objects.filter(user=user, role=role).exists()


GAINS: dict[str, tuple[Callable[[World], Client], Callable[[User], bool]]] = {
    "a new password": (reset, is_plain),
    "confirmed in another browser": (confirm_elsewhere, is_plain),
    "confirmed by staff": (confirmed_by_staff, is_plain),
    "given a password by staff": (password_of_staff, is_plain),
    "invited": (new_account_invited, is_staff),
    "invited, and signed in": (account_invited, is_staff),
    "made admin at the terminal": (made_admin, is_admin),
    "made the admin of a demo": (made_demo_account, is_admin),
    "let into a team": (let_into_team, has_role("member")),
    "made owner of a team": (owner_of_team, has_role("owner")),
    "put into a group": (given_rights(groups=["reviewers"]), is_staff),
    "made admin by staff": (given_rights(is_superuser="on"), is_admin),
}
CELLS = list(product(GAINS, WAYS, (False, True)))


@pytest.mark.parametrize(("gain", "way", "asks_for_factor"), slow_except_every(7, CELLS))
def test_who_made_the_account_has_no_way_in_and_its_holder_has(
    world, settings, gain, way, asks_for_factor
):
    settings.STAFF_SECOND_FACTOR = asks_for_factor
    if gain == "made the admin of a demo":
        world.email = demo_email("admin")
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
