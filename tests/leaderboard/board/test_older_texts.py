"""Entries of one board judged by different versions of a text: page, files and API say so; hidden
texts stay hidden."""

import csv
import io
from dataclasses import replace
from datetime import UTC, datetime

import pytest
from django.db import transaction
from django.db.models.functions import Now
from django.urls import reverse

from benchmarks.models import Description, Figure, Release
from benchmarks.registry import protocol
from benchmarks.services.descriptions import approve, save_draft, submit_for_review
from benchmarks.services.importing import freeze_release, import_release
from benchmarks.services.next_release import make_next_release
from benchmarks.services.references import add_reference
from benchmarks.submissions.models import Submission
from judging.desk.staleness import rejudge_stale
from judging.engine.engine import judge_run
from judging.judges.scripted import ScriptedJudge
from judging.models import Judgement, JudgeRun
from judging.services import ensure_spec, plan_run, request_run
from leaderboard.board.page import rejudging_in
from leaderboard.caching.version import shown_version
from leaderboard.models import Scoresheet
from leaderboard.rejudging import LONGEST_WAIT, Rejudging, held_back, rejudging_of, rounded_up
from leaderboard.selectors import read_board
from leaderboard.services import score_finished_runs, score_run
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
        disclosure="open",
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


def test_a_closed_board_stays_as_it_is_while_the_next_release_is_corrected(
    release, describe, owner
):
    describe(OLD)
    entry(release, owner, "First")
    freeze_release(release=release)
    before = read_board(release.benchmark)
    make_next_release(of=release, slug="spelling-2", title="Spelling, release 2")
    describe(NEW)
    add_reference(question=release.questions.get(public_id="3"), text="knight", origin="human")
    after = read_board(release.benchmark)
    assert after.edition == before.edition
    assert [row.by_older_texts for row in after.entries] == [""]
    Release.objects.filter(pk=release.pk).update(state="open", closed=None)
    assert read_board(release.benchmark).edition != before.edition


def test_what_waits_when_a_release_is_closed_is_judged_by_the_texts_it_was_closed_with(
    release, describe, owner
):
    describe(OLD)
    submission = submit(release, owner)
    freeze_release(release=release)
    make_next_release(of=release, slug="spelling-2", title="Spelling, release 2")
    describe(NEW)
    submission = judged(Submission.objects.get(pk=submission.pk))
    read = Judgement.objects.filter(answer__submission=submission, answer__question__public_id="1")
    assert [row.texts.description.text for row in read.select_related("texts__description")] == [
        OLD
    ]
    assert [row.by_older_texts for row in read_board(release.benchmark).entries] == [""]


def test_a_board_of_one_text_says_nothing(release, describe, owner, client):
    describe(OLD)
    entry(release, owner, "First")
    shown = page(client, "board", "spelling")
    assert "older texts" not in shown
    assert "other texts" not in shown


def test_a_stored_board_is_made_anew_when_a_text_is_approved(release, describe, owner, client):
    describe(OLD)
    entry(release, owner, "First")
    before = shown_version()
    assert OLDER not in page(client, "board", "spelling")
    describe(NEW)
    assert shown_version() != before
    assert OLDER in page(client, "board", "spelling")


@pytest.mark.slow
def test_figures_are_by_older_texts_until_they_are_scored_again(two_texts, release, client):
    first, _ = two_texts
    rejudge_stale(release=release)
    assert OLDER in page(client, "board", "spelling")
    judged(first)
    assert OLDER not in page(client, "board", "spelling")


@pytest.mark.slow
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
    judge_run(run_id=first.runs.get().pk, judge=ScriptedJudge(["wrong"]))
    assert "Re-judging: 2 of 8 judgements to come; 2 entries" in page(client, "board", "spelling")
    judge_run(run_id=second.runs.get().pk, judge=ScriptedJudge(["right"]))
    shown = page(client, "board", "spelling")
    assert "Re-judging: every judgement is there, and scores are being computed; 2" in shown
    assert (sheet(first), sheet(second)) == before  # what stood meanwhile
    score_run(run=first.runs.get())
    assert "computed; 1 entry keeps its" in page(client, "board", "spelling")
    score_run(run=second.runs.get())
    assert "Re-judging" not in page(client, "board", "spelling")
    assert sheet(first) != before[0]
    assert sheet(second) != before[1]


@pytest.fixture
def judged_anew(two_texts, describe, release) -> tuple[JudgeRun, JudgeRun]:
    """Two runs of one era whose answers wait for a verdict on a new description."""
    describe("A hen on a mat.")
    rejudge_stale(release=release)
    first, second = (submission.runs.get() for submission in two_texts)
    return first, second


def test_figures_of_an_era_change_together(judged_anew):
    first, second = judged_anew
    before = sheet(first.submission), sheet(second.submission)
    judge_run(run_id=first.pk, judge=ScriptedJudge(["wrong"]))
    assert score_finished_runs() == 0
    assert (sheet(first.submission), sheet(second.submission)) == before
    judge_run(run_id=second.pk, judge=ScriptedJudge(["right"]))
    assert score_finished_runs() == 2
    assert sheet(first.submission) != before[0]
    assert sheet(second.submission) != before[1]


