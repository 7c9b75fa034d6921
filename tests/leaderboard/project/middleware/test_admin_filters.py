"""Filters of the admin that somebody writes into the address by hand."""

import pytest
from django.contrib import admin
from django.db import connection, transaction
from django.http import HttpResponse
from django.test import Client
from django.urls import resolve

from leaderboard.project.middleware.admin_filters import AdminFiltersMiddleware
from tests.api_clients import session_client
from tests.slow import slow_except_every

LOOKUPS = [
    "nonsense",
    "nonsense__contains",
    "pk__nonsense",
    "id__contains",
    "owner__password__startswith",
    "user__password__startswith",
    "created__year__gt",
    "pk__in",
    "o",
    "p",
]


@pytest.fixture
def staff(admin_user) -> Client:
    return session_client(admin_user)


def status(client: Client, path: str, lookup: str, value: str) -> int:
    point = transaction.savepoint()
    code: int = client.get(path, {lookup: value}).status_code
    transaction.savepoint_rollback(point)  # PostgreSQL ends a transaction in which a query failed
    return code


@pytest.mark.slow
@pytest.mark.parametrize(
    "model",
    slow_except_every(4, admin.site._registry),
    ids=lambda model: f"{model._meta.app_label}.{model.__name__}",
)
def test_a_filter_that_nobody_offers_is_refused_and_raises_nothing(staff, model):
    fields = [field.name for field in model._meta.concrete_fields]
    asked = [(lookup, "x") for lookup in LOOKUPS]
    asked += [(f"{field}__contains", "x") for field in fields]
    asked += [(field, value) for field in fields for value in ("9" * 400, "\0")]
    path = f"/admin/{model._meta.app_label}/{model._meta.model_name}/"
    found = {one: status(staff, path, *one) for one in asked}
    assert {one: code for one, code in found.items() if code not in {200, 302, 400, 403}} == {}


def test_what_the_database_cannot_answer_is_a_bad_request(staff):
    """PostgreSQL answers these."""
    expected = {"sqlite": {302, 400}, "postgresql": {200}}[connection.vendor]
    for path, lookup, value in (
        ("benchmarks/question", "truth__contains", "x"),
        ("benchmarks/question", "truth__contains", '"x"'),
        ("auth/user", "pk__in", "9" * 400),
    ):
        assert status(staff, f"/admin/{path}/", lookup, value) in expected


def test_no_filter_feels_for_what_the_list_does_not_show(staff):
    for lookup in ("owner__password__startswith", "owner__email__startswith"):
        assert status(staff, "/admin/submissions/accesstoken/", lookup, "a") == 400


@pytest.mark.parametrize(
    ("path", "error"),
    [
        ("/admin/auth/user/", OverflowError()),
        ("/admin/auth/user/?q=x", KeyError()),
        ("/admin/auth/user/1/change/?q=x", OverflowError()),
        ("/?q=x", OverflowError()),
    ],
)
def test_a_fault_of_ours_is_no_bad_request_of_theirs(rf, path, error):
    request = rf.get(path)
    request.resolver_match = resolve(request.path)
    middleware = AdminFiltersMiddleware(lambda request: HttpResponse())
    assert middleware.process_exception(request, error) is None
