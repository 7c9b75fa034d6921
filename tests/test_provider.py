"""The provider that stands in for a model in fault tests and benchmarks does what its numbers are
relied upon for."""

import http.client
import json
import signal
import subprocess
import sys
import time
import tomllib
import urllib.error
from concurrent.futures import ThreadPoolExecutor
from typing import Any
from urllib.parse import urlsplit

import pytest

from benchmarks.protocols.base import JudgeCase, QuestionView
from benchmarks.registry import protocol
from tests.processes import comes_true, is_running
from tests.provider import RunningProvider, running_provider
from tests.provider.counting import Window
from tests.provider.faults import FAULTS, HUGE_BYTES, MALFORMED, parse_faults
from tests.provider.verdicts import answer_key, shown_text, verdict_on

TIMEOUT_SECONDS = 0.5
PATIENCE_SECONDS = 10.0
CONNECTION_FAULTS = {"hang", "drip", "cut", "close", "slow"}
STATUSES = {"quota": 429, "context": 400, **{name: int(name) for name in FAULTS if name.isdigit()}}


@pytest.fixture(scope="module")
def provider():
    with running_provider() as running:
        yield running


def ask(
    provider: RunningProvider, text: str = "#1#", timeout: float = 10.0
) -> tuple[int, dict[str, str], bytes]:
    """Status, headers and body of one completion."""
    connection = http.client.HTTPConnection(urlsplit(provider.url).netloc, timeout=timeout)
    try:
        body = json.dumps({"model": "m", "messages": [{"role": "user", "content": text}]})
        connection.request("POST", "/v1/chat/completions", body)
        reply = connection.getresponse()
        return reply.status, dict(reply.headers), reply.read()
    finally:
        connection.close()


def settled(provider: RunningProvider) -> dict[str, Any]:
    """The statistics once the provider has noticed who hung up."""
    end = time.monotonic() + PATIENCE_SECONDS
    while (stats := provider.stats())["in_flight"] and time.monotonic() < end:
        time.sleep(0.02)
    assert stats["in_flight"] == 0
    return stats


def said(body: bytes) -> object:
    return json.loads(body)["choices"][0]["message"]["content"]


def test_good_reply_is_a_completion(provider):
    provider.control(faults="")
    status, headers, body = ask(provider, "#100#")
    assert (status, said(body)) == (200, "8 6\nfine")
    assert headers["x-request-id"].startswith("request-")
    assert json.loads(body)["usage"]["prompt_tokens"] > 0
    count = provider.stats()["answers"]["#100#"]
    assert count == {"seen": 1, "completed": 1, "good": 1, "unknown": 0, "drawn": 1}


@pytest.mark.parametrize("name", sorted(STATUSES))
def test_refusals_have_their_status_and_are_not_billed(provider, name):
    provider.control(faults=name)
    assert ask(provider, "#200#")[0] == STATUSES[name]
    assert provider.stats()["answers"]["#200#"]["completed"] == 0


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(CONNECTION_FAULTS))
def test_connection_faults_give_no_whole_reply_and_are_unknown(provider, name):
    provider.control(faults=name)
    with pytest.raises((OSError, http.client.HTTPException)):
        ask(provider, f"#{name}# of #300#", timeout=TIMEOUT_SECONDS)
    count = settled(provider)["answers"]["#300#"]
    assert (count["unknown"], count["completed"]) == (count["seen"], 0)


@pytest.mark.parametrize(
    ("name", "start"), [("html", b"<!doctype"), ("empty", b""), ("no-choices", b'{"choices": []')]
)
def test_bodies_that_are_no_completion_are_billed_but_not_good(provider, name, start):
    provider.control(faults=name)
    status, _, body = ask(provider, f"#40{len(name)}#")
    assert (status, body[:9]) == (200, start[:9])
    count = provider.stats()["answers"][f"#40{len(name)}#"]
    assert (count["completed"], count["good"]) == (1, 0)


