"""One contract for every judge, and what each misbehaviour of an endpoint is called."""

import asyncio
import json
from typing import TypeVar

import pytest

from benchmarks.protocols.base import JudgeCase, Message, QuestionView, Slot
from benchmarks.registry import protocol
from judging.judges.base import (
    JudgeHaltedError,
    JudgeRefusedError,
    JudgeRequest,
    JudgeUnavailableError,
    Reply,
)
from judging.judges.endpoint import NO_NAME, REPLY_LIMIT_BYTES, EndpointJudge
from judging.judges.providers.openai import Provider as OpenAIJudge
from judging.judges.rules import RulesJudge
from tests.judging.endpoint import Served, completion, document, failure, serve
from tests.judging.scripted import ScriptedJudge

QUESTION = QuestionView("1", "words", "words/short", "", "1", "Spell two.", {}, {"spelling": "two"})
REQUEST = JudgeRequest(
    JudgeCase(Slot("spelled"), QUESTION, "two", "", "two"), (Message("user", "right or wrong?"),)
)


JudgeT = TypeVar("JudgeT", bound=EndpointJudge)


def openai_judge(url: str, timeout_seconds: float = 5.0) -> OpenAIJudge:
    return judge_of(OpenAIJudge, url, timeout_seconds)


def judge_of(provider: type[JudgeT], url: str, timeout_seconds: float = 5.0) -> JudgeT:
    return provider(
        url=url,
        key="k",
        model="m",
        parameters={"temperature": 0},
        timeout_seconds=timeout_seconds,
        concurrency=4,
    )


def ask(judge, request: JudgeRequest = REQUEST):
    async def once():
        try:
            return await judge.ask(request)
        finally:
            await judge.close()

    return asyncio.run(once())


def test_every_judge_replies_with_text_the_protocol_reads_and_says_whether_it_is_paid():
    usual = protocol("spelling").rules()
    assert usual is not None
    with serve([completion("right")]) as endpoint:
        judges = (RulesJudge(usual), ScriptedJudge(["right"]), openai_judge(endpoint.url))
        replies = [ask(judge) for judge in judges]
    read = [protocol("spelling").judging.parse(Slot("spelled"), r.text, "strict") for r in replies]
    assert read == ["right"] * 3
    assert [reply.finish_reason for reply in replies] == ["stop"] * 3
    assert [judge.makes_requests for judge in judges] == [False, True, True]


class Telegraph(EndpointJudge):
    """An interface that words everything otherwise than the usual one."""

    path = "/telegrams"

    def authorization(self, key):
        return {"X-Key": key}

    def body(self, request):
        return {"to": self.model, "text": request.messages[0].content}

    @staticmethod
    def reply(content, *, request_id):
        return Reply(json.loads(content)["answer"], request_id=request_id)


def test_a_provider_words_requests_and_replies_and_shares_the_rest():
    told = [document({"answer": "right"}, x_request_id="r-1"), failure(401)]
    with serve(told) as endpoint:
        judge = judge_of(Telegraph, endpoint.url)
        assert judge.address.endswith("/v1/telegrams")
        assert ask(judge) == Reply("right", request_id="r-1")
        with pytest.raises(JudgeHaltedError, match="the key is refused"):
            ask(judge_of(Telegraph, endpoint.url))
    assert endpoint.asked == [{"to": "m", "text": "right or wrong?"}] * 2
    assert [told["x-key"] for told in endpoint.headers] == ["k", "k"]
    assert not any("authorization" in told for told in endpoint.headers)


def test_a_request_carries_messages_model_and_parameters_and_nothing_about_this_machine():
    with serve([completion("right")]) as endpoint:
        reply = ask(openai_judge(endpoint.url))
    assert (reply.model, reply.prompt_tokens, reply.reply_tokens) == ("scribe-1", 11, 2)
    messages = [{"role": "user", "content": "right or wrong?"}]
    assert endpoint.asked == [{"model": "m", "messages": messages, "temperature": 0}]
    (told,) = endpoint.headers
    assert {"authorization", "content-type", "user-agent"} <= told.keys()
    assert [name for name in told if name.startswith("x-stainless")] == []
    assert told["accept-encoding"] == "identity"


