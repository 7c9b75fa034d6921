"""What a form's token, or a key of the API, was used for before."""

import uuid
from typing import Any

import pytest

from benchmarks.protocols.base import Upload
from benchmarks.submissions.intake.drafts import is_of, token_of_form
from benchmarks.submissions.teams.services import found_team
from tests.conftest import ANSWERS, import_words, submit

UPLOAD = Upload("answers.txt", ANSWERS)


@pytest.fixture
def sent(spelling, owner):
    return submit(spelling, owner, client_token=uuid.uuid4())


def same(submission) -> dict[str, Any]:
    return {
        "upload": UPLOAD,
        "model_name": "Speller",
        "release": submission.release,
        "team": None,
        "replaces": None,
    }


def test_the_same_once_more_is_the_same(sent):
    assert is_of(sent, **same(sent))
    assert is_of(sent, **{**same(sent), "release": None}), "its file says which is meant"


def test_whatever_differs_makes_it_another(sent, owner):
    others = {
        "upload": Upload("answers.txt", ANSWERS + b"\n"),
        "model_name": "Other",
        "release": import_words(range(5)),
        "team": found_team(name="The Spellers", by=owner),
        "replaces": sent,
    }
    assert set(others) == set(same(sent))
    for name, value in others.items():
        assert not is_of(sent, **{**same(sent), name: value}), name


def test_a_form_keeps_its_token_until_it_was_stored_with_something_else(sent, owner):
    token = sent.client_token
    assert token_of_form(owner=owner, client_token=token, **same(sent)) == token
    other = {**same(sent), "replaces": sent}
    assert token_of_form(owner=owner, client_token=token, **other) != token
    unused = uuid.uuid4()
    assert token_of_form(owner=owner, client_token=unused, **other) == unused
