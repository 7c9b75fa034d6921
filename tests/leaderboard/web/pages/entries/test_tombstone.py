"""The address of an entry that was public and is withdrawn."""

import pytest

from benchmarks.submissions.models import Submission
from benchmarks.submissions.services import (
    restore_submission,
    set_visibility,
    withdraw_submission,
)
from leaderboard.results.services import replace_entries
from tests.api_clients import session_client
from tests.conftest import import_spelling, judged, make_owner, submit
from tests.leaderboard.web.pages.shown_text import links, page_at, part
from tests.person import words

NEWER = b"1=two\n2=colour\n3=night\n4=sea\n"


@pytest.fixture(scope="module")
def made(module_rows) -> None:
    judged(submit(import_spelling(), make_owner()))


@pytest.fixture
def entry(made, db) -> Submission:
    return Submission.objects.select_related("model", "release").get()


@pytest.fixture
def page(client):
    def read(submission, status: int = 410, of=client):
        return part(page_at(of, f"/entries/{submission.pk}/", status))

    return read


def test_it_tells_which_when_and_why_and_neither_scores_nor_answers(entry, page, owner):
    assert "75.00" in words(page(entry, 200))
    withdraw_submission(submission=entry, reason="The answers were of <b>other</b> weights.")
    entry.refresh_from_db()
    said, own = words(page(entry)), f"/submissions/{entry.pk}/"
    for told in (
        "Speller was withdrawn",
        f"{entry.withdrawn:%Y-%m-%d %H:%M} UTC",
        "The answers were of <b>other</b> weights.",
    ):
        assert told in said
    for gone in ("75.00", "color"):
        assert gone not in said
    assert not {own, f"/models/{entry.model.slug}/"} & set(links(page(entry)).values())
    assert own in links(page(entry, of=session_client(owner))).values()
    submit(entry.release, owner, NEWER)
    assert f"/models/{entry.model.slug}/" in links(page(entry)).values()


def test_one_that_was_never_judged_has_one_too_and_says_that_no_reason_was_given(entry, page):
    unjudged = submit(entry.release, entry.owner, NEWER, name="Unjudged")
    withdraw_submission(submission=unjudged)
    assert "none given" in words(page(unjudged))


def test_what_was_private_leaves_nothing_and_neither_does_what_was_restored(entry, page, owner):
    hidden = submit(entry.release, owner, NEWER, name="Hidden", visibility="private")
    judged(hidden)
    withdraw_submission(submission=hidden, reason="Nobody knows of it.")
    assert "Nobody knows of it." not in words(page(hidden, 404))
    withdraw_submission(submission=entry)
    restore_submission(submission=entry)
    page(entry, 404)
    set_visibility(submission=entry, visibility="public")
    page(entry, 200)
    set_visibility(submission=entry, visibility="private")
    withdraw_submission(submission=entry)
    page(entry, 404)


def head(shown):
    """Of a page, what says which entry it is; the others of its board stand below."""
    return shown.xpath(".//div[@class='page-head']")[0]


def test_old_and_new_version_name_each_other_while_both_are_public(entry, page, owner):
    newer = submit(entry.release, owner, NEWER, replaces=entry)
    judged(newer)
    old, new = (f"/entries/{one.pk}/" for one in (entry, newer))
    assert old not in links(head(page(newer, 200))).values()
    replace_entries()
    assert "A newer version took its place." in words(page(entry))
    assert new in links(page(entry)).values()
    assert old in links(head(page(newer, 200))).values()
    set_visibility(submission=newer, visibility="private")
    assert new not in links(page(entry)).values()
