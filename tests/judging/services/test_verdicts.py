"""Verdicts are kept with the versions they were by: a text that comes back costs nothing, and
nothing is lost."""

import io
import json
from dataclasses import replace
from datetime import timedelta
from functools import partial

import pytest
from django.db import IntegrityError, connection, transaction

from benchmarks.models import Figure, Question, Release
from benchmarks.protocols.base import Rules, Upload
from benchmarks.registry import protocol, protocols
from benchmarks.services.descriptions import (
    DESCRIPTION_REVIEW,
    restore,
    save_draft,
    submit_for_review,
)
from benchmarks.services.importing import import_release
from benchmarks.services.references import add_reference
from benchmarks.submissions.models import EvaluatedModel
from benchmarks.submissions.services import accept_submission
from judging.coordination import queue
from judging.desk.stale.staleness import (
    BlastRadius,
    Rejudged,
    blast_radius,
    reference_radius,
    rejudge_stale,
    stale_judgements,
    stale_radius,
)
from judging.engine.engine import judge_run
from judging.judges.base import Reply
from judging.models import EarlierVerdict, JudgeCall, JudgedTexts, Judgement, JudgeRun
from judging.services import ensure_spec, find_spec, plan_run, request_run, resume_run
from judging.services.estimates import estimate_run
from judging.services.review import exclude_judgement
from tests.conftest import submit
from tests.judging.described import LINES, describe, planned
from tests.judging.described import judge as ask
from tests.judging.scripted import ScriptedJudge

State = Judgement.State
PRICED = {"here": {"url": "http://127.0.0.1:9/", "key": "", "prices": {"scripted": (3.0, 5.0)}}}


@pytest.fixture(scope="module")
def module_release(module_rows) -> Release:
    return import_release(
        protocol=protocol("spelling"), stream=io.BytesIO(LINES), slug="spelling-1"
    ).release


@pytest.fixture
def release(module_release, db) -> Release:
    return Release.objects.select_related("benchmark").get(pk=module_release.pk)


@pytest.fixture
def figure(release) -> Figure:
    return Figure.objects.get(key="one.png")


def judge(run: JudgeRun, said: str = "right") -> int:
    """How many calls were made."""
    return len(ask(run, Reply(said, prompt_tokens=10, reply_tokens=1)))


def texts(run: JudgeRun, question: str = "1") -> tuple[int | None, int | None]:
    """The versions of description and reference that the answer's judgement names."""
    row = run.judgements.get(answer__question__public_id=question)
    assert row.texts is not None
    described, referred = row.texts.description, row.texts.reference
    return described.version if described else None, referred.version if referred else None


def said(run: JudgeRun, question: str = "1") -> str:
    return run.judgements.get(answer__question__public_id=question).verdict


# --- what is kept ---------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_text_that_comes_back_costs_nothing(release, figure, owner, stranger):
    run = planned(release, owner)
    fifth = describe(figure, "A cat.")
    assert judge(run, "right") == 4
    sixth = describe(figure, "A dog.")
    assert rejudge_stale(figure=figure) == Rejudged(waiting=2, decided=0)
    assert judge(run, "wrong") == 2
    assert (said(run), texts(run)) == ("wrong", (2, None))
    calls = JudgeCall.objects.count()
    for old, verdict, version in ((fifth, "right", 3), (sixth, "wrong", 4), (fifth, "right", 5)):
        again = restore(description=old, author=owner)
        submit_for_review(description=again)
        DESCRIPTION_REVIEW.approve(proposal=again, reviewer=stranger)
        assert rejudge_stale(figure=figure) == Rejudged(waiting=0, decided=2)
        assert judge(run) == 0
        assert (said(run), texts(run)) == (verdict, (version, None))
    assert JudgeCall.objects.count() == calls


