"""What a judge's card says of the judge, from stored rows."""

import io
from dataclasses import replace

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from benchmarks.protocols.base import QuestionView, ScoredRow
from benchmarks.registry import protocol
from benchmarks.services.importing import import_release
from benchmarks.submissions.services import ensure_baselines, set_visibility
from judging.engine.engine import judge_run
from judging.judges.base import JudgeRefusedError, JudgeUnavailableError, Reply
from judging.judges.scripted import ScriptedJudge
from judging.models import JudgeCall, Judgement, JudgeRun, JudgeSpec
from judging.services import ensure_spec, plan_run, request_run
from leaderboard import length_effect
from leaderboard.editions import refresh_boards
from leaderboard.judge_comparisons import read_figures
from leaderboard.judge_records import read_record
from leaderboard.length_effect import FEWEST_ANSWERS, length_figure, score_of
from leaderboard.models import JudgeComparison, Scoresheet
from leaderboard.pages.judge_record import (
    judge_figures,
    reliability_lines,
    reported_models,
)
from leaderboard.services import score_finished_runs, score_run
from tests.conftest import judged, submit
from tests.judging.services.test_review import planned
from tests.overwriting import overwrite

PRICES = {
    "none": {"url": "http://127.0.0.1:9/", "key": "", "limits": {}, "prices": {"m": (1.0, 2.0)}}
}


def reply(text: str = "right", model: str = "scribe-1") -> Reply:
    return Reply(text, model=model, prompt_tokens=100, reply_tokens=10)


def figures(spec: JudgeSpec) -> dict[str, tuple[str, str]]:
    return {
        figure.title: (figure.value, figure.note)
        for figure in judge_figures(spec, read_record(spec))
    }


def judged_by(submission, *script) -> JudgeRun:
    run = planned(submission)
    judge_run(run_id=run.pk, judge=ScriptedJudge(script or [reply()]))
    score_run(run=run)
    return run


# --- what it costs --------------------------------------------------------------------------------


def test_the_price_is_the_mean_of_the_ledger_over_entries(submission, spelling, owner, settings):
    settings.JUDGE_ENDPOINTS = PRICES
    run = judged_by(submission)
    judged_by(submit(spelling, owner, name="Twin"))  # reused: no call, no cost
    value, note = figures(run.judge_spec)["Price per entry"]
    assert value == "0.0002"  # 4 calls of 120 millionths, over two entries
    assert note.startswith("mean of 2;")


def test_the_offline_rules_are_free_and_make_no_calls(submission):
    spec = judged(submission).judge_spec
    assert figures(spec)["Price per entry"] == ("free", "no request is made")
    assert not {"Calls", "Latency", "Tokens per call"} & figures(spec).keys()


def test_a_judge_without_a_price_is_not_called_free(submission):
    assert figures(judged_by(submission).judge_spec)["Price per entry"] == ("–", "no price is set")


def test_a_price_of_zero_is_free(submission, settings):
    settings.JUDGE_ENDPOINTS = {"none": {**PRICES["none"], "prices": {"m": (0.0, 0.0)}}}
    found = figures(judged_by(submission).judge_spec)
    assert found["Price per entry"] == ("free", "its price is zero")


def test_calls_of_unknown_outcome_are_counted_and_those_that_never_left_are_not(submission):
    run = judged_by(submission)
    row = run.judgements.first()
    for outcome in ("open", "unknown", "failed", "unsent"):
        JudgeCall.objects.create(judgement=row, started=timezone.now(), outcome=outcome)
    score_run(run=run)
    assert figures(run.judge_spec)["Calls"] == ("7", "2 of unknown outcome")


def test_tokens_are_a_mean_of_the_calls_that_report_them(submission):
    run = judged_by(submission, reply(), Reply("right"))
    assert figures(run.judge_spec)["Tokens per call"] == ("100 + 10", "prompt and reply")


