"""The next release of a closed one: the same questions, texts and labels, in a draft of its own."""

import pytest
from django.db import IntegrityError, connection, transaction
from django.test.utils import CaptureQueriesContext

from benchmarks.models import Release
from benchmarks.releases.states import move_release
from benchmarks.services.descriptions import check_open
from benchmarks.services.next_release import (
    Corrected,
    Names,
    NextReleaseError,
    corrected_since_closed,
    make_next_release,
    next_of,
    proposed_names,
    without_next,
)
from benchmarks.services.proposals import ProposalError
from benchmarks.services.references import add_reference
from tests.conftest import freeze_release, import_words

LINES = b"3|night|night|dark.png\n1|two|two|one.png\n2|colour|colour|one.png\n"
COPIED = (
    "benchmark_id",
    "language",
    "checksum",
    "question_count",
    "disclosure",
    "rounding_secret",
    "anomalies",
    "creator",
    "licence",
    "licence_url",
    "source",
    "passes_pictures_on",
)


@pytest.fixture
def closed(load) -> Release:
    release: Release = load(LINES, slug="words-1", title="Words", language="de").release
    Release.objects.filter(pk=release.pk).update(
        disclosure="open",
        anomalies=[{"question": "1", "code": "twice", "message": "Stands twice."}],
        creator="Ann",
        licence="CC-BY-4.0",
        licence_url="https://example.org/by",
        source="https://example.org/words",
        passes_pictures_on=True,
        floor_version=3,
    )
    freeze_release(release=release)
    release.refresh_from_db()
    return release


def members(release: Release) -> list[tuple[int, int]]:
    return list(release.members.order_by("position").values_list("position", "question"))


def made(of: Release, slug: str = "words-2", title: str = "Words, release 2") -> Release:
    return make_next_release(of=of, slug=slug, title=title)


def test_it_is_a_draft_of_the_same_questions_in_the_same_order(closed):
    """Nothing of the closed one changes; its figures and references take versions again."""
    before = Release.objects.filter(pk=closed.pk).values().get(), members(closed)
    question = closed.questions.get(public_id="1")
    with pytest.raises(ProposalError, match="frozen or retired"):
        check_open(question.figure, "de")
    draft = Release.objects.get(pk=made(closed).pk)
    assert (draft.state, draft.opened, draft.closed, draft.follows) == ("draft", None, None, closed)
    assert (draft.slug, draft.title) == ("words-2", "Words, release 2")
    assert members(draft) == members(closed)
    assert len(members(draft)) == 3
    assert [getattr(draft, name) for name in COPIED] == [getattr(closed, name) for name in COPIED]
    assert draft.floor_version == 0  # its baselines are made once it is open
    assert (Release.objects.filter(pk=closed.pk).values().get(), members(closed)) == before
    check_open(question.figure, "de")
    assert add_reference(question=question, text="Two.", origin="human").version == 2


def test_as_many_queries_for_many_questions_as_for_few(db):
    counts = []
    for size in (3, 700):
        release = import_words(range(size), slug=f"words-{size}")
        freeze_release(release=release)
        with CaptureQueriesContext(
            connection,
        ) as queries:
            draft = made(release, slug=f"next-{size}")
        assert draft.members.count() == size
        counts.append(len(queries))
    assert counts[0] == counts[1] < 12


def test_only_a_closed_release_has_one_and_by_a_name_of_its_own(closed):
    def refused(told: str, *named: str) -> None:
        with pytest.raises(NextReleaseError, match=told):
            made(closed, *named)
        assert Release.objects.get() == closed

    for slug in ("no words", "", "w" * 51):
        refused("slug: ", slug)
    refused("There is a release 'words-1' already", "words-1")
    Release.objects.filter(pk=closed.pk).update(state="open")
    closed.refresh_from_db()
    refused("It is open", "another")
    Release.objects.filter(pk=closed.pk).update(state="retired")
    closed.refresh_from_db()
    draft = made(closed)
    assert draft.follows == closed
    with pytest.raises(NextReleaseError, match="It is draft"):
        made(draft, slug="another")
    draft.pk, draft.slug = None, "words-3"
    with pytest.raises(IntegrityError), transaction.atomic():
        draft.save()


def test_there_is_one_at_a_time(closed):
    draft = made(closed)
    with pytest.raises(NextReleaseError, match="here already: words-2"):
        made(closed, slug="words-3")
    Release.objects.filter(pk=draft.pk).update(state="open")
    with pytest.raises(NextReleaseError, match="here already: words-2"):
        made(closed, slug="words-3")
    assert not without_next(Release.objects.all()).exists()
    move_release(release=draft, found="open", to="retired")
    assert {*without_next(Release.objects.all())} == {closed, draft}
    assert next_of(closed) is None
    assert made(closed, slug="words-3") == next_of(closed)


def test_names_are_proposed_that_are_free_and_leave_room_for_a_number(closed):
    assert proposed_names(closed) == Names("words-1-2", "Words, release 2")
    draft = made(closed, slug="words-1-2")
    assert proposed_names(closed) == Names("words-1-3", "Words, release 3")
    assert proposed_names(draft) == Names("words-1-3", "Words, release 3")
    closed.slug, closed.title = "w" * 50, "W" * 200
    assert proposed_names(closed) == Names("w" * 46 + "-2", "W" * 189 + ", release 2")


# --- since when it is closed ----------------------------------------------------------------------


def test_a_release_knows_since_when_it_is_closed(closed):
    frozen = closed.closed
    assert frozen is not None
    move_release(release=closed, found="frozen", to="retired")
    assert closed.closed == frozen
    move_release(release=closed, found="retired", to="open")
    assert closed.closed is None
    move_release(release=closed, found="open", to="frozen")
    assert closed.closed > frozen


def test_what_was_corrected_since_is_counted(closed):
    question = closed.questions.get(public_id="1")
    assert corrected_since_closed(closed) == Corrected(0, 0, 0)
    made(closed)
    add_reference(question=question, text="Two.", origin="human")
    assert corrected_since_closed(closed) == Corrected(0, 1, 0)
    closed.closed = None
    assert corrected_since_closed(closed) == Corrected(0, 1, 0)