def pause(run: JudgeRun) -> None:
    JudgeRun.objects.filter(pk=run.pk).update(paused=Now(), pause_kind="person")


def withdraw(run: JudgeRun) -> None:
    Submission.objects.filter(pk=run.submission_id).update(withdrawn=Now())


def ask_long_ago(run: JudgeRun) -> None:
    JudgeRun.objects.filter(pk=run.pk).update(asked_anew=Now() - LONGEST_WAIT)


@pytest.mark.parametrize("ended", [pause, withdraw, ask_long_ago])
def test_what_may_never_end_holds_nobody_up(judged_anew, ended):
    first, second = judged_anew
    judge_run(run_id=first.pk, judge=ScriptedJudge(["wrong"]))
    assert score_finished_runs() == 0
    ended(second)
    assert score_finished_runs() == 1


def test_what_was_asked_anew_long_ago_waits_for_nobody(judged_anew):
    first, _ = judged_anew
    judge_run(run_id=first.pk, judge=ScriptedJudge(["wrong"]))
    ask_long_ago(first)
    assert score_finished_runs() == 1


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


def test_a_run_whose_verdicts_stand_is_scored_again_at_once(judged_anew, release):
    """What people say of its answers marks a run that was not asked anew since its figures."""
    first, _ = judged_anew
    judge_run(run_id=first.pk, judge=ScriptedJudge(["wrong"]))
    score_run(run=first)
    with transaction.atomic():
        JudgeRun.objects.filter(pk=first.pk).raise_revision()
    assert score_finished_runs() == 1


def test_one_query_tells_who_waits_for_whom(judged_anew, django_assert_num_queries):
    with django_assert_num_queries(1):
        held_back()


def sheet(submission: Submission) -> tuple[object, ...]:
    found = Scoresheet.objects.get(submission=submission)
    return found.computed, found.board_figures


@pytest.mark.parametrize(
    "hidden", [{"visibility": "private"}, {"withdrawn": datetime(2026, 1, 1, tzinfo=UTC)}]
)
def test_what_nobody_may_see_is_in_no_count_of_judging_anew(two_texts, release, hidden):
    first, _ = two_texts
    rejudge_stale(release=release)
    assert rejudging_of("spelling")
    assert rejudging_of("touchstone") == ()
    Submission.objects.filter(pk=first.pk).update(**hidden)
    assert rejudging_of("spelling") == ()


def test_an_era_is_told_of_what_is_judged_anew_in_it(two_texts, release):
    rejudge_stale(release=release)
    told = rejudging_of("spelling")
    reading = read_board(release.benchmark)
    assert rejudging_in(reading, told) == told[0]
    assert rejudging_in(reading, [replace(told[0], judge_spec=0)]) is None
    assert rejudging_in(reading, [replace(told[0], release=0)]) is None


def test_a_run_that_is_scored_again_for_another_reason_is_not_judged_anew(two_texts, release):
    """What people say of answers marks a run too, and leaves when it was last asked anew."""
    first, _ = two_texts
    rejudge_stale(release=release)
    judged(first)
    with transaction.atomic():
        JudgeRun.objects.filter(submission=first).raise_revision()
    assert JudgeRun.objects.unscored().filter(asked_anew__isnull=False).count() == 1
    assert rejudging_of("spelling") == ()


@pytest.mark.slow
def test_a_page_asks_as_much_of_many_entries_that_are_judged_anew(
    two_texts, describe, release, stranger, client, django_assert_num_queries
):
    with django_assert_num_queries(1):
        rejudging_of("spelling")
    for i in range(3):
        entry(release, stranger, f"More {i}")
    describe("A hen on a mat.")
    rejudge_stale(release=release)
    with django_assert_num_queries(3):
        (told,) = rejudging_of("spelling")
    assert (told.entries, told.waiting, told.judgements) == (5, 10, 20)


@pytest.mark.parametrize(
    ("counts", "said"),
    [
        ((1, 12, 908), "12 of 908 judgements to come; 1 entry keeps its old"),
        ((1, 1, 1), "1 of 1 judgement to come; 1 entry keeps its old"),
        ((2, 130, 1816), "about 130 of 1,816 judgements to come; 2 entries keep their old"),
        ((9, 10_001, 90_000), "more than 10,000 judgements to come; 9 entries keep their old"),
    ],
)
def test_what_is_judged_anew_is_told_in_a_sentence(counts, said):
    told = Rejudging(1, 1, *counts)
    assert told.sentence == f"Re-judging: {said} figures until then"


def test_where_more_runs_are_marked_than_are_looked_at_the_sentence_says_or_more():
    told = Rejudging(1, 1, 1, 12, 908, has_more=True)
    assert told.sentence == (
        "Re-judging: 12 judgements to come; 1 or more entries keep their old figures until then"
    )


@pytest.mark.parametrize(
    ("count", "told"),
    [(0, 0), (99, 99), (100, 100), (101, 110), (121, 130), (9_999, 10_000), (10_001, 10_001)],
)
def test_numbers_of_a_page_that_is_stored_are_few(count, told):
    assert rounded_up(count) == told


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
    Release.objects.update(disclosure="hidden_references")
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
    Release.objects.filter(pk=twin.pk).update(disclosure="open")
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
