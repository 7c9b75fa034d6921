"""What a judge's card says of the judge, from stored rows."""

import io
from dataclasses import replace
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from benchmarks.models import Release
from benchmarks.protocols.base import QuestionView, ScoredRow
from benchmarks.registry import protocol
from benchmarks.services.importing import import_release
from benchmarks.submissions.samples.floor import ensure_baselines
from benchmarks.submissions.services import set_visibility
from judging.engine.engine import judge_run
from judging.judges.base import JudgeRefusedError, JudgeUnavailableError, Reply
from judging.models import JudgeCall, Judgement, JudgeRun, JudgeSpec
from judging.services import ensure_spec, plan_run, request_run
from leaderboard.models import JudgeComparison, JudgeRecord, Scoresheet
from leaderboard.results.boards.editions import refresh_boards
from leaderboard.results.judges import length_effect
from leaderboard.results.judges.comparisons import read_figures
from leaderboard.results.judges.length_effect import FEWEST_ANSWERS, score_of
from leaderboard.results.services import score_finished_runs, score_run
from leaderboard.web.pages.judges.record import reliability_means
from tests.conftest import judged, submit
from tests.judging.scripted import ScriptedJudge
from tests.judging.services.test_review import planned
from tests.leaderboard.web.pages.shown_text import cells, page_at, part, told
from tests.overwriting import overwrite
from tests.person import words

PRICES = {
    "none": {"url": "http://127.0.0.1:9/", "key": "", "limits": {}, "prices": {"m": (1.0, 2.0)}}
}


def reply(text: str = "right", model: str = "scribe-1") -> Reply:
    return Reply(text, model=model, prompt_tokens=100, reply_tokens=10)


def judged_by(submission, *script) -> JudgeRun:
    run = planned(submission)
    judge_run(run_id=run.pk, judge=ScriptedJudge(script or [reply()]))
    score_run(run=run)
    return run


def card(spec: JudgeSpec) -> Any:
    return part(page_at(Client(), f"/judges/{spec.slug}/"))


def figures(spec: JudgeSpec) -> dict[str, str]:
    """Below "What it costs and how it answers"."""
    (section,) = card(spec).xpath(".//section[h2[@id='figures']]")
    return told(section)


# --- what it costs --------------------------------------------------------------------------------


def test_the_card_of_a_model_has_what_it_costs_and_how_it_answers(
    submission, spelling, owner, settings
):
    """Four calls of 120 millionths, over two entries, of which the second reuses all verdicts; then
    two more calls whose outcome nobody knows, one that failed, and one that never left."""
    settings.JUDGE_ENDPOINTS = PRICES
    run = judged_by(submission)
    judged_by(submit(spelling, owner, name="Twin"))
    price = "mean of 2; reused verdicts are free, requests without a reply count at their maximum"
    assert figures(run.judge_spec)["Price per entry"] == f"0.0002 {price}"
    run.judgements.update(latency_ms=500)
    for outcome in ("open", "unknown", "failed", "unsent"):
        JudgeCall.objects.create(
            judgement=run.judgements.first(), started=timezone.now(), outcome=outcome
        )
    score_run(run=run)
    page, today = card(run.judge_spec), f"{timezone.now():%Y-%m-%d}"
    assert words(page.xpath(".//h1")[0]) == "m, prompts v1, asked once"
    assert told(page) == {
        "kind": "language model",
        "model": "m",
        "the endpoint reported": f"scribe-1, 4 replies, {today} to {today}",
        "max_tokens": "1024",
        "temperature": "0",
        "repeats": "1",
        "reply parser": "strict, version 1",
        "hash of the judge spec": run.judge_spec.content_hash,
        "hash of the prompt set": run.judge_spec.prompt_set.content_hash,
        "work so far": "8 judgements, 2 public entries",
        "Price per entry": f"0.0002 {price}",
        "Calls": "7 2 without a reply",
        "Latency": "0.50 s mean of 4 replies",
        "Tokens per call": "100 + 10 prompt and reply",
        "Without a verdict": "0.0 % 0 of 4 replies",
        "Length and score": "– 8 judged answers, 20 are needed",
    }


