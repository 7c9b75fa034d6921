"""What an approved description makes stale, and that exactly that is judged again."""

import io
from datetime import timedelta

import pytest
from django.db.models import F
from django.utils import timezone

from benchmarks.models import Description, Figure, Question, Reference, Release
from benchmarks.registry import protocol
from benchmarks.release_states import move_release
from benchmarks.services.descriptions import approve, save_draft, submit_for_review
from benchmarks.services.importing import freeze_release, import_release
from benchmarks.services.next_release import make_next_release
from judging import queue
from judging.desk.staleness import BlastRadius, Rejudged, blast_radius, rejudge_stale, stale_count
from judging.engine.engine import judge_run
from judging.judges.base import JudgeHaltedError
from judging.judges.scripted import ScriptedJudge
from judging.models import Judgement, JudgeRun
from judging.services import ensure_spec, plan_run, request_run
from leaderboard.services import score_finished_runs
from tests.conftest import submit

State = Judgement.State
LINES = b"1|two|two|one.png\n2|colour|colour|one.png\n3|night|night|dark.png\n4|sea|sea\n"
ON_FIGURE = ["1", "2"]


@pytest.fixture
def release(db) -> Release:
    return import_release(
        protocol=protocol("spelling"), stream=io.BytesIO(LINES), slug="spelling-1"
    ).release


@pytest.fixture
def figure(release) -> Figure:
    return Figure.objects.get(key="one.png")


@pytest.fixture
def describe(owner, stranger):
    """A new version of a figure's description, approved unless told otherwise."""

    def describe(figure: Figure, text: str, *, approved: bool = True) -> Description:
        base = Description.objects.filter(figure=figure).count()
        description = save_draft(
            figure=figure, language="en", text=text, author=owner, base_version=base
        )
        submit_for_review(description=description)
        if approved:
            approve(description=description, reviewer=stranger)
        return description

    return describe


def judge(run: JudgeRun, *script) -> list[str]:
    """The questions whose answers the judge was asked about, in order."""
    judge = ScriptedJudge(script or ["right"])
    judge_run(run_id=run.pk, judge=judge)
    return [request.case.question.public_id for request in judge.asked]


def planned(release: Release, owner, kind: str = "openai", **submission) -> JudgeRun:
    spec = ensure_spec(
        of=protocol("spelling"), kind=kind, endpoint="here", model="scripted", repeats=1
    )
    run = request_run(submission=submit(release, owner, **submission), spec=spec)
    plan_run(run_id=run.pk)
    return run


@pytest.fixture
def run(release, owner) -> JudgeRun:
    """A finished run of one call for each of the four questions."""
    run = planned(release, owner)
    assert judge(run) == ["1", "2", "3", "4"]
    return run


def rows(run: JudgeRun) -> dict[str, list[str]]:
    found = run.judgements.order_by("answer__question__public_id")
    return {
        key: rest
        for key, *rest in found.values_list(
            "answer__question__public_id", "state", "verdict", "reason"
        )
    }


# --- the blast radius -----------------------------------------------------------------------------


def test_the_radius_counts_judgements_that_read_the_figure(run, figure, describe):
    waiting = describe(figure, "A cat.", approved=False)
    assert blast_radius(description=waiting) == BlastRadius(
        references=0, judgements=2, submissions=1, calls=2
    )
    assert stale_count(figure=figure) == 0


def test_the_radius_counts_entries_and_leaves_the_offline_judge_out_of_the_calls(
    run, release, figure, describe, stranger
):
    offline = planned(release, stranger, kind="rules")
    judge_run(run_id=offline.pk)
    radius = blast_radius(description=describe(figure, "A cat.", approved=False))
    assert radius == BlastRadius(references=0, judgements=4, submissions=2, calls=2)


def test_the_radius_of_the_text_that_is_judged_is_empty(release, figure, describe, owner):
    first = describe(figure, "A cat.")
    judge(planned(release, owner))
    again = Description(figure=figure, language="en", version=2, text=first.text)
    assert blast_radius(description=again).is_empty


def test_what_is_out_of_date_already_is_not_counted_again(run, figure, describe):
    describe(figure, "A cat.")
    radius = blast_radius(description=describe(figure, "A dog.", approved=False))
    assert radius == BlastRadius(references=0, judgements=0, submissions=0, calls=0, already=2)


def test_a_text_that_comes_back_makes_what_stands_by_it_up_to_date(
    release, figure, describe, owner
):
    first = describe(figure, "A cat.")
    judge(planned(release, owner))
    describe(figure, "A dog.")
    again = save_draft(figure=figure, language="en", text=first.text, author=owner, base_version=2)
    radius = blast_radius(description=again)
    assert (radius.judgements, radius.already, radius.renewed) == (0, 0, 2)


