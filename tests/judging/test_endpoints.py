"""`manage.py endpoints`: how every judge endpoint stands, and reopening one."""

import io

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from benchmarks.registry import protocol
from judging import limits
from judging.limits import EndpointStatus
from judging.models import JudgeRun
from judging.services import ensure_spec, request_run

Pause = JudgeRun.Pause


@pytest.fixture(autouse=True)
def endpoints(settings, db):
    settings.JUDGE_ENDPOINTS = {
        "paid": {"limits": {"requests": 500, "tokens": 200_000, "concurrent": 8}},
        "local": {"limits": {}},
    }


def run(**options) -> list[str]:
    out = io.StringIO()
    call_command("endpoints", stdout=out, **options)
    return out.getvalue().splitlines()


def paused(submission, endpoint: str, kind: str) -> JudgeRun:
    spec = ensure_spec(
        of=protocol("spelling"), kind="openai", endpoint=endpoint, model=f"m-{kind}", repeats=1
    )
    run = request_run(submission=submission, spec=spec)
    JudgeRun.objects.filter(pk=run.pk).update(
        paused=timezone.now(), pause_kind=kind, pause_reason="no key"
    )
    return run


def test_open_endpoints_are_listed_with_their_limits():
    assert run() == [
        "local: open · no limits",
        "paid: open · 500 requests a minute, 200,000 tokens a minute, 8 calls at once",
    ]


def test_held_and_halted_endpoints_say_why():
    limits.hold("local", seconds=59.9, reason="429 Too Many Requests")
    limits.halt("paid", reason="401 Unauthorized")
    local, paid = run()
    assert local == "local: held for 60 s (429 Too Many Requests) · no limits"
    assert paid.startswith("paid: halted (401 Unauthorized) · ")


def test_without_endpoints_it_says_so(settings):
    settings.JUDGE_ENDPOINTS = {}
    assert run() == ["No endpoint is configured: JUDGE_ENDPOINTS is empty."]


def test_reopening_ends_halt_and_holds():
    limits.halt("paid", reason="401 Unauthorized")
    limits.hold("paid", seconds=60, reason="429 Too Many Requests")
    assert run(reopen="paid") == ["paid is open; 0 paused runs go on"]
    assert limits.endpoint_status("paid") == EndpointStatus()


def test_reopening_ends_the_pauses_that_this_endpoint_caused(submission):
    waiting = paused(submission, "paid", Pause.ENDPOINT)
    others = [paused(submission, "local", Pause.ENDPOINT), paused(submission, "paid", Pause.PERSON)]
    assert run(reopen="paid") == ["paid is open; 1 paused run goes on"]
    waiting.refresh_from_db()
    assert (waiting.paused, waiting.pause_kind, waiting.pause_reason) == (None, Pause.NONE, "")
    assert (
        JudgeRun.objects.filter(pk__in=[run.pk for run in others], paused__isnull=False).count()
        == 2
    )


def test_reopening_ends_the_pauses_of_judges_there_that_were_unknown(submission):
    unknown, elsewhere = (
        paused(submission, "paid", Pause.JUDGE),
        paused(submission, "local", Pause.JUDGE),
    )
    by_budget = paused(submission, "paid", Pause.BUDGET)
    assert run(reopen="paid") == ["paid is open; 1 paused run goes on"]
    unknown.refresh_from_db()
    assert (unknown.paused, unknown.pause_kind, unknown.pause_reason) == (None, Pause.NONE, "")
    assert (
        JudgeRun.objects.filter(pk__in=[elsewhere.pk, by_budget.pk], paused__isnull=False).count()
        == 2
    )


@pytest.mark.parametrize("alias", ["nowhere", ""])
def test_reopening_an_unknown_endpoint_is_refused(alias):
    with pytest.raises(CommandError, match="known: local, paid") as caught:
        run(reopen=alias)
    assert caught.value.returncode == 2