def test_latency_is_a_mean_of_replies_and_not_of_reused_verdicts(submission, spelling, owner):
    run = judged_by(submission)
    judged_by(submit(spelling, owner, name="Twin"))
    run.judgements.update(latency_ms=500)
    score_run(run=run)
    assert figures(run.judge_spec)["Latency"] == ("0.50 s", "mean of 4 replies")


def test_a_judge_that_was_never_asked_has_no_figures(spelling):
    spec = ensure_spec(of=protocol("spelling"), kind="openai", endpoint="none", model="m")
    found = figures(spec)
    assert found["Price per entry"] == ("–", "no call yet")
    assert found["Latency"][0] == found["Tokens per call"][0] == found["Unreadable"][0] == "–"
    assert found["Calls"] == ("0", "0 of unknown outcome")
    assert reported_models(read_record(spec)) == ()


# --- how far to trust it --------------------------------------------------------------------------


@pytest.mark.slow
def test_every_reply_without_a_verdict_counts_those_that_were_asked_for_again_too(
    submission, settings
):
    settings.JUDGE_CONCURRENCY = 1
    cut, refusal = Reply("ri", finish_reason="length"), Reply("", finish_reason="refusal")
    run = judged_by(submission, "maybe", "maybe", cut, refusal, "maybe", "right")
    assert run.judgements.filter(state="judged").count() == 2
    value, note = figures(run.judge_spec)["Without a verdict"]
    assert note == "5 of 7 replies: 3 unreadable, 1 cut at the length limit, 1 refusals"
    assert value == "71.4 %"


def test_a_judge_whose_every_reply_is_useless_is_shown_as_that(submission):
    run = judged_by(submission, Reply("right", finish_reason="length"))
    assert figures(run.judge_spec)["Without a verdict"] == (
        "100 %",
        "4 of 4 replies: 4 cut at the length limit",
    )


def test_replies_of_before_they_were_counted_are_told_by_judgement(submission):
    run = judged_by(submission)
    JudgeCall.objects.update(reading="")
    first, second, third, _ = run.judgements.order_by("pk")
    for row, state in ((first, "unreadable"), (second, "excluded"), (third, "waiting")):
        overwrite(Judgement.objects.filter(pk=row.pk), state=state, verdict="")
    assert figures(run.judge_spec)["Unreadable"] == (
        "50.0 %",
        "1 of 2 judgements, by their last reply",
    )


@pytest.mark.parametrize(
    "error", [JudgeRefusedError("HTTP 400"), JudgeUnavailableError("HTTP 500")]
)
def test_where_no_reply_came_none_was_unreadable(submission, error):
    run = planned(submission)
    judge_run(run_id=run.pk, judge=ScriptedJudge([error]))
    assert figures(run.judge_spec)["Unreadable"] == (
        "–",
        "no judgement has a reply of its own yet",
    )


def test_a_model_that_changed_its_name_is_told_with_its_time(submission, client):
    """As before a changed model paused its run."""
    run = judged_by(submission)
    overwrite(
        run.judgements.filter(pk__in=run.judgements.order_by("-pk")[:2]), reported_model="scribe-2"
    )
    models = reported_models(read_record(run.judge_spec))
    assert {(model.name, model.replies) for model in models} == {("scribe-1", 2), ("scribe-2", 2)}
    assert "did not always answer with the same model" in card(client, run.judge_spec)


def test_a_model_that_kept_its_name_is_no_warning(submission, client):
    shown = card(client, judged_by(submission).judge_spec)
    assert "scribe-1, 4 replies" in shown
    assert "did not always answer with the same model" not in shown


def test_steadiness_is_a_mean_over_public_entries_without_baselines(spelling, owner):
    metric = protocol("spelling").board.METRICS["accuracy"]
    spec = ensure_spec(of=protocol("spelling"), kind="rules")
    for name, value, spread in (("A", 0.5, 0.1), ("B", 1.0, 0.3), ("Hidden", 0.0, 0.0)):
        run = judged(submit(spelling, owner, name=name))
        Scoresheet.objects.filter(run=run).update(
            figures={"accuracy": [value, 0, 1, spread, 4, 4, 4]}
        )
        if name == "Hidden":
            set_visibility(submission=run.submission, visibility="private")
    for baseline in ensure_baselines(release=spelling):
        judged(baseline)
    (line,) = reliability_lines(spec, [metric, replace(metric, name="never computed")])
    assert (line.mean, line.span, line.spread, line.entries) == (
        "75.00",
        "50.00 to 100.00",
        "20.00",
        2,
    )


