"""Sign-in leads to one's work, unless another page was asked for."""

import pytest
from allauth.account.models import EmailAddress
from django.contrib.auth.models import Group, User
from django.test import Client

from tests.conftest import make_groups

PASSWORD = "a long enough password"


@pytest.fixture
def sign_in(db, settings):
    settings.STAFF_SECOND_FACTOR = False
    make_groups()

    def sign_in(group: str, next_page: str = "", **rights: bool) -> str:
        email = "kim@example.org"
        kim = User.objects.create_user("kim", email, PASSWORD, **rights)
        EmailAddress.objects.create(user=kim, email=email, verified=True, primary=True)
        kim.groups.add(*Group.objects.filter(name=group))
        sent = {"login": email, "password": PASSWORD, "next": next_page}
        return str(Client().post("/accounts/login/", sent)["Location"])

    return sign_in


@pytest.mark.parametrize(
    ("group", "page"),
    [
        ("annotators", "/admin/"),
        ("reviewers", "/admin/benchmarks/description/?state=in+review"),
        ("moderators", "/admin/"),
    ],
)
def test_who_works_at_the_desk_is_led_there(sign_in, group, page):
    assert sign_in(group, is_staff=True) == page


@pytest.mark.parametrize("group", ["raters", ""])
def test_everybody_else_comes_to_their_entries(sign_in, group):
    assert sign_in(group) == "/submissions/"


def test_an_admin_comes_to_their_entries(sign_in):
    assert sign_in("", is_staff=True, is_superuser=True) == "/submissions/"


def test_a_page_that_was_asked_for_comes_first(sign_in):
    assert sign_in("annotators", "/models/", is_staff=True) == "/models/"
