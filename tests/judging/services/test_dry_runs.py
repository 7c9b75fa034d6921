"""A few answers of a file are judged before it is confirmed: what counts later is asked once."""

from datetime import timedelta

import pytest
from django.utils import timezone

from benchmarks.models import Reference, Release
from benchmarks.submissions.models import Answer, Submission
from benchmarks.submissions.services import confirm_submission, withdraw_submission
from judging.coordination import money
from judging.engine.engine import judge_run
from judging.models import EarlierVerdict, JudgeCall, Judgement, JudgeRun
from judging.selectors import run_counts
from judging.services import (
    DryRunRefusedError,
    plan_waiting_runs,
    request_missing_runs,
    start_dry_run,
)
from judging.services.dry_runs import (
    QUESTIONS,
    dry_run_of,
    dry_run_places,
    sampled_questions,
    spread,
)
from leaderboard.models import Scoresheet
from leaderboard.operations.sweeps import idle_runs, is_anything_due, sweep_here
from leaderboard.results.entries.submission_states import states_of
from leaderboard.results.services import score_finished_runs
from tests.conftest import import_words
from tests.judging.drafts import COUNT, draft
from tests.judging.scripted import ScriptedJudge

State = Judgement.State
HOUR = timedelta(hours=1)
NOW = timedelta(0)


@pytest.fixture(scope="module")
def module_words(module_rows) -> Release:
    return import_words(range(1, COUNT + 1))


@pytest.fixture
def words(module_words, db) -> Release:
    return Release.objects.select_related("benchmark").get(pk=module_words.pk)


@pytest.fixture
def priced(settings):
    """A model judges, at a price, and there is a budget."""
    endpoint = {"url": "http://localhost:1", "key": "", "prices": {"m": (1.0, 1.0)}}
    settings.JUDGE_ENDPOINTS = {"local": endpoint}
    settings.DEFAULT_JUDGE = "openai:m@local"
    settings.BUDGET_SUBMISSION = 1.0


def confirm(submission: Submission) -> JudgeRun:
    """As the page and the sweep do."""
    assert confirm_submission(submission=submission, visibility="private")
    request_missing_runs()
    plan_waiting_runs()
    return JudgeRun.objects.whole().get(submission=submission)


# --- which questions --------------------------------------------------------------------------


def rows(*sizes: tuple[str, str, int]) -> list[tuple[str, str, str]]:
    return [(a, s, f"{a}/{s}/{i}") for a, s, count in sizes for i in range(count)]


def test_questions_are_spread_over_abilities_and_their_subtasks_and_the_seed_decides_which():
    found = spread(rows(("a", "x", 50), ("a", "y", 50), ("b", "z", 3)), 8, seed="release")
    taken = [name.rpartition("/")[0] for name in found]
    assert [taken.count(name) for name in ("a/x", "a/y", "b/z")] in ([3, 2, 3], [2, 3, 3])
    given = rows(("a", "x", 50), ("b", "y", 50))
    assert spread(given, 10, seed="one") == spread(given[::-1], 10, seed="one")
    assert set(spread(given, 10, seed="one")) != set(spread(given, 10, seed="another"))
    few = rows(("a", "x", 2), ("b", "y", 1))
    assert sorted(spread(few, 10, seed="one")) == sorted(name for *_, name in few)
    assert spread([], 10, seed="one") == []


def test_everybody_is_asked_the_same(words, owner, stranger):
    runs = [start_dry_run(submission=draft(words, person)) for person in (owner, stranger)]
    asked = [set(run.judgements.values_list("answer__question", flat=True)) for run in runs]
    assert asked[0] == asked[1] == set(sampled_questions(words))
    assert len(asked[0]) == QUESTIONS


# --- before it counts -------------------------------------------------------------------------


def test_a_dry_run_has_verdicts_and_no_score_and_the_rest_is_not_planned(words, owner):
    submission = draft(words, owner)
    run = start_dry_run(submission=submission)
    assert start_dry_run(submission=submission) == run
    assert is_anything_due()
    sweep_here(grace=NOW)
    score_finished_runs()
    assert run_counts(run).judged == QUESTIONS
    assert states_of([submission])[submission.pk] == "to confirm"
    sweep_here(grace=NOW)
    assert not is_anything_due()  # no sweep has to look at it any more
    JudgeRun.objects.filter(pk=run.pk).raise_revision()  # as a person who has it asked again does
    assert plan_waiting_runs() == []
    sweep_here(grace=NOW)
    assert Judgement.objects.count() == QUESTIONS
    assert not Scoresheet.objects.exists()


def test_a_dry_run_comes_before_the_runs_that_wait(words, owner, stranger):
    confirm(draft(words, stranger, name="Longer"))
    run = start_dry_run(submission=draft(words, owner))
    assert idle_runs()[0] == run.pk


def test_only_a_file_that_waits_to_be_confirmed_is_tried(words, owner):
    withdrawn = draft(words, owner, name="Withdrawn")
    withdraw_submission(submission=withdrawn)
    withdrawn.refresh_from_db()
    meanwhile = draft(words, owner, name="Meanwhile")  # the page was read before; the row says so
    row = Submission.objects.get(pk=meanwhile.pk)
    confirm_submission(submission=row, visibility="private")
    of_nobody = draft(words, None, name="Of nobody")
    refused = of_nobody, draft(words, owner, name="Confirmed", confirm=True), withdrawn
    for submission in refused:
        with pytest.raises(DryRunRefusedError):
            start_dry_run(submission=submission)
    with pytest.raises(DryRunRefusedError, match="meanwhile"):
        start_dry_run(submission=meanwhile)
    assert not JudgeRun.objects.exists()


# --- once it is confirmed ---------------------------------------------------------------------