def test_the_card_of_the_rules_says_what_they_are_and_that_they_are_free(submission):
    spec = judged(submission).judge_spec
    page = card(spec)
    assert words(page.xpath(".//h1")[0]).startswith("Offline rules, version ")
    assert words(page.xpath(".//code")[0]) == spec.slug
    assert spec.slug not in words(page.getroottree().find(".//title"))
    assert told(page) == {
        "kind": "offline rules",
        "version of the rules": "1",
        "repeats": "1",
        "reply parser": "strict, version 1",
        "hash of the judge spec": spec.content_hash,
        "work so far": "4 judgements, 1 public entry",
        "Price per entry": "free no request is made",
        "Unreadable": "0.0 % 0 of 4 judgements, by their last reply",
        "Length and score": "– 4 judged answers, 20 are needed",
    }


def test_a_price_of_zero_is_free_and_no_price_is_not(submission, settings):
    spec = judged_by(submission, reply(), Reply("right")).judge_spec
    assert figures(spec)["Price per entry"] == "– no price is set"
    assert figures(spec)["Tokens per call"] == "100 + 10 prompt and reply"
    settings.JUDGE_ENDPOINTS = {"none": {**PRICES["none"], "prices": {"m": (0.0, 0.0)}}}
    assert figures(spec)["Price per entry"] == "free its price is zero"


def test_a_judge_that_was_never_asked_has_no_figures(spelling):
    spec = ensure_spec(of=protocol("spelling"), kind="openai", endpoint="none", model="m")
    assert figures(spec) == {
        "Price per entry": "– no call yet",
        "Calls": "0 0 without a reply",
        "Latency": "– no reply yet",
        "Tokens per call": "– the endpoint reports none",
        "Unreadable": "– no judgement has a reply of its own yet",
        "Length and score": "– 0 judged answers, 20 are needed",
    }


# --- how far to trust it --------------------------------------------------------------------------


@pytest.mark.slow
def test_every_reply_without_a_verdict_counts_those_that_were_asked_for_again_too(
    submission, settings
):
    settings.JUDGE_CONCURRENCY = 1
    cut, refusal = Reply("ri", finish_reason="length"), Reply("", finish_reason="refusal")
    run = judged_by(submission, "maybe", "maybe", cut, refusal, "maybe", "right")
    assert run.judgements.filter(state="judged").count() == 2
    assert figures(run.judge_spec)["Without a verdict"] == (
        "71.4 % 5 of 7 replies: 3 unreadable, 1 cut at the length limit, 1 refusals"
    )


def test_a_judge_whose_every_reply_is_useless_is_shown_as_that(submission):
    run = judged_by(submission, Reply("right", finish_reason="length"))
    shown = "100 % 4 of 4 replies: 4 cut at the length limit"
    assert figures(run.judge_spec)["Without a verdict"] == shown


def test_replies_of_before_they_were_counted_are_told_by_judgement(submission):
    run = judged_by(submission)
    JudgeCall.objects.update(reading="")
    rows = run.judgements.order_by("pk")
    for row, state in zip(rows, ("unreadable", "excluded", "waiting"), strict=False):
        overwrite(Judgement.objects.filter(pk=row.pk), state=state, verdict="")
    shown = "50.0 % 1 of 2 judgements, by their last reply"
    assert figures(run.judge_spec)["Unreadable"] == shown


@pytest.mark.parametrize(
    "error", [JudgeRefusedError("HTTP 400"), JudgeUnavailableError("HTTP 500")]
)
def test_where_no_reply_came_none_was_unreadable(submission, error):
    run = planned(submission)
    judge_run(run_id=run.pk, judge=ScriptedJudge([error]))
    assert figures(run.judge_spec)["Unreadable"] == "– no judgement has a reply of its own yet"


def test_a_model_that_changed_its_name_is_told_with_its_time(submission):
    """As before a changed model paused its run."""
    run = judged_by(submission)
    warning = "did not always use the same model"
    shown = words(card(run.judge_spec))
    assert "scribe-1, 4 replies" in shown
    assert warning not in shown
    overwrite(
        run.judgements.filter(pk__in=run.judgements.order_by("-pk")[:2]), reported_model="scribe-2"
    )
    shown = words(card(run.judge_spec))
    for said in (warning, "scribe-1, 2 replies", "scribe-2, 2 replies"):
        assert said in shown


