"""Lists of the admin ask the database as often for many rows as for few."""

from itertools import pairwise

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test.utils import CaptureQueriesContext

from benchmarks.submissions.models import NearEqual, Submission
from judging.models import Judgement
from leaderboard.operations.sweeps import prepare
from tests.conftest import submit
from tests.overwriting import overwrite

LISTS = (
    "/admin/submissions/submission/",
    "/admin/submissions/evaluatedmodel/",
    "/admin/judging/judgerun/",
    "/admin/judging/judgementforreview/",
    "/admin/judging/judgement/",
)
FEW, MANY = 2, 9


@pytest.fixture
def desk(client, admin_user):
    client.force_login(admin_user)
    return client


def hand_in(spelling, first: int, last: int) -> None:
    """By an account each; nearly the answers of the one before, and every judgement is left to a
    person."""
    for number in range(first, last):
        owner = User.objects.create_user(f"owner-{number}", f"{number}@example.org", "x")
        submit(spelling, owner, f"1=a\n2=b\n3=c\n4={number}\n".encode(), name=f"Model {number}")
    prepare()
    overwrite(Judgement.objects.all(), state="paused", verdict="")
    NearEqual.objects.all().delete()
    newest = list(Submission.objects.order_by("created"))
    for other, submission in pairwise(newest):
        NearEqual.objects.create(submission=submission, other=other, equal=3, of=4)


def queries_of(desk, address: str) -> list[str]:
    with CaptureQueriesContext(connection) as captured:
        page = desk.get(address)
    assert page.status_code == 200
    return [query["sql"] for query in captured.captured_queries]


@pytest.mark.slow
def test_more_rows_are_no_more_queries(desk, spelling):
    hand_in(spelling, 0, FEW)
    for address in LISTS:  # what Django remembers of itself is asked once
        queries_of(desk, address)
    few = {address: len(queries_of(desk, address)) for address in LISTS}
    hand_in(spelling, FEW, MANY)
    many = {address: queries_of(desk, address) for address in LISTS}
    assert {address: len(queries) for address, queries in many.items()} == few
