"""Scoresheets and boards: recomputable, comparable, honest about what is missing."""

import io
from datetime import timedelta

import pytest
from django.db import transaction

from benchmarks.models import Benchmark
from benchmarks.registry import protocol
from benchmarks.services.importing import import_release
from benchmarks.submissions.services import (
    ensure_baselines,
    set_visibility,
    withdraw_submission,
)
from judging.engine.engine import judge_run
from judging.judges.scripted import ScriptedJudge
from judging.models import JudgeRun
from judging.services import ensure_spec, plan_run, request_run
from leaderboard import services
from leaderboard.models import Scoresheet
from leaderboard.operations.sweeps import sweep_here
from leaderboard.selectors import BoardPart, NoSuchEraError, eras_of, read_board
from leaderboard.services import score_finished_runs, score_run
from tests.conftest import ANSWERS, judged, submit


def board(**era):
    return read_board(Benchmark.objects.get(slug="spelling"), **era)


def test_scoring_again_gives_the_same_figures(submission):
    run = judged(submission)
    first = Scoresheet.objects.get(run=run)
    again = score_run(run=run)
    assert (first.pk, first.figures, bytes(first.draws)) == (
        again.pk,
        again.figures,
        bytes(again.draws),
    )


def test_a_finished_run_is_scored_once(submission):
    judged(submission)
    assert score_finished_runs() == 0


def test_an_entry_with_too_little_judged_has_a_score_and_no_rank(submission):
    run = judged(
        submission, judge=ScriptedJudge(["right", "hm", "right", "right"], makes_requests=False)
    )
    (entry,) = board().entries
    assert (entry.rank, entry.unreadable, entry.coverage) == (None, 1, 0.75)
    assert entry.figures["accuracy"].value == 1.0
    assert run.judgements.filter(verdict="").count() == 1


def test_equal_scores_share_a_rank_and_the_earlier_stands_first(spelling, owner):
    for name, wrong in (("First", b"color"), ("Second", b"collor")):
        judged(submit(spelling, owner, ANSWERS.replace(b"color", wrong), name=name))
    assert [(e.model, e.rank) for e in board().entries] == [("First", 1), ("Second", 1)]


def test_releases_are_never_mixed(spelling, submission, owner):
    judged(submission)
    other = import_release(
        protocol=protocol("spelling"), stream=io.BytesIO(b"9|ink|ink\n"), slug="spelling-2"
    ).release
    judged(submit(other, owner, b"9=ink\n"))
    assert len(board().eras) == 2
    assert [e.id for e in board(release="spelling-1").entries] == [submission.pk]


def test_judges_are_never_mixed(spelling, submission, owner):
    judged(submission)
    other = submit(spelling, owner, name="Another")
    spec = ensure_spec(
        of=protocol("spelling"), kind="openai", endpoint="none", model="m", repeats=1
    )
    run = request_run(submission=other, spec=spec)
    plan_run(run_id=run.pk)
    judge_run(run_id=run.pk, judge=ScriptedJudge(["right"]))
    score_run(run=run)
    assert [e.model for e in board(judge=spec.slug).entries] == ["Another"]
    assert len(board().eras) == 2


def test_an_era_without_entries_is_refused(submission):
    judged(submission)
    with pytest.raises(NoSuchEraError) as refused:
        board(judge="nobody")
    assert str(refused.value) == "This board has no entries judged by “nobody”."


def test_private_submissions_are_not_on_the_board(submission):
    judged(submission)
    set_visibility(submission=submission, visibility="private")
    assert board().entries == ()


def test_withdrawn_submissions_leave_the_board(submission):
    judged(submission)
    withdraw_submission(submission=submission)
    assert board().entries == ()


def test_baselines_stand_on_the_board_without_a_rank(spelling):
    judged(submit(spelling, None, name="Always", origin="baseline"))
    assert [(e.origin, e.rank) for e in board().entries] == [("baseline", None)]


