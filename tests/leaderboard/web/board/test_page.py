"""Scoresheets and boards: recomputable, comparable, honest about what is missing."""

import io
from collections.abc import Callable
from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest
from django.contrib.auth.models import User
from django.db import transaction

from benchmarks.models import Benchmark, Release
from benchmarks.registry import protocol
from benchmarks.services.importing import import_release
from benchmarks.submissions.models import Submission
from benchmarks.submissions.samples.floor import ensure_baselines
from benchmarks.submissions.services import set_visibility, withdraw_submission
from judging.engine.engine import judge_run
from judging.models import JudgeRun
from judging.services import ensure_spec, plan_run, request_run
from leaderboard.models import Scoresheet
from leaderboard.operations.sweeps import sweep_here
from leaderboard.results import services
from leaderboard.results.selectors import BoardPart, NoSuchEraError, eras_of, read_board
from leaderboard.results.services import score_finished_runs, score_run
from tests.conftest import ANSWERS, import_spelling, import_words, judged, submit
from tests.judging.scripted import ScriptedJudge
from tests.leaderboard.web.pages.shown_text import page_at
from tests.person import words


@pytest.fixture(scope="module")
def made(module_rows) -> UUID:
    owner = User.objects.create_user("rosa", "rosa@example.org")
    submission = submit(import_spelling(), owner)
    judged(submission)
    return submission.pk


@pytest.fixture
def entry(made, db) -> Submission:
    return Submission.objects.select_related("release__benchmark", "owner").get(pk=made)


@pytest.fixture
def enter(entry) -> Callable[..., Submission]:
    """Another entry of the release and owner, judged."""

    def enter(name: str, content: bytes = ANSWERS, **more: Any) -> Submission:
        judge = more.pop("judge", None)
        found = submit(entry.release, more.pop("owner", entry.owner), content, name, **more)
        judged(found, judge=judge)
        return found

    return enter


def board(**era):
    return read_board(Benchmark.objects.get(slug="spelling"), **era)


def ranks() -> dict[str, int | None]:
    """In the order of the board."""
    return {entry.model: entry.rank for entry in board().entries}


def test_scoring_again_gives_the_same_figures_and_a_finished_run_is_scored_once(entry):
    run = entry.runs.get()
    first = Scoresheet.objects.get(run=run)
    again = score_run(run=run)
    assert (first.pk, first.figures, bytes(first.draws)) == (
        again.pk,
        again.figures,
        bytes(again.draws),
    )
    assert score_finished_runs() == 0


def test_entries_stand_in_the_order_of_their_scores_with_a_rank_where_enough_is_judged(enter):
    """Equal scores share one, and the earlier stands first; baselines have none, and entries
    without a score come last."""
    enter("Equal", ANSWERS.replace(b"color", b"collor"))
    enter("Half", b"1=two\n2=colour\n3=x\n4=x\n")
    enter("Quarter", b"1=two\n2=x\n3=x\n4=x\n")
    part = ScriptedJudge(["right", "hm", "right", "right"], makes_requests=False)
    little = enter("Too little", b"1=2wo\n2=color?\n3=nite\n4=see\n", judge=part)
    nothing = ScriptedJudge(["hm"], makes_requests=False)
    enter("Unreadable", b"1=to\n2=hue\n3=knight\n4=c\n", judge=nothing)
    enter("Baseline", b"1=a\n2=b\n3=c\n4=d\n", owner=None, origin="baseline")
    assert ranks() == {
        "Speller": 1,
        "Equal": 1,
        "Half": 3,
        "Quarter": 4,
        "Too little": None,
        "Baseline": None,
        "Unreadable": None,
    }
    assert list(ranks()) == [
        "Speller",
        "Equal",
        "Half",
        "Quarter",
        "Too little",
        "Baseline",
        "Unreadable",
    ]
    entries = {entry.model: entry for entry in board().entries}
    assert all(e.rank_best <= e.rank <= e.rank_worst for e in entries.values() if e.rank)
    found = entries["Too little"]
    assert (found.unreadable, found.coverage, found.value("accuracy")) == (1, 0.75, 1.0)
    assert little.runs.get().judgements.filter(verdict="").count() == 1


def test_releases_and_judges_are_never_mixed(entry, enter):
    other = import_release(
        protocol=protocol("spelling"), stream=io.BytesIO(b"9|ink|ink\n"), slug="spelling-2"
    ).release
    judged(submit(other, entry.owner, b"9=ink\n"))
    assert len(board().eras) == 2
    assert [e.id for e in board(release="spelling-1").entries] == [entry.pk]
    spec = ensure_spec(
        of=protocol("spelling"), kind="openai", endpoint="none", model="m", repeats=1
    )
    run = request_run(submission=submit(entry.release, entry.owner, name="Another"), spec=spec)
    plan_run(run_id=run.pk)
    judge_run(run_id=run.pk, judge=ScriptedJudge(["right"]))
    score_run(run=run)
    assert [e.model for e in board(judge=spec.slug).entries] == ["Another"]
    assert len(board().eras) == 3
    with pytest.raises(NoSuchEraError) as refused:
        board(judge="nobody")
    assert str(refused.value) == "This board has no entries judged by “nobody”."