def test_what_a_dry_run_decided_is_not_asked_again(words, owner, priced):
    submission = draft(words, owner)
    tried = start_dry_run(submission=submission)
    first = ScriptedJudge(["right"])
    judge_run(run_id=tried.pk, judge=first)
    verdicts = dict(tried.judgements.values_list("pk", "settled"))
    run = confirm(submission)
    rest = ScriptedJudge(["right"])
    judge_run(run_id=run.pk, judge=rest)
    assert run.pk == tried.pk
    slots = run.judgements.values("slot").distinct().count()
    assert (len(first.asked), len(rest.asked)) == (QUESTIONS * slots, (COUNT - QUESTIONS) * slots)
    kept = dict(run.judgements.filter(pk__in=verdicts).values_list("pk", "settled"))
    assert kept == verdicts
    assert run.judgements.count() == COUNT * slots


def test_another_judge_of_the_site_leaves_what_was_tried_alone(words, owner, priced, settings):
    submission = draft(words, owner)
    tried = start_dry_run(submission=submission)
    settings.DEFAULT_JUDGE = "rules"
    run = confirm(submission)
    assert run.pk != tried.pk
    sweep_here(grace=NOW)
    submission.refresh_from_db()
    assert Scoresheet.objects.get().run == run
    assert states_of([submission])[submission.pk] == "judged"


def test_a_confirmed_file_is_scored_with_what_was_tried_but_for_texts_that_changed(words, owner):
    submission = draft(words, owner)
    run = start_dry_run(submission=submission)
    sweep_here(grace=NOW)
    before = timezone.now() - timedelta(days=3)
    JudgeRun.objects.filter(pk=run.pk).update(created=before)
    row = run.judgements.order_by("pk").first()
    Reference.objects.create(question=row.answer.question, version=2, text="another word")
    confirmed = confirm(submission)
    assert confirmed == run
    assert confirmed.created > before + timedelta(days=2)  # its place in the queue is another
    sweep_here(grace=NOW)
    row.refresh_from_db()
    assert row.verdict == "wrong"
    assert EarlierVerdict.objects.get().judgement == row
    assert run.judgements.filter(verdict="right").count() == COUNT - 1
    assert Scoresheet.objects.get().submission == submission
    submission.refresh_from_db()
    assert states_of([submission])[submission.pk] == "judged"


# --- what it costs ----------------------------------------------------------------------------


def test_its_calls_stand_in_the_ledger_and_in_every_budget(words, owner, priced):
    submission = draft(words, owner)
    run = start_dry_run(submission=submission)
    judge_run(run_id=run.pk, judge=ScriptedJudge(["right"]))
    assert JudgeCall.objects.filter(judgement__run=run).count() == run.judgements.count()
    ledger = sum(JudgeCall.objects.values_list("cost", flat=True))
    assert ledger > 0
    assert [budget.spent for budget in money.budgets_of(submission)] == [ledger] * 3
    assert money.spend_drift() == []


def test_a_judge_beyond_the_budget_or_without_a_price_is_not_asked(words, owner, priced, settings):
    settings.BUDGET_ACCOUNT_DAY = 0.000001
    run = start_dry_run(submission=draft(words, owner))
    judge_run(run_id=run.pk, judge=ScriptedJudge(["right"]))
    run.refresh_from_db()
    assert run.pause_kind == "budget"
    assert not JudgeCall.objects.exists()
    del settings.JUDGE_ENDPOINTS["local"]["prices"]
    with pytest.raises(DryRunRefusedError, match="takes no questions"):
        start_dry_run(submission=draft(words, owner, name="Another"))


def test_a_person_tries_so_many_files_a_day(words, owner, stranger, settings):
    settings.QUOTA_DRY_RUNS_DAY = 2
    for name in ("First", "Second"):
        start_dry_run(submission=draft(words, owner, name=name))
    third = draft(words, owner, name="Third")
    with pytest.raises(DryRunRefusedError, match="2 files within 24 hours"):
        start_dry_run(submission=third)
    start_dry_run(submission=draft(words, stranger))
    places = dry_run_places(owner)
    assert (places.taken, places.is_free) == (2, False)
    JudgeRun.objects.update(dry_run=timezone.now() - 25 * HOUR)
    assert dry_run_places(owner).is_free
    start_dry_run(submission=third)


def test_who_cancels_keeps_the_place_taken_and_who_confirms_does_not(words, owner, settings):
    settings.QUOTA_DRY_RUNS_DAY = 2
    first, second = draft(words, owner, name="First"), draft(words, owner, name="Second")
    for submission in (first, second):
        start_dry_run(submission=submission)
    withdraw_submission(submission=first)
    assert not dry_run_places(owner).is_free
    confirm(second)
    assert dry_run_places(owner).is_free


# --- what stays of it -------------------------------------------------------------------------


def test_of_a_cancelled_file_stays_what_its_calls_were_for(words, owner, priced):
    submission = draft(words, owner)
    run = start_dry_run(submission=submission)
    judge_run(run_id=run.pk, judge=ScriptedJudge(["right"]))
    assert withdraw_submission(submission=submission)
    assert Answer.objects.filter(submission=submission).count() == QUESTIONS
    assert JudgeCall.objects.count() == run.judgements.count()
    assert dry_run_of(submission) == run
    assert idle_runs() == []


def test_what_nobody_confirmed_is_withdrawn_all_the_same(words, owner):
    submission = draft(words, owner)
    start_dry_run(submission=submission)
    long_ago = timezone.now() - timedelta(days=8)
    Submission.objects.filter(pk=submission.pk).update(created=long_ago)
    sweep_here(grace=NOW)
    submission.refresh_from_db()
    assert submission.withdrawn
    assert not is_anything_due()