@pytest.fixture
def steady(monkeypatch):
    """What the board of "spelling" tells of the steadiness of its judges."""
    port = protocol("spelling").board
    metrics = (port.METRICS["accuracy"], replace(port.METRICS["accuracy"], name="never computed"))
    monkeypatch.setattr(port, "BOARD", replace(port.BOARD, reliability=metrics))
    return metrics


def test_steadiness_is_a_mean_over_public_entries_that_have_a_value_without_baselines(
    spelling, owner, steady
):
    for name, value, low, spread in (
        ("A", 0.5, 0, 0.1),
        ("B", 1.0, None, 0.3),
        ("Hidden", 0.0, 0, 0.0),
        ("No value", None, None, None),
    ):
        run = judged(submit(spelling, owner, name=name))
        Scoresheet.objects.filter(run=run).update(
            figures={"accuracy": [value, low, low and 1, spread, 4, 4, 4]}
        )
        if name == "Hidden":
            set_visibility(submission=run.submission, visibility="private")
    for baseline in ensure_baselines(release=spelling):
        judged(baseline)
    steadiness = ["Accuracy Right answers over judged answers.", "75.00", "50.00 to 100.00"]
    assert cells(card(run.judge_spec))[-1] == [*steadiness, "20.00", "2"]


def test_what_is_known_of_a_hidden_test_is_in_no_figure_of_its_judge(
    submission, many_words, owner, steady, settings
):
    """Its one score is rounded, and its calls are counted nowhere."""
    settings.JUDGE_ENDPOINTS = PRICES
    run = judged_by(submission)
    before = figures(run.judge_spec)
    assert before["Price per entry"].endswith("at their maximum")
    hidden = judged_by(answered(many_words, owner))
    Scoresheet.objects.filter(run=hidden).update(
        figures={"accuracy": [0.25, None, None, None, 22, 22, 22]}, record=None, lengths=None
    )
    Release.objects.filter(pk=many_words.pk).update(disclosure="hidden_test")
    ((_, mean),) = reliability_means(run.judge_spec, steady)
    assert (mean.entries, mean.least) == (1, mean.most)
    spec = run.judge_spec
    JudgeRecord.objects.update(totals=Scoresheet.objects.get(run=run).record)
    assert figures(spec) == before
    assert " judgements, 1 public entry" in words(card(spec))
    refresh_boards()
    stored = read_figures(spec)
    assert stored is not None
    assert (stored.scored, stored.reliability["accuracy"].entries) == (1, 1)
    assert figures(spec) == before
    said = words(card(spec))
    assert "leave out hidden tests" in said
    assert " judgements, 1 public entry" in said


def test_the_card_shows_what_is_stored_and_reads_no_entry_for_it(submission, steady):
    spec = judged(submission).judge_spec
    before = words(card(spec))
    refresh_boards()
    stored = read_figures(spec)
    assert stored is not None
    with CaptureQueriesContext(connection) as asked:
        assert words(card(spec)) == before
    assert not [query for query in asked if "lengths" in query["sql"]]
    Scoresheet.objects.update(figures={})
    ((_, mean),) = reliability_means(spec, steady, stored)
    assert (mean.entries, mean.spread) == (1, None)  # that is asked once
    assert reliability_means(spec, steady) == []


def test_figures_stored_by_a_version_that_kept_fewer_are_read_anew(submission, steady):
    spec = judged(submission).judge_spec
    refresh_boards()
    row = JudgeComparison.objects.get()
    for judge in row.judges:
        for mean in judge["reliability"].values():
            del mean["least"], mean["most"], mean["spread"]
    row.save()
    ((_, mean),) = reliability_means(spec, steady, read_figures(spec))
    assert mean.least == mean.value == mean.most


def test_each_board_names_metrics_of_steadiness_that_its_scorer_knows():
    for slug in ("touchstone", "hallusionbench", "tiny_lvlm_ehub"):
        board = protocol(slug).board
        assert board.BOARD.reliability, slug
        assert {metric.name for metric in board.BOARD.reliability} <= board.METRICS.keys(), slug


# --- length ---------------------------------------------------------------------------------------


