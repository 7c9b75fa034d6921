"""An entry whose figures are the same is told with what did change: texts, counts, or its name."""

import io
import re
from uuid import uuid4

import pytest

from benchmarks.models import Description, Figure, Release
from benchmarks.registry import protocol
from benchmarks.services.descriptions import DESCRIPTION_REVIEW, save_draft, submit_for_review
from benchmarks.services.importing import import_release
from benchmarks.submissions.models import EvaluatedModel, Submission
from judging.desk.stale.staleness import rejudge_stale
from judging.engine.engine import judge_run
from judging.services import ensure_spec, plan_run, request_run
from leaderboard.results.services import score_run
from leaderboard.results.snapshots.changes import EntryPosition, cause_of, changes_between
from leaderboard.web.pages.boards.history import CAUSES
from tests.conftest import submit
from tests.judging.scripted import ScriptedJudge

LINES = b"1|two|two|one.png\n2|colour|colour|one.png\n3|sea|sea\n"
ANSWERS = b"1=two\n2=col\n3=sea, the\n"


@pytest.fixture
def release(db) -> Release:
    found = import_release(
        protocol=protocol("spelling"),
        stream=io.BytesIO(LINES),
        slug="spelling-1",
        disclosure="open",
    ).release
    Release.objects.update(floor_version=99)
    return found


@pytest.fixture
def describe(owner, stranger):
    def describe(text: str) -> Description:
        figure = Figure.objects.get(key="one.png")
        base = Description.objects.filter(figure=figure).count()
        draft = save_draft(figure=figure, language="en", text=text, author=owner, base_version=base)
        submit_for_review(description=draft)
        DESCRIPTION_REVIEW.approve(proposal=draft, reviewer=stranger)
        return draft

    return describe


def judge(submission: Submission) -> None:
    spec = ensure_spec(
        of=protocol("spelling"), kind="openai", endpoint="here", model="m", repeats=1
    )
    run = request_run(submission=submission, spec=spec)
    plan_run(run_id=run.pk)
    judge_run(run_id=run.pk, judge=ScriptedJudge(["right"]))
    score_run(run=run)


def told_last(client) -> str:
    """What the page says of the entry in its newest snapshot."""
    page = client.get("/boards/spelling/history/").content.decode()
    text = " ".join(re.sub(r"<[^>]+>", " ", page).split())
    found: list[str] = re.findall(r"Model : ([a-z, ]+), still 1", text)
    return found[0]


def test_an_approved_text_and_judging_by_it_are_told_as_such(
    release, describe, owner, keep, client
):
    page = client.get("/boards/spelling/history/").text
    assert "No snapshot yet." in page
    describe("A cat on a mat.")
    entry = submit(release, owner, ANSWERS, name="Model")
    judge(entry)
    keep(0)
    describe("A dog on a mat.")
    assert [told["cause"] for told in keep(1).changes["causes"]] == ["older"]
    assert told_last(client) == "more of its answers were judged with older texts"
    rejudge_stale(release=release)
    judge(entry)
    assert [told["cause"] for told in keep(2).changes["causes"]] == ["judged"]
    assert told_last(client) == "judged again"
    EvaluatedModel.objects.update(organisation="Somebody else")
    assert [told["cause"] for told in keep(3).changes["causes"]] == ["described"]


def test_words_that_were_brought_back_are_no_judging(release, describe, owner, keep):
    describe("A cat on a mat.")
    judge(submit(release, owner, ANSWERS, name="Model"))
    keep(0)
    describe("A dog on a mat.")
    keep(1)
    describe("A cat on a mat.")
    assert [told["cause"] for told in keep(2).changes["causes"]] == ["newer"]


FACE = {
    "kept_out": False,
    "figures": "a",
    "scoring": 1,
    "coverage": 1.0,
    "judged": 9,
    "unreadable": 0,
    "failed": 1,
    "excluded": 0,
    "older_texts": 2,
    "unknown_texts": 3,
    "beside": {},
    "name": "Model",
}


def test_a_cause_is_what_did_change():
    changes = (
        ({"name": "Another"}, "described"),
        ({"scoring": 2}, "formulas"),
        ({"judged": 10, "failed": 0}, "judged"),
        ({"older_texts": 3}, "older"),
        ({"older_texts": 1}, "judged"),
        ({"older_texts": 5, "unknown_texts": 0}, "recorded"),
        ({"unknown_texts": 0}, "recorded"),
        ({"beside": {"accuracy": 1}}, "beside"),
        ({"older_texts": 3, "name": "Another"}, "older"),
        ({"older_texts": 3, "figures": "b"}, "judged"),
        ({"older_texts": 3, "kept_out": True}, "kept_out"),
    )
    was = EntryPosition((1, 1), 1, FACE)
    for changed, cause in changes:
        now = EntryPosition((1, 1), 2, {**FACE, **changed})
        assert cause_of(was, now, is_new_edition=False) == cause, changed
        assert CAUSES[cause]


def test_who_has_the_same_figures_at_another_place_was_moved_by_others():
    key = uuid4()
    was, now = EntryPosition((1, 1), 1, FACE), EntryPosition((2, 2), 2, {**FACE, "older_texts": 3})
    found = changes_between({key: was}, {key: now}, is_new_edition=False)
    assert (found["causes"], [told["cause"] for told in found["moved"]]) == ([], ["moved"])
