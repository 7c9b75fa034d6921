"""Every open release has floor rows: made once, judged by the rules, and no way to read what is
hidden."""

import io
import json
from datetime import timedelta

import pytest

from benchmarks.models import Benchmark, Question, Release, ReleaseQuestion, Subtask
from benchmarks.registry import protocol
from benchmarks.services.importing import import_release
from benchmarks.submissions.models import Answer, Submission
from benchmarks.submissions.samples.floor import FLOOR_VERSION, ensure_floor
from judging.models import JudgeRun
from judging.services import request_missing_runs
from leaderboard.operations.sweeps import sweep_here
from tests.conftest import import_words, judged, submit

CANARY = "canary-kettle-7f3"
NOW = timedelta(0)


def touchstone(*, is_public=False):
    row = {
        "index": "1",
        "image": "a.png",
        "question": "Which brand is the kettle?",
        "human_annotation": f"A red kettle, {CANARY}.",
        "gpt4_ha_answer": "Aquella.",
        "category": "Visual Recognition",
        "task_name": "Brand recognition",
    }
    stream = io.BytesIO(json.dumps([row]).encode())
    return import_release(
        protocol=protocol("touchstone"),
        stream=stream,
        slug="touch",
        disclosure="open" if is_public else "hidden_references",
    ).release


def release_of_one_question(benchmark: Benchmark, public_id: str) -> Release:
    release = Release.objects.create(
        benchmark=benchmark, slug="odd", question_count=1, checksum="odd"
    )
    question = Question.objects.create(
        benchmark=benchmark,
        public_id=public_id,
        subtask=Subtask.objects.filter(ability__benchmark=benchmark)[0],
        text="Spell two.",
    )
    ReleaseQuestion.objects.create(release=release, question=question, position=0)
    Release.objects.filter(pk=release.pk).update(state=Release.State.OPEN)
    return release


@pytest.mark.slow
def test_an_imported_release_has_its_baselines_after_a_sweep_judged_by_the_rules(db, settings):
    settings.JUDGE_ENDPOINTS = {"lab": {"url": "http://127.0.0.1:9"}}
    settings.DEFAULT_JUDGE = "openai:judge-1@lab"
    release = touchstone()
    sweep_here(grace=NOW)
    made = Submission.objects.filter(release=release, origin="baseline", visibility="public")
    assert made.count() == 7
    assert {run.judge_spec.kind for run in JudgeRun.objects.all()} == {"rules"}
    assert all(run.scoresheet for run in JudgeRun.objects.select_related("scoresheet"))


def test_a_release_that_takes_files_has_its_baselines_made_once_and_newer_ones_added(
    spelling, django_assert_num_queries
):
    Release.objects.update(floor_version=0, state=Release.State.FROZEN)
    assert ensure_floor() == []
    spelling.refresh_from_db()
    other = import_words([1, 2])
    Release.objects.filter(pk=other.pk).update(floor_version=0)
    assert ensure_floor() == ["words"]
    with django_assert_num_queries(1):
        assert ensure_floor() == []
    first = Submission.objects.get(origin="baseline")
    Release.objects.update(floor_version=FLOOR_VERSION - 1)
    ensure_floor()
    assert Submission.objects.get() == first


def test_baselines_that_cannot_be_made_are_logged_once_and_stop_nobody(spelling, caplog):
    """No file may hold a control character, so none can name this id; no importer lets it in."""
    release_of_one_question(spelling.benchmark, "1\x072")
    touchstone()
    assert ensure_floor() == ["odd", "touch"]
    assert "release odd" in caplog.text
    assert set(Submission.objects.values_list("release__slug", flat=True)) == {"touch"}
    assert ensure_floor() == []


def test_an_id_with_a_separator_of_lines_can_be_named_and_has_its_baseline(spelling):
    """Only line feed and carriage return end a line of a file."""
    release_of_one_question(spelling.benchmark, "1\u20282")
    assert ensure_floor() == ["odd"]
    assert Answer.objects.get(submission__release__slug="odd").question.public_id == "1\u20282"


def test_a_model_is_not_asked_about_baselines_unless_somebody_says_so(submission, settings):
    settings.JUDGE_ENDPOINTS = {"lab": {"url": "http://127.0.0.1:9"}}
    settings.DEFAULT_JUDGE = "openai:judge-1@lab"
    submit(submission.release, None, name="Letters", origin="baseline")
    request_missing_runs()
    kinds = {run.submission.origin: run.judge_spec.kind for run in JudgeRun.objects.all()}
    assert kinds == {"upload": "openai", "baseline": "rules"}


@pytest.mark.parametrize("is_public", [False, True])
def test_a_baseline_made_of_descriptions_shows_them_only_where_references_are_public(
    client, db, is_public
):
    """Others show their answers everywhere."""
    release = touchstone(is_public=is_public)
    ensure_floor()
    baseline = Submission.objects.get(model__name="The description itself")
    plain = Submission.objects.get(model__name="Yes and no")
    assert Answer.objects.get(submission=baseline).text.count(CANARY) == 1
    judged(baseline)
    judged(plain)
    for address in (
        f"/entries/{baseline.pk}/",
        f"/api/v1/entries/{baseline.pk}/",
        f"/boards/{release.benchmark.slug}/",
    ):
        response = client.get(address)
        assert response.status_code == 200, address
        shown = CANARY in response.content.decode()
        assert shown is (is_public and address.startswith("/entries/"))
    assert "yes and no" in client.get(f"/entries/{plain.pk}/").content.decode()
