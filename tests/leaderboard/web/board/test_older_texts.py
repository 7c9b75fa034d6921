"""Entries of one board judged by different versions of a text: page, files and API say so; hidden
texts stay hidden."""

import csv
import io
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import NamedTuple
from uuid import UUID

import pytest
from django.contrib.auth.models import User
from django.db import transaction
from django.db.models.functions import Now
from django.urls import reverse

from benchmarks.models import Description, Figure, Release
from benchmarks.registry import protocol
from benchmarks.services.descriptions import DESCRIPTION_REVIEW, save_draft, submit_for_review
from benchmarks.services.importing import import_release
from benchmarks.services.next_release import make_next_release
from benchmarks.services.references import add_reference
from benchmarks.submissions.models import Submission
from judging.desk.stale.staleness import rejudge_stale
from judging.engine.engine import judge_run
from judging.models import Judgement, JudgeRun
from judging.services import ensure_spec, plan_run, request_run
from leaderboard.models import Scoresheet
from leaderboard.results.entries.rejudging import (
    LONGEST_WAIT,
    Rejudging,
    held_back,
    rejudging_of,
    rounded_up,
)
from leaderboard.results.selectors import read_board
from leaderboard.results.services import score_finished_runs, score_run
from leaderboard.web.board.page import rejudging_in
from leaderboard.web.caching.version import shown_version
from tests.conftest import freeze_release, submit
from tests.judging.scripted import ScriptedJudge

LINES = b"1|two|two|one.png\n2|colour|colour|one.png\n3|night|night|dark.png\n4|sea|sea\n"
OLD, NEW = "A cat on a mat.", "A dog on a mat."
OLDER = "2 of 4 by older texts"


class Made(NamedTuple):
    """Keys. first was judged before the description changed, second after."""

    release: int
    people: tuple[int, int]
    first: UUID
    second: UUID


@pytest.fixture(scope="module")
def made(module_rows) -> Made:
    release = import_release(
        protocol=protocol("spelling"),
        stream=io.BytesIO(LINES),
        slug="spelling-1",
        disclosure="open",
    ).release
    Release.objects.update(floor_version=99)
    rosa, sam = (User.objects.create_user(name, f"{name}@example.org") for name in ("rosa", "sam"))
    description(OLD, rosa, sam)
    first = entry(release, rosa, "First")
    description(NEW, rosa, sam)
    second = entry(release, sam, "Second", "wrong")
    return Made(release.pk, (rosa.pk, sam.pk), first.pk, second.pk)


def description(text: str, author: User, reviewer: User, key: str = "one.png") -> None:
    """Of a figure, which two questions share, approved."""
    figure = Figure.objects.get(key=key)
    base = Description.objects.filter(figure=figure).count()
    draft = save_draft(figure=figure, language="en", text=text, author=author, base_version=base)
    submit_for_review(description=draft)
    DESCRIPTION_REVIEW.approve(proposal=draft, reviewer=reviewer)


@pytest.fixture
def two_texts(made, db) -> tuple[Submission, Submission]:
    first, second = (Submission.objects.get(pk=pk) for pk in (made.first, made.second))
    return first, second


@pytest.fixture
def release(made, db) -> Release:
    return Release.objects.get(pk=made.release)


@pytest.fixture
def owner(made, db) -> User:
    return User.objects.get(pk=made.people[0])


@pytest.fixture
def stranger(made, db) -> User:
    return User.objects.get(pk=made.people[1])


@pytest.fixture
def describe(owner, stranger) -> Callable[..., None]:
    return partial(description, author=owner, reviewer=stranger)


def entry(release: Release, owner: User, name: str, said: str = "right") -> Submission:
    """A public entry, judged and scored by today's texts."""
    submission = submit(
        release,
        owner,
        content=f"1=two\n2=col\n3=night\n4={name.encode().hex()}\n".encode(),
        name=name,
    )
    return judged(submission, said)


def judged(submission: Submission, said: str = "right") -> Submission:
    spec = ensure_spec(
        of=protocol("spelling"), kind="openai", endpoint="here", model="m", repeats=1
    )
    run = request_run(submission=submission, spec=spec)
    plan_run(run_id=run.pk)
    judge_run(run_id=run.pk, judge=ScriptedJudge([said]))
    score_run(run=run)
    return submission


def page(client, name: str, *args: object) -> str:
    response = client.get(reverse(name, args=args))
    assert response.status_code == 200
    text: str = response.getvalue().decode()
    return text


# --- boards ---------------------------------------------------------------------------------------


