"""`manage.py try_judge`: what a judge says is seen, and paid, before a run is."""

import io
from contextlib import nullcontext
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from judging.coordination import limits, money
from judging.models import JudgeCall, Judgement, JudgeRun
from tests.judging.endpoint import completion, failure, serve

NAME = "openai:m@lab"


def tried(settings, *script, code: int = 0, **options) -> str:
    out = io.StringIO()
    with serve(script) as endpoint:
        prices = {"m": (100.0, 100.0)}
        settings.JUDGE_ENDPOINTS = {"lab": {"url": endpoint.url, "key": "", "prices": prices}}
        ending = pytest.raises(SystemExit, match=str(code)) if code else nullcontext()
        with ending:
            call_command("try_judge", NAME, stdout=out, **options)
    return out.getvalue()


def test_replies_verdicts_and_price_are_printed_and_kept_and_nothing_is_judged(
    spelling, settings, capsys
):
    limits.halt("lab", reason="no run there gets a verdict")  # which is why somebody tries it
    told = tried(settings, completion("right"), completion("It seems fine."), completion("wrong"))
    for line in (
        "reply    right\n  verdict  right",
        "reply    It seems fine.\n  no verdict: expected right or wrong",
        "answered with the reference itself",
        "answered with another question's reference",
        "3 of 4 replies have a verdict. They cost 0.0052; the 8 calls",
    ):
        assert line in told
    assert not Judgement.objects.exists()
    assert not JudgeRun.objects.exists()
    calls = JudgeCall.objects.values_list("outcome", "cost", "judge_spec__endpoint")
    assert list(calls) == [("answered", 1300, "lab")] * 4
    assert money.spend_drift() == []
    call_command("ledger")
    assert "lab" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("served", "told"),
    [
        (completion("I would rather talk."), "0 of 4 replies have a verdict"),
        (failure(400, "context_length_exceeded"), "no verdict: HTTP 400"),
        (failure(401), "0 of 1 replies have a verdict"),
    ],
    ids=["prose", "HTTP 400", "key"],
)
def test_a_judge_without_a_verdict_ends_with_1(spelling, settings, served, told):
    assert told in tried(settings, served, code=1)
    assert not JudgeCall.objects.filter(outcome="open").exists()
    assert money.spend_drift() == []


def test_nothing_is_asked_beyond_the_budget_of_the_day(spelling, settings):
    settings.BUDGET_SITE_DAY = 0.0001
    with pytest.raises(CommandError, match="Nothing was asked: today's budget of this site"):
        tried(settings, completion("right"))
    assert not JudgeCall.objects.exists()


def test_what_is_not_there_is_refused_and_the_rules_are_no_model(spelling, settings):
    missing: list[tuple[dict[str, Any], str]] = [
        ({"release": "nowhere"}, "There is no release"),
        ({"prompts": "v9"}, "There are no prompts"),
    ]
    for options, told in missing:
        with pytest.raises(CommandError, match=told) as caught:
            tried(settings, completion("right"), **options)
        assert caught.value.returncode == 2
    with pytest.raises(CommandError, match="The rules are no model"):
        call_command("try_judge", "rules")