FAULTS = [
    ("too many requests", failure(429, Retry_After="7"), JudgeUnavailableError),
    ("quota gone", failure(429, "insufficient_quota"), JudgeHaltedError),
    (
        "quota gone by type",
        document({"error": {"message": "no", "type": "insufficient_quota", "code": None}}, 429),
        JudgeHaltedError,
    ),
    ("server error", failure(500), JudgeUnavailableError),
    ("overloaded", failure(529), JudgeUnavailableError),
    ("request timeout", failure(408), JudgeUnavailableError),
    ("wrong key", failure(401), JudgeHaltedError),
    ("forbidden", failure(403), JudgeHaltedError),
    ("no such model", failure(404), JudgeHaltedError),
    ("too long for the model", failure(400, "context_length_exceeded"), JudgeRefusedError),
    ("redirect", Served(307, headers={"Location": "http://127.0.0.1:9/"}), JudgeHaltedError),
    ("HTML", Served(200, b"<html>hello</html>"), JudgeUnavailableError),
    ("nothing", Served(200), JudgeUnavailableError),
    ("no choices", document({"choices": []}), JudgeUnavailableError),
    ("cut short", Served(200, b'{"choices": [', cut=True), JudgeUnavailableError),
    ("three megabytes", completion("x" * 3_000_000), JudgeUnavailableError),
    ("silence", Served(hang=True), JudgeUnavailableError),
    ("a body without end", Served(200, b" " * 65_536, endless=True), JudgeUnavailableError),
    (
        "a byte now and then",
        Served(200, b" ", endless=True, pause_seconds=0.05),
        JudgeUnavailableError,
    ),
    ("no credit", failure(402), JudgeHaltedError),
    ("conflict", failure(409), JudgeUnavailableError),
    ("an error that is a text", document("no", 500), JudgeUnavailableError),
    (
        "an error code that is a list",
        document({"error": {"code": ["x"]}}, 429),
        JudgeUnavailableError,
    ),
    ("no content", Served(204), JudgeUnavailableError),
    ("not gzip", Served(200, b"{}", {"Content-Encoding": "gzip"}), JudgeUnavailableError),
    ("nested without end", Served(200, b"[" * 1_000_000), JudgeUnavailableError),
    (
        "a message that is a text",
        document({"choices": [{"message": "right"}]}),
        JudgeUnavailableError,
    ),
    ("no message", document({"choices": [{}]}), JudgeUnavailableError),
    ("an array", document([1]), JudgeUnavailableError),
]


def patience(served: Served) -> float:
    """Seconds after which the judge gives up: few only where nothing but the time can end the
    call."""
    return 2.0 if served.hang or served.pause_seconds else 20.0


@pytest.mark.parametrize(("name", "served", "error"), FAULTS, ids=[name for name, _, _ in FAULTS])
def test_a_misbehaving_endpoint_ends_in_its_named_failure_after_one_request(name, served, error):
    with serve([served]) as endpoint, pytest.raises(error):
        ask(openai_judge(endpoint.url, timeout_seconds=patience(served)))
    assert len(endpoint.asked) == 1


@pytest.mark.parametrize(
    ("status", "error", "told"),
    [
        (200, JudgeUnavailableError, None),
        (500, JudgeUnavailableError, "HTTP 500"),
        (401, JudgeHaltedError, "HTTP 401"),
        (400, JudgeRefusedError, "HTTP 400"),
    ],
)
def test_a_body_without_end_is_not_read_to_its_end(status, error, told):
    with (
        serve([Served(status, b" " * 65_536, endless=True)]) as endpoint,
        pytest.raises(error, match=told),
    ):
        ask(openai_judge(endpoint.url, timeout_seconds=30.0))
    assert endpoint.sent_bytes < 16 * REPLY_LIMIT_BYTES


def test_an_endpoint_is_asked_by_the_proxy_that_the_environment_names(monkeypatch):
    with serve([completion("right")]) as proxy:
        for name in ("no_proxy", "NO_PROXY", "http_proxy"):
            monkeypatch.delenv(name, raising=False)
        address = proxy.url.removesuffix("/v1").replace("//", "//user:word@")
        monkeypatch.setenv("http_proxy", address)
        assert ask(openai_judge("http://judge.invalid/v1")).text == "right"
    assert proxy.headers[0]["host"] == "judge.invalid"
    assert proxy.headers[0]["proxy-authorization"] == "Basic dXNlcjp3b3Jk"
    assert proxy.headers[0]["authorization"] == "Bearer k"


def test_a_redirect_is_not_followed():
    with serve([completion("right")]) as elsewhere:
        redirect = Served(307, headers={"Location": f"{elsewhere.url}/chat/completions"})
        with serve([redirect]) as endpoint, pytest.raises(JudgeHaltedError):
            ask(openai_judge(endpoint.url))
    assert elsewhere.asked == []


def test_what_a_reply_says_of_itself_is_kept_in_a_form_that_can_be_stored():
    named = json.loads(completion("right").body)
    for served, expected in (
        (completion("right\0 \ud800"), ("right\ufffd ?", "stop", "scribe-1")),
        (completion("ri", finish_reason="length"), ("ri", "length", "scribe-1")),
        (completion(None, finish_reason="content_filter"), ("", "content_filter", "scribe-1")),
        (completion(None, refusal="I will not."), ("", "refusal", "scribe-1")),
        (document({**named, "model": "two\nlines"}), ("right", "stop", NO_NAME)),
        (document({**named, "model": "x" * 101}), ("right", "stop", NO_NAME)),
    ):
        with serve([served]) as endpoint:
            reply = ask(openai_judge(endpoint.url))
        assert (reply.text, reply.finish_reason, reply.model) == expected


def test_an_endpoint_that_is_not_there_is_unavailable_and_one_that_wants_time_says_how_much():
    with pytest.raises(JudgeUnavailableError):
        ask(openai_judge("http://127.0.0.1:9/v1"))
    with (
        serve([failure(429, Retry_After="7")]) as endpoint,
        pytest.raises(JudgeUnavailableError) as caught,
    ):
        ask(openai_judge(endpoint.url))
    assert caught.value.retry_after_seconds == 7


@pytest.mark.parametrize(
    ("code", "told"),
    [
        ("context_length_exceeded", "HTTP 400: context_length_exceeded"),
        ("The reference is two.", "HTTP 400: the request is refused"),
    ],
)
def test_a_refusal_is_told_in_words_of_ours(code, told):
    with serve([failure(400, code)]) as endpoint, pytest.raises(JudgeRefusedError) as refusal:
        ask(openai_judge(endpoint.url))
    assert str(refusal.value) == told
