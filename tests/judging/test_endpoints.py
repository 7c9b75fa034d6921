"""`manage.py endpoints`: how every judge endpoint stands, and reopening one."""

import io

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from judging.coordination import limits
from judging.coordination.limits import EndpointStatus
from judging.models import JudgeRun
from tests.judging.runs import pause_of, planned

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
    run = planned(submission, endpoint=endpoint, model=f"m-{kind}")
    JudgeRun.objects.filter(pk=run.pk).update(
        paused=timezone.now(), pause_kind=kind, pause_reason="no key"
    )
    return run


def test_endpoints_are_listed_with_their_limits_and_why_they_are_closed(settings):
    limited = "500 requests a minute, 200,000 tokens a minute, 8 calls at once"
    assert run() == ["local: open · no limits", f"paid: open · {limited}"]
    limits.hold("local", seconds=59.9, reason="429 Too Many Requests")
    limits.halt("paid", reason="401 Unauthorized")
    assert run() == [
        "local: held for 60 s (429 Too Many Requests) · no limits",
        f"paid: halted (401 Unauthorized) · {limited}",
    ]
    settings.JUDGE_ENDPOINTS = {}
    assert run() == ["No endpoint is configured: JUDGE_ENDPOINTS is empty."]


def test_reopening_ends_halt_holds_and_the_pauses_of_this_endpoint_and_its_judges(submission):
    ended = [paused(submission, "paid", kind) for kind in (Pause.ENDPOINT, Pause.JUDGE)]
    kept = [paused(submission, "paid", kind) for kind in (Pause.PERSON, Pause.BUDGET)]
    kept += [paused(submission, "local", kind) for kind in (Pause.ENDPOINT, Pause.JUDGE)]
    limits.halt("paid", reason="401 Unauthorized")
    limits.hold("paid", seconds=60, reason="429 Too Many Requests")
    assert run(reopen="paid") == ["paid is open; 2 paused runs go on"]
    assert limits.endpoint_status("paid") == EndpointStatus()
    assert [pause_of(one) for one in ended] == [("", "")] * 2
    waiting = JudgeRun.objects.filter(paused__isnull=False)
    assert set(waiting) == set(kept)
    paused(submission, "paid", Pause.JUDGE)
    assert run(reopen="paid") == ["paid is open; 1 paused run goes on"]


@pytest.mark.parametrize("alias", ["nowhere", ""])
def test_reopening_an_unknown_endpoint_is_refused(alias):
    with pytest.raises(CommandError, match="known: local, paid") as caught:
        run(reopen=alias)
    assert caught.value.returncode == 2
