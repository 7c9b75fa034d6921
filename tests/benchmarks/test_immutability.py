"""The content of an opened release cannot change, by whatever path one tries. A draft can."""

from collections.abc import Callable

import pytest
from django.db import Error, connection, transaction
from django.db.models import F, QuerySet

from benchmarks.immutability import GUARDS
from benchmarks.models import (
    Description,
    Figure,
    FigureImage,
    Question,
    Reference,
    Release,
    ReleaseQuestion,
)

MESSAGES = {guard.name: guard.message for guard in GUARDS}


def questions(release: Release) -> "QuerySet[Question]":
    return Question.objects.filter(releases=release)


def references(release: Release) -> "QuerySet[Reference]":
    return Reference.objects.filter(question__releases=release)


def figure(release: Release) -> Figure:
    return Figure.objects.filter(questions__releases=release).earliest("pk")


def stray(release: Release) -> Question:
    """A question of the same benchmark that is in no release."""
    question = questions(release).earliest("pk")
    question.pk, question.public_id, question.content_hash = None, "stray", f"stray of {release.pk}"
    question.save()
    return question


def touched(question: Question) -> Question:
    question.text = "another"
    return question


def update_by_hand(release: Release) -> None:
    with connection.cursor() as cursor:
        cursor.execute("UPDATE benchmarks_releasequestion SET position = position + 50")


CHANGES: list[tuple[str, Callable[[Release], object]]] = [
    ("benchmarks_question_update_guard", lambda r: questions(r).update(truth={"spelling": "x"})),
    (
        "benchmarks_question_update_guard",
        lambda r: Question.objects.bulk_update([touched(q) for q in questions(r)], ["text"]),
    ),
    ("benchmarks_question_update_guard", lambda r: touched(questions(r).earliest("pk")).save()),
    (
        "benchmarks_figure_update_guard",
        lambda r: Figure.objects.filter(pk=figure(r).pk).update(key="another"),
    ),
    (
        "benchmarks_figureimage_insert_guard",
        lambda r: FigureImage.objects.create(figure=figure(r), position=7, name="one more"),
    ),
    ("benchmarks_figureimage_update_guard", lambda r: figure(r).images.update(name="another")),
    ("benchmarks_figureimage_delete_guard", lambda r: figure(r).images.all().delete()),
    (
        "benchmarks_releasequestion_insert_guard",
        lambda r: r.members.create(question=stray(r), position=9),
    ),
    (
        "benchmarks_releasequestion_update_guard",
        lambda r: r.members.update(position=F("position") + 50),
    ),
    ("benchmarks_releasequestion_update_guard", update_by_hand),
    ("benchmarks_releasequestion_delete_guard", lambda r: r.members.all().delete()),
    ("benchmarks_releasequestion_delete_guard", lambda r: r.delete()),
    (
        "benchmarks_release_update_guard",
        lambda r: Release.objects.filter(pk=r.pk).update(checksum="0" * 64),
    ),
    (
        "benchmarks_release_update_guard",
        lambda r: Release.objects.filter(pk=r.pk).update(slug="another"),
    ),
    ("benchmarks_reference_delete_guard", lambda r: references(r).delete()),
]
ATTEMPTS = pytest.mark.parametrize(("guard", "change"), CHANGES, ids=range(len(CHANGES)))
ALWAYS = {
    "benchmarks_reference_update_guard",
    "benchmarks_description_update_guard",
    # tests/judging/desk/test_label_corrections.py
    "benchmarks_question_update_label_guard",
    "benchmarks_question_update_label_kept_guard",
    "benchmarks_labelcorrection_update_guard",
    "benchmarks_labelcorrection_delete_guard",
    # tests/leaderboard/staff/test_log.py and test_account_admin.py
    "benchmarks_staffaction_update_guard",
    "benchmarks_staffaction_delete_guard",
    "auth_group_update_guard",
    "auth_group_delete_guard",
}


@pytest.fixture
def opened(load) -> Release:
    release: Release = load(b"1|two|two|two.png\n2|colour|colour\n", slug="opened").release
    return release


def refused(guard: str, change: Callable[[], object]) -> None:
    with pytest.raises(Error, match=MESSAGES[guard]), transaction.atomic():
        change()


def test_every_guard_is_tried():
    assert {guard for guard, _ in CHANGES} | ALWAYS == set(MESSAGES)


@ATTEMPTS
def test_an_opened_release_refuses_a_change_to_its_content(opened, guard, change):
    refused(guard, lambda: change(opened))


@ATTEMPTS
@pytest.mark.parametrize("state", ["frozen", "retired"])
def test_a_closed_release_refuses_it_too(opened, state, guard, change):
    Release.objects.filter(pk=opened.pk).update(state=state)
    refused(guard, lambda: change(opened))


@ATTEMPTS
def test_a_draft_allows_it(draft, guard, change):
    change(draft)


def test_a_question_of_a_draft_cannot_be_moved_into_an_opened_release(opened, draft):
    moved = draft.members.filter(position=1)
    refused(
        "benchmarks_releasequestion_update_guard", lambda: moved.update(release=opened, position=9)
    )


def test_an_image_of_a_draft_cannot_be_moved_to_an_opened_release(opened, draft):
    change = {"figure": figure(opened), "position": 9}
    refused("benchmarks_figureimage_update_guard", lambda: figure(draft).images.update(**change))


def test_a_question_shared_with_a_draft_stays_as_it_is(opened, draft):
    shared = questions(opened).earliest("pk")
    ReleaseQuestion.objects.create(release=draft, question=shared, position=9)
    refused("benchmarks_question_update_guard", lambda: draft.questions.update(text="another"))


def test_a_question_or_figure_of_a_release_cannot_be_deleted(draft):
    for rows in (questions(draft), Figure.objects.filter(pk=figure(draft).pk)):
        with pytest.raises(Error), transaction.atomic():
            rows.delete()


def test_a_reference_never_changes_even_in_a_draft(draft):
    refused("benchmarks_reference_update_guard", lambda: references(draft).update(text="another"))


def test_a_reference_can_have_another_version(opened):
    question = questions(opened).earliest("pk")
    Reference.objects.create(question=question, version=2, text="a better one", origin="human")
    assert list(
        Reference.objects.filter(question=question).newest().values_list("text", flat=True)
    ) == ["a better one"]


def test_an_approved_description_never_changes(draft):
    Description.objects.create(figure=figure(draft), version=1, text="A two.", state="approved")
    refused(
        "benchmarks_description_update_guard", lambda: Description.objects.update(text="A three.")
    )


def test_a_description_can_be_written_until_it_is_approved(draft):
    Description.objects.create(figure=figure(draft), version=1, text="A two.", state="draft")
    assert Description.objects.update(text="A red two.") == 1


@pytest.mark.parametrize("states", [["frozen", "retired"], ["frozen", "open"], ["retired"]])
def test_an_opened_release_can_change_its_state(opened, states):
    for state in states:
        assert Release.objects.filter(pk=opened.pk).update(state=state) == 1


def test_an_opened_release_cannot_become_a_draft_again(opened):
    change = Release.objects.filter(pk=opened.pk)
    refused("benchmarks_release_update_guard", lambda: change.update(state="draft"))


def test_the_title_of_an_opened_release_may_change(opened):
    assert Release.objects.filter(pk=opened.pk).update(title="A better title") == 1