def test_private_and_withdrawn_submissions_are_not_on_the_board(entry):
    set_visibility(submission=entry, visibility="private")
    assert board().entries == ()
    set_visibility(submission=entry, visibility="public")
    assert len(board().entries) == 1
    withdraw_submission(submission=entry)
    assert board().entries == ()


def test_a_board_with_made_up_models_says_so_and_that_its_judge_is_a_program(client, entry):
    page = words(page_at(client, "/boards/spelling/"))
    assert "judged by offline rules , a program that compares words." in page
    assert "are invented" not in page
    Submission.objects.update(origin="sample")
    assert "The sample models are invented." in words(page_at(client, "/boards/spelling/?page=1"))


def test_the_page_of_a_hidden_test_has_no_charts_and_no_choice_of_rank_ranges(entry, enter, client):
    """It has one figure per entry: drawn as abilities, all would be gaps."""
    enter("Second", b"1=two\n2=x\n3=y\n4=z\n")
    found = []
    for disclosure in ("open", "hidden_test"):
        Release.objects.update(disclosure=disclosure)
        page = page_at(client, "/boards/spelling/")
        found.append(
            (bool(page.xpath("//figure[contains(@class, 'chart')]")), "Ranks:" in words(page))
        )
    assert found == [(True, True), (False, False)]
    assert "each entry has one score, randomly rounded to a coarse step" in words(page)
    assert "ranked entr" not in words(page)


def test_sorting_puts_entries_without_a_value_last_either_way(enter):
    enter("Bad", b"1=x\n2=x\n3=x\n4=x\n")
    Scoresheet.objects.filter(submission__model__name="Speller").update(board_figures={})
    for ascending in (True, False):
        entries = board(part=BoardPart(order="accuracy", ascending=ascending)).entries
        assert [entry.model for entry in entries] == ["Bad", "Speller"]


def test_a_sweep_takes_confirmed_submissions_to_their_scoresheet_and_no_others(entry):
    confirmed, _ = (
        submit(entry.release, entry.owner, name=name, confirm=name == "Sure")
        for name in ("Sure", "Perhaps")
    )
    sweep_here(grace=timedelta(0))
    assert Scoresheet.objects.latest("pk").submission == confirmed
    assert JudgeRun.objects.count() == 2
    rules = ensure_spec(of=protocol("spelling"), kind="rules")
    assert confirmed.runs.get().judge_spec == rules


def test_new_entries_do_not_wait_for_all_sheets_of_older_formulas(enter, monkeypatch):
    for name in ("Second", "Third"):
        enter(name)
    Scoresheet.objects.update(scoring=1)
    monkeypatch.setattr(services, "OUTDATED_AT_ONCE", 2)
    with transaction.atomic():
        JudgeRun.objects.filter(scoresheet=Scoresheet.objects.latest("pk")).raise_revision()
    assert [score_finished_runs() for _ in range(2)] == [3, 0]
    Scoresheet.objects.update(scoring=1)
    assert [score_finished_runs() for _ in range(3)] == [2, 1, 0]


def test_the_board_page_bears_any_choice_at_the_same_few_queries_for_any_number_of_entries(
    enter, client, django_assert_max_num_queries
):
    for number in range(6):
        enter(f"Model {number}")
    # six before and six after it was made say whether it may be stored
    with django_assert_max_num_queries(24):
        assert client.get("/boards/spelling/").status_code == 200
    for query in ("?sort=accuracy&order=asc", "?sort=nothing", "?published=off", "?page=x"):
        assert client.get(f"/boards/spelling/{query}").status_code == 200
    assert client.get("/boards/spelling/?release=zzz").status_code == 404


def test_baselines_alone_do_not_lead_a_board_away_from_its_entries(entry):
    larger = import_words(range(1, 6), slug="spelling-2")
    for baseline in ensure_baselines(release=larger):
        judged(baseline)
    benchmark = entry.release.benchmark
    assert [era.release.slug for era in eras_of(benchmark)] == ["spelling-1", "spelling-2"]
    judged(submit(larger, entry.owner, b"1=a\n2=b\n3=c\n4=d\n5=e\n", name="Late"))
    assert [era.release.slug for era in eras_of(benchmark)] == ["spelling-2", "spelling-1"]
