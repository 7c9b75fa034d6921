"""People are added by e-mail: a link that is good once, for a week, and never in a log."""

import logging
import re
from datetime import timedelta

import pytest
from allauth.account.models import EmailAddress
from django.contrib.auth.models import User
from django.core import mail
from django.test import Client
from django.utils import timezone

from benchmarks.common.invitations import InvitationRefusedError
from benchmarks.staff_models import StaffAction
from leaderboard.models.invitations import PersonInvitation
from leaderboard.people.staff.invitations import (
    MOST_A_DAY,
    invite_person,
    make_account,
)

ADD = "/admin/leaderboard/personinvitation/add/"
PAGE = "/accounts/invitation/"
PASSWORD = "a long enough password 7"
NEW = {"name": "Nell", "password": PASSWORD, "again": PASSWORD}


opened = PersonInvitation.objects.of_key


def invited(desk, *groups: str, email: str = "nell@example.org") -> str:
    desk.post(ADD, {"email": email, "groups": groups or ("annotators",)})
    found = re.search(r"http://testserver(/accounts/invitation/\S+/)", str(mail.outbox[-1].body))
    assert found
    return found[1]


def test_from_the_form_to_the_admin_in_the_groups_once_and_in_no_log(desk, client, caplog):
    caplog.set_level(logging.DEBUG)
    link = invited(desk, "annotators", "raters")
    by = f"member {PersonInvitation.objects.get().invited_by_id}"
    until = f"{PersonInvitation.objects.get().expires:%Y-%m-%d %H:%M} UTC"
    assert mail.outbox[-1].body.strip() == (
        f"Hello from Assay.\n\n{by} invites you to join Assay, in: annotators, raters. To create "
        f"an account, or to join with the one you have, open\n\nhttp://testserver{link}\n\n"
        f"The link works once, until {until}. If you do not know the site, ignore this email.\n\n"
        "Assay, http://testserver/"
    )
    assert client.get(link, follow=True).text.count("nell@example.org") == 1
    assert client.post(PAGE, {**NEW, "again": "x"}).status_code == 422
    assert client.post(PAGE, NEW).url == "/admin/"
    user = User.objects.get(email="nell@example.org")
    assert sorted(user.groups.values_list("name", flat=True)) == ["annotators", "raters"]
    assert (user.is_staff, user.is_superuser) == (True, False)
    assert EmailAddress.objects.get(user=user).verified
    assert client.get("/admin/").status_code == 200
    assert client.get(PAGE).status_code == 404
    other = Client()
    assert other.get(link, follow=True).status_code == 404
    assert other.post(PAGE, {**NEW, "password": "x", "again": "x"}).status_code == 404
    assert User.objects.filter(email="nell@example.org").count() == 1
    actions = StaffAction.objects.order_by("id")
    assert [one.what for one in actions] == ["invite", "accept"]
    kept = [f"{one.name} {one.sentence} {one.before} {one.after}" for one in actions]
    key = link.split("/")[-2]
    for text in (caplog.text, *kept):
        assert not re.search(f"{re.escape(key)}|nell", text, re.I)
    assert PersonInvitation.objects.get().digest != key


def test_raters_are_no_staff(desk, client):
    client.get(invited(desk, "raters"))
    assert client.post(PAGE, NEW).url == "/"
    assert not User.objects.get(email="nell@example.org").is_staff


def test_a_site_that_wants_second_factors_asks_new_staff_for_one(desk, client, settings):
    link = invited(desk)
    settings.STAFF_SECOND_FACTOR = True
    client.get(link)
    client.post(PAGE, NEW)
    assert client.get("/admin/").url == "/accounts/2fa/totp/activate/"


def test_what_is_wrong_is_said_and_the_link_stays_good(desk, client):
    client.get(invited(desk))
    mail_address = "nell@example.org"
    for wrong, sentence in (
        ({"password": "12345678", "again": "12345678"}, "too common"),
        ({"again": "another password 7"}, "The two passwords differ."),
        ({"password": mail_address, "again": mail_address}, "too similar"),
        ({"name": "staff"}, "The site itself uses this name."),
    ):
        response = client.post(PAGE, {**NEW, **wrong})
        assert (response.status_code, sentence in response.text) == (422, True)
    assert not User.objects.filter(email=mail_address).exists()
    assert client.post(PAGE, NEW).status_code == 302


