"""A judge's card says how far it agrees with people."""

import pytest

from benchmarks.submissions.models import Submission
from benchmarks.submissions.services import set_visibility
from judging.models import JudgeSpec
from leaderboard.results.services import score_finished_runs
from leaderboard.web.pages.judges import judge
from leaderboard.web.pages.judges.judge import agreement_table, judge_page
from tests.conftest import judged, submit
from tests.judging.panel.files import imported, labels, ratings
from tests.judging.room import says


@pytest.fixture(scope="module")
def module_spec(module_submission: Submission) -> JudgeSpec:
    return judged(module_submission).judge_spec


@pytest.fixture
def spec(module_spec, db) -> JudgeSpec:
    return JudgeSpec.objects.get(pk=module_spec.pk)


def page(client, spec: JudgeSpec) -> str:
    return str(client.get(f"/judges/{spec.slug}/").content, "utf-8")


def test_an_entry_that_people_labelled_is_a_row_of_the_card_while_it_is_public(
    submission, spec, client
):
    imported(ratings(submission, "1,ann,neatness,4"))
    score_finished_runs()
    shown = page(client, spec)
    assert "No human labels yet for answers that this judge judged." in shown
    assert "How far spelling-rules" not in shown
    lines = [f"{item},annabel,correct" for item in (1, 2, 3)]
    imported(labels(submission, *lines, "3,bob,incorrect"))
    score_finished_runs()
    (row,) = judge_page(spec)["agreement"]["rows"]
    ((_, figure),) = row["cells"]
    assert (row["entry"].model.name, figure.value, figure.n) == ("Speller", 0.5, 4)
    assert figure.low is None  # three questions with several labels tell no interval, and say so
    shown = page(client, spec)
    assert 'title="no interval: too few question groups (2)"' in shown
    assert "<b>50.00</b>" in shown
    says(shown, "Agreement with people", "<caption", f"/entries/{submission.pk}/?judge={spec.slug}")
    assert "annabel" not in shown
    set_visibility(submission=submission, visibility="private")
    assert judge_page(spec)["agreement"]["rows"] == []


def test_of_many_entries_that_people_labelled_the_newest_are_rows(
    spelling, owner, spec, client, monkeypatch
):
    monkeypatch.setattr(judge, "MOST_LABELLED", 2)
    for name in ("Oldest", "Zebra", "Aardvark"):
        assert "the newest" not in page(client, spec)
        entry = submit(spelling, owner, name=name)
        judged(entry)
        imported(labels(entry, "1,ann,correct"))
        score_finished_runs()
    rows = judge_page(spec)["agreement"]["rows"]
    assert [row["entry"].model.name for row in rows] == ["Aardvark", "Zebra"]
    assert "that people rated (the newest 2)." in page(client, spec)


def test_a_benchmark_that_nobody_is_asked_about_has_no_such_section(spec):
    assert agreement_table(spec, (), ()) is None


@pytest.mark.slow
def test_the_card_needs_the_same_queries_for_any_number_of_entries(
    spelling, owner, spec, client, django_assert_max_num_queries
):
    for number in range(8):
        entry = submit(spelling, owner, name=f"Model {number}")
        judged(entry)
        imported(labels(entry, "1,ann,correct"))
    score_finished_runs()
    with django_assert_max_num_queries(20):
        assert page(client, spec).count("Model ") == 8
