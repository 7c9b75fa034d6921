"""The terminal: each refusal is one sentence with exit status 2 and stores nothing."""

import io
import json
import os
import re
import signal
import threading
import time
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.db import ProgrammingError
from django.utils import timezone

from benchmarks.models import Question, Release
from benchmarks.registry import protocol
from benchmarks.submissions.models import EvaluatedModel, Submission
from judging.coordination import queue
from judging.engine.stopping import STOPPING
from judging.models import JudgeCall, JudgeRun, PromptSet
from judging.selectors import run_counts
from judging.services import find_spec, pause_run_by_person, plan_run, request_run
from leaderboard.operations.demo.world import load_world
from tests.conftest import ANSWERS, SPELLING, submit
from tests.judging.endpoint import failure, serve
from tests.judging.engine.test_dispatcher import SlowJudge
from tests.overwriting import overwrite


def run(*arguments: str, **options) -> str:
    out = io.StringIO()
    call_command(*arguments, stdout=out, **options)
    return out.getvalue()


def refusal(*arguments: str, **options) -> str:
    with pytest.raises(CommandError) as caught:
        run(*arguments, **options)
    assert caught.value.returncode == 2
    return str(caught.value)


def unfinished(*arguments: str, **options) -> str:
    """What a command says that ends with 1."""
    out = io.StringIO()
    with pytest.raises(SystemExit) as caught:
        call_command(*arguments, stdout=out, **options)
    assert caught.value.code == 1
    return out.getvalue()


@pytest.fixture
def dataset(tmp_path):
    path = tmp_path / "words.txt"
    path.write_bytes(SPELLING)
    return str(path)


@pytest.fixture
def answers(tmp_path):
    path = tmp_path / "answers.txt"
    path.write_bytes(ANSWERS)
    return str(path)


def test_import_submit_judge_and_export_in_the_terminal(db, owner, dataset, answers):
    told = run("import_release", "spelling", dataset, slug="words", disclosure="open")
    assert "Release words: 4 questions" in told
    assert "Open: reference answers and the verdict on every answer are public." in told
    assert "4 answers" in run(
        "submit", "words", answers, model="Speller", owner="rosa", public=True
    )
    said = run("judge", all=True, judge="rules")
    assert "Speller · words: 4 judged, 0 unreadable, 0 failed, 0 excluded" in said
    assert said.rstrip().endswith("Accuracy 75.00")
    board = json.loads(run("export_board", "spelling", format="json"))
    assert board["entries"][0]["figures"]["accuracy"]["value"] == 0.75


def test_importing_the_same_file_again_changes_nothing(db, dataset):
    run("import_release", "spelling", dataset, slug="words")
    assert "nothing changed" in run("import_release", "spelling", dataset)
    assert Release.objects.count() == 1


def test_judging_again_repeats_nothing(submission):
    run("judge", str(submission.pk), judge="rules")
    assert "judged before" in run("judge", all=True, judge="rules")


def test_all_passes_over_what_only_rules_decide(submission, monkeypatch):
    """README's command for a model judge ended at the first such benchmark."""
    by_rules = replace(protocol("spelling"), default_prompts="")
    monkeypatch.setattr("leaderboard.management.commands.judge.protocol_of", lambda _: by_rules)
    said = run("judge", all=True, judge="openai:m@local")
    assert said == "Spelling: passed over, its rules alone decide\n"
    assert not JudgeRun.objects.exists()
    assert "its rules decide" in refusal("judge", str(submission.pk), judge="openai:m@local")


def test_all_passes_over_what_has_no_prompts_of_the_name(submission, settings, monkeypatch):
    """As README's last judging command meets it, whose prompts are of one benchmark."""
    settings.JUDGE_ENDPOINTS = {"lab": {"url": "http://127.0.0.1:9"}}
    named = {"judge": "openai:m@lab", "prompts": "mine"}
    assert "There are no prompts 'mine'" in refusal("judge", all=True, **named)
    PromptSet.objects.create(protocol="touchstone", version="mine", texts={}, content_hash="0" * 64)
    said = run("judge", all=True, **named)
    assert said.startswith("Spelling: passed over, there are no prompts 'mine' of spelling")
    assert not JudgeRun.objects.exists()
    assert "There are no prompts 'mine'" in refusal("judge", str(submission.pk), **named)


def test_a_new_database_is_told_with_what_makes_it(db, dataset, monkeypatch):
    """In the words of both databases."""

    def empty(*_, **__):
        raise ProgrammingError('relation "benchmarks_release" does not exist\nLINE 1: SELECT')

    monkeypatch.setattr("benchmarks.management.commands.import_release.import_release", empty)
    assert "Run .venv/bin/python manage.py migrate, and the" in refusal(
        "import_release", "spelling", dataset
    )


def test_an_unknown_protocol_is_refused_with_the_known_ones(db, dataset):
    assert refusal("import_release", "nope", dataset).startswith(
        "There is no protocol 'nope'. Known: hallusionbench"
    )


