"""What changes after a run was scored is found, whatever happens in between; and nothing else is
looked for."""

from collections.abc import Callable
from datetime import datetime, timedelta

import pytest
from django.db import IntegrityError, transaction
from django.utils import timezone

from judging.models import Judgement, JudgeRun, JudgeSpec
from judging.panel.services import withdraw_ratings
from judging.services import (
    exclude_judgement,
    expire_overdue,
    plan_run,
    resume_run,
    retry_judgements,
)
from judging.services.runs import mark_scored, revision_to_score
from leaderboard.models import Scoresheet
from leaderboard.results.services import score_finished_runs, score_run
from tests.conftest import import_spelling, judged, submit
from tests.judging.panel.files import imported, ratings
from tests.judging.runs import undone
from tests.overwriting import overwrite

State = Judgement.State


@pytest.fixture(scope="module")
def world(module_rows) -> int:
    """Scored, with one judgement that was refused."""
    run = judged(submit(import_spelling(), None))
    row = run.judgements.order_by("pk")[3]
    overwrite(run.judgements.filter(pk=row.pk), state=State.REFUSED, verdict="", settled=long_ago())
    score_finished_runs()
    return run.pk


@pytest.fixture
def run(world, db) -> JudgeRun:
    return JudgeRun.objects.get(pk=world)


def long_ago() -> datetime:
    return timezone.now() - timedelta(days=60)


def refused(run: JudgeRun) -> Judgement:
    return run.judgements.exclude(state=State.JUDGED).get()


def unscored(run: JudgeRun) -> bool:
    return JudgeRun.objects.unscored().filter(pk=run.pk).exists()


def ask_again(run: JudgeRun) -> None:
    retry_judgements(keys=[refused(run).pk], by=None)


def exclude(run: JudgeRun) -> None:
    exclude_judgement(judgement=refused(run), by=None, reason="No one can tell.")


def rate(run: JudgeRun) -> None:
    imported(ratings(run.submission, "1,ann,neatness,4"))


def marks(run: JudgeRun, change: Callable[[JudgeRun], object]) -> bool:
    """Whether it is unscored afterwards, in the transaction of the change."""
    assert not unscored(run)
    with undone():
        change(run)
        is_marked = unscored(run)
    return is_marked and not unscored(run)


def test_a_change_marks_its_run_in_its_own_transaction(run):
    assert [
        change.__name__ for change in (ask_again, exclude, rate) if not marks(run, change)
    ] == []
    file = imported(ratings(run.submission, "1,ann,neatness,4")).file
    assert unscored(run)
    score_finished_runs()
    assert marks(run, lambda _: withdraw_ratings(file=file, reason="wrong"))


def test_a_pause_that_ends_and_a_deadline_mark_their_run(run):
    overwrite(run.judgements.filter(pk=refused(run).pk), state=State.PAUSED)
    score_finished_runs()
    assert marks(run, lambda _: resume_run(run=run))
    expire_overdue()
    assert (unscored(run), refused(run).state) == (True, State.FAILED)


def test_what_changes_between_reading_and_writing_is_not_marked_as_scored(run):
    JudgeRun.objects.filter(pk=run.pk).raise_revision()
    revision = revision_to_score(run)
    assert revision is not None
    rate(run)
    assert not mark_scored(run, revision)
    assert unscored(run)
    assert score_finished_runs() == 1
    assert not unscored(run)


def test_a_run_of_which_a_judgement_waits_is_scored_again_once_it_is_settled(run):
    ask_again(run)
    assert revision_to_score(run) is None
    assert score_run(run=run).judged == 3
    assert unscored(run)
    assert score_finished_runs() == 0
    run.judgements.filter(state=State.WAITING).update(
        state=State.JUDGED, verdict="right", settled=timezone.now()
    )
    assert score_finished_runs() == 1
    assert Scoresheet.objects.get(run=run).judged == 4
    assert not unscored(run)


def test_a_run_is_unscored_from_its_beginning(run):
    other = JudgeRun.objects.create(submission=run.submission, judge_spec=other_spec(run))
    assert unscored(other)
    plan_run(run_id=other.pk)
    assert unscored(other)


def other_spec(run: JudgeRun) -> JudgeSpec:
    spec = run.judge_spec
    spec.pk, spec.slug, spec.content_hash = None, "another", "0" * 64
    spec.save()
    return spec


def test_the_database_refuses_a_change_that_no_sweep_would_see(run):
    rows = Judgement.objects.filter(pk=refused(run).pk)
    for state in (State.FAILED, State.WAITING, State.PAUSED):
        with undone():
            with pytest.raises(IntegrityError, match="raise the revision"), transaction.atomic():
                rows.update(state=state)
            JudgeRun.objects.filter(pk=run.pk).raise_revision()
            assert rows.update(state=state) == 1
    said_by_no_sheet = run.judgements.filter(state=State.JUDGED)
    assert said_by_no_sheet.update(latency_ms=5, texts=None) == 3
