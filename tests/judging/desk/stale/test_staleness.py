"""What an approved description makes stale, and that exactly that is judged again."""

from datetime import timedelta

import pytest
from django.db.models import F
from django.utils import timezone

from benchmarks.models import Description, Figure, Question, Reference, Release
from benchmarks.releases.states import move_release
from benchmarks.services.next_release import make_next_release
from judging.coordination import queue
from judging.desk.stale.staleness import (
    BlastRadius,
    Rejudged,
    blast_radius,
    rejudge_stale,
    stale_radius,
)
from judging.judges.base import JudgeHaltedError
from judging.models import Judgement, JudgeRun
from judging.services.verdicts import REUSED
from leaderboard.results.services import score_finished_runs
from tests.conftest import freeze_release
from tests.judging.described import LINES, ON_FIGURE, describe, judge, planned

State = Judgement.State


@pytest.fixture(scope="module")
def module_run(module_release, module_people) -> JudgeRun:
    run = planned(module_release, module_people["submitter"])
    assert judge(run) == ["1", "2", "3", "4"]
    return run


@pytest.fixture
def run(module_run, db) -> JudgeRun:
    """A finished run of one call for each of the four questions."""
    return JudgeRun.objects.select_related("submission", "judge_spec").get(pk=module_run.pk)


@pytest.fixture
def owner(people):
    return people["submitter"]


def waiting(figure: Figure, text: str) -> Description:
    """The next version, which nobody approved yet."""
    version = Description.objects.filter(figure=figure).count() + 1
    return Description(figure=figure, language="en", version=version, text=text)


def rows(run: JudgeRun) -> dict[str, list[str]]:
    found = run.judgements.order_by("answer__question__public_id")
    return {
        key: rest
        for key, *rest in found.values_list(
            "answer__question__public_id", "state", "verdict", "reason"
        )
    }


# --- the blast radius -----------------------------------------------------------------------------


def test_the_radius_counts_what_read_the_figure_once_and_calls_of_models_alone(
    run, release, figure, people
):
    cat = waiting(figure, "A cat.")
    assert blast_radius(description=cat) == BlastRadius(
        references=0, judgements=2, submissions=1, calls=2
    )
    assert stale_radius(figure=figure).judgements == 0
    judge(planned(release, people["staff"], "rules"))
    assert blast_radius(description=cat) == BlastRadius(
        references=0, judgements=4, submissions=2, calls=2
    )
    describe(figure, "A cat.")
    assert blast_radius(description=waiting(figure, "A dog.")) == BlastRadius(
        references=0, judgements=0, submissions=0, calls=0, already=4
    )


def test_the_text_that_is_judged_makes_nothing_stale_and_one_that_comes_back_renews(
    run, release, figure, owner
):
    first = describe(figure, "A cat.")
    judge(planned(release, owner, name="Described"))
    again = waiting(figure, first.text)
    assert blast_radius(description=again).is_empty
    describe(figure, "A dog.")
    radius = blast_radius(description=waiting(figure, first.text))
    assert (radius.judgements, radius.already, radius.renewed) == (
        0,
        2,
        2,
    )  # `run` is stale already


def test_words_that_come_back_and_go_again_are_paid_once(run, figure):
    """Two texts take turns: what either was judged by is known from the first time."""
    asked = []
    for text in ("A cat.", "A dog.", "A cat.", "A dog.", "A cat."):
        describe(figure, text)
        rejudge_stale(figure=figure)
        asked.append(judge(run))
        assert {row[0] for row in rows(run).values()} == {State.JUDGED}
    assert asked == [ON_FIGURE, ON_FIGURE, [], [], []]


def test_the_radius_counts_references_made_from_another_version(release, figure):
    first = describe(figure, "A cat.")
    one, two = Question.objects.filter(figure=figure).order_by("public_id")
    made = ((one, 2, "generated"), (two, 2, "generated"), (two, 3, "human"))
    for question, version, origin in made:
        Reference.objects.create(
            question=question, version=version, text="x", origin=origin, description=first
        )
    assert blast_radius(description=first).references == 0
    assert blast_radius(description=waiting(figure, "A dog.")).references == 1


def test_a_withdrawn_entry_and_a_frozen_release_are_outside_the_radius(run, release, figure):
    cat = waiting(figure, "A cat.")
    freeze_release(release=release)
    assert blast_radius(description=cat).is_empty
    describe(figure, "A cat.")
    assert rejudge_stale(figure=figure) == Rejudged(0, 0)
    Release.objects.update(state=Release.State.OPEN)
    run.submission.withdrawn = timezone.now()
    run.submission.save()
    assert blast_radius(description=waiting(figure, "A dog.")).is_empty


@pytest.mark.slow
def test_the_radius_takes_as_many_queries_for_many_entries(
    run, release, figure, owner, django_assert_max_num_queries
):
    for i in range(8):
        planned(release, owner, name=f"Speller {i}")
    with django_assert_max_num_queries(30):
        assert blast_radius(description=waiting(figure, "A cat.")).submissions == 9


# --- judging again --------------------------------------------------------------------------------


