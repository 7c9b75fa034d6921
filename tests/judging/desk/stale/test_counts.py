"""What stands by older texts in many releases at once is what is found in each of them, in as many
queries for two as for ten."""

import io

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from benchmarks.models import Figure, Question, Release
from benchmarks.registry import protocol
from benchmarks.services.importing import import_release
from benchmarks.services.references import add_reference
from judging.desk.stale import counts as module
from judging.desk.stale.counts import stale_counts
from judging.desk.stale.page import release_rows
from judging.desk.stale.staleness import rejudge_stale, stale_judgements
from judging.services.review import exclude_judgement
from tests.conftest import freeze_release
from tests.judging import described
from tests.judging.described import judge, planned

LIST = "/admin/judging/stalejudgement/"


def released(number: int, language: str = "en", slug: str = "") -> Release:
    """Questions of that number, of which one is about the figure of them all."""
    family = protocol("spelling")
    lines = f"{number}1|two {number}|two|one.png\n{number}2|sea {number}|sea\n"
    found = import_release(
        protocol=family, stream=io.BytesIO(lines.encode()), slug=slug or f"spelling-{number}"
    ).release
    Release.objects.filter(pk=found.pk).update(language=language)
    return Release.objects.get(pk=found.pk)


def judged(release: Release, owner, kind: str = "openai", said: str = "right") -> None:
    ids = release.questions.values_list("public_id", flat=True)
    content = "".join(f"{one}=answer {one}\n" for one in ids).encode()
    judge(planned(release, owner, kind, content=content, name=f"{release}"), said)


def describe(text: str, language: str = "en") -> None:
    described.describe(Figure.objects.get(key="one.png"), text, language)


def one_by_one() -> dict[int, int]:
    counts = {one.pk: stale_judgements(release=one).count() for one in Release.objects.all()}
    return {pk: count for pk, count in counts.items() if count}


def at_once() -> dict[int, int]:
    return dict(stale_counts(Release.objects.all()))


def test_the_counts_are_those_of_each_release(db, owner, monkeypatch):
    releases = [released(1), released(2), released(3, "zh"), released(4)]
    described, read, chinese, closed = releases
    # The same questions as in the first, in a language in which its texts do not change.
    shared = released(1, "fr", "shared")
    assert set(shared.questions.all()) == set(described.questions.all())
    describe("A cat.")
    describe("一只猫。", "zh")
    for release in (*releases, shared):
        judged(release, owner)
    judged(read, owner, "rules")  # rules read the reference too, the model does not
    assert at_once() == one_by_one() == {}
    describe("A dog.")
    freeze_release(release=closed)
    assert at_once() == one_by_one() == {described.pk: 1, read.pk: 2}
    describe("一只狗。", "zh")
    add_reference(question=Question.objects.get(public_id="22"), text="the sea", origin="human")
    found = {described.pk: 1, read.pk: 3, chinese.pk: 1}
    assert at_once() == one_by_one() == found
    monkeypatch.setattr(module, "in_parts", lambda keys: ([key] for key in keys))
    assert at_once() == found
    describe("A cat.")  # the words that they were judged by
    assert at_once() == one_by_one() == {read.pk: 1, chinese.pk: 1}


def test_what_is_judged_again_or_excluded_is_stale_no_more(db, owner, stranger):
    one, two = released(1), released(2)
    judged(one, owner)
    judged(two, owner, said="nonsense")
    describe("A cat.")
    assert at_once() == one_by_one() == {one.pk: 1, two.pk: 1}
    rejudge_stale(release=one)
    assert at_once() == one_by_one() == {two.pk: 1}
    unread = stale_judgements(release=two).get()
    exclude_judgement(judgement=unread, by=stranger, reason="a bad question")
    assert at_once() == one_by_one() == {}


@pytest.mark.slow
def test_the_page_takes_as_many_queries_for_many_releases(db, owner, visit):
    client = visit("reviewer")

    def queries() -> int:
        client.get(LIST)  # what a process keeps of releases is read once
        with CaptureQueriesContext(connection) as made:
            assert client.get(LIST).status_code == 200
        return len(made)

    for number in range(1, 3):
        judged(released(number), owner)
    describe("A cat.")
    of_two = queries()
    for number in range(3, 11):
        release = released(number)
        if number % 2:
            judged(release, owner)
    describe("A dog.")
    assert sum(1 for row in release_rows() if row["judgements"]) == 6
    assert queries() == of_two