def test_a_rank_range_holds_the_rank(spelling, owner):
    for number, content in enumerate(
        [b"1=two\n2=colour\n3=x\n4=x\n", b"1=two\n2=x\n3=x\n4=x\n", ANSWERS]
    ):
        judged(submit(spelling, owner, content, name=f"Model {number}"))
    assert [entry.rank for entry in board().entries] == [1, 2, 3]
    assert all(entry.rank_best <= entry.rank <= entry.rank_worst for entry in board().entries)


def test_entries_without_a_score_come_after_unranked_ones_that_have_one(spelling, owner):
    nothing = ScriptedJudge(["hm"], makes_requests=False)
    judged(submit(spelling, owner, name="Unreadable"), judge=nothing)
    judged(submit(spelling, None, name="Baseline", origin="baseline"))
    assert [entry.model for entry in board().entries] == ["Baseline", "Unreadable"]


def test_sorting_puts_entries_without_a_value_last_either_way(spelling, owner):
    judged(submit(spelling, owner, name="Good"))
    judged(submit(spelling, owner, b"1=x\n2=x\n3=x\n4=x\n", name="Bad"))
    Scoresheet.objects.filter(submission__model__name="Good").update(board_figures={})
    for ascending in (True, False):
        entries = board(part=BoardPart(order="accuracy", ascending=ascending)).entries
        assert [entry.model for entry in entries] == ["Bad", "Good"]


def test_a_sweep_takes_a_confirmed_submission_to_its_scoresheet(submission):
    sweep_here(grace=timedelta(0))
    assert Scoresheet.objects.get().submission == submission
    assert JudgeRun.objects.get().judge_spec == ensure_spec(of=protocol("spelling"), kind="rules")


def test_new_entries_do_not_wait_for_all_sheets_of_older_formulas(spelling, owner, monkeypatch):
    for name in ("First", "Second", "Third"):
        judged(submit(spelling, owner, name=name))
    Scoresheet.objects.update(scoring=1)
    monkeypatch.setattr(services, "OUTDATED_AT_ONCE", 2)
    with transaction.atomic():
        JudgeRun.objects.filter(scoresheet=Scoresheet.objects.latest("pk")).raise_revision()
    assert [score_finished_runs() for _ in range(2)] == [3, 0]
    Scoresheet.objects.update(scoring=1)
    assert [score_finished_runs() for _ in range(3)] == [2, 1, 0]


def test_a_sweep_leaves_unconfirmed_submissions_alone(spelling, owner):
    submit(spelling, owner, confirm=False)
    sweep_here(grace=timedelta(0))
    assert not JudgeRun.objects.exists()


def test_the_board_page_needs_the_same_few_queries_for_any_number_of_entries(
    spelling, owner, client, django_assert_max_num_queries
):
    for number in range(12):
        judged(submit(spelling, owner, name=f"Model {number}"))
    with django_assert_max_num_queries(
        24
    ):  # six before and six after it was made say whether it may be stored
        assert client.get("/boards/spelling/").status_code == 200


@pytest.mark.parametrize(
    "query", ["?sort=accuracy&order=asc", "?sort=nothing", "?published=off", "?page=x"]
)
def test_the_board_page_bears_any_choice(submission, client, query):
    judged(submission)
    assert client.get(f"/boards/spelling/{query}").status_code == 200


def test_an_unknown_era_is_not_found(submission, client):
    judged(submission)
    assert client.get("/boards/spelling/?release=zzz").status_code == 404


def test_baselines_alone_do_not_lead_a_board_away_from_its_entries(spelling, owner):
    judged(submit(spelling, owner))
    larger = import_release(
        protocol=protocol("spelling"),
        stream=io.BytesIO(b"1|two|two\n2|colour|colour\n3|night|night\n4|sea|sea\n5|sun|sun\n"),
        slug="spelling-2",
    ).release
    for baseline in ensure_baselines(release=larger):
        judged(baseline)
    assert [era.release.slug for era in eras_of(spelling.benchmark)] == ["spelling-1", "spelling-2"]
    judged(submit(larger, owner, b"1=a\n2=b\n3=c\n4=d\n5=e\n", name="Late"))
    assert [era.release.slug for era in eras_of(spelling.benchmark)] == ["spelling-2", "spelling-1"]