def test_a_missing_file_is_refused(db):
    assert refusal("import_release", "spelling", "/nowhere/words.txt").startswith(
        "Cannot read /nowhere/words.txt"
    )


def test_a_wrong_dataset_imports_nothing(db, tmp_path):
    (tmp_path / "bad.txt").write_text("1|two|two\n2|broken\n")
    assert "line 2: A line is id|word|spelling" in refusal(
        "import_release", "spelling", str(tmp_path / "bad.txt")
    )
    assert (Release.objects.count(), Question.objects.count()) == (0, 0)


def test_an_unknown_release_is_refused_with_the_open_ones(spelling, owner, answers):
    assert "Open releases: spelling-1." in refusal(
        "submit", "nowhere", answers, model="S", owner="rosa"
    )


def test_an_unknown_owner_is_refused(spelling, answers):
    assert (
        refusal("submit", "spelling-1", answers, model="S", owner="nobody")
        == "There is no account 'nobody'."
    )


def test_an_incomplete_file_is_refused_and_leaves_nothing(spelling, owner, tmp_path):
    (tmp_path / "half.txt").write_text("1=two\n")
    message = refusal("submit", "spelling-1", str(tmp_path / "half.txt"), model="S", owner="rosa")
    assert message.startswith("The file is refused: 3 problems.")
    assert (Submission.objects.count(), EvaluatedModel.objects.count()) == (0, 0)


@pytest.mark.parametrize("judge", ["nobody", "openai:m@nowhere"])
def test_an_unknown_judge_is_refused(submission, judge):
    assert refusal("judge", all=True, judge=judge).startswith("There is no judge")


def test_judging_needs_a_submission_or_all(db):
    assert refusal("judge") == "Name one submission, or say --all."


def test_a_board_that_nothing_is_imported_for_is_refused(db):
    assert refusal("export_board", "spelling").startswith("Nothing of spelling is imported yet")


def test_a_conformance_check_that_does_not_exist_is_refused(db, dataset):
    assert "no conformance check" in refusal("conformance", "spelling", dataset)


def test_a_folder_of_images_that_is_not_there_is_refused(db, dataset):
    assert (
        refusal("import_release", "spelling", dataset, images=Path("/nowhere"))
        == "There is no folder /nowhere."
    )


def test_a_name_that_other_questions_have_is_refused(spelling, tmp_path):
    (tmp_path / "other.txt").write_text("9|nine|nine\n")
    message = refusal("import_release", "spelling", str(tmp_path / "other.txt"), slug="spelling-1")
    assert "There is a release 'spelling-1' with other content" in message
    assert (Release.objects.count(), Question.objects.count()) == (1, 4)


def test_a_folder_without_lists_of_answers_is_refused(spelling, owner, tmp_path):
    (tmp_path / "result.json").write_text("{}")
    message = refusal("submit", "spelling-1", str(tmp_path), model="S", owner="rosa")
    assert message.startswith(f"The folder {tmp_path} has no .json files")
    assert Submission.objects.count() == 0


@pytest.mark.parametrize("name", ["nothing", "00000000-0000-0000-0000-000000000000"])
def test_judging_a_submission_that_is_not_there_is_refused(submission, name):
    assert refusal("judge", name) == f"There is no confirmed submission '{name}'."


def test_a_submission_that_is_not_confirmed_is_not_judged(spelling, owner):
    submission = submit(spelling, owner, confirm=False)
    assert refusal("judge", str(submission.pk)).startswith("There is no confirmed submission")


def test_a_judge_without_its_key_pauses_and_says_why(submission, settings):
    with serve([failure(401)]) as endpoint:
        settings.JUDGE_ENDPOINTS = {"lab": {"url": endpoint.url, "key": ""}}
        told = unfinished("judge", str(submission.pk), judge="openai:m@lab")
    assert "paused, 8 judgements wait (HTTP 401: the key is refused)" in told


def test_what_a_person_paused_is_left_alone_among_all_and_goes_on_by_name(submission):
    paused = request_run(
        submission=submission, spec=find_spec(of=protocol("spelling"), name="rules")
    )
    pause_run_by_person(run=paused, reason="looks odd")
    told = unfinished("judge", all=True, judge="rules")
    assert "Speller: left alone, someone paused it (looks odd)" in told
    assert "Speller · spelling-1: 4 judged" in run("judge", str(submission.pk), judge="rules")


def test_one_of_several_that_is_not_finished_ends_the_command_with_1_after_all_of_them(
    submission, spelling, owner
):
    other = submit(spelling, owner, name="Other")
    held = request_run(submission=submission, spec=find_spec(of=protocol("spelling"), name="rules"))
    plan_run(run_id=held.pk)
    queue.claim(held.judgements.order_by("pk"), limit=3, lease=timedelta(minutes=1))
    told = unfinished("judge", all=True, judge="rules")
    assert (
        "Speller: not finished, another process holds 3 of the 3 judgements that are left" in told
    )
    assert f"{other.model} · spelling-1: 4 judged" in told


