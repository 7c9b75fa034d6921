"""Rows 11, 25, 38, 41, 42 and 44: what happens around a run while it is judged."""

import io
from collections.abc import Callable, Iterator
from datetime import timedelta

import pytest
from django.core.files.storage import storages
from django.db import OperationalError, connection, transaction
from django.db.models import ProtectedError

from benchmarks.models import Description, Figure, Release
from benchmarks.registry import protocol
from benchmarks.services.descriptions import DESCRIPTION_REVIEW, save_draft, submit_for_review
from benchmarks.services.importing import import_release
from benchmarks.submissions.models import Answer, Submission
from benchmarks.submissions.services import withdraw_submission
from judging.coordination import money, queue
from judging.coordination.queue import MAX_ATTEMPTS, MAX_UNKNOWN
from judging.desk.stale.staleness import rejudge_stale
from judging.engine.engine import judge_run
from judging.models import JudgeCall, Judgement, JudgeRun
from judging.querysets import JudgementQuerySet
from leaderboard.models import Scoresheet
from leaderboard.operations.sweeps import sweep_here
from tests.conftest import freeze_release, submit
from tests.judging.engine.test_dispatcher import SlowJudge
from tests.judging.runs import found, new_run, planned, states
from tests.judging.scripted import ScriptedJudge

State = Judgement.State
LOST = timedelta(seconds=-1)
ENDPOINTS = {"none": {"url": "http://127.0.0.1:9/v1", "key": "", "prices": {"m": (1000.0, 1000.0)}}}


LINES = b"1|two|two|one.png\n2|colour|colour|one.png\n3|night|night\n4|sea|sea\n"


@pytest.fixture
def described(db) -> Release:
    return import_release(
        protocol=protocol("spelling"), stream=io.BytesIO(LINES), slug="described"
    ).release


@pytest.fixture(scope="module")
def world(module_rows) -> int:
    return new_run().pk


@pytest.fixture
def run(world, db) -> JudgeRun:
    return JudgeRun.objects.get(pk=world)


# --- 11: an answer that kills its workers ---------------------------------------------------------


def lose_calls(rows: JudgementQuerySet, times: int) -> None:
    for _ in range(times):
        keys = queue.claim(rows, limit=9, lease=LOST)
        queue.open_calls(list(Judgement.objects.filter(pk__in=keys)))
        queue.release_expired()


def test_an_answer_that_kills_every_worker_ends_with_a_person_and_the_others_are_judged(run):
    poison = run.judgements.order_by("pk")[0]
    lose_calls(run.judgements.filter(pk=poison.pk), MAX_ATTEMPTS)
    judge_run(run_id=run.pk, judge=ScriptedJudge(["right"]))
    reason = f"{MAX_ATTEMPTS} workers that held it did not come back"
    assert found(run, "state", "reason") == {(State.PAUSED, reason), (State.JUDGED, "")}
    assert run.judgements.get(state=State.PAUSED) == poison
    assert JudgeCall.objects.filter(judgement=poison, outcome="open").count() == MAX_ATTEMPTS


def test_an_answer_whose_calls_are_lost_again_and_again_is_asked_three_times_at_most(run):
    lose_calls(run.judgements.all(), MAX_UNKNOWN)
    judge = ScriptedJudge(["right"])
    judge_run(run_id=run.pk, judge=judge)
    assert (judge.asked, states(run)) == ([], {State.PAUSED})


# --- 25: no space left ----------------------------------------------------------------------------


@pytest.fixture
def full_disk(db) -> Iterator[Callable[[], None]]:
    """Not a page more than the database has now."""
    if connection.vendor != "sqlite":
        pytest.skip("a full disk is SQLite's to imitate")
    with connection.cursor() as cursor:
        cursor.execute("PRAGMA max_page_count")
        (most,) = cursor.fetchone()

    def fill() -> None:
        with connection.cursor() as cursor:
            cursor.execute("CREATE TABLE filler (bytes BLOB)")  # into freed pages
            while cursor.execute("PRAGMA freelist_count").fetchone()[0]:
                cursor.execute("INSERT INTO filler VALUES (zeroblob(4000))")
            cursor.execute("PRAGMA page_count")
            (used,) = cursor.fetchone()
            cursor.execute(f"PRAGMA max_page_count = {used}")

    yield fill
    with connection.cursor() as cursor:
        cursor.execute(f"PRAGMA max_page_count = {most}")


def stored_files() -> set[str]:
    return set(storages["uploads"].listdir("")[1]) if storages["uploads"].exists("") else set()


def test_on_a_full_disk_an_upload_leaves_nothing_behind(full_disk, run, owner):
    before = stored_files()
    full_disk()
    answers = b"".join(b"%d=%s\n" % (number, b"x" * 19_000) for number in range(1, 5))
    with pytest.raises(OperationalError, match="full"), transaction.atomic():
        submit(run.submission.release, owner, answers)
    assert (Submission.objects.count(), Answer.objects.count()) == (1, 4)
    assert stored_files() == before


def test_on_a_full_disk_nothing_is_scored_by_half(full_disk, run):
    judge_run(run_id=run.pk, judge=ScriptedJudge(["right"]))
    full_disk()
    sweep_here(grace=timedelta(0))
    assert not Scoresheet.objects.exists()


