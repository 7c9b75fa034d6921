"""The content of an opened release cannot change, by whatever path one tries. A draft can."""

from collections.abc import Callable
from functools import partial

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
        members = "UPDATE benchmarks_releasequestion SET position = position + 50"
        cursor.execute(f"{members} WHERE release_id = %s", [release.pk])


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
ALWAYS = {
    "benchmarks_reference_update_guard",
    "benchmarks_description_update_guard",
    # tests/judging/desk/labels/test_corrections.py
    "benchmarks_question_update_label_guard",
    "benchmarks_question_update_label_kept_guard",
    "benchmarks_labelcorrection_update_guard",
    "benchmarks_labelcorrection_delete_guard",
    # tests/leaderboard/people/staff/test_log.py and test_account_admin.py
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


def test_every_guard_refuses_changes_to_the_content_of_a_release_and_allows_those_of_a_draft(
    opened, draft
):
    assert {guard for guard, _ in CHANGES} | ALWAYS == set(MESSAGES)
    for state in ("open", "frozen", "retired"):
        Release.objects.filter(pk=opened.pk).update(state=state)
        for guard, change in CHANGES:
            refused(guard, partial(change, opened))
    pk = draft.pk
    for _, change in CHANGES:
        with transaction.atomic():
            change(Release.objects.get(pk=pk))
            transaction.set_rollback(True)


def test_nothing_of_a_draft_is_moved_into_an_opened_release_or_changes_what_both_share(
    opened, draft
):
    moved, image = draft.members.filter(position=1), figure(draft).images
    to_other = {"figure": figure(opened), "position": 9}
    refused("benchmarks_figureimage_update_guard", lambda: image.update(**to_other))
    to_opened = {"release": opened, "position": 9}
    refused("benchmarks_releasequestion_update_guard", lambda: moved.update(**to_opened))
    shared = questions(opened).earliest("pk")
    ReleaseQuestion.objects.create(release=draft, question=shared, position=9)
    refused("benchmarks_question_update_guard", lambda: draft.questions.update(text="another"))
    for rows in (questions(draft), Figure.objects.filter(pk=figure(draft).pk)):
        with pytest.raises(Error), transaction.atomic():
            rows.delete()


def test_neither_a_reference_nor_an_approved_description_changes_even_in_a_draft(draft):
    """A reference can have another version, and a description changes until it is approved."""
    refused("benchmarks_reference_update_guard", lambda: references(draft).update(text="another"))
    question = questions(draft).earliest("pk")
    Reference.objects.create(question=question, version=2, text="a better one", origin="human")
    newest = Reference.objects.filter(question=question).newest()
    assert [reference.text for reference in newest] == ["a better one"]
    Description.objects.create(figure=figure(draft), version=1, text="A two.", state="draft")
    assert Description.objects.update(text="A red two.") == 1
    Description.objects.update(state="approved")
    change = Description.objects.all()
    refused("benchmarks_description_update_guard", lambda: change.update(text="A three."))


def test_an_opened_release_can_change_its_state_and_title_but_is_no_draft_again(opened):
    change = Release.objects.filter(pk=opened.pk)
    for state in ("frozen", "retired", "frozen", "open", "retired"):
        assert change.update(state=state, title=f"A better title, {state}") == 1
        refused("benchmarks_release_update_guard", lambda: change.update(state="draft"))