def test_what_a_judgement_had_is_kept_with_its_texts_and_its_reply_for_good(release, figure, owner):
    run = planned(release, owner)
    describe(figure, "A sketch.")
    assert rejudge_stale(figure=figure) == Rejudged(waiting=2, decided=0)
    assert not EarlierVerdict.objects.exists()  # nothing was decided yet
    describe(figure, "A cat.")
    judge(run, "right")
    row = run.judgements.get(answer__question__public_id="1")
    written = run.judgements.filter(pk=row.pk)
    for change in (
        {"verdict": "wrong"},
        {"raw_reply": "x"},
        {"content_key": "0" * 64},
        {"state": State.WAITING, "verdict": "", "raw_reply": ""},
    ):
        assert "not written over" in refused(partial(written.update, **change))
    written.update(reason="a word about it")
    describe(figure, "A dog.")
    rejudge_stale(figure=figure)
    kept = EarlierVerdict.objects.filter(judgement=row)
    (one,) = kept
    assert (one.verdict, one.raw_reply, one.prompt_tokens) == ("right", "right", 10)
    assert (one.content_key, one.settled) == (row.content_key, row.settled)
    assert (one.texts_id, one.texts.description.text) == (row.texts_id, "A cat.")
    assert "never changes" in refused(lambda: kept.update(verdict="wrong"))
    assert "never deleted" in refused(lambda: kept.delete())
    assert "does not change" in refused(lambda: JudgedTexts.objects.update(reference=None))


def refused(change) -> str:
    with pytest.raises(IntegrityError) as error, transaction.atomic():
        change()
    return str(error.value)


def test_a_new_entry_takes_a_verdict_that_stood_before(release, figure, owner, stranger):
    run = planned(release, owner)
    first = describe(figure, "A cat.")
    judge(run, "right")
    describe(figure, "A dog.")
    rejudge_stale(figure=figure)
    judge(run, "wrong")
    describe(figure, first.text)
    later = submit(release, stranger, name="Later")
    assert estimate_run(later, run.judge_spec).calls == 0
    other = request_run(submission=later, spec=run.judge_spec)
    plan_run(run_id=other.pk)
    assert (said(other), texts(other)) == ("right", (3, None))
    assert other.judgements.get(answer__question__public_id="1").reused_from.run == run


# --- asking again while judging -------------------------------------------------------------------


def test_a_verdict_that_came_first_is_kept(release, figure, owner):
    run = planned(release, owner)
    (key,) = queue.claim(Judgement.objects.all(), limit=1, lease=timedelta(minutes=5))
    describe(figure, "A cat.")
    queue.settle([queue.Settlement(pk=key, fence=1, state=State.JUDGED, verdict="right")])
    rejudge_stale(figure=figure)
    assert EarlierVerdict.objects.get().verdict == "right"
    assert texts(run) == (1, None)


def test_a_row_names_what_it_was_judged_by_and_not_what_it_was_planned_with(release, figure, owner):
    describe(figure, "A cat.")
    for kind, read in (("openai", (2, None)), ("rules", (2, 1))):
        run = planned(release, owner, kind, name=kind)
        if kind == "openai":
            describe(figure, "A dog.")
            assert texts(run) == (1, None)
        ask(run)
        assert texts(run) == read
    assert stale_radius(figure=figure).judgements == 0
    describe(figure, "A cow.")
    assert stale_radius(figure=figure).judgements == 4


@pytest.mark.slow
def test_a_verdict_that_came_back_is_not_written_over_either(release, figure, owner):
    run = planned(release, owner)
    for text, verdict in (("A cat.", "right"), ("A dog.", "wrong"), ("A cat.", "")):
        describe(figure, text)
        rejudge_stale(figure=figure)
        judge(run, verdict)
    assert (said(run), EarlierVerdict.objects.count()) == ("right", 4)
    row = run.judgements.filter(answer__question__public_id="1")
    assert "not written over" in refused(lambda: row.update(verdict="wrong", raw_reply="x"))
    describe(figure, "A cow.")
    assert rejudge_stale(figure=figure) == Rejudged(waiting=2, decided=0)


# --- counts ---------------------------------------------------------------------------------------


