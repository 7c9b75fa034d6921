"""Rows 28 to 31, 33 and 37: what an endpoint does wrong, over real connections."""

import shutil
import ssl
import subprocess
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path

import pytest
from django.utils import timezone

from judging.coordination import limits
from judging.coordination.queue import MAX_ATTEMPTS
from judging.engine.engine import judge_run
from judging.engine.stopping import STOPPING
from judging.judges.base import UNASKED_HOLD_SECONDS
from judging.models import JudgeCall, Judgement, JudgeRun
from tests.conftest import submit
from tests.database_clock import stopped_clock
from tests.judging.endpoint import Served, completion, failure, serve
from tests.judging.holding import stopped_when_held
from tests.judging.runs import found, new_run, pause_of, planned, spent_on, undone
from tests.provider.faults import DATE_SECONDS, refused_until

State = Judgement.State
PRICES = {"m": (1000.0, 1000.0)}
HALF_AN_HOUR = 1800
BRIEF = 0.5  # seconds; less than any of the waits


@pytest.fixture(scope="module")
def world(module_rows) -> int:
    return new_run().pk


@pytest.fixture
def run(world, db, settings) -> JudgeRun:
    settings.JUDGE_CONCURRENCY = 1
    return JudgeRun.objects.get(pk=world)


@pytest.fixture
def ask(run, settings):
    """Judges the run by an endpoint that serves these lines, and returns what that was asked."""

    def ask(*script: Served, times: int = 1, seconds: float = 20.0) -> int:
        with serve(script) as endpoint:
            settings.JUDGE_ENDPOINTS = {"none": {"url": endpoint.url, "key": "", "prices": PRICES}}
            for _ in range(times):
                run.judgements.update(not_before=None)
                judge_run(run_id=run.pk, seconds=seconds)
            return len(endpoint.asked)

    return ask


@pytest.fixture
def stops_when_held() -> Iterator[None]:
    with stopped_clock(timezone.now()), stopped_when_held():
        yield


# --- 28: a wish to wait ---------------------------------------------------------------------------

WISHES = {  # at least and at most how long, and the attempts that it takes
    "1": (0.9, 1, 0),
    "20": (19.9, 20, 0),
    "300": (299.9, 300, 0),
    "date": (0.0, DATE_SECONDS, 0),
    "garbage": (0.0, UNASKED_HOLD_SECONDS, 1),
    "none": (0.0, UNASKED_HOLD_SECONDS, 1),
}


@pytest.mark.usefixtures("stops_when_held")
def test_the_first_wish_to_wait_holds_everybody_for_so_long(ask, run, subtests):
    for wish, (least, most, attempts) in WISHES.items():
        with subtests.test(wish), undone():
            refused = refused_until(429, wish)
            assert ask(Served(429, refused.body, dict(refused.headers))) == 1
            assert least < limits.endpoint_status("none").held_seconds <= most
            assert max(run.judgements.values_list("attempts", flat=True)) == attempts
            assert found(run, "state") == {(State.WAITING,)}
        STOPPING.clear()


@pytest.mark.slow
@pytest.mark.usefixtures("stops_when_held")
def test_no_other_run_asks_while_an_endpoint_wants_to_be_left_alone(ask, settings, run):
    ask(failure(429, Retry_After="20"))
    STOPPING.clear()
    other = planned(submit(run.submission.release, None, b"1=a\n2=b\n3=c\n4=d\n", name="Other"))
    with serve([completion("right")]) as endpoint:
        settings.JUDGE_ENDPOINTS = {"none": {"url": endpoint.url, "key": ""}}
        judge_run(run_id=other.pk, seconds=BRIEF)
        assert endpoint.asked == []
    assert set(other.judgements.values_list("state", "attempts")) == {(State.WAITING, 0)}
    assert not JudgeCall.objects.filter(judgement__run=other).exclude(outcome="unsent").exists()


# --- 29: nobody will be answered until an operator acts -------------------------------------------