# --- 38: another model under the same name --------------------------------------------------------


def test_verdicts_of_a_renamed_judge_belong_to_a_spec_and_an_era_of_their_own(run):
    judge_run(run_id=run.pk, judge=ScriptedJudge(["right"]))
    other = planned(run.submission, model="m-renamed")
    judge = ScriptedJudge(["wrong"])
    judge_run(run_id=other.pk, judge=judge)
    sweep_here(grace=timedelta(0))
    assert len(judge.asked) == 4
    assert {sheet.judge_spec: sheet.ranking for sheet in Scoresheet.objects.all()} == {
        run.judge_spec: 1,
        other.judge_spec: 0,
    }


# --- 41: a description that changes while its answers are judged ----------------------------------


def approved(text: str, owner, reviewer) -> None:
    picture = Figure.objects.get(key="one.png")
    base = Description.objects.filter(figure=picture).count()
    draft = save_draft(figure=picture, language="en", text=text, author=owner, base_version=base)
    submit_for_review(description=draft)
    DESCRIPTION_REVIEW.approve(proposal=draft, reviewer=reviewer)


@pytest.mark.slow
def test_a_verdict_belongs_to_the_text_its_judge_was_shown(described, owner, stranger, settings):
    """Two answers show the picture. It is described anew after the first claim, and again once they
    are judged."""
    settings.JUDGE_CONCURRENCY = 1
    run = planned(submit(described, owner))
    old = dict(run.judgements.values_list("pk", "content_key"))
    edited: list[int] = []

    def edit(judged: int) -> None:
        if not edited:
            approved("A cat.", owner, stranger)
        edited.append(judged)

    judge_run(run_id=run.pk, judge=SlowJudge(0.6), on_progress=edit)
    assert len(edited) > 1
    assert dict(run.judgements.filter(state=State.JUDGED).values_list("pk", "content_key")) == old
    asked = JudgeCall.objects.count()
    assert rejudge_stale(release=described).waiting == 2
    judge_run(run_id=run.pk, judge=ScriptedJudge(["wrong"]))
    assert JudgeCall.objects.count() == asked + 2
    changed = {pk for pk, key in run.judgements.values_list("pk", "content_key") if key != old[pk]}
    assert changed == set(run.judgements.filter(verdict="wrong").values_list("pk", flat=True))


# --- 42: withdrawn, frozen, and an account that is to go ------------------------------------------


@pytest.mark.slow
def test_after_a_withdrawal_only_what_was_under_way_is_carried_out(run, settings):
    """A running engine looks twice a second; a call takes longer here."""
    settings.JUDGE_CONCURRENCY, settings.JUDGE_ENDPOINTS = 1, ENDPOINTS
    judge = SlowJudge(1.2)
    judge_run(
        run_id=run.pk,
        judge=judge,
        on_progress=lambda _: withdraw_submission(submission=run.submission),
    )
    assert judge.asked <= 2
    asked = JudgeCall.objects.exclude(outcome="unsent")
    assert asked.count() == asked.filter(outcome="answered").count() == judge.asked
    assert State.LEASED not in states(run)
    assert money.spend_drift() == []


def test_a_release_that_is_frozen_meanwhile_has_its_accepted_submissions_judged(run):
    freeze_release(release=run.submission.release)
    judge_run(run_id=run.pk, judge=ScriptedJudge(["right"]))
    assert states(run) == {State.JUDGED}


def test_an_account_with_submissions_cannot_be_deleted_under_them(run, owner):
    Submission.objects.filter(pk=run.submission_id).update(owner=owner)
    with pytest.raises(ProtectedError):
        owner.delete()
    assert JudgeRun.objects.filter(pk=run.pk).exists()


# --- 44: yesterday's backup -----------------------------------------------------------------------


def test_after_a_restore_what_was_judged_before_the_backup_is_not_paid_again(run, settings):
    """The backup was taken when one answer was judged and the calls of two were under way."""
    settings.JUDGE_ENDPOINTS = ENDPOINTS
    first, *others = run.judgements.order_by("pk").values_list("pk", flat=True)
    (key,) = queue.claim(run.judgements.filter(pk=first), limit=1, lease=-LOST)
    queue.settle([queue.Settlement(key, 1, State.JUDGED, "right")])
    keys = queue.claim(run.judgements.filter(pk__in=others[:2]), limit=2, lease=LOST)
    with transaction.atomic():
        reserved = [1000, 1000]
        money.reserve(run, reserved)
        queue.open_calls(list(Judgement.objects.filter(pk__in=keys)), reserved)

    backup = transaction.savepoint()
    sweep_and_judge(run)
    assert states(run) == {State.JUDGED}
    transaction.savepoint_rollback(backup)

    asked = sweep_and_judge(run)
    assert states(run) == {State.JUDGED}
    assert asked == 3
    assert JudgeCall.objects.filter(outcome="open", judgement__in=keys).count() == 2
    assert money.spend_drift() == []


def sweep_and_judge(run: JudgeRun) -> int:
    queue.release_expired()
    judge = ScriptedJudge(["right"])
    judge_run(run_id=run.pk, judge=judge)
    return len(judge.asked)