@pytest.mark.slow
def test_huge_body_has_fifty_megabytes(provider):
    provider.control(faults="huge")
    assert len(ask(provider)[2]) > HUGE_BYTES


@pytest.mark.parametrize(
    ("name", "finish_reason"),
    [("length", "length"), ("filter", "content_filter"), ("refusal", "stop"), ("null", "stop")],
)
def test_completions_without_a_verdict_say_why(provider, name, finish_reason):
    provider.control(faults=name)
    choice = json.loads(ask(provider)[2])["choices"][0]
    assert choice["finish_reason"] == finish_reason
    assert choice["message"]["content"] in (None, "8")
    assert ("refusal" in choice["message"]) == (name == "refusal")


@pytest.mark.parametrize("name", sorted(MALFORMED))
def test_malformed_verdicts_are_what_the_reply_says(provider, name):
    provider.control(faults=name)
    assert said(ask(provider)[2]) == MALFORMED[name]


def test_renamed_model_and_changed_fingerprint(provider):
    provider.control(faults="renamed", fingerprint="fp-2")
    body = json.loads(ask(provider)[2])
    assert (body["model"], body["system_fingerprint"]) == ("local-judge-renamed", "fp-2")


@pytest.mark.parametrize(
    ("detail", "ending"), [("20", "20"), ("300", "300"), ("date", "GMT"), ("garbage", "suits")]
)
def test_retry_after_is_what_the_detail_says(provider, detail, ending):
    provider.control(faults=f"429:{detail}")
    assert ask(provider)[1]["Retry-After"].endswith(ending)


@pytest.mark.parametrize(
    "faults", ["nonsense=0.1", "hang=0.6,html=0.6", "429:soon=0.1", "hang=much"]
)
def test_wrong_faults_are_refused(faults):
    with pytest.raises(ValueError, match=r"named|together|convert"):
        parse_faults(faults)


def outcomes(seed: int, texts: list[str]) -> tuple[list[int], dict[str, int]]:
    with running_provider(seed=seed, faults="500=0.2,429=0.2") as running:
        return [ask(running, text)[0] for text in texts], running.stats()["outcomes"]


@pytest.mark.slow
def test_faults_depend_on_seed_answer_and_number_of_the_call_alone():
    texts = [f"#{number}#" for number in range(20)] * 2
    statuses, totals = outcomes(1, texts)
    backwards, _ = outcomes(1, texts[::-1])
    assert sorted(statuses) == sorted(backwards)
    assert outcomes(2, texts)[0] != statuses
    assert statuses[:20] != statuses[20:]
    assert totals == {
        "good": statuses.count(200),
        "500": statuses.count(500),
        "429": statuses.count(429),
    }


@pytest.mark.slow
def test_requests_beyond_the_limit_wait_for_the_window():
    with running_provider(requests_per_minute=90, window=2) as running:
        statuses = [ask(running)[0] for _ in range(3)]
        status, headers, _ = ask(running)
        assert (statuses, status) == ([200] * 3, 429)
        assert headers["Retry-After"] in ("1", "2")
        time.sleep(2.1)
        assert ask(running)[0] == 200
        stats = running.stats()
        assert stats["outcomes"] == {"good": 4, "limited": 1}
        assert (stats["peak_requests"], stats["peak_requests_second"]) == (5, 4)


def test_tokens_are_limited_too():
    with running_provider(tokens_per_minute=300) as running:
        assert [ask(running, "x" * 400)[0] for _ in range(3)] == [200, 200, 429]
        assert running.stats()["peak_tokens"] > 300


@pytest.mark.slow
def test_requests_at_once_are_limited_and_counted():
    with running_provider(concurrent=2, latency=1_000) as running, ThreadPoolExecutor(4) as pool:
        statuses = list(pool.map(lambda _: ask(running)[0], range(4)))
        assert sorted(statuses) == [200, 200, 429, 429]
        assert running.stats()["outcomes"] == {"good": 2, "busy": 2}