def test_words_that_come_back_and_go_again_are_paid_once(run, figure, describe, owner, stranger):
    """Two texts take turns: what either was judged by is known from the first time."""
    asked = []
    for text in ("A cat.", "A dog.", "A cat.", "A dog.", "A cat."):
        describe(figure, text)
        rejudge_stale(figure=figure)
        asked.append(judge(run))
        assert {row[0] for row in rows(run).values()} == {State.JUDGED}
    assert asked == [ON_FIGURE, ON_FIGURE, [], [], []]


def test_the_radius_counts_references_made_from_another_version(release, figure, describe):
    first = describe(figure, "A cat.")
    one, two = Question.objects.filter(figure=figure).order_by("public_id")
    for question, version, origin in (
        (one, 2, "generated"),
        (two, 2, "generated"),
        (two, 3, "human"),
    ):
        Reference.objects.create(
            question=question, version=version, text="x", origin=origin, description=first
        )
    assert blast_radius(description=first).references == 0
    assert blast_radius(description=describe(figure, "A dog.", approved=False)).references == 1


def test_a_withdrawn_entry_and_a_frozen_release_are_outside_the_radius(
    run, release, figure, describe
):
    waiting = describe(figure, "A cat.", approved=False)
    freeze_release(release=release)
    assert blast_radius(description=waiting).is_empty
    Release.objects.update(state=Release.State.OPEN)
    run.submission.withdrawn = timezone.now()
    run.submission.save()
    assert blast_radius(description=waiting).is_empty


@pytest.mark.slow
def test_the_radius_takes_as_many_queries_for_many_entries(
    run, release, figure, describe, owner, django_assert_max_num_queries
):
    for i in range(8):
        planned(release, owner, name=f"Speller {i}")
    waiting = describe(figure, "A cat.", approved=False)
    with django_assert_max_num_queries(30):
        assert blast_radius(description=waiting).submissions == 9


# --- judging again --------------------------------------------------------------------------------


def test_only_what_became_stale_is_asked_again(run, figure, describe):
    before = rows(run)
    describe(figure, "A cat.")
    assert stale_count(figure=figure) == 2
    assert rejudge_stale(figure=figure) == Rejudged(waiting=2, decided=0)
    assert {k: v for k, v in rows(run).items() if k not in ON_FIGURE} == {
        k: before[k] for k in ("3", "4")
    }
    assert [rows(run)[key] for key in ON_FIGURE] == [
        [State.WAITING, "", "the description changed"]
    ] * 2
    assert judge(run, "wrong") == ON_FIGURE
    assert [row[1] for row in rows(run).values()] == ["wrong", "wrong", "right", "right"]


def test_judging_again_twice_changes_nothing_more(run, figure, describe):
    describe(figure, "A cat.")
    rejudge_stale(figure=figure)
    before = list(Judgement.objects.order_by("pk").values())
    assert rejudge_stale(figure=figure) == Rejudged(0, 0)
    assert list(Judgement.objects.order_by("pk").values()) == before
    judge(run)
    assert rejudge_stale(figure=figure) == Rejudged(0, 0)


def test_a_release_is_judged_again_as_a_whole(run, release, figure, describe):
    describe(figure, "A cat.")
    describe(Figure.objects.get(key="dark.png"), "The night.")
    assert rejudge_stale(release=release) == Rejudged(waiting=3, decided=0)
    assert judge(run) == ["1", "2", "3"]


def test_a_new_reference_is_no_reason_where_the_judge_does_not_see_it(run, figure):
    question = Question.objects.get(public_id="1")
    Reference.objects.create(
        question=question, version=2, text="too", origin=Reference.Origin.HUMAN
    )
    assert rejudge_stale(figure=figure) == Rejudged(0, 0)


def test_a_case_judged_before_takes_that_verdict_and_costs_nothing(
    run, release, figure, describe, owner
):
    describe(figure, "A cat.")
    later = planned(release, owner, name="Later")
    assert judge(later, "wrong") == ON_FIGURE
    assert rejudge_stale(figure=figure) == Rejudged(waiting=0, decided=2)
    assert [rows(run)[key] for key in ON_FIGURE] == [
        [State.JUDGED, "wrong", "the same case was judged before"]
    ] * 2
    assert judge(run) == []


def test_an_empty_answer_gets_the_floor_without_a_call(release, figure, describe, owner):
    run = planned(release, owner, content=b"1=\n2=colour\n3=night\n4=sea\n")
    judge(run)
    describe(figure, "A cat.")
    assert rejudge_stale(figure=figure) == Rejudged(waiting=1, decided=1)
    assert rows(run)["1"] == [State.JUDGED, "wrong", "the answer is empty"]
    assert judge(run) == ["2"]