def test_the_cost_of_judging_again_is_told_also_where_texts_are_unrecorded(
    release, figure, owner, settings
):
    settings.JUDGE_ENDPOINTS = PRICED
    judge(planned(release, owner))
    ask(planned(release, owner, "rules", name="Rules"))
    with transaction.atomic():
        Judgement.objects.update(texts=None)
        found = stale_radius(release=release)
        assert (found.unknown, found.calls, found.cost) == (8, 4, 4 * (10 * 3 + 5))
        transaction.set_rollback(True)
    describe(figure, "A dog.")
    found = stale_radius(release=release)
    assert found == BlastRadius(0, judgements=4, submissions=2, calls=2, cost=2 * (10 * 3 + 5))


def test_verdicts_that_were_taken_over_cost_as_much_as_others(release, figure, owner, settings):
    settings.JUDGE_ENDPOINTS = PRICED
    run = planned(release, owner)
    for text in ("A cat.", "A dog.", "A cat."):
        describe(figure, text)
        rejudge_stale(figure=figure)
        judge(run)
    assert run.judgements.filter(prompt_tokens=None, state=State.JUDGED).count() == 2
    describe(figure, "A cow.")
    found = stale_radius(figure=figure)
    assert found.calls == 2
    assert found.cost >= 2 * (10 * 3 + 5)


def test_what_a_person_excluded_is_not_asked_again(release, figure, owner, stranger):
    run = planned(release, owner)
    ask(run, "nonsense")
    row = run.judgements.get(answer__question__public_id="1")
    exclude_judgement(judgement=row, by=stranger, reason="a bad question")
    describe(figure, "A dog.")
    assert stale_radius(figure=figure).judgements == 1
    rejudge_stale(figure=figure)
    Judgement.objects.filter(pk=row.pk).update(texts=None)
    rejudge_stale(figure=figure)
    assert run.judgements.get(pk=row.pk).state == State.EXCLUDED


# --- judges of older rules ------------------------------------------------------------------------


def test_a_judge_of_older_rules_is_not_judged_again_and_pauses_with_a_reason(
    release, figure, owner, monkeypatch
):
    run = planned(release, owner, "rules")
    ask(run)
    others = b"1=a\n2=b\n3=c\n4=d\n"
    later = planned(release, owner, "rules", name="Later", content=others)
    monkeypatch.setattr(protocol("spelling").judging, "RULES_VERSION", "9")
    describe(figure, "A dog.")
    found = stale_radius(figure=figure)
    assert (found.judgements, found.left) == (0, 4)  # of two entries
    before = list(run.judgements.order_by("pk").values_list("state", "verdict"))
    assert rejudge_stale(figure=figure) == Rejudged(0, 0)
    assert list(run.judgements.order_by("pk").values_list("state", "verdict")) == before
    assert judge_run(run_id=later.pk) == 0
    later.refresh_from_db()
    assert later.pause_reason == "this judge is of rules 1; today there are rules 9"
    assert not later.judgements.filter(state=State.JUDGED).exists()


@pytest.mark.parametrize(
    ("now", "today"), [((), "none of that name"), (("2",), "rules first-letter 2")]
)
def test_a_judge_of_other_rules_asks_those_of_its_name_and_version(
    release, owner, monkeypatch, now, today
):
    def known(*versions: str) -> None:
        rules = tuple(Rules("first-letter", v, "", lambda case: "right") for v in versions)
        family = replace(protocol("spelling"), other_rules=rules)
        monkeypatch.setitem(protocols(), "spelling", family)

    known("1")
    spec = find_spec(of=protocol("spelling"), name="rules:first-letter")
    run = request_run(submission=submit(release, owner), spec=spec)
    plan_run(run_id=run.pk)
    known(*now)
    assert judge_run(run_id=run.pk) == 0
    run.refresh_from_db()
    assert run.pause_reason == f"this judge is of rules first-letter 1; today there are {today}"
    known("1")
    resume_run(run=run)
    judge_run(run_id=run.pk)
    assert run.judgements.filter(verdict="right", reported_model="rules first-letter 1").exists()


def test_what_is_up_to_date_is_not_looked_at(release, figure, owner):
    run = planned(release, owner)
    judge(run)
    describe(figure, "A dog.")
    rejudge_stale(figure=figure)
    judge(run)
    describe(Figure.objects.get(key="dark.png"), "Night.")
    if connection.vendor == "sqlite":
        plan = stale_judgements(release=release).explain()
        assert "judgement_by_texts" in plan
    assert stale_radius(figure=figure).judgements == 0


