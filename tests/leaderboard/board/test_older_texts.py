"""Entries of one board judged by different versions of a text: page, files and API say so; hidden
texts stay hidden."""

import csv
import io

import pytest
from django.urls import reverse

from benchmarks.models import Description, Figure, Release
from benchmarks.registry import protocol
from benchmarks.services.descriptions import approve, save_draft, submit_for_review
from benchmarks.services.importing import import_release
from benchmarks.submissions.models import Submission
from judging.desk.staleness import rejudge_stale
from judging.engine.engine import judge_run
from judging.judges.scripted import ScriptedJudge
from judging.models import Judgement
from judging.services import ensure_spec, plan_run, request_run
from leaderboard.board.version import board_version
from leaderboard.selectors import read_board
from leaderboard.services import score_run
from tests.conftest import submit

LINES = b"1|two|two|one.png\n2|colour|colour|one.png\n3|night|night|dark.png\n4|sea|sea\n"
OLD, NEW = "A cat on a mat.", "A dog on a mat."
OLDER = "2 of 4 by older texts"


@pytest.fixture
def release(db) -> Release:
    found = import_release(
        protocol=protocol("spelling"),
        stream=io.BytesIO(LINES),
        slug="spelling-1",
        references_are_public=True,
    ).release
    Release.objects.update(floor_version=99)
    return found


@pytest.fixture
def describe(owner, stranger):
    def describe(text: str) -> Description:
        figure = Figure.objects.get(key="one.png")
        base = Description.objects.filter(figure=figure).count()
        draft = save_draft(figure=figure, language="en", text=text, author=owner, base_version=base)
        submit_for_review(description=draft)
        approve(description=draft, reviewer=stranger)
        return draft

    return describe


def entry(release: Release, owner, name: str, said: str = "right") -> Submission:
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


@pytest.fixture
def two_texts(release, describe, owner, stranger) -> tuple[Submission, Submission]:
    """One judged before the description changed, one after."""
    describe(OLD)
    first = entry(release, owner, "First")
    describe(NEW)
    return first, entry(release, stranger, "Second", "wrong")


def page(client, name: str, *args: object) -> str:
    response = client.get(reverse(name, args=args))
    assert response.status_code == 200
    text: str = response.getvalue().decode()
    return text


# --- boards ---------------------------------------------------------------------------------------


def test_a_board_says_which_rows_are_by_older_texts(two_texts, release):
    reading = read_board(release.benchmark)
    told = {row.model: row.by_older_texts for row in reading.entries}
    assert told == {"First": OLDER, "Second": ""}
    assert reading.edition is not None
    assert (reading.edition.number, reading.edition.since is not None) == (3, True)


@pytest.mark.slow
def test_page_files_and_api_say_it_too(two_texts, client):
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


def test_a_board_of_one_text_says_nothing(release, describe, owner, client):
    describe(OLD)
    entry(release, owner, "First")
    shown = page(client, "board", "spelling")
    assert "older texts" not in shown
    assert "other texts" not in shown


def test_a_stored_board_is_made_anew_when_a_text_is_approved(release, describe, owner, client):
    describe(OLD)
    entry(release, owner, "First")
    before = board_version("spelling")
    assert OLDER not in page(client, "board", "spelling")
    describe(NEW)
    assert board_version("spelling") != before
    assert OLDER in page(client, "board", "spelling")


@pytest.mark.slow
def test_figures_are_by_older_texts_until_they_are_scored_again(two_texts, release, client):
    first, _ = two_texts
    rejudge_stale(release=release)
    assert OLDER in page(client, "board", "spelling")
    judged(first)
    assert OLDER not in page(client, "board", "spelling")


@pytest.mark.slow
def test_the_board_takes_as_many_queries_for_many_entries(
    two_texts, release, stranger, django_assert_max_num_queries
):
    for i in range(4):
        entry(release, stranger, f"More {i}")
    with django_assert_max_num_queries(16):
        assert len(read_board(release.benchmark).entries) == 6


def test_verdicts_whose_texts_nobody_knows_are_told_apart(release, describe, owner, client):
    describe(OLD)
    first = entry(release, owner, "First")
    Judgement.objects.filter(answer__submission=first).update(texts=None)
    assert "4 of 4 by texts that were not recorded" in page(client, "board", "spelling")
    score_run(run=first.runs.get())
    assert "not recorded" not in page(client, "board", "spelling")