def test_board_files_and_api_say_which_rows_are_by_older_texts(
    two_texts, release, describe, client
):
    edition = read_board(release.benchmark).edition
    assert edition is not None
    assert (edition.number, edition.since is not None) == (3, True)
    shown = page(client, "board", "spelling")
    assert shown.count(f">{OLDER}<") == 1
    assert "1 entry was judged in part by other texts" in shown
    assert "Texts edition <b>3</b>" in shown
    document = client.get(reverse("api-board", args=["spelling"])).json()
    assert document["content_edition"] == 3
    assert {e["model"]: e["older_texts"] for e in document["entries"]} == {"First": 2, "Second": 0}
    lines = list(csv.DictReader(io.StringIO(page(client, "board-export", "spelling", "csv"))))
    texts = {line["model"]: line["texts"] for line in lines if line["kind"] == "upload"}
    assert texts == {"First": OLDER, "Second": ""}
    assert f"First ({OLDER})" in page(client, "board-export", "spelling", "latex")
    # a board of one text says nothing, until another is approved
    Submission.objects.filter(pk=two_texts[0].pk).update(visibility="private")
    shown = page(client, "board", "spelling")
    assert ("older texts" in shown, "other texts" in shown) == (False, False)
    before = shown_version()
    describe("A hen on a mat.")
    assert shown_version() != before
    assert OLDER in page(client, "board", "spelling")


def test_a_closed_board_stays_as_it_is_while_the_next_release_is_corrected(
    release, describe, owner, client
):
    waiting = submit(release, owner, name="Waiting")
    freeze_release(release=release)
    before = read_board(release.benchmark)
    make_next_release(of=release, slug="spelling-2", title="Spelling, release 2")
    describe("A hen on a mat.")
    add_reference(question=release.questions.get(public_id="3"), text="knight", origin="human")
    assert rejudge_stale(release=release).waiting == 0
    shown = page(client, "board", "spelling")
    assert "it takes no submissions. Texts it shares" in shown
    assert "no verdict of it is requested again" in shown
    after = read_board(release.benchmark)
    assert after.edition == before.edition
    told = {row.model: row.by_older_texts for row in after.entries}
    assert told == {"First": OLDER, "Second": ""}
    # what waits then is judged by the texts the release was closed with
    judged(Submission.objects.get(pk=waiting.pk))
    read = Judgement.objects.filter(answer__submission=waiting, answer__question__public_id="1")
    assert read.get().texts.description.text == NEW
    told = {row.model: row.by_older_texts for row in read_board(release.benchmark).entries}
    assert told == {"First": OLDER, "Second": "", "Waiting": ""}
    Release.objects.filter(pk=release.pk).update(state="open", closed=None)
    assert read_board(release.benchmark).edition != before.edition
    assert "none of its verdicts is asked" not in page(client, "board", "spelling")


def test_a_board_tells_how_far_judging_anew_has_come(two_texts, describe, release, client):
    first, second = two_texts
    before = sheet(first), sheet(second)
    describe("A hen on a mat.")
    assert "Re-judging" not in page(client, "board", "spelling")
    rejudge_stale(release=release)
    shown = page(client, "board", "spelling")
    said = "Re-judging: 4 of 8 judgements to come; 2 entries keep their old figures until then"
    assert f">{said}</span> <a" in shown
    assert 'href="/boards/spelling/history/?release=spelling-1&amp;judge=spelling-openai-m' in shown
    assert shown.count(f">{OLDER}<") == 2
    judge_run(run_id=first.runs.get().pk, judge=ScriptedJudge(["wrong"]))
    assert "Re-judging: 2 of 8 judgements to come; 2 entries" in page(client, "board", "spelling")
    judge_run(run_id=second.runs.get().pk, judge=ScriptedJudge(["right"]))
    shown = page(client, "board", "spelling")
    assert "Re-judging: every judgement is there, and scores are being computed; 2" in shown
    assert (sheet(first), sheet(second)) == before  # what stood meanwhile
    score_run(run=first.runs.get())
    assert "computed; 1 entry keeps its" in page(client, "board", "spelling")
    score_run(run=second.runs.get())
    shown = page(client, "board", "spelling")
    assert ("Re-judging" in shown, "older texts" in shown) == (False, False)
    assert sheet(first) != before[0]
    assert sheet(second) != before[1]


@pytest.fixture
def judged_anew(two_texts, describe, release) -> tuple[JudgeRun, JudgeRun]:
    """Two runs of one era whose answers wait for a verdict on a new description."""
    describe("A hen on a mat.")
    rejudge_stale(release=release)
    first, second = (submission.runs.get() for submission in two_texts)
    return first, second


