"""Whose public name is taken for the name of an entry is told, and of one's own nobody is."""

import pytest
from django.contrib.auth.models import User

from benchmarks.submissions.models import EvaluatedModel
from benchmarks.submissions.naming.lookalike_names import skeleton
from tests.conftest import submit


@pytest.fixture
def other(db) -> User:
    return User.objects.create_user("somebody-else")


def alike(owner: User) -> list[str]:
    found = EvaluatedModel.objects.named_alike(skeleton("Speller"), owner)
    return list(found.values_list("name", flat=True))


def test_a_public_entry_of_another_account_is_found_and_ones_own_is_not(spelling, owner, other):
    submit(spelling, owner)
    assert alike(other) == ["Speller"]
    assert alike(owner) == []


def test_what_nobody_else_may_see_is_not_told(spelling, owner, other):
    submit(spelling, owner, visibility="private")
    assert alike(other) == []