def test_a_try_that_is_not_due_is_told_from_rows_that_another_process_holds(submission):
    run = request_run(submission=submission, spec=find_spec(of=protocol("spelling"), name="rules"))
    plan_run(run_id=run.pk)
    run.judgements.update(not_before=timezone.now() + timedelta(hours=1))
    told = unfinished("judge", str(submission.pk), judge="rules")
    assert "not finished, 4 judgements wait (the next try is not due yet)" in told


@pytest.mark.parametrize("only_failed", [False, True])
def test_judging_that_ends_without_a_verdict_ends_with_1_also_when_said_again(
    submission, settings, only_failed
):
    with serve([failure(400)]) as endpoint:
        settings.JUDGE_ENDPOINTS = {"lab": {"url": endpoint.url, "key": ""}}
        assert "0 judged, 0 unreadable, 8 failed" in unfinished(
            "judge", str(submission.pk), judge="openai:m@lab"
        )
        unfinished("judge", str(submission.pk), judge="openai:m@lab", only_failed=only_failed)


def test_judging_that_ends_with_some_verdicts_ends_with_0(submission, settings):
    run("judge", str(submission.pk), judge="rules")
    first = submission.runs.get().judgements.first()
    overwrite(submission.runs.get().judgements.filter(pk=first.pk), state="failed", verdict="")
    assert "judged before" in run("judge", str(submission.pk), judge="rules")


def test_nothing_to_ask_again_of_a_run_that_is_not_finished_ends_with_1(submission):
    run = request_run(submission=submission, spec=find_spec(of=protocol("spelling"), name="rules"))
    plan_run(run_id=run.pk)
    told = unfinished("judge", str(submission.pk), judge="rules", only_failed=True)
    assert "nothing to ask again" in told


def test_a_demo_starts_where_a_worker_of_an_earlier_one_holds_rows(submission):
    run = request_run(submission=submission, spec=find_spec(of=protocol("spelling"), name="rules"))
    plan_run(run_id=run.pk)
    queue.claim(run.judgements.order_by("pk"), limit=1, lease=timedelta(minutes=1))
    Submission.objects.update(origin=Submission.Origin.SAMPLE)
    tomorrow = run.created + timedelta(days=1)
    load_world(families=[], owner=submission.owner, now=tomorrow, say=str, judge_last=True)
    assert run_counts(run).open == 1


@pytest.mark.slow
def test_ctrl_c_ends_what_is_under_way_and_the_same_command_goes_on(
    submission, settings, monkeypatch
):
    settings.JUDGE_ENDPOINTS = {"lab": {"url": "http://127.0.0.1:9/v1", "key": ""}}
    settings.JUDGE_CONCURRENCY = 1
    judge = SlowJudge(0.3)
    monkeypatch.setattr("judging.engine.engine.judge_for", lambda spec: judge)

    def interrupt() -> None:
        while judge.asked < 2:
            time.sleep(0.01)
        os.kill(os.getpid(), signal.SIGINT)

    out, err = io.StringIO(), io.StringIO()
    presser = threading.Thread(target=interrupt)
    presser.start()
    try:
        with pytest.raises(SystemExit, match="130"):
            call_command("judge", str(submission.pk), judge="openai:m@lab", stdout=out, stderr=err)
    finally:
        presser.join()
        STOPPING.clear()
    assert re.search(
        r"Speller: stopped, [1-6] judgements wait; say it again to go on", out.getvalue()
    )
    assert "what is under way is waited for" in err.getvalue()
    assert set(JudgeCall.objects.values_list("outcome", flat=True)) <= {"answered", "unsent"}
    assert "8 judged" in run("judge", str(submission.pk), judge="openai:m@lab")
    assert judge.asked == 8


@pytest.mark.parametrize("content", ["", "[]", '{"about": "x"}', '{"cases": 3}', '{"cases": [3]}'])
def test_a_file_that_holds_no_conformance_cases_is_refused(db, tmp_path, content):
    path = tmp_path / "cases.json"
    path.write_text(content)
    assert refusal("conformance", "hallusionbench", str(path)).startswith(str(path))


def test_conformance_cases_that_are_not_there_are_refused(db):
    assert refusal("conformance", "hallusionbench", "/nowhere.json").startswith(
        "Cannot read /nowhere.json"
    )


def test_judging_all_by_a_model_leaves_baselines_to_the_rules(spelling, settings):
    settings.JUDGE_ENDPOINTS = {"lab": {"url": "http://127.0.0.1:9"}}
    submit(spelling, None, name="Letters", origin="baseline")
    told = run("judge", all=True, judge="openai:judge-1@lab")
    assert told == "Letters: a baseline, left out; say --baselines to have a model asked about it\n"
    assert not JudgeRun.objects.exists()
    told = run("judge", all=True, estimate=True, baselines=True, judge="openai:judge-1@lab")
    assert "calls     8" in told  # two repeats