def test_requests_during_a_retry_after_are_early():
    with running_provider() as running:
        running.control(hold=20)
        assert int(ask(running)[1]["Retry-After"]) in range(15, 21)
        assert running.stats()["early"] == 0
        ask(running)
        assert running.stats()["early"] == 1
        running.control(hold=0)
        assert ask(running)[0] == 200


@pytest.mark.slow
def test_away_means_connections_are_refused_until_it_is_back():
    with running_provider() as running:
        running.control(away=1)
        time.sleep(0.4)
        with pytest.raises(ConnectionRefusedError):
            ask(running)
        time.sleep(1.2)
        assert ask(running)[0] == 200


def test_unknown_options_are_refused(provider):
    with pytest.raises(urllib.error.HTTPError, match="400") as refusal:
        provider.control(mood="bad")
    refusal.value.close()


@pytest.mark.slow
def test_latency_is_what_was_asked_for():
    with running_provider(latency=200) as running:
        start = time.monotonic()
        ask(running)
        assert time.monotonic() - start >= 0.2


@pytest.mark.slow
def test_caller_who_leaves_makes_the_outcome_unknown():
    with running_provider(latency=5_000) as running:
        with pytest.raises(TimeoutError):
            ask(running, timeout=TIMEOUT_SECONDS)
        stats = settled(running)
        assert (stats["outcomes"]["abandoned"], stats["answers"]["#1#"]["unknown"]) == (1, 1)


def test_sigterm_ends_it():
    with running_provider() as running:
        running.process.send_signal(signal.SIGTERM)
        assert running.process.wait(timeout=5) == 0


@pytest.mark.slow
def test_it_ends_with_the_process_that_started_it():
    script = (
        "import os, subprocess, sys\n"
        "child = subprocess.Popen([sys.executable, '-m', 'tests.provider'], "
        "stdout=subprocess.PIPE)\n"
        "child.stdout.readline()\n"
        "print(child.pid, flush=True)\n"
        "os._exit(0)\n"
    )
    found = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    pid = int(found.stdout)
    assert comes_true(lambda: not is_running(pid), 5)


# --- which answer, and what a good verdict is ---


def request_of(messages) -> bytes:
    return json.dumps(
        {"messages": [{"role": m.role, "content": m.content} for m in messages]}
    ).encode()


@pytest.mark.parametrize(
    ("slug", "answer"),
    [
        ("touchstone", "A red house."),
        ("touchstone_hallucination", "A red house."),
        ("hallusionbench", "Yes, it is."),
        ("tiny_lvlm_ehub", "A red house."),
        ("spelling", "colour"),
    ],
)
def test_auto_verdicts_are_readable_and_delimiters_do_not_change_the_answer(slug, answer):
    judged = protocol(slug)
    question = QuestionView("q", "recognition", "s", "f", "g", "Is it red?", {"original": "o"}, {})
    texts = tomllib.loads((judged.prompts / f"{judged.default_prompts}.toml").read_text())["texts"]
    for slot in judged.judging.slots(question, 1):
        case = JudgeCase(slot, question, "Yes, a house.", "A house.", answer, "No, never.")
        bodies = [request_of(judged.judging.messages(case, texts, sign * 12)) for sign in "ab"]
        keys = {answer_key(body) for body in bodies}
        assert len(keys) == 1
        reply = verdict_on(shown_text(bodies[0]), keys.pop())
        assert judged.judging.parse(slot, reply, "strict")


def test_marker_names_the_answer():
    assert answer_key(b'{"messages": [{"content": "It is #17# and #18#"}]}') == "#17#"


# --- sliding windows ---


def test_window_knows_its_peak_and_the_wait():
    window = Window(60.0)
    for moment in (0.0, 10.0, 20.0, 65.0):
        window.add(moment)
    assert (window.total, window.peak) == (3, 3)
    assert window.wait_seconds(66.0, 1, 4) == 0.0
    assert window.wait_seconds(66.0, 1, 3) == 4.0
    assert window.wait_seconds(66.0, 2, 3) == 14.0
    assert window.wait_seconds(66.0, 5, 3) == 60.0
