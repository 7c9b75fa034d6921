"""One rule says how far a submission is, whoever asks."""

from dataclasses import replace

from django.db import connection
from django.test.utils import CaptureQueriesContext

from benchmarks.registry import protocol
from benchmarks.submissions.services import withdraw_submission
from judging.models import Judgement
from judging.services import ensure_spec, pause_run_by_person, plan_run, request_run
from leaderboard.models import Scoresheet
from leaderboard.results.entries.submission_states import (
    SENTENCES,
    RunFacts,
    state_of_runs,
    states_of,
)
from leaderboard.web.pages.submissions.my_entries import my_entry_lines
from leaderboard.web.pages.submissions.submission import submission_page
from tests.conftest import judged, submit
from tests.deleting import delete_linked

NEW = RunFacts(is_planned=False, is_open=False, is_paused=False, is_parked=False, is_scored=False)
PLANNED = replace(NEW, is_planned=True)
OPEN = replace(PLANNED, is_open=True)
SCORED = replace(PLANNED, is_scored=True)


STATES: tuple[tuple[list[RunFacts], str], ...] = (
    ([], "waiting"),
    ([NEW], "waiting"),
    ([SCORED, NEW], "waiting"),
    ([replace(NEW, is_paused=True)], "paused"),
    ([OPEN], "judging"),
    ([SCORED, OPEN], "judging"),
    ([replace(OPEN, is_paused=True)], "paused"),
    ([replace(OPEN, is_parked=True)], "paused"),
    ([OPEN, replace(PLANNED, is_paused=True)], "paused"),
    ([PLANNED], "scoring"),
    ([SCORED, PLANNED], "scoring"),
    ([replace(PLANNED, is_paused=True)], "paused"),
    ([SCORED], "judged"),
    ([replace(SCORED, is_paused=True)], "judged"),
)


def test_state_of_runs():
    assert [(runs, state_of_runs(runs)) for runs, _ in STATES] == [*STATES]
    assert {state for _, state in STATES} <= {*SENTENCES}


def test_page_and_list_tell_the_same_at_every_step(spelling, owner):
    one = submit(spelling, owner, confirm=True)
    told = []

    def look() -> None:
        state = states_of([one])[one.pk]
        assert {
            submission_page(one, owner)["progress"]["state"],
            *(line["state"] for line in my_entry_lines([one])),
        } == {state}
        told.append(state)

    look()
    run = request_run(submission=one, spec=ensure_spec(of=protocol("spelling"), kind="rules"))
    plan_run(run_id=run.pk)
    look()
    run.judgements.filter(state="waiting").update(state=Judgement.State.PAUSED)
    look()
    run.judgements.filter(state="paused").update(state=Judgement.State.WAITING)
    pause_run_by_person(run=run, reason="a test wants it")
    look()
    type(run).objects.filter(pk=run.pk).resume()
    judged(one)
    look()
    delete_linked(Scoresheet.objects.all())
    look()
    withdraw_submission(submission=one)
    one.refresh_from_db()
    look()
    assert told == ["waiting", "judging", "paused", "paused", "judged", "scoring", "withdrawn"]


def test_states_of_many_need_one_query(spelling, owner):
    found = [judged(submit(spelling, owner, name=f"M{n}")).submission for n in range(3)]
    with CaptureQueriesContext(connection) as queries:
        assert set(states_of(found).values()) == {"judged"}
    assert len(queries) == 1
