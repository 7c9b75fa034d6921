"""What is told before anything is spent: calls, tokens, price and duration, and whether the budgets
reach."""

from pathlib import Path

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from benchmarks import bundled
from benchmarks.protocols.base import Upload
from benchmarks.registry import protocol
from benchmarks.submissions.models import EvaluatedModel, Submission
from benchmarks.submissions.samples.bundled import load_bundled
from benchmarks.submissions.services import accept_submission, check_file
from judging.engine.engine import judge_run
from judging.engine.trials import try_judge
from judging.judges.base import Reply
from judging.models import JudgeCall, Judgement, JudgeRun, JudgeSpec, Spend
from judging.services import ensure_spec, plan_run, request_run
from judging.services.estimates import (
    DEFAULT_LATENCY_SECONDS,
    estimate_answers,
    estimate_run,
    usage_of_release,
)
from tests.conftest import submit
from tests.judging.runs import spent_on
from tests.judging.scripted import ScriptedJudge
from tests.overwriting import overwrite
from tests.provider import running_provider


@pytest.fixture(autouse=True)
def endpoint(settings):
    settings.JUDGE_ENDPOINTS = {
        "paid": {"url": "http://127.0.0.1:1", "key": "", "prices": {"scribe": (2.5, 10.0)}}
    }
    return settings.JUDGE_ENDPOINTS["paid"]


def paid_spec(repeats: int = 1, model: str = "scribe", **parameters) -> JudgeSpec:
    parameters = parameters or {"max_tokens": 30}
    return ensure_spec(
        of=protocol("spelling"),
        kind="openai",
        endpoint="paid",
        model=model,
        parameters=parameters,
        repeats=repeats,
    )


def judged(submission, replies: list[Reply | str]) -> JudgeRun:
    run = request_run(submission=submission, spec=paid_spec())
    plan_run(run_id=run.pk)
    judge_run(run_id=run.pk, judge=ScriptedJudge(replies))
    return run


def test_every_slot_of_every_answer_is_a_call_unless_it_needs_none(submission, spelling, owner):
    found = estimate_run(submission, paid_spec(repeats=3))
    assert (found.judgements, found.calls, found.plain, found.reused, found.ended) == (
        12,
        12,
        0,
        0,
        0,
    )
    silent = submit(spelling, owner, b"1=two\n2=\n3=  \n4=sea\n", name="Silent")
    found = estimate_run(silent, paid_spec())
    assert (found.calls, found.plain) == (2, 2)
    same = submit(spelling, owner, b"1=one\n2=one\n3=one\n4=one\n", name="Same")
    for spec in (paid_spec(), ensure_spec(of=protocol("spelling"), kind="rules")):
        for entry in (silent, same):
            found = estimate_run(entry, spec)
            assert found.ended + found.plain + found.reused + found.calls == found.judgements == 4


def test_the_price_is_that_of_real_prompts_and_a_third_of_the_allowance(
    submission, spelling, owner
):
    one, two = (estimate_run(submission, paid_spec(max_tokens=size)) for size in (30, 60))
    assert one.reply_tokens == 4 * 10
    assert one.prompt_tokens == two.prompt_tokens > 4 * 8
    assert one.cost == pytest.approx(one.prompt_tokens * 2.5 + 40 * 10, abs=1)
    assert two.cost - one.cost == 40 * 10
    longer = b"1=two more more more more\n2=color\n3=night\n4=sea\n"
    found = estimate_run(submit(spelling, owner, longer, name="Longer"), paid_spec())
    assert found.prompt_tokens == one.prompt_tokens + 5


def test_what_the_same_spec_judged_before_is_reused(submission, spelling, owner):
    judged(submission, ["right"])
    again = submit(spelling, owner, b"1=two\n2=colour\n3=night\n4=sea\n", name="Again")
    found = estimate_run(again, paid_spec())
    assert (found.calls, found.reused) == (1, 3)
    assert estimate_run(again, paid_spec(model="other")).calls == 4


def test_what_ended_in_this_run_is_not_asked_again(submission):
    run = judged(submission, ["right"])
    overwrite(
        run.judgements.filter(pk=run.judgements.first().pk),
        state=Judgement.State.FAILED,
        verdict="",
    )
    found = estimate_run(submission, paid_spec())
    assert (found.ended, found.calls, found.cost, found.seconds) == (4, 0, 0, 0)


def test_replies_are_taken_to_be_as_long_and_as_slow_as_earlier_ones(
    submission, stranger, spelling
):
    assert estimate_run(submission, paid_spec()).seconds == DEFAULT_LATENCY_SECONDS
    run = judged(submission, [Reply("right", prompt_tokens=20, reply_tokens=7)])
    run.judgements.update(latency_ms=2500)
    found = estimate_run(submit(spelling, stranger, b"1=a\n2=b\n3=c\n4=d\n"), paid_spec())
    assert found.reply_tokens == 4 * 7
    assert found.seconds == 2.5


