"""Scores under prompts as their authors published them say so wherever they are read."""

import json
import re

import pytest

from benchmarks.models import Release
from benchmarks.registry import protocol
from judging.engine.engine import judge_run
from judging.models import AS_PUBLISHED, JudgeSpec, PromptSet
from judging.services import ensure_spec, plan_run, request_run
from leaderboard.results.selectors import Era
from leaderboard.results.services import score_run
from leaderboard.web.board.page import era_name
from tests.judging.scripted import ScriptedJudge


@pytest.fixture
def judge(submission):
    """The judge that scored the only entry, with the answer unmarked in its prompt."""
    PromptSet.objects.create(
        protocol="spelling", version="paper-1", texts={"spelled": "$answer?"}, content_hash="p"
    )
    spec = ensure_spec(
        of=protocol("spelling"),
        kind="openai",
        endpoint="none",
        model="m",
        repeats=1,
        prompts="paper-1",
    )
    run = request_run(submission=submission, spec=spec)
    plan_run(run_id=run.pk)
    judge_run(run_id=run.pk, judge=ScriptedJudge(["right"]))
    score_run(run=run)
    return spec


def test_pages_api_and_exports_say_that_nothing_protects_the_judge(judge, submission, client):
    board, entry = "/boards/spelling/", f"/entries/{submission.pk}/"
    for address in (
        board,
        entry,
        f"/judges/{judge.slug}/",
        f"{board}export.csv?judge={judge.slug}",
        f"{board}export.latex?judge={judge.slug}",
    ):
        assert AS_PUBLISHED in client.get(address).getvalue().decode(), address
    for address in (f"/api/v1{board}", f"/api/v1{entry}", f"{board}export.json"):
        document = json.loads(client.get(address).getvalue())
        assert document["caution"] == AS_PUBLISHED, address
    boards = client.get("/api/v1/boards/").json()
    spelling = next(board for board in boards if board["eras"])
    assert [era["caution"] for era in spelling["eras"]] == [AS_PUBLISHED]


def test_a_judge_with_marked_answers_has_nothing_to_say(submission, client):
    assert AS_PUBLISHED not in client.get("/boards/spelling/").content.decode()


def test_the_lines_of_eras_differ_and_say_it(judge, submission, client):
    other = ensure_spec(
        of=protocol("spelling"), kind="openai", endpoint="none", model="m", repeats=1
    )
    run = request_run(submission=submission, spec=other)
    plan_run(run_id=run.pk)
    judge_run(run_id=run.pk, judge=ScriptedJudge(["right"]))
    score_run(run=run)
    lines = re.findall(
        r'<li><a href="\?release[^>]*>([^<]*)</a>', client.get("/boards/spelling/").content.decode()
    )
    ours = [line for line in lines if " · m (" in line]
    assert len(set(ours)) == len(ours) == 2
    assert [AS_PUBLISHED in line for line in ours].count(True) == 1
    assert all(line.endswith("· 1 entry") for line in ours)


def test_releases_of_one_title_are_told_apart():
    spec = JudgeSpec(slug="rules", kind=JudgeSpec.RULES)
    eras = [Era(Release(pk=n, slug=f"r{n}", title="One"), spec, 2) for n in (1, 2)]
    assert [era_name(era, eras) for era in eras] == [
        "One (r1) · offline rules",
        "One (r2) · offline rules",
    ]
    assert era_name(eras[0], eras[:1]) == "One · offline rules"
