"""What annotators have to do: figures by state, how far each ability is, and what counting them
costs."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from benchmarks.models import Ability, Description, Figure, Release
from benchmarks.services.descriptions import approve, save_draft, send_back, submit_for_review
from benchmarks.services.importing import ImportedRelease, freeze_release
from benchmarks.worklist import SHOWN, benchmarks_with_figures, figure_languages, read_worklist

LINES = b"1|two|two|one.png\n2|colour|colour|one.png\n3|night|night|dark.png\n4|sea|sea\n"


@pytest.fixture
def release(load) -> Release:
    imported: ImportedRelease = load(LINES, slug="spelling-1")
    return imported.release


@pytest.fixture
def figure(release) -> Figure:
    return Figure.objects.get(key="one.png")


def draft(figure, author, text="A cat.", base=0) -> Description:
    return save_draft(figure=figure, language="en", text=text, author=author, base_version=base)


def in_review(figure, author) -> Description:
    description = draft(figure, author)
    submit_for_review(description=description)
    return description


def keys(section) -> list[str]:
    return [item.figure.key for item in section.items]


def test_a_worklist_sorts_figures_by_what_is_to_do(release, figure, owner, stranger):
    dark = Figure.objects.get(key="dark.png")
    mine = read_worklist(benchmark=release.benchmark, user=owner)
    assert (keys(mine.missing), keys(mine.my_drafts)) == (["one.png", "dark.png"], [])
    draft(dark, owner)
    in_review(figure, owner)
    mine, theirs = (
        read_worklist(benchmark=release.benchmark, user=user) for user in (owner, stranger)
    )
    assert (keys(mine.my_drafts), keys(mine.in_review)) == (["dark.png"], ["one.png"])
    assert keys(theirs.my_drafts) == []


def test_progress_counts_figures_once_per_ability(release, figure, owner, stranger):
    approve(description=in_review(figure, owner), reviewer=stranger)
    (words,) = read_worklist(benchmark=release.benchmark, user=owner).progress
    assert (words.title, words.described, words.figures) == (Ability.objects.get().title, 1, 2)


def test_a_sent_back_text_leaves_the_list_when_it_is_written_again(
    release, figure, owner, stranger
):
    send_back(description=in_review(figure, owner), reviewer=stranger, comment="Which cat?")
    assert keys(read_worklist(benchmark=release.benchmark, user=owner).sent_back) == ["one.png"]
    draft(figure, owner, "A red cat.", base=1)
    assert keys(read_worklist(benchmark=release.benchmark, user=owner).sent_back) == []


def test_a_figure_is_described_in_the_languages_of_its_releases(load, figure):
    assert figure_languages(figure) == ["en"]
    load(LINES + b"5|rain|rain\n", slug="spelling-zh", language="zh")
    assert figure_languages(figure) == ["en", "zh"]


def test_what_is_missing_goes_with_every_approval_and_every_release(
    load, release, figure, owner, stranger
):
    def missing() -> list[tuple[str, str]]:
        items = read_worklist(benchmark=release.benchmark, user=owner).missing.items
        return [(item.figure.key, item.language) for item in items]

    both = [("one.png", "en"), ("dark.png", "en")]
    assert missing() == both
    approve(description=in_review(figure, owner), reviewer=stranger)
    assert missing() == both[1:]
    load(LINES, slug="spelling-zh", language="zh")
    assert missing() == [*both[1:], ("one.png", "zh"), ("dark.png", "zh")]
    freeze_release(release=release)
    assert missing() == [("one.png", "zh"), ("dark.png", "zh")]


def test_a_figure_of_two_abilities_is_missing_once_and_counted_in_both(release, figure, owner):
    ability = Ability.objects.get()
    other = Ability.objects.create(
        benchmark=release.benchmark, slug="other", title="Other", position=ability.position + 1
    )
    question = figure.questions.first()
    subtask = question.subtask
    subtask.pk, subtask.ability = None, other
    subtask.save()
    copy = question
    copy.pk, copy.subtask, copy.content_hash = None, subtask, "c" * 64
    copy.save()
    second = Release.objects.create(
        benchmark=release.benchmark, slug="second", title="Second", question_count=1, checksum="s"
    )
    second.members.create(question=copy, position=0)
    Release.objects.filter(pk=second.pk).update(state=Release.State.OPEN)
    mine = read_worklist(benchmark=release.benchmark, user=owner)
    assert (keys(mine.missing), mine.missing.count) == (["one.png", "dark.png"], 2)
    progress = [(row.title, row.described, row.figures) for row in mine.progress]
    assert progress == [(ability.title, 0, 2), ("Other", 0, 1)]


def test_who_looks_again_reads_no_question_and_no_more_than_is_shown(load, owner):
    many = SHOWN + 20
    lines = "".join(f"{n}|word|word|figure{n}.png\n" for n in range(many))
    benchmark = load(lines.encode(), slug="spelling-1").release.benchmark
    first = read_worklist(benchmark=benchmark, user=owner).missing
    assert (len(first.items), first.count, first.more) == (SHOWN, many, 20)
    with CaptureQueriesContext(connection) as queries:
        again = read_worklist(benchmark=benchmark, user=owner).missing
    assert again == first
    assert len(queries) == 7  # releases, approvals, 50 figures and their versions, three lists
    assert not [query for query in queries if "benchmarks_question" in query["sql"]]


def test_a_benchmark_says_whether_anything_of_it_is_described(release, figure, owner):
    assert benchmarks_with_figures() == {release.benchmark: False}
    draft(figure, owner)
    assert benchmarks_with_figures() == {release.benchmark: True}
    freeze_release(release=release)
    assert benchmarks_with_figures() == {}