def test_the_same_words_in_a_new_version_make_nothing_out_of_date(release, figure, owner):
    describe(figure, "A cat.")
    run = planned(release, owner)
    judge(run)
    describe(figure, "A cat.")
    assert stale_radius(figure=figure).judgements == 0
    assert rejudge_stale(figure=figure) == Rejudged(0, 0)
    assert texts(run) == (1, None)


def test_a_reference_counts_where_the_judge_reads_it(release, owner):
    offline = planned(release, owner, "rules")
    ask(offline)
    judge(planned(release, owner, name="Model"))
    question = Question.objects.get(public_id="1")
    assert reference_radius(question=question, text="too").judgements == 1
    add_reference(question=question, text="too", origin="human")
    assert rejudge_stale(release=release).waiting == 1
    ask(offline)
    assert (said(offline), texts(offline)) == ("wrong", (None, 2))


# --- what no judge reads --------------------------------------------------------------------------

ROWS = [
    {
        "category": "VD",
        "subcategory": "figure",
        "visual_input": "1",
        "set_id": "0",
        "figure_id": str(i),
        "sample_note": "logo",
        "question_id": "0",
        "question": f"Is this number {i}?",
        "gt_answer_details": f"Yes, this is number {i}.",
        "gt_answer": "1",
        "filename": f"./VD/figure/0_{i}.png",
    }
    for i in range(2)
]


@pytest.mark.parametrize("kind", ["openai", "rules"])
def test_a_description_no_judge_reads_makes_nothing_out_of_date(db, owner, stranger, kind):
    family = protocol("hallusionbench")
    release = import_release(
        protocol=family, stream=io.BytesIO(json.dumps(ROWS).encode()), slug="hb"
    ).release
    spec = ensure_spec(of=family, kind=kind, endpoint="here", model="m", repeats=1)
    lines = "\n".join(
        json.dumps({"id": q.public_id, "prediction": "Yes, it is."})
        for q in release.questions.all()
    )
    upload = Upload("answers.jsonl", lines.encode())
    submission = accept_submission(
        release=release, upload=upload, model=EvaluatedModel(name="One"), owner=owner
    )
    run = request_run(submission=submission, spec=spec)
    plan_run(run_id=run.pk)
    judge_run(run_id=run.pk, judge=ScriptedJudge(["correct"]) if kind == "openai" else None)
    before = list(run.judgements.order_by("pk").values_list("content_key", "verdict"))
    figure = Figure.objects.filter(questions__releases=release)[0]
    draft = save_draft(figure=figure, language="en", text="A sign.", author=owner, base_version=0)
    submit_for_review(description=draft)
    assert blast_radius(description=draft).is_empty
    DESCRIPTION_REVIEW.approve(proposal=draft, reviewer=stranger)
    assert stale_radius(figure=figure).judgements == 0
    assert rejudge_stale(figure=figure) == Rejudged(0, 0)
    again = accept_submission(
        release=release, upload=upload, model=EvaluatedModel(name="Twin"), owner=stranger
    )
    twin = request_run(submission=again, spec=spec)
    plan_run(run_id=twin.pk)
    assert list(twin.judgements.order_by("pk").values_list("content_key", "verdict")) == before


# --- judged before texts were kept ----------------------------------------------------------------


def test_what_no_version_explains_stays_unknown_and_is_judged_again(release, figure, owner):
    run = planned(release, owner)
    row = run.judgements.filter(answer__question__public_id="1")
    row.update(content_key="0" * 64)
    queue.claim(row, limit=1, lease=timedelta(minutes=5))
    queue.settle([queue.Settlement(row.get().pk, 1, State.JUDGED, verdict="wrong")])
    row.update(texts=None)
    assert rejudge_stale(release=release) == Rejudged(waiting=1, decided=0)
    kept = EarlierVerdict.objects.get()
    assert (kept.verdict, kept.texts) == ("wrong", None)