def test_what_has_a_value_and_no_interval_counts_for_steadiness_and_what_has_no_value_does_not(
    spelling, owner
):
    for name, value in (("A", 0.5), ("B", None)):
        run = judged(submit(spelling, owner, name=name))
        Scoresheet.objects.filter(run=run).update(
            figures={"accuracy": [value, None, None, None, 4, 4, 4]}
        )
    (line,) = reliability_lines(run.judge_spec, [protocol("spelling").board.METRICS["accuracy"]])
    assert (line.mean, line.entries) == ("50.00", 1)


@pytest.fixture
def steady(monkeypatch):
    """What the board of "spelling" tells of the steadiness of its judges."""
    port = protocol("spelling").board
    metrics = (port.METRICS["accuracy"],)
    monkeypatch.setattr(port, "BOARD", replace(port.BOARD, reliability=metrics))
    return metrics


def test_the_card_shows_what_is_stored_and_reads_no_entry_for_it(spelling, owner, client, steady):
    for name in "AB":
        run = judged(submit(spelling, owner, name=name))
    card, spec = reverse("judge", args=[run.judge_spec.slug]), run.judge_spec
    before = client.get(card).content
    refresh_boards()
    stored = read_figures(spec)
    assert stored is not None
    with CaptureQueriesContext(connection) as asked:
        assert client.get(card).content == before
    assert not [query for query in asked if "lengths" in query["sql"]]
    Scoresheet.objects.update(figures={})
    assert reliability_lines(spec, steady, stored)[0].entries == 2
    assert reliability_lines(spec, steady) == ()


def test_figures_stored_by_a_version_that_kept_fewer_are_read_anew(spelling, owner, steady):
    spec = judged(submit(spelling, owner)).judge_spec
    refresh_boards()
    row = JudgeComparison.objects.get()
    for judge in row.judges:
        for mean in judge["reliability"].values():
            del mean["least"], mean["most"], mean["spread"]
    row.save()
    (line,) = reliability_lines(spec, steady, read_figures(spec))
    assert line.span == f"{line.mean} to {line.mean}"


def test_a_judge_that_is_asked_once_has_no_spread(submission):
    run = judged(submission)
    (line,) = reliability_lines(run.judge_spec, [protocol("spelling").board.METRICS["accuracy"]])
    assert line.spread == ""


@pytest.mark.parametrize("slug", ["touchstone", "hallusionbench", "tiny_lvlm_ehub"])
def test_each_board_names_metrics_of_steadiness_that_its_scorer_knows(slug):
    family = protocol(slug)
    assert family.board.BOARD.reliability
    assert {metric.name for metric in family.board.BOARD.reliability} <= family.board.METRICS.keys()


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
    figure = length_figure(run.judge_spec)
    assert figure.value == "+0.87"
    assert figure.note == f"rank correlation, {count} answers of 1 entry"


@pytest.mark.slow
def test_every_public_entry_of_the_release_counts(many_words, owner):
    runs = [judged_by(answered(many_words, owner, name=name)) for name in "ABCDE"]
    set_visibility(submission=runs[0].submission, visibility="private")
    note = length_figure(runs[0].judge_spec).note
    assert note == f"rank correlation, {4 * runs[0].judgements.count()} answers of 4 entries"


@pytest.mark.slow
def test_entries_of_another_release_are_not_compared(many_words, submission, owner):
    run = judged_by(answered(many_words, owner))
    judged_by(submission)
    note = length_figure(run.judge_spec).note
    assert (
        note
        == f"rank correlation, {run.judgements.count()} answers of 1 entry of {many_words.title}"
    )


