"""Accounts, factors, addresses and tokens in the admin: nobody is deleted, and each step asks."""

from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from django.contrib.auth.models import Group, User

from benchmarks.staff_models import StaffAction
from benchmarks.submissions.tokens import create_token
from tests.conftest import submit

SURE = {"confirmed": "yes", "reason": "They asked for it."}


def place(row, step: str) -> str:
    meta = row._meta
    return f"/admin/{meta.app_label}/{meta.model_name}/{row.pk}/step/{step}/"


def test_switching_off_says_what_stays_and_has_a_way_back(desk, spelling, owner):
    submit(spelling, owner)
    create_token(owner=owner, name="laptop", scope="read")
    page = desk.get(place(owner, "switch_off")).text
    assert "1 token of theirs is refused." in page
    assert "1 public entry and 0 private ones stay" in page
    for step, is_active in (("switch_off", False), ("switch_on", True)):
        desk.post(place(owner, step), SURE)
        owner.refresh_from_db()
        assert owner.is_active is is_active
    assert [action.what for action in StaffAction.objects.order_by("id")] == [
        "switch_off",
        "switch_on",
    ]
    assert "rosa" not in " ".join(StaffAction.objects.values_list("name", flat=True))


def test_nobody_switches_off_themselves_or_the_last_admin_and_nobody_is_deleted(
    desk, admin_user, owner
):
    page = desk.post(place(admin_user, "switch_off"), SURE, follow=True).text
    assert "Nobody switches off their own account." in page
    data = {"groups": [], "is_superuser": ""}
    page = desk.post(f"/admin/auth/user/{admin_user.pk}/change/", data).text
    assert "the only account that may do everything" in page
    admin_user.refresh_from_db()
    assert (admin_user.is_superuser, admin_user.is_active) == (True, True)
    assert desk.post(f"/admin/auth/user/{owner.pk}/delete/", {"post": "yes"}).status_code == 403
    assert User.objects.filter(pk=owner.pk).exists()


def test_who_joins_a_group_of_the_admin_is_staff_and_who_leaves_the_last_one_is_not(desk, owner):
    known = {group.name: group.pk for group in Group.objects.all()}
    for names, is_staff in ((["raters"], False), (["raters", "reviewers"], True), ([], False)):
        groups = [known[name] for name in names]
        desk.post(f"/admin/auth/user/{owner.pk}/change/", {"groups": groups})
        owner.refresh_from_db()
        assert owner.is_staff is is_staff


def test_a_removed_factor_takes_its_recovery_codes_along(desk, owner):
    for kind in ("totp", "recovery_codes"):
        Authenticator.objects.create(user=owner, type=kind, data={})
    factor = Authenticator.objects.get(type="totp")
    page = desk.get(place(factor, "remove")).text
    assert "1 account can be entered by the password alone" in page
    desk.post(place(factor, "remove"), SURE)
    assert not Authenticator.objects.exists()
    action = StaffAction.objects.get()
    assert (action.before["type"], action.after) == ("totp", {})


def test_an_address_is_confirmed_for_its_owner_who_is_told_what_ends(desk, owner, stranger):
    """Unless another has it; and an address more of an account ends nothing."""
    EmailAddress.objects.filter(user=owner).update(verified=False)
    first = EmailAddress.objects.get(user=owner)
    added = EmailAddress.objects.create(user=stranger, email="added@example.org")
    told = ("1 account had no confirmed address", "1 account has another confirmed address.")
    for address, sentence, other in ((first, *told), (added, *told[::-1])):
        page = desk.get(place(address, "confirm")).text
        assert (sentence in page, other in page) == (True, False)
        desk.post(place(address, "confirm"), SURE)
        address.refresh_from_db()
        assert address.verified
    owner.refresh_from_db()
    stranger.refresh_from_db()
    assert (owner.has_usable_password(), stranger.has_usable_password()) == (False, True)
    again = EmailAddress.objects.create(user=stranger, email="rosa@example.org")
    page = desk.post(place(again, "confirm"), SURE, follow=True).text
    assert "Another account confirmed this address." in page
    assert not EmailAddress.objects.get(pk=again.pk).verified


def test_a_token_is_revoked_with_a_reason(desk, owner):
    token = create_token(owner=owner, name="laptop", scope="read").token
    page = desk.get(place(token, "revoke")).text
    assert (
        "Programs that send one of these are refused from now on: 1 token of 1 account, 0 used"
        in page
    )
    desk.post(place(token, "revoke"), SURE)
    token.refresh_from_db()
    assert token.revoked is not None
    assert StaffAction.objects.get().name == f"token {token.prefix}"
