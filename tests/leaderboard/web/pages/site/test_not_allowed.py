"""The page of an address that its visitor may not see: who is signed in, and the way on."""

from django.contrib.auth.models import AnonymousUser
from django.core.exceptions import PermissionDenied
from django.urls import resolve, reverse
from django.views.defaults import permission_denied
from lxml import html  # type: ignore[import-untyped]  # ships no types

from tests.leaderboard.web.pages.shown_text import links, part
from tests.person import words


def shown_to(user, rf):
    request = rf.get("/somewhere/")
    request.user = user
    request.resolver_match = resolve("/models/")
    page = permission_denied(request, PermissionDenied()).content
    assert b"canonical" not in page
    return part(html.fromstring(page.decode()))


def test_a_signed_in_reader_is_named_and_can_switch_account(django_user_model, rf, db):
    page = shown_to(django_user_model.objects.create_user("ann", "ann@example.org"), rf)
    assert "You are signed in as ann@example.org" in words(page)
    assert links(page)["Switch account"] == f"{reverse('account_logout')}?next=/accounts/login/"
    assert "Sign in" not in links(page)


def test_anybody_else_is_asked_to_sign_in(rf, db):
    page = shown_to(AnonymousUser(), rf)
    assert "signed in as" not in words(page)
    assert links(page)["Sign in"] == reverse("account_login")