def test_the_slowest_limit_says_how_long_it_takes(submission, endpoint):
    found = estimate_run(submission, paid_spec())
    tokens = found.prompt_tokens + found.reply_tokens
    slowest = [
        ({"requests": 2}, 120),
        ({"tokens": 1}, 60 * tokens),
        ({"concurrent": 1}, 4),
        ({"requests": 2, "concurrent": 3}, 120),
    ]
    for limits, seconds in slowest:
        endpoint["limits"] = limits
        assert estimate_run(submission, paid_spec()).seconds == seconds, limits


def test_offline_rules_are_free_and_make_no_call(submission):
    found = estimate_run(submission, ensure_spec(of=protocol("spelling"), kind="rules"))
    assert (found.judgements, found.calls, found.cost, found.seconds) == (4, 0, 0, 0)
    assert found.is_offline


def test_a_model_without_a_price_is_not_asked_where_there_is_a_budget(
    submission, settings, endpoint
):
    def told(model: str) -> tuple[int, bool, str, str]:
        found = estimate_run(submission, paid_spec(model=model))
        return found.cost, found.is_priced, found.refusal, found.halt.partition(":")[0]

    assert told("other") == (0, False, "", "")
    settings.BUDGET_SUBMISSION = 0.000001
    cost, is_priced, refusal, halt = told("other")
    assert (cost, is_priced, refusal) == (0, False, "")
    assert "no price of other at paid" in halt
    endpoint["prices"]["gift"] = (0.0, 0.0)  # a price of nothing is a price
    assert told("gift") == (0, True, "", "")


def test_budgets_that_will_not_reach_are_named(submission, settings, owner):
    settings.BUDGET_SUBMISSION = settings.BUDGET_SITE_DAY = 0.000001
    settings.BUDGET_ACCOUNT_DAY = 1.0
    found = estimate_run(submission, paid_spec())
    assert found.refusal == "the budget of this submission and today's budget of this site"
    assert [budget.left for budget in found.budgets] == [1, 1_000_000, 1]


def test_an_estimate_writes_nothing(submission):
    spec = paid_spec()
    estimate_run(submission, spec)
    assert not any(model.objects.exists() for model in (JudgeRun, Judgement, JudgeCall, Spend))


def test_the_same_queries_do_for_any_number_of_judgements(submission):
    specs = [paid_spec(repeats=1), paid_spec(repeats=9)]
    counts = []
    for spec in specs:
        with CaptureQueriesContext(connection) as queries:
            estimate_run(submission, spec)
        counts.append(len(queries))
    assert counts[0] == counts[1] <= 12


@pytest.mark.slow
def test_answers_that_are_not_stored_are_estimated_as_those_that_are(owner, settings):
    """Of a benchmark whose calls show other answers of the same file."""
    (release,) = load_bundled(protocol=protocol("hallusionbench"), owner=owner)
    upload = Upload("answers.jsonl", bundled_answers())
    checked = check_file(
        release=release, upload=upload, model=EvaluatedModel(name="New"), owner=owner
    )
    stored = accept_submission(
        release=release, upload=upload, model=EvaluatedModel(name="New"), owner=owner
    )
    spec = ensure_spec(
        of=protocol("hallusionbench"), kind="openai", endpoint="paid", model="scribe"
    )
    found = estimate_answers(checked.submission, checked.answers, spec)
    assert found == estimate_run(stored, spec)
    assert found.calls > release.question_count


def bundled_answers() -> bytes:
    path = Path(bundled.__file__).parent / "hallusionbench/answers/lucid-9b.jsonl"
    return path.read_bytes()


# --- one foresight, and the run -------------------------------------------------------------------

FAMILIES = ["touchstone", "hallusionbench", "tiny_lvlm_ehub"]
WITHIN = 0.1  # promised: of what the run costs


@pytest.mark.slow
@pytest.mark.parametrize("family", FAMILIES)
def test_a_trial_an_estimate_and_the_run_agree_for_each_of_two_judges(owner, settings, family):
    """Once a judge was tried: of one that never replied nobody knows how long its replies are."""
    (release, *_) = load_bundled(protocol=protocol(family), owner=owner)
    samples = release.submissions.filter(origin=Submission.Origin.SAMPLE)
    submission = samples.order_by("-created", "pk")[0]
    with running_provider(reply="auto") as provider:
        settings.JUDGE_ENDPOINTS = {
            "paid": {
                "url": provider.url,
                "key": "",
                "limits": {},
                "parameters": {},
                "prices": {"local-judge": (2.5, 10.0), "other": (0.5, 20.0)},
            }
        }
        for model in ("local-judge", "other"):
            provider.control(model=model)
            spec = ensure_spec(of=protocol(family), kind="openai", endpoint="paid", model=model)
            tried = try_judge(spec=spec, release=release)
            assert any(trial.verdict for trial in tried)
            _, foreseen = usage_of_release(release, spec)
            estimate = estimate_run(submission, spec)
            spent = spent_on(submission)
            run = request_run(submission=submission, spec=spec)
            plan_run(run_id=run.pk)
            judge_run(run_id=run.pk)
            cost = spent_on(submission) - spent
            assert cost > 0
            assert estimate.cost == pytest.approx(cost, rel=WITHIN)
            assert foreseen.cost == pytest.approx(cost, rel=WITHIN)
