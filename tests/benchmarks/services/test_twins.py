"""Figures of two benchmarks with the same pictures: what is approved of one serves both."""

import pytest
from django.contrib.auth.models import User

from benchmarks.models import Description, Figure, Release
from benchmarks.services.descriptions import DESCRIPTION_REVIEW, save_draft, submit_for_review
from benchmarks.services.proposals import ProposalError
from benchmarks.services.twins import twins_of
from tests.benchmarks.same_pictures import shown_elsewhere
from tests.conftest import freeze_release
from tests.judging.threads import at_once

State = Description.State
LINES = b"1|two|two|one.png\n2|night|night|dark.png\n"


@pytest.fixture
def figure(load) -> Figure:
    load(LINES, slug="spelling-1")
    return Figure.objects.get(key="one.png")


@pytest.fixture
def twin(figure) -> Figure:
    """The same picture in TouchStone, whose judge reads descriptions."""
    return shown_elsewhere(figure, "touchstone")


@pytest.fixture
def reviewer(db) -> User:
    return User.objects.create_user("rita")


def draft(figure, author, text="A cat.", base=0) -> Description:
    return save_draft(figure=figure, language="en", text=text, author=author, base_version=base)


def waiting(figure, author, text="A cat.", base=0) -> Description:
    description = draft(figure, author, text, base)
    submit_for_review(description=description)
    return description


def of(figure: Figure) -> list[tuple[int, str, str]]:
    found = figure.descriptions.order_by("version")
    return list(found.values_list("version", "text", "state"))


def test_what_is_approved_is_approved_of_the_twin_by_the_same_people(figure, twin, owner, reviewer):
    source = waiting(figure, owner)
    DESCRIPTION_REVIEW.approve(proposal=source, reviewer=reviewer)
    copy = twin.descriptions.get()
    assert (copy.text, copy.state, copy.version) == ("A cat.", State.APPROVED, 1)
    assert (copy.author, copy.reviewed_by, copy.copied_from) == (owner, reviewer, source)


def test_the_copy_comes_after_the_twins_versions_and_closes_what_was_in_work(
    figure, twin, owner, stranger, reviewer
):
    DESCRIPTION_REVIEW.approve(proposal=waiting(twin, owner, "A pet."), reviewer=reviewer)
    assert of(figure) == [(1, "A pet.", State.APPROVED)]
    draft(twin, stranger, "A dog.", base=1)
    DESCRIPTION_REVIEW.approve(proposal=waiting(figure, owner, "A cat.", base=1), reviewer=reviewer)
    assert of(twin) == [
        (1, "A pet.", State.APPROVED),
        (2, "A dog.", State.SUPERSEDED),
        (3, "A cat.", State.APPROVED),
    ]
    closed = twin.descriptions.get(version=2)
    assert closed.superseded_by == twin.descriptions.get(version=3)


def test_a_twin_with_the_same_words_gets_no_version(figure, twin, owner, stranger, reviewer):
    first, second = waiting(figure, owner), waiting(twin, stranger)
    DESCRIPTION_REVIEW.approve(proposal=first, reviewer=reviewer)
    assert of(twin) == [(1, "A cat.", State.SUPERSEDED), (2, "A cat.", State.APPROVED)]
    assert of(figure) == [(1, "A cat.", State.APPROVED)]
    second.refresh_from_db()
    assert second.state == State.SUPERSEDED


def test_nobody_approves_their_own_words_by_way_of_a_twin(figure, twin, owner, stranger, reviewer):
    """Nor what somebody else may have made of them, as of a version of the figure itself; after an
    approval only the same words are one's own."""
    draft(twin, reviewer, "A cat.")
    for version, words in enumerate(["A cat.", "A  cat!", "A cat, asleep."]):
        with pytest.raises(ProposalError, match="wrote about the same picture"):
            DESCRIPTION_REVIEW.approve(
                proposal=waiting(figure, owner, words, version), reviewer=reviewer
            )
    assert not Description.objects.filter(state=State.APPROVED).exists()
    DESCRIPTION_REVIEW.approve(proposal=waiting(twin, owner, "A pet.", base=1), reviewer=stranger)
    base = figure.descriptions.latest("version").version
    same = waiting(figure, owner, "A  cat!!", base=base)
    assert DESCRIPTION_REVIEW.why_own(reviewer, same)
    assert not DESCRIPTION_REVIEW.why_own(reviewer, waiting(figure, owner, "A dog.", base=base + 1))


def test_only_open_releases_of_the_language_whose_judge_reads_descriptions_have_a_copy(
    figure, owner, reviewer
):
    assert twins_of(figure=figure, language="en") == [], "figures of one benchmark are no twins"
    unread = ("hallusionbench", "tiny_lvlm_ehub", "unknown")
    others = [shown_elsewhere(figure, slug) for slug in unread]
    others.append(shown_elsewhere(figure, "touchstone", language="zh"))
    others.append(shown_elsewhere(figure, "touchstone_hallucination"))
    freeze_release(release=Release.objects.get(slug="touchstone_hallucination"))
    DESCRIPTION_REVIEW.approve(proposal=waiting(figure, owner), reviewer=reviewer)
    assert [of(other) for other in others] == [[]] * 5


def test_twins_that_are_approved_at_one_instant_end_with_one_text(committed, load):
    load(LINES, slug="spelling-1")
    figure = Figure.objects.get(key="one.png")
    twin = shown_elsewhere(figure, "touchstone")
    anna, ben, rita, rolf = (
        User.objects.create_user(name) for name in ("anna", "ben", "rita", "rolf")
    )
    one, two = waiting(figure, anna, "A cat."), waiting(twin, ben, "A pet.")
    refused = []

    def decide(description: Description, reviewer: User) -> None:
        try:
            DESCRIPTION_REVIEW.approve(proposal=description, reviewer=reviewer)
        except ProposalError as error:
            refused.append(str(error))

    at_once(lambda: decide(one, rita), lambda: decide(two, rolf))
    approved = [
        side.descriptions.filter(state=State.APPROVED).latest("version").text
        for side in (figure, twin)
    ]
    assert approved[0] == approved[1]
    assert len(refused) == 1