def test_figures_of_an_era_change_together(judged_anew, django_assert_num_queries):
    first, second = judged_anew
    before = sheet(first.submission), sheet(second.submission)
    judge_run(run_id=first.pk, judge=ScriptedJudge(["wrong"]))
    assert score_finished_runs() == 0
    assert (sheet(first.submission), sheet(second.submission)) == before
    with django_assert_num_queries(1):
        held_back()
    judge_run(run_id=second.pk, judge=ScriptedJudge(["right"]))
    assert score_finished_runs() == 2
    assert sheet(first.submission) != before[0]
    assert sheet(second.submission) != before[1]


def test_what_may_never_end_holds_nobody_up(judged_anew, subtests):
    first, second = judged_anew
    judge_run(run_id=first.pk, judge=ScriptedJudge(["wrong"]))
    runs, long_ago = JudgeRun.objects.all(), Now() - LONGEST_WAIT
    ended: dict[str, Callable[[], object]] = {
        "paused": lambda: runs.filter(pk=second.pk).update(paused=Now(), pause_kind="person"),
        "withdrawn": lambda: Submission.objects.filter(pk=second.submission_id).update(
            withdrawn=Now()
        ),
        "asked long ago": lambda: runs.filter(pk=second.pk).update(asked_anew=long_ago),
        "itself asked long ago": lambda: runs.filter(pk=first.pk).update(asked_anew=long_ago),
    }
    for name, end in ended.items():
        with subtests.test(name), transaction.atomic():
            assert score_finished_runs() == 0
            end()
            assert score_finished_runs() == 1
            transaction.set_rollback(True)


def test_new_entries_and_other_eras_wait_for_nobody(judged_anew, release, stranger):
    submission = submit(release, stranger, content=b"1=two\n2=col\n3=n\n4=sea\n", name="New")
    for model in ("m", "other"):
        spec = ensure_spec(
            of=protocol("spelling"), kind="openai", endpoint="here", model=model, repeats=1
        )
        run = request_run(submission=submission, spec=spec)
        plan_run(run_id=run.pk)
        judge_run(run_id=run.pk, judge=ScriptedJudge(["right"]))
    assert score_finished_runs() == 2


def test_a_run_whose_verdicts_stand_is_scored_again_at_once_and_is_not_judged_anew(
    two_texts, release
):
    """What people say of its answers marks a run that was not asked anew since its figures."""
    first, _ = two_texts
    rejudge_stale(release=release)
    judged(first)
    with transaction.atomic():
        JudgeRun.objects.filter(submission=first).raise_revision()
    assert JudgeRun.objects.unscored().filter(asked_anew__isnull=False).count() == 1
    assert rejudging_of("spelling") == ()
    assert score_finished_runs() == 1


def sheet(submission: Submission) -> tuple[object, ...]:
    found = Scoresheet.objects.get(submission=submission)
    return found.computed, found.board_figures


def test_an_era_is_told_of_what_is_judged_anew_in_it_and_everybody_may_see(two_texts, release):
    rejudge_stale(release=release)
    told = rejudging_of("spelling")
    assert rejudging_of("touchstone") == ()
    reading = read_board(release.benchmark)
    assert rejudging_in(reading, told) == told[0]
    assert rejudging_in(reading, [replace(told[0], judge_spec=0)]) is None
    assert rejudging_in(reading, [replace(told[0], release=0)]) is None
    first = Submission.objects.filter(pk=two_texts[0].pk)
    for hidden in ({"visibility": "private"}, {"visibility": "public", "withdrawn": Now()}):
        first.update(**hidden)
        assert rejudging_of("spelling") == ()


@pytest.mark.slow
def test_a_page_asks_as_much_of_many_entries_that_are_judged_anew(
    two_texts, describe, release, stranger, django_assert_num_queries, django_assert_max_num_queries
):
    with django_assert_num_queries(1):
        rejudging_of("spelling")
    for i in range(4):
        entry(release, stranger, f"More {i}")
    with django_assert_max_num_queries(16):
        assert len(read_board(release.benchmark).entries) == 6
    describe("A hen on a mat.")
    rejudge_stale(release=release)
    with django_assert_num_queries(3):
        (told,) = rejudging_of("spelling")
    assert (told.entries, told.waiting, told.judgements) == (6, 12, 24)


