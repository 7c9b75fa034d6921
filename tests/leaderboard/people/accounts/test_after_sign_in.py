"""Sign-in leads to one's work, unless another page was asked for."""

import pytest
from django.contrib.auth.models import Group, User
from django.test import Client

from tests.conftest import confirmed, make_groups

PASSWORD = "a long enough password"


@pytest.mark.parametrize(
    ("group", "rights", "asked", "page"),
    [
        ("annotators", {"is_staff": True}, "", "/admin/"),
        ("reviewers", {"is_staff": True}, "", "/admin/benchmarks/description/?state=in+review"),
        ("moderators", {"is_staff": True}, "", "/admin/"),
        ("annotators", {"is_staff": True}, "/models/", "/models/"),
        ("raters", {}, "", "/submissions/"),
        ("", {}, "", "/submissions/"),
        ("", {"is_staff": True, "is_superuser": True}, "", "/submissions/"),
    ],
)
def test_people_are_led_to_their_work(db, settings, group, rights, asked, page):
    settings.STAFF_SECOND_FACTOR = False
    make_groups()
    kim = confirmed(User.objects.create_user("kim", "kim@example.org", PASSWORD, **rights))
    kim.groups.add(*Group.objects.filter(name=group))
    sent = {"login": kim.email, "password": PASSWORD, "next": asked}
    assert Client().post("/accounts/login/", sent)["Location"] == page
