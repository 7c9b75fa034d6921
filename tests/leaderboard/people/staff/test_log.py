"""The log of staff: everything that is done in the admin stands in it, for good; who reads it
stands in tests/permissions.toml."""

import pytest
from django.contrib.auth.models import Group
from django.db import IntegrityError, transaction

from benchmarks.common.staff_log import record_action
from benchmarks.staff_models import StaffAction

LOG = "/admin/benchmarks/staffaction/"


def test_a_line_is_neither_changed_nor_deleted_nor_undone_twice(spelling, admin_user):
    action = record_action(by=admin_user, on=spelling, name="Spelling", what="freeze")
    found = StaffAction.objects.filter(pk=action.pk)
    for change in (found.delete, lambda: found.update(reason="another")):
        with pytest.raises(IntegrityError, match="what staff did is never"), transaction.atomic():
            change()
    again = {"by": admin_user, "on": spelling, "name": "S", "what": "undo", "undoes": action}
    record_action(**again)
    with pytest.raises(IntegrityError), transaction.atomic():
        record_action(**again)


def test_a_line_says_who_when_what_before_after_and_why(desk, spelling, admin_user):
    action = record_action(
        by=admin_user,
        on=spelling,
        name="Spelling",
        what="freeze",
        before={"state": "open"},
        after={"state": "frozen"},
        reason="It is full.",
    )
    page = desk.get(f"{LOG}{action.pk}/change/").text
    for text in ("admin", "freeze", "It is full.", "<td>open</td><td>frozen</td>"):
        assert text in page
    assert "Nobody undid it." in page


def test_the_list_is_filtered_and_odd_filters_change_nothing(desk, spelling, admin_user):
    record_action(by=admin_user, on=spelling, name="Of the release", what="freeze")
    record_action(by=None, on=admin_user, name="Of the account", what="switch_off")
    by_kind = desk.get(LOG, {"kind": "benchmarks.release"}).text
    assert "Of the release" in by_kind
    assert "Of the account" not in by_kind
    by_person = desk.get(LOG, {"who": admin_user.pk}).text
    assert "Of the account" not in by_person
    for odd in ({"kind": "x"}, {"who": "9" * 400}, {"who": "\0"}, {"days": "-1"}, {"q": "x" * 999}):
        assert desk.get(LOG, odd).status_code in (200, 302, 400)


@pytest.mark.slow
def test_more_lines_are_no_more_queries(desk, spelling, admin_user, django_assert_max_num_queries):
    for _ in range(120):
        record_action(by=admin_user, on=spelling, name="Spelling", what="freeze")
    with django_assert_max_num_queries(12):
        assert desk.get(LOG).text.count("freeze") >= 50


def test_ordinary_forms_are_in_it_and_addresses_are_not(desk, owner):
    groups = [Group.objects.get(name=name).pk for name in ("annotators", "raters")]
    desk.post(f"/admin/auth/user/{owner.pk}/change/", {"groups": groups, "email": "x@example.org"})
    owner.refresh_from_db()
    assert (owner.is_staff, owner.email) == (True, "rosa@example.org")
    action = StaffAction.objects.get(about="auth.user")
    kept = f"{action.before} {action.after} {action.name} {action.sentence}"
    assert "example.org" not in kept
    assert "rosa" not in kept.lower()
    assert (action.before, action.after) == ({"groups": []}, {"groups": ["annotators", "raters"]})
