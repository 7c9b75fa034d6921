"""The address of an entry that was public and is withdrawn."""

import re

import pytest

from benchmarks.submissions.services import (
    restore_submission,
    set_visibility,
    withdraw_submission,
)
from leaderboard.services import replace_entries
from tests.conftest import judged, submit

NEWER = b"1=two\n2=colour\n3=night\n4=sea\n"


@pytest.fixture
def page(client):
    def read(submission):
        response = client.get(f"/entries/{submission.pk}/")
        return response.status_code, " ".join(response.content.decode().split())

    return read


@pytest.fixture
def entry(submission):
    judged(submission)
    return submission


def test_it_tells_which_when_and_why(entry, page):
    withdraw_submission(submission=entry, reason="The answers were of <b>other</b> weights.")
    entry.refresh_from_db()
    status, text = page(entry)
    assert status == 410
    assert "Speller was withdrawn" in text
    assert f"{entry.withdrawn:%Y-%m-%d %H:%M} UTC" in text
    assert "The answers were of &lt;b&gt;other&lt;/b&gt; weights." in text


def test_without_a_reason_it_says_so(entry, page):
    withdraw_submission(submission=entry)
    assert "none was given" in page(entry)[1]


def test_it_shows_neither_scores_nor_answers(entry, page):
    assert "75.00" in page(entry)[1]
    withdraw_submission(submission=entry)
    text = page(entry)[1]
    assert "75.00" not in text
    assert "color" not in re.sub(r"<[^>]*>", "", text)


def test_its_owner_reads_it_too_and_is_led_to_their_page(entry, page, client, owner):
    withdraw_submission(submission=entry)
    assert f"/submissions/{entry.pk}/" not in page(entry)[1]
    client.force_login(owner)
    status, text = page(entry)
    assert status == 410
    assert f'href="/submissions/{entry.pk}/"' in text


def test_one_that_was_never_judged_has_one_too(submission, page):
    withdraw_submission(submission=submission)
    assert page(submission)[0] == 410


def test_what_was_private_leaves_nothing(spelling, owner, page):
    hidden = submit(spelling, owner, visibility="private")
    judged(hidden)
    withdraw_submission(submission=hidden, reason="Nobody knows of it.")
    assert page(hidden)[0] == 404
    assert "Nobody knows of it." not in page(hidden)[1]


def test_what_was_made_private_before_leaves_nothing(entry, page):
    set_visibility(submission=entry, visibility="private")
    withdraw_submission(submission=entry)
    assert page(entry)[0] == 404


def test_what_was_restored_has_none(entry, page):
    withdraw_submission(submission=entry)
    restore_submission(submission=entry)
    assert page(entry)[0] == 404
    set_visibility(submission=entry, visibility="public")
    assert page(entry)[0] == 200


def test_old_and_new_version_name_each_other(entry, page, owner):
    newer = submit(entry.release, owner, NEWER, replaces=entry)
    judged(newer)
    assert f'href="/entries/{entry.pk}/"' not in page(newer)[1]
    replace_entries()
    status, text = page(entry)
    assert status == 410
    assert f'href="/entries/{newer.pk}/"' in text
    assert "A newer version took its place." in text
    assert f'href="/entries/{entry.pk}/"' in page(newer)[1]


def test_a_new_version_that_is_private_again_is_not_named(entry, page, owner):
    newer = submit(entry.release, owner, NEWER, replaces=entry)
    judged(newer)
    replace_entries()
    set_visibility(submission=newer, visibility="private")
    assert str(newer.pk) not in page(entry)[1]


def test_the_model_is_linked_while_something_of_it_is_public(entry, page, owner):
    submit(entry.release, owner, NEWER)
    withdraw_submission(submission=entry)
    assert f'href="/models/{entry.model.slug}/"' in page(entry)[1]


def test_and_not_where_nothing_is(entry, page):
    withdraw_submission(submission=entry)
    assert "/models/speller" not in page(entry)[1]