@pytest.fixture
def many_words(db):
    """More questions than are needed, each answered with as many letters as its number."""
    words = "".join(f"{i}|{'a' * i}|{'a' * i}\n" for i in range(1, FEWEST_ANSWERS + 3))
    return import_release(
        protocol=protocol("spelling"), stream=io.BytesIO(words.encode()), slug="long"
    ).release


def answered(release, owner, name: str = "Long", empty: int = 0):
    lines = (f"{i}={'' if i <= empty else 'a' * i}\n" for i in range(1, FEWEST_ANSWERS + 3))
    return submit(release, owner, "".join(lines).encode(), name=name)


def test_a_judge_that_favours_long_answers_is_told(many_words, owner):
    run = planned(answered(many_words, owner))
    count = run.judgements.count()
    judge_run(run_id=run.pk, judge=ScriptedJudge([reply()]))
    shorter = run.judgements.order_by("pk")[: count // 2].values_list("pk", flat=True)
    overwrite(run.judgements.filter(pk__in=list(shorter)), verdict="wrong")
    score_run(run=run)
    shown = f"+0.87 rank correlation, {count} answers of 1 entry"
    assert figures(run.judge_spec)["Length and score"] == shown
    Scoresheet.objects.update(lengths=None, scoring=0)  # as before they were kept
    assert "0 judged answers" in figures(run.judge_spec)["Length and score"]
    assert (score_finished_runs(), score_finished_runs()) == (1, 0)
    assert figures(run.judge_spec)["Length and score"] == shown


def test_the_length_is_that_of_public_entries_of_one_release_and_of_so_many(
    many_words, submission, owner, monkeypatch, django_assert_max_num_queries
):
    """One that always says the same has no correlation."""
    runs = [judged_by(answered(many_words, owner, name=name)) for name in "ABC"]
    judged_by(submission)
    set_visibility(submission=runs[0].submission, visibility="private")
    spec, count = runs[0].judge_spec, runs[0].judgements.count()
    of = f"of {many_words.title}"
    shown = f"– rank correlation, {2 * count} answers of 2 entries {of}"
    with django_assert_max_num_queries(48):  # of a page that is read twice
        assert figures(spec)["Length and score"] == shown
    monkeypatch.setattr(length_effect, "MOST_ENTRIES", 1)
    shown = f"– rank correlation, {count} answers of the newest 1 of 2 entries {of}"
    assert figures(spec)["Length and score"] == shown


def test_answers_that_needed_no_call_say_nothing_of_the_judge(many_words, owner):
    run = judged_by(answered(many_words, owner, empty=5))
    shown = f"– {FEWEST_ANSWERS - 3} judged answers, {FEWEST_ANSWERS} are needed"
    assert figures(run.judge_spec)["Length and score"] == shown


def test_a_score_counts_before_right_and_wrong():
    rows = (
        ScoredRow("right", True),
        ScoredRow("wrong", False),
        ScoredRow("no verdict", None),
        ScoredRow("7 : 8", None, score=8.0),
    )
    assert [score_of(row) for row in rows] == [1.0, 0.0, None, 8.0]


def test_protocols_that_give_numbers_say_which():
    question = QuestionView(
        "1", "basic", "basic/attr", "1.png", "1", "What?", {"categories": "basic"}, {}
    )
    orders = ("reference_first.1", "answer_first.1")
    for slug, slots, verdicts, score in (
        ("touchstone", orders, ["8 6", "8 7"], 6.5),
        ("touchstone", orders, ["8 6", None], 6.0),
        ("touchstone", orders, [None, None], None),
        ("touchstone_hallucination", ("hallucination.1",), ["3.5"], 3.5),
        ("touchstone_hallucination", ("hallucination.1",), [None], None),
    ):
        said = {slot: [verdict] for slot, verdict in zip(slots, verdicts, strict=True)}
        (row,) = protocol(slug).scoring.explain([question], ["x"], said)
        assert row.score == score, (slug, verdicts)


def test_the_card_names_nobody_who_keeps_an_entry_private(submission):
    run = judged_by(submission)
    set_visibility(submission=submission, visibility="private")
    assert "Speller" not in words(card(run.judge_spec))
    assert plan_run(run_id=request_run(submission=submission, spec=run.judge_spec).pk) is False
