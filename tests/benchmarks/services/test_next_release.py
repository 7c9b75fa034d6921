"""The next release of a closed one: the same questions, texts and labels, in a draft of its own."""

import pytest
from django.db import IntegrityError, connection, transaction
from django.test.utils import CaptureQueriesContext

from benchmarks.models import Release
from benchmarks.release_states import move_release
from benchmarks.services.descriptions import FrozenFigureError, check_open
from benchmarks.services.importing import freeze_release
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
from benchmarks.services.references import add_reference
from tests.conftest import import_words

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
    draft = Release.objects.get(pk=made(closed).pk)
    assert (draft.state, draft.opened, draft.closed, draft.follows) == ("draft", None, None, closed)
    assert (draft.slug, draft.title) == ("words-2", "Words, release 2")
    assert members(draft) == members(closed)
    assert len(members(draft)) == 3
    assert [getattr(draft, name) for name in COPIED] == [getattr(closed, name) for name in COPIED]
    assert draft.floor_version == 0  # its baselines are made once it is open


def test_nothing_of_the_closed_one_changes(closed):
    before = Release.objects.filter(pk=closed.pk).values().get(), members(closed)
    made(closed)
    assert (Release.objects.filter(pk=closed.pk).values().get(), members(closed)) == before


def test_its_figures_and_references_take_versions_again(closed):
    question = closed.questions.get(public_id="1")
    with pytest.raises(FrozenFigureError):
        check_open(question.figure, "de")
    made(closed)
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


@pytest.mark.parametrize("state", ["draft", "open"])
def test_a_release_that_takes_corrections_itself_has_none(closed, state):
    release = closed
    if state == "draft":
        release = made(closed)
    else:
        Release.objects.filter(pk=closed.pk).update(state=state)
    count = Release.objects.count()
    with pytest.raises(NextReleaseError, match=f"It is {state}"):
        made(release, slug="another")
    assert Release.objects.count() == count


def test_a_retired_one_has_one_too(closed):
    move_release(release=closed, found="frozen", to="retired")
    assert made(closed).follows == closed


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


def test_the_database_has_one_draft_of_each(closed):
    draft = made(closed)
    draft.pk, draft.slug = None, "words-3"
    with pytest.raises(IntegrityError), transaction.atomic():
        draft.save()


@pytest.mark.parametrize(
    ("slug", "said"),
    [
        ("words-1", "There is a release 'words-1' already"),
        ("no words", "slug: "),
        ("", "slug: "),
        ("w" * 51, "slug: "),
    ],
)
def test_a_name_that_cannot_be_its_own_is_refused(closed, slug, said):
    with pytest.raises(NextReleaseError, match=said):
        made(closed, slug=slug)
    assert Release.objects.get() == closed


def test_names_are_proposed_that_are_free(closed):
    assert proposed_names(closed) == Names("words-1-2", "Words, release 2")
    draft = made(closed, slug="words-1-2")
    assert proposed_names(closed) == Names("words-1-3", "Words, release 3")
    assert proposed_names(draft) == Names("words-1-3", "Words, release 3")


def test_long_names_leave_room_for_a_number(closed):
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
