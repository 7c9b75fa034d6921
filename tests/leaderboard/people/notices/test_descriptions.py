"""Whoever wrote a description is told what became of it, once, and not of what they did
themselves."""

import io
from datetime import timedelta

import pytest
from allauth.account.models import EmailAddress
from django.contrib.auth.models import User
from django.core import mail
from django.utils import timezone

from benchmarks.models import Description, Figure
from benchmarks.registry import protocol
from benchmarks.services.descriptions import DESCRIPTION_REVIEW, save_draft, submit_for_review
from benchmarks.services.importing import import_release
from leaderboard.models.notices import Notice, NoticeChoice, NoticeCursor
from leaderboard.people.notices.choices import choose
from leaderboard.people.notices.each_minute import tell_and_mail
from leaderboard.people.notices.telling import tell_people


@pytest.fixture
def figure(db) -> Figure:
    stream = io.BytesIO(b"1|two|two|one.png\n2|sea|sea\n")
    import_release(protocol=protocol("spelling"), stream=stream, slug="spelling-1")
    return Figure.objects.get()


@pytest.fixture
def people(db) -> dict[str, User]:
    return {
        name: User.objects.create_user(name, f"{name}@a.example") for name in ("ann", "ben", "rev")
    }


@pytest.fixture
def followed(db):
    """The site was looked at before: what comes now is told."""
    tell_people()


def write(figure: Figure, author: User, text: str, *, submit: bool = True) -> Description:
    base = Description.objects.filter(figure=figure).count()
    made = save_draft(figure=figure, language="en", text=text, author=author, base_version=base)
    if submit:
        submit_for_review(description=made)
    return made


def told() -> list[tuple[str, str]]:
    tell_people()
    rows = Notice.objects.order_by("pk").values_list("owner__username", "sentence")
    return [(name, " ".join(sentence.split()[:5])) for name, sentence in rows]


def test_a_decision_is_told_to_the_author_once_and_not_to_the_reviewer(figure, people, followed):
    first = write(figure, people["ann"], "A secret cat.")
    DESCRIPTION_REVIEW.send_back(proposal=first, reviewer=people["rev"], comment="Which secret?")
    assert told() == [("ann", "Version 1 was sent back.")]
    second = write(figure, people["ann"], "A secret red cat.")
    DESCRIPTION_REVIEW.approve(proposal=second, reviewer=people["rev"], comment="Good.")
    both = [("ann", "Version 1 was sent back."), ("ann", "Version 2 is approved: from")]
    assert told() == both
    assert told() == both
    notice = Notice.objects.last()
    assert notice
    assert notice.path.endswith(f"/figure/{figure.pk}/en/?version=2")
    assert "left a comment" in notice.sentence
    assert not Notice.objects.filter(sentence__contains="ecret").exists()  # no text leaves the site


def test_a_draft_that_somebody_continued_and_that_was_closed_is_told(figure, people, followed):
    write(figure, people["ben"], "A cat.", submit=False)
    newer = write(figure, people["ann"], "A red cat.")
    assert told() == [("ben", "Somebody else saved version 2")]
    DESCRIPTION_REVIEW.approve(proposal=newer, reviewer=people["rev"])
    assert told()[1:] == [
        ("ann", "Version 2 is approved: from"),
        ("ben", "Version 1, which was still"),
    ]


def test_who_submitted_it_is_told_as_well_and_mailed_as_they_chose(figure, people, followed):
    ann = people["ann"]
    EmailAddress.objects.create(user=ann, email=ann.email, verified=True, primary=True)
    choose(owner=ann, how_by_kind={"reviewed": NoticeChoice.How.INSTANT})
    draft = write(figure, people["ben"], "A cat.", submit=False)
    submit_for_review(description=draft, by=ann)
    DESCRIPTION_REVIEW.approve(proposal=draft, reviewer=people["rev"])
    tell_and_mail()
    assert {name for name, _ in told()} == {"ann", "ben"}
    (letter,) = mail.outbox
    assert letter.to == [ann.email]
    assert "Version 1 is approved" in letter.body
    assert f"/figure/{figure.pk}/en/?version=1" in letter.body


def test_the_first_look_tells_nothing_of_before_nor_a_closed_account(figure, people):
    DESCRIPTION_REVIEW.approve(
        proposal=write(figure, people["ann"], "A cat."), reviewer=people["rev"]
    )
    before = timezone.now() - timedelta(hours=1)
    Description.objects.update(created=before, reviewed_at=before)
    assert told() == []
    tell_people()
    NoticeCursor.objects.update(described=None)  # as on a site that was upgraded
    assert told() == []
    User.objects.filter(username="ann").update(is_active=False)
    DESCRIPTION_REVIEW.approve(
        proposal=write(figure, people["ann"], "A red cat."), reviewer=people["rev"]
    )
    assert told() == []


def test_what_was_decided_while_no_worker_lived_is_told(figure, people, followed):
    DESCRIPTION_REVIEW.approve(
        proposal=write(figure, people["ann"], "A cat."), reviewer=people["rev"]
    )
    Description.objects.update(
        reviewed_at=NoticeCursor.objects.get().described + timedelta(hours=9)
    )
    assert told() == [("ann", "Version 1 is approved: from")]
