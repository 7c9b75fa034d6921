"""The content of an opened release cannot change, by whatever path one tries."""

import pytest
from django.db import Error, connection, transaction

from benchmarks.models import Figure, Question, Reference, Release, ReleaseQuestion

CHANGES = [
    lambda: Question.objects.update(text="another question"),
    lambda: Question.objects.bulk_update([Question(pk=Question.objects.earliest("pk").pk, text="x")], ["text"]),
    lambda: ReleaseQuestion.objects.update(position=99),
    lambda: ReleaseQuestion.objects.all().delete(),
    lambda: Release.objects.update(state="draft"),
    lambda: Release.objects.update(checksum="0"),
    lambda: Release.objects.update(slug="another"),
    lambda: Reference.objects.update(text="another reference"),
    lambda: Release.objects.all().delete(),
    lambda: Question.objects.all().delete(),
]


def refused(change) -> bool:
    try:
        with transaction.atomic():
            change()
    except Error:
        return True
    return False


@pytest.mark.parametrize("change", CHANGES, ids=range(len(CHANGES)))
def test_the_database_refuses_to_change_an_opened_release(spelling, change):
    assert refused(change)


def test_the_database_refuses_plain_sql_too(spelling):
    def by_hand():
        with connection.cursor() as cursor:
            cursor.execute("UPDATE benchmarks_question SET text = 'x'")

    assert refused(by_hand)


def test_a_question_cannot_join_an_opened_release(spelling):
    question = Question.objects.earliest("pk")
    stray = Question.objects.create(
        benchmark=question.benchmark, public_id="5", content_hash="5", subtask=question.subtask, group="5", text="?"
    )
    assert refused(lambda: ReleaseQuestion.objects.create(release=spelling, question=stray, position=5))


def test_figures_of_an_opened_release_cannot_change(spelling):
    question = Question.objects.earliest("pk")
    figure = Figure.objects.create(benchmark=question.benchmark, key="f", content_hash="f")
    assert not refused(lambda: Figure.objects.update(key="g"))
    draft = Release.objects.create(benchmark=question.benchmark, slug="d", title="d", question_count=1)
    shown = Question.objects.create(
        benchmark=question.benchmark,
        public_id="6",
        content_hash="6",
        subtask=question.subtask,
        figure=figure,
        group="6",
        text="?",
    )
    ReleaseQuestion.objects.create(release=draft, question=shown, position=0)
    Release.objects.filter(pk=draft.pk).update(state="open")
    assert refused(lambda: Figure.objects.update(key="h"))


def test_a_draft_and_the_title_of_an_opened_release_may_change(spelling):
    Release.objects.create(benchmark=spelling.benchmark, slug="draft", title="d", question_count=0)
    assert Release.objects.filter(slug="draft").update(checksum="1", slug="renamed") == 1
    assert Release.objects.filter(pk=spelling.pk).update(title="A better title", state="frozen") == 1
