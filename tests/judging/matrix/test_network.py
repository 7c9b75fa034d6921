"""Row 31: no connection comes about, because nobody has that name, speaks TLS, or has a certificate
to be trusted."""

import shutil
import ssl
import subprocess
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest
from django.utils import timezone

from judging import money
from judging.engine.engine import judge_run
from judging.models import JudgeCall, Judgement, JudgeRun
from judging.queue import MAX_ATTEMPTS
from leaderboard.models import Scoresheet
from leaderboard.services import score_finished_runs
from tests.judging.endpoint import completion, serve
from tests.judging.runs import planned

State = Judgement.State
HALF_AN_HOUR = 1800
CERTIFICATE = (
    "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=localhost"
)


@pytest.fixture
def run(submission) -> JudgeRun:
    return planned(submission)


@contextmanager
def without_a_name(_: Path) -> Iterator[str]:
    yield "https://judge.invalid/v1"


@contextmanager
def without_tls(_: Path) -> Iterator[str]:
    with serve([completion("right")]) as endpoint:
        yield endpoint.url.replace("http:", "https:")
        assert endpoint.asked == []


@contextmanager
def signed_by_itself(folder: Path) -> Iterator[str]:
    """It would answer, to whoever did not look at its certificate."""
    if shutil.which("openssl") is None:
        pytest.skip("needs openssl")
    key, certificate = folder / "key.pem", folder / "certificate.pem"
    names = ["-addext", "subjectAltName=IP:127.0.0.1"]
    files = ["-keyout", str(key), "-out", str(certificate)]
    subprocess.run(
        ["openssl", *CERTIFICATE.split(), *names, *files], check=True, capture_output=True
    )
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    with Shy(("127.0.0.1", 0), Answering) as server:
        server.socket = context.wrap_socket(server.socket, server_side=True)
        thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield f"https://127.0.0.1:{server.server_port}/v1"
        server.shutdown()
        thread.join()


class Shy(ThreadingHTTPServer):
    def handle_error(self, *_: object) -> None:
        """A handshake that the other side breaks off is what it is there for."""


class Answering(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        raise AssertionError("a request came through")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("endpoint", "cause"),
    [
        (without_a_name, "gaierror"),
        (without_tls, "SSLError"),
        (signed_by_itself, "SSLCertVerificationError"),
    ],
)
def test_without_a_connection_nothing_is_paid_and_after_half_an_hour_a_person_reads_why(
    run, settings, tmp_path, endpoint: Callable[[Path], AbstractContextManager[str]], cause
):
    waited = 0.0
    with endpoint(tmp_path) as url:
        settings.JUDGE_ENDPOINTS = {
            "none": {"url": url, "key": "", "prices": {"m": (1000.0, 1000.0)}}
        }
        for attempt in range(1, MAX_ATTEMPTS + 1):
            judge_run(run_id=run.pk)
            assert JudgeCall.objects.count() == 4 * attempt
            if attempt < MAX_ATTEMPTS:
                assert set(run.judgements.values_list("state", "attempts")) == {
                    (State.WAITING, attempt)
                }
                waited += min(
                    (row.not_before - timezone.now()).total_seconds()
                    for row in run.judgements.all()
                )
                run.judgements.update(not_before=None)
    assert waited > HALF_AN_HOUR
    reason = f"no connection to the endpoint ({cause})"
    assert set(JudgeCall.objects.values_list("outcome", "error", "cost")) == {("failed", reason, 0)}
    assert set(run.judgements.values_list("state", "verdict", "reason")) == {
        (State.PAUSED, "", f"{reason}, {MAX_ATTEMPTS} times")
    }
    assert money.spent_on(run.submission) == 0
    score_finished_runs()
    sheet = Scoresheet.objects.get()
    assert (sheet.ranking, sheet.coverage, sheet.judged) == (None, 0.0, 0)