def test_the_fence_stays_and_the_attempts_begin_again(run, figure, describe):
    describe(figure, "A cat.")
    rejudge_stale(figure=figure)
    assert set(run.judgements.values_list("fence", "attempts", "state")) == {
        (1, 0, State.WAITING),
        (1, 1, State.JUDGED),
    }


def test_a_reply_about_the_old_text_is_not_stored(release, figure, describe, owner):
    run = planned(release, owner)
    keys = queue.claim(Judgement.objects.all(), limit=1, lease=timedelta(minutes=5))
    describe(figure, "A cat.")
    rejudge_stale(figure=figure)
    queue.settle([queue.Settlement(pk=keys[0], fence=1, state=State.JUDGED, verdict="wrong")])
    assert rows(run)["1"] == [State.WAITING, "", "the description changed"]


def test_a_paused_row_stays_paused_and_knows_its_new_case(release, figure, describe, owner):
    run = planned(release, owner)
    run.judgements.update(state=Judgement.State.PAUSED, reason="HTTP 500, 5 times")
    describe(figure, "A cat.")
    before = rows(run)
    assert rejudge_stale(figure=figure) == Rejudged(waiting=2, decided=0)
    assert rows(run) == before


def test_a_paused_run_stays_paused(release, figure, describe, owner):
    run = planned(release, owner)
    judge(run, JudgeHaltedError("no key"))
    describe(figure, "A cat.")
    assert rejudge_stale(figure=figure) == Rejudged(waiting=2, decided=0)
    run.refresh_from_db()
    assert run.pause_reason == "no key"
    assert stale_count(figure=figure) == 0


def test_a_frozen_release_is_not_judged_again(run, release, figure, describe):
    describe(figure, "A cat.")
    freeze_release(release=release)
    assert rejudge_stale(figure=figure) == Rejudged(0, 0)


def test_a_run_that_waits_again_is_scored_when_it_is_finished(run, figure, describe):
    assert score_finished_runs() == 1
    before = run.scoresheet.ranking
    describe(figure, "A cat.")
    rejudge_stale(figure=figure)
    assert not JudgeRun.objects.finished().exists()
    assert score_finished_runs() == 0
    judge(run, "wrong")
    assert score_finished_runs() == 1
    run.scoresheet.refresh_from_db()
    assert (before, run.scoresheet.ranking) == (1.0, 0.5)
    assert not JudgeRun.objects.filter(scoresheet__computed__lt=F("judgements__settled")).exists()


def test_the_next_release_of_a_frozen_one_takes_over_every_unchanged_verdict(
    run, release, figure, describe, owner, stranger
):
    freeze_release(release=release)
    later = import_release(
        protocol=protocol("spelling"), stream=io.BytesIO(LINES), slug="spelling-2"
    ).release
    describe(figure, "A cat.")
    assert rejudge_stale() == Rejudged(0, 0)  # the frozen one keeps what it has
    assert judge(planned(later, owner, name="Corrected")) == ON_FIGURE


@pytest.fixture
def closed(release, figure, describe, owner) -> JudgeRun:
    """A run that was judged by the first texts of every figure, before its release was frozen."""
    for described in (figure, Figure.objects.get(key="dark.png")):
        describe(described, "A sketch.")
    run = planned(release, owner)
    assert judge(run) == ["1", "2", "3", "4"]
    freeze_release(release=release)
    return run


def opened_next(release: Release) -> Release:
    made = make_next_release(of=release, slug="spelling-2", title="Spelling, release 2")
    move_release(release=made, found="draft", to="open")
    return made


def test_a_next_release_made_here_asks_about_nothing_that_is_unchanged(closed, release, owner):
    later = planned(opened_next(release), owner, name="Again")
    assert judge(later, "wrong") == []
    assert [row[:2] for row in rows(later).values()] == [["judged", "right"]] * 4


def test_it_asks_anew_what_was_corrected_and_the_closed_one_keeps_what_it_has(
    closed, release, figure, describe, owner
):
    before = rows(closed)
    draft = make_next_release(of=release, slug="spelling-2", title="Spelling, release 2")
    describe(figure, "A cat.")  # while it is a draft
    move_release(release=draft, found="draft", to="open")
    later = planned(draft, owner, name="Corrected")
    assert judge(later, "wrong") == ON_FIGURE
    assert [row[1] for row in rows(later).values()] == ["wrong", "wrong", "right", "right"]
    describe(figure, "A dog.")  # and once it is open
    assert stale_count(figure=figure) == 2
    assert rejudge_stale() == Rejudged(waiting=2, decided=0)
    assert judge(later) == ON_FIGURE
    assert rows(closed) == before