# --- entries --------------------------------------------------------------------------------------


@pytest.mark.slow
def test_an_entry_shows_the_text_its_judge_read(two_texts, client):
    first, second = two_texts
    shown = page(client, "entry", first.pk)
    assert "Judged by version 1 of the description" in shown
    assert "older than today’s, version 2" in shown
    assert OLD in shown
    assert NEW not in shown
    assert "2 of 4 by older texts" in shown
    later = page(client, "entry", second.pk)
    assert "Judged by version 2 of the description" in later
    assert NEW in later
    assert "older than today" not in later
    assert client.get(reverse("api-entry", args=[first.pk])).json()["older_texts"] == 2


@pytest.mark.slow
def test_an_entry_shows_the_verdict_there_was_before(two_texts, release, client):
    first, _ = two_texts
    rejudge_stale(release=release)
    judged(first, "wrong")
    shown = page(client, "entry", first.pk)
    assert ": right, by description version 1</p>" in shown
    assert "Judged by version 2 of the description" in shown


@pytest.mark.slow
def test_a_hidden_release_shows_versions_and_no_words(two_texts, release, client):
    first, _ = two_texts
    rejudge_stale(release=release)
    judged(first, "wrong")
    Release.objects.update(references_are_public=False)
    for submission in two_texts:
        shown = page(client, "entry", submission.pk)
        assert "Judged by version 2 of the description" in shown
        assert "It is not public in this release." in shown
        assert OLD not in shown
        assert NEW not in shown
        assert "<pre>" not in shown


def hidden_twin(release: Release) -> Release:
    """A release whose references are not public, with a figure of the public one."""
    return import_release(
        protocol=protocol("spelling"), stream=io.BytesIO(b"7|dog|dog|one.png\n"), slug="spelling-2"
    ).release


@pytest.mark.slow
def test_words_of_a_figure_that_a_hidden_release_shows_too_stay_hidden(
    two_texts, release, client, django_assert_max_num_queries
):
    first, second = two_texts
    rejudge_stale(release=release)
    judged(first, "wrong")
    assert NEW in page(client, "entry", second.pk)
    twin = hidden_twin(release)
    assert not twin.references_are_public
    for submission in two_texts:
        with django_assert_max_num_queries(50):
            shown = page(client, "entry", submission.pk)
        assert "Judged by version 2 of the description" in shown
        assert OLD not in shown
        assert NEW not in shown
        assert "by description version 1" in shown or submission == second
    Release.objects.filter(pk=twin.pk).update(references_are_public=True)
    assert NEW in page(client, "entry", second.pk)


@pytest.mark.slow
def test_replies_and_made_answers_about_a_shared_figure_stay_hidden(two_texts, release, client):
    first, _ = two_texts
    assert page(client, "entry", first.pk).count("<pre>right</pre>") == 4
    Submission.objects.filter(pk=first.pk).update(repeats_hidden_text=True)
    assert "and not public" not in page(client, "entry", first.pk)
    hidden_twin(release)
    shown = page(client, "entry", first.pk)
    assert shown.count("<pre>right</pre>") == 2
    assert shown.count("made by this site of a hidden description, and not public") == 2


def test_a_case_that_waits_says_nothing_of_what_it_was_judged_by(release, describe, owner, client):
    describe(OLD)
    first = entry(release, owner, "First")
    describe(NEW)
    rejudge_stale(release=release)
    shown = page(client, "entry", first.pk)
    assert "Judged by version" not in shown
    assert "no description yet" not in shown
    assert ": right, by description version 1</p>" in shown


def test_a_verdict_from_before_there_was_a_description_says_so(release, describe, owner, client):
    first = entry(release, owner, "First")
    assert "no description yet" not in page(client, "entry", first.pk)
    describe(NEW)
    shown = page(client, "entry", first.pk)
    assert shown.count("Judged when there was no description yet") == 2
    assert "older than today’s, version 1" in shown
    assert NEW not in shown


@pytest.mark.slow
def test_a_closed_release_says_that_nothing_is_judged_again(two_texts, release, client):
    assert "This release is closed" not in page(client, "board", "spelling")
    Release.objects.update(state=Release.State.FROZEN)
    assert "none of its verdicts is asked for anew" in page(client, "board", "spelling")
    assert rejudge_stale(release=release).waiting == 0