REFUSALS = {
    "quota": (failure(429, "insufficient_quota"), "endpoint"),
    "spending cap": (failure(429, "billing_hard_limit_reached"), "endpoint"),
    "key": (failure(401), "endpoint"),
    "credit": (failure(402), "endpoint"),
    "access": (failure(403), "endpoint"),
    "model": (failure(404, "model_not_found"), "judge"),
}


def test_the_circuit_opens_at_the_first_and_the_operator_reads_why(ask, run, caplog, subtests):
    for name, (served, kind) in REFUSALS.items():
        with subtests.test(name), undone():
            caplog.clear()
            assert ask(served, times=2) == 1
            paused, reason = pause_of(run)
            assert (paused, reason.startswith(f"HTTP {served.status}")) == (kind, True)
            assert found(run, "state", "attempts") == {(State.WAITING, 0)}
            assert not JudgeCall.objects.filter(cost__gt=0).exists()
            is_closed = kind == "endpoint"
            assert bool(limits.endpoint_status("none").halt_reason) == is_closed
            assert ("is halted" in caplog.text) == is_closed


# --- 30: passing faults ---------------------------------------------------------------------------


def test_a_passing_fault_is_tried_five_times_over_half_an_hour_and_then_left_to_a_person(ask, run):
    waited = 0.0
    for attempt in range(1, MAX_ATTEMPTS):
        assert ask(failure(500)) == 4
        assert found(run, "state", "attempts") == {(State.WAITING, attempt)}
        waited += min(
            (row.not_before - timezone.now()).total_seconds() for row in run.judgements.all()
        )
    assert waited > HALF_AN_HOUR
    assert ask(failure(500), times=3) == 4
    assert found(run, "state", "verdict") == {(State.PAUSED, "")}
    assert spent_on(run.submission) == 0


def test_waits_differ_so_that_workers_do_not_come_back_together(ask, run):
    ask(failure(500))
    assert run.judgements.values("not_before").distinct().count() == 4


# --- 31: nobody there -----------------------------------------------------------------------------

CERTIFICATE = (
    "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=localhost "
    "-addext subjectAltName=IP:127.0.0.1 -keyout key.pem -out certificate.pem"
)


@contextmanager
def signed_by_itself(folder: Path) -> Iterator[str]:
    """It would answer, to whoever did not look at its certificate."""
    if shutil.which("openssl") is None:
        pytest.skip("needs openssl")
    subprocess.run(["openssl", *CERTIFICATE.split()], cwd=folder, check=True, capture_output=True)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(folder / "certificate.pem", folder / "key.pem")
    with serve([completion("right")], tls=context) as endpoint:
        yield endpoint.url
        assert endpoint.asked == []


@contextmanager
def without_tls(_: Path) -> Iterator[str]:
    with serve([completion("right")]) as endpoint:
        yield endpoint.url.replace("http:", "https:")
        assert endpoint.asked == []


@pytest.mark.parametrize(
    ("endpoint", "cause"),
    [
        (lambda _: nullcontext("http://127.0.0.1:9/v1"), "ConnectionRefusedError"),
        (lambda _: nullcontext("https://judge.invalid/v1"), "gaierror"),
        (without_tls, "SSLError"),
        (signed_by_itself, "SSLCertVerificationError"),
    ],
    ids=["refused", "no such name", "no TLS", "signed by itself"],
)
def test_where_no_connection_came_about_nothing_is_paid_and_it_is_tried_again(
    run, settings, tmp_path, endpoint: Callable[[Path], AbstractContextManager[str]], cause
):
    with endpoint(tmp_path) as url:
        settings.JUDGE_ENDPOINTS = {"none": {"url": url, "key": "", "prices": PRICES}}
        judge_run(run_id=run.pk)
    reason = f"no connection to the endpoint ({cause})"
    assert found(run, "state", "attempts", "reason") == {(State.WAITING, 1, reason)}
    calls = JudgeCall.objects.values_list("outcome", "error", "cost")
    assert set(calls) == {("failed", reason, 0)}
    assert spent_on(run.submission) == 0