@pytest.mark.slow
def test_too_many_entries_for_a_page_are_told(many_words, owner, monkeypatch):
    monkeypatch.setattr(length_effect, "MOST_ENTRIES", 2)
    for name in "ABC":
        run = judged_by(answered(many_words, owner, name=name))
    note = length_figure(run.judge_spec).note
    assert (
        note
        == f"rank correlation, {2 * run.judgements.count()} answers of the newest 2 of 3 entries"
    )


def test_lengths_of_entries_scored_before_they_were_kept_are_made_up_for(many_words, owner):
    run = judged_by(answered(many_words, owner))
    figure = length_figure(run.judge_spec)
    Scoresheet.objects.update(lengths=None, scoring=0)
    assert "0 judged answers" in length_figure(run.judge_spec).note
    assert (score_finished_runs(), score_finished_runs()) == (1, 0)
    assert length_figure(run.judge_spec) == figure


def test_answers_that_needed_no_call_say_nothing_of_the_judge(many_words, owner):
    run = judged_by(answered(many_words, owner, empty=5))
    assert (
        length_figure(run.judge_spec).note
        == f"{FEWEST_ANSWERS - 3} judged answers, {FEWEST_ANSWERS} are needed"
    )


@pytest.mark.slow
def test_few_answers_and_a_judge_that_always_says_the_same_have_no_correlation(
    submission, many_words, owner
):
    assert length_figure(judged_by(submission).judge_spec).value == "–"
    assert length_figure(judged_by(answered(many_words, owner)).judge_spec).value == "–"


@pytest.mark.parametrize(
    ("row", "score"),
    [
        (ScoredRow("right", True), 1.0),
        (ScoredRow("wrong", False), 0.0),
        (ScoredRow("no verdict", None), None),
        (ScoredRow("7 : 8", None, score=8.0), 8.0),
    ],
)
def test_a_score_counts_before_right_and_wrong(row, score):
    assert score_of(row) == score


@pytest.mark.parametrize(
    ("slug", "verdicts", "score"),
    [
        ("touchstone", {"reference_first.1": ["8 6"], "answer_first.1": ["8 7"]}, 6.5),
        ("touchstone", {"reference_first.1": ["8 6"], "answer_first.1": [None]}, 6.0),
        ("touchstone", {"reference_first.1": [None], "answer_first.1": [None]}, None),
        ("touchstone_hallucination", {"hallucination.1": ["3.5"]}, 3.5),
        ("touchstone_hallucination", {"hallucination.1": [None]}, None),
    ],
)
def test_protocols_that_give_numbers_say_which(slug, verdicts, score):
    question = QuestionView(
        "1", "basic", "basic/attr", "1.png", "1", "What?", {"categories": "basic"}, {}
    )
    assert protocol(slug).scoring.explain([question], ["x"], verdicts)[0].score == score


# --- the page -------------------------------------------------------------------------------------


def card(client, spec: JudgeSpec) -> str:
    return str(client.get(f"/judges/{spec.slug}/").content, "utf-8")


def test_the_card_prints_price_and_calls(submission, client):
    shown = card(client, judged_by(submission).judge_spec)
    for text in (
        "Price per entry",
        "no price is set",
        "0 of unknown outcome",
        "100 + 10",
        "0 of 4 replies",
    ):
        assert text in shown


@pytest.mark.slow
def test_the_card_asks_the_database_as_often_for_more_entries(
    spelling, owner, client, django_assert_max_num_queries
):
    spec = judged_by(submit(spelling, owner)).judge_spec
    for name in "ABCDEF":
        judged_by(submit(spelling, owner, name=name))
    with django_assert_max_num_queries(24):
        card(client, spec)


def test_the_card_names_nobody_who_keeps_an_entry_private(submission, client):
    run = judged_by(submission)
    set_visibility(submission=submission, visibility="private")
    assert "Speller" not in card(client, run.judge_spec)
    assert plan_run(run_id=request_run(submission=submission, spec=run.judge_spec).pk) is False