def test_what_is_judged_anew_is_told_in_a_sentence_of_few_different_numbers():
    """Many entries have their page stored by it."""
    said = {
        (1, 12, 908): "12 of 908 judgements to come; 1 entry keeps its old",
        (1, 1, 1): "1 of 1 judgement to come; 1 entry keeps its old",
        (2, 130, 1816): "about 130 of 1,816 judgements to come; 2 entries keep their old",
        (9, 10_001, 90_000): "more than 10,000 judgements to come; 9 entries keep their old",
    }
    for counts, words in said.items():
        told = Rejudging(1, 1, *counts)
        assert told.sentence == f"Re-judging: {words} figures until then"
    assert Rejudging(1, 1, 1, 12, 908, has_more=True).sentence == (
        "Re-judging: 12 judgements to come; 1 or more entries keep their old figures until then"
    )
    rounded = {0: 0, 99: 99, 100: 100, 101: 110, 121: 130, 9_999: 10_000, 10_001: 10_001}
    assert {count: rounded_up(count) for count in rounded} == rounded


def test_verdicts_whose_texts_nobody_knows_are_told_apart(two_texts, client):
    _, second = two_texts
    Judgement.objects.filter(answer__submission=second).update(texts=None)
    assert "4 of 4 by texts that were not recorded" in page(client, "board", "spelling")


# --- entries --------------------------------------------------------------------------------------


def test_an_entry_shows_the_text_its_judge_read_and_the_verdict_before(
    two_texts, release, describe, client
):
    first, second = two_texts
    shown = page(client, "entry", first.pk)
    for said in ("Judged with version 1 of the description", OLD, "2 of 4 by older texts"):
        assert said in shown
    assert "now version 2" in shown
    assert NEW not in shown
    later = page(client, "entry", second.pk)
    assert "Judged with version 2 of the description" in later
    assert NEW in later
    assert "now version" not in later
    document = client.get(reverse("api-entry", args=[first.pk])).json()
    assert (document["older_texts"], document["unrecorded_texts"]) == (2, 0)
    # a case that waits says nothing of what it was judged by
    describe("A hen on a mat.")
    rejudge_stale(release=release)
    shown = page(client, "entry", first.pk)
    assert ("Judged with version" in shown, "before there was a description" in shown) == (
        False,
        False,
    )
    assert ": right, by description version 1</p>" in shown
    for submission in two_texts:
        judged(submission, "wrong")
    shown = page(client, "entry", first.pk)
    assert ": right, by description version 1</p>" in shown
    assert "Judged with version 3 of the description" in shown
    # a hidden release shows versions and no words
    Release.objects.update(disclosure="hidden_references")
    for submission in two_texts:
        shown = page(client, "entry", submission.pk)
        assert "Judged with version 3 of the description" in shown
        assert "It is not public in this release." in shown
        assert [words for words in (OLD, NEW, "A hen", "<pre>") if words in shown] == []


def test_words_replies_and_made_answers_of_a_figure_that_a_hidden_release_shows_too_stay_hidden(
    two_texts, release, client, django_assert_max_num_queries
):
    first, second = two_texts
    assert page(client, "entry", first.pk).count("<pre>right</pre>") == 4
    Submission.objects.filter(pk=first.pk).update(repeats_hidden_text=True)
    assert "; not public" not in page(client, "entry", first.pk)
    assert NEW in page(client, "entry", second.pk)
    twin = import_release(
        protocol=protocol("spelling"), stream=io.BytesIO(b"7|dog|dog|one.png\n"), slug="spelling-2"
    ).release
    assert not twin.references_are_public
    shown = page(client, "entry", first.pk)
    assert shown.count("<pre>right</pre>") == 2
    assert shown.count("made by this site from a hidden description; not public") == 2
    rejudge_stale(release=release)
    judged(first, "wrong")
    for submission in two_texts:
        with django_assert_max_num_queries(50):
            shown = page(client, "entry", submission.pk)
        assert "Judged with version 2 of the description" in shown
        assert [words for words in (OLD, NEW) if words in shown] == []
        assert "by description version 1" in shown or submission == second
    Release.objects.filter(pk=twin.pk).update(disclosure="open")
    assert NEW in page(client, "entry", second.pk)


def test_a_verdict_from_before_there_was_a_description_says_so(describe, owner, client):
    other = import_release(
        protocol=protocol("spelling"),
        stream=io.BytesIO(LINES.replace(b"one.png", b"bare.png")),
        slug="spelling-2",
        disclosure="open",
    ).release
    first = entry(other, owner, "First")
    assert "before there was a description" not in page(client, "entry", first.pk)
    describe(NEW, key="bare.png")
    shown = page(client, "entry", first.pk)
    assert shown.count("Judged before there was a description") == 2
    assert "now version 1" in shown
    assert NEW not in shown