def test_only_what_became_stale_is_asked_again_and_once(run, release, figure, dark):
    before = rows(run)
    describe(figure, "A cat.")
    assert stale_radius(figure=figure).judgements == 2
    assert rejudge_stale(figure=figure) == Rejudged(waiting=2, decided=0)
    changed = [State.WAITING, "", "the description changed"]
    assert rows(run) == before | dict.fromkeys(ON_FIGURE, changed)
    # the fence stays, and the attempts begin again
    assert set(run.judgements.values_list("fence", "attempts", "state")) == {
        (1, 0, State.WAITING),
        (1, 1, State.JUDGED),
    }
    stored = list(Judgement.objects.order_by("pk").values())
    assert rejudge_stale(figure=figure) == Rejudged(0, 0)
    assert list(Judgement.objects.order_by("pk").values()) == stored
    assert judge(run, "wrong") == ON_FIGURE
    assert [row[1] for row in rows(run).values()] == ["wrong", "wrong", "right", "right"]
    assert rejudge_stale(figure=figure) == Rejudged(0, 0)
    describe(figure, "A dog.")
    describe(dark, "The night.")
    assert rejudge_stale(release=release) == Rejudged(waiting=3, decided=0)
    assert judge(run) == ["1", "2", "3"]


def test_a_new_reference_is_no_reason_where_the_judge_does_not_see_it(run, figure):
    question = Question.objects.get(public_id="1")
    Reference.objects.create(
        question=question, version=2, text="too", origin=Reference.Origin.HUMAN
    )
    assert rejudge_stale(figure=figure) == Rejudged(0, 0)


def test_a_case_judged_before_takes_that_verdict_and_costs_nothing(run, release, figure, owner):
    describe(figure, "A cat.")
    later = planned(release, owner, name="Later")
    assert judge(later, "wrong") == ON_FIGURE
    assert rejudge_stale(figure=figure) == Rejudged(waiting=0, decided=2)
    known = [State.JUDGED, "wrong", REUSED]
    assert [rows(run)[key] for key in ON_FIGURE] == [known] * 2
    assert judge(run) == []


def test_an_empty_answer_gets_the_floor_without_a_call(release, figure, owner):
    run = planned(release, owner, content=b"1=\n2=colour\n3=night\n4=sea\n", name="Silent")
    judge(run)
    describe(figure, "A cat.")
    rejudge_stale(figure=figure)
    assert rows(run)["1"] == [State.JUDGED, "wrong", "the answer is empty"]
    assert judge(run) == ["2"]


@pytest.fixture
def unjudged(release, owner) -> JudgeRun:
    return planned(release, owner, content=b"1=a\n2=b\n3=c\n4=d\n", name="Unjudged")


def test_a_reply_about_the_old_text_is_not_stored(unjudged, figure):
    keys = queue.claim(unjudged.judgements.all(), limit=1, lease=timedelta(minutes=5))
    describe(figure, "A cat.")
    rejudge_stale(figure=figure)
    queue.settle([queue.Settlement(pk=keys[0], fence=1, state=State.JUDGED, verdict="wrong")])
    assert rows(unjudged)["1"] == [State.WAITING, "", "the description changed"]


def test_what_is_paused_stays_paused_and_knows_its_new_case(run, unjudged, figure):
    judge(unjudged, JudgeHaltedError("no key"))
    describe(figure, "A cat.")
    assert rejudge_stale(figure=figure) == Rejudged(waiting=4, decided=0)
    unjudged.refresh_from_db()
    assert (unjudged.pause_reason, stale_radius(figure=figure).judgements) == ("no key", 0)
    unjudged.judgements.update(state=State.PAUSED, reason="HTTP 500, 5 times")
    describe(figure, "A dog.")
    before = rows(unjudged)
    assert rejudge_stale(figure=figure) == Rejudged(waiting=4, decided=0)
    assert rows(unjudged) == before


def test_a_run_that_waits_again_is_scored_when_it_is_finished(run, figure):
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


# --- a release after a closed one -----------------------------------------------------------------


@pytest.fixture
def closed(release, figure, dark, owner) -> JudgeRun:
    """A run that was judged by the first texts of every figure, before its release was frozen."""
    for described in (figure, dark):
        describe(described, "A sketch.")
    run = planned(release, owner, name="Closed")
    judge(run)
    freeze_release(release=release)
    release.refresh_from_db()
    return run


@pytest.fixture
def following(closed, release) -> Release:
    return make_next_release(of=release, slug="spelling-2", title="Spelling, release 2")


def test_the_next_release_takes_over_every_unchanged_verdict_and_the_closed_one_keeps_its_own(
    closed, following, figure, owner
):
    before = rows(closed)
    move_release(release=following, found="draft", to="open")
    later = planned(following, owner, name="Again")
    assert judge(later, "wrong") == []
    assert [row[:2] for row in rows(later).values()] == [["judged", "right"]] * 4
    describe(figure, "A dog.")
    assert stale_radius(figure=figure).judgements == 2
    assert rejudge_stale() == Rejudged(waiting=2, decided=0)
    assert judge(later, "wrong") == ON_FIGURE
    assert [row[1] for row in rows(later).values()] == ["wrong", "wrong", "right", "right"]
    assert rows(closed) == before


def test_a_text_corrected_in_a_draft_is_asked_about_anew_once_it_is_open(
    run, following, figure, owner, load_spelling
):
    """One that was imported has figures without texts, which `run` was judged by."""
    describe(figure, "A cat.")
    move_release(release=following, found="draft", to="open")
    assert judge(planned(following, owner, name="Corrected"), "wrong") == ON_FIGURE
    imported = load_spelling(LINES, slug="spelling-3")
    assert rejudge_stale() == Rejudged(0, 0)
    assert judge(planned(imported, owner, name="Imported")) == []