def test_who_has_an_account_signs_in_and_agrees(desk, owner):
    link, client = invited(desk, "reviewers", email=owner.email), Client()
    page = client.get(link, follow=True).text
    assert "There is an account with this address." in page
    client.post(PAGE, NEW)
    assert not owner.groups.exists()
    client.force_login(owner)
    assert "If you accept" in client.get(link, follow=True).text
    assert not owner.groups.exists()
    client.post(PAGE)
    owner.refresh_from_db()
    assert owner.groups.get().name == "reviewers"
    assert owner.is_staff
    assert owner.check_password("a long enough password")


def test_the_link_lets_no_other_account_join(desk, owner, stranger):
    link, client = invited(desk, email=owner.email), Client()
    client.force_login(stranger)
    assert "signed in with another address" in client.get(link, follow=True).text
    client.post(PAGE)
    assert not stranger.groups.exists()
    assert not owner.groups.exists()


def test_an_account_that_never_confirmed_the_address_is_the_invited_persons(desk, client, owner):
    EmailAddress.objects.filter(user=owner).update(verified=False)
    thief = Client()
    thief.force_login(owner)
    client.get(invited(desk, email=owner.email))
    client.post(PAGE, NEW)
    owner.refresh_from_db()
    assert owner.check_password(PASSWORD)
    assert thief.get("/submissions/").status_code == 302
    assert EmailAddress.objects.get(user=owner).verified


def test_a_switched_off_account_is_not_switched_on(desk, client, owner):
    User.objects.filter(pk=owner.pk).update(is_active=False)
    EmailAddress.objects.filter(user=owner).update(verified=False)
    client.get(invited(desk, email=owner.email))
    assert "switched off" in client.post(PAGE, NEW).text
    owner.refresh_from_db()
    assert (owner.is_active, owner.groups.count()) == (False, 0)


def test_it_ends_after_a_week_when_taken_back_and_when_made_again(desk, admin_user):
    now = timezone.now()
    first = invite_person(email="a@example.org", groups=["raters"], by=admin_user, now=now)
    assert opened(first.key, now + timedelta(days=6, hours=23))
    assert not opened(first.key, now + timedelta(days=7))
    second = invite_person(email="A@example.org", groups=["raters"], by=admin_user)
    assert not opened(first.key)
    place = f"/admin/leaderboard/personinvitation/{second.pk}/step/take_back/"
    assert "1 link opens nothing" in desk.get(place).text
    desk.post(place, {"confirmed": "yes", "reason": "Another address."})
    assert not opened(second.key)
    assert set(PersonInvitation.objects.values_list("email", flat=True)) == {""}
    with pytest.raises(InvitationRefusedError):
        make_account(invitation=second, name="", password=PASSWORD)


def test_a_person_invites_a_hundred_a_day_and_no_more(admin_user):
    now = timezone.now()
    PersonInvitation.objects.bulk_create(
        PersonInvitation(digest=str(n), invited_by=admin_user, expires=now, created=now, ended=now)
        for n in range(MOST_A_DAY)
    )
    with pytest.raises(InvitationRefusedError, match="Invite more tomorrow"):
        invite_person(email="a@example.org", groups=["raters"], by=admin_user, now=now)
    later = now + timedelta(hours=25)
    assert invite_person(email="a@example.org", groups=["raters"], by=admin_user, now=later)


def test_where_no_mail_arrives_the_link_is_shown_once(desk, settings):
    settings.MAIL_BACKEND = "django.core.mail.backends.console.EmailBackend"
    page = desk.post(ADD, {"email": "nell@example.org", "groups": ["raters"]}).text
    link = re.search(r"http://testserver/accounts/invitation/([^/\s]+)/", page)
    assert link
    assert opened(link[1])
    assert not mail.outbox
    assert link[1] not in desk.get("/admin/leaderboard/personinvitation/").text


def test_add_user_leads_to_the_page_that_asks_for_an_address(desk):
    assert desk.get("/admin/auth/user/add/").url == ADD


def test_odd_keys_open_nothing_and_keep_no_session(client, db):
    for key in ("x", "9" * 5000, "%00", "é"):
        response = client.get(f"/accounts/invitation/{key}/", follow=True)
        assert response.status_code in (400, 404)
        assert not client.session.keys()
