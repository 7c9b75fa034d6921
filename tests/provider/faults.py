"""Every way in which a provider fails, by name: the reply faults of the fault matrix (rows 28 to
38) and a few more.

A share of the requests gets a fault: "NAME=0.04", or "NAME:DETAIL=0.04" where the fault has a
detail:
    408 409 429 500 502 503 529  with DETAIL as Retry-After: seconds (429 alone: 1), "date",
                                 "garbage" or "none"
    400 401 402 403 404 307      refused for good: key, credit, model, a redirect
    quota context                refused for good: quota, prompt too long
    hang drip:BYTES cut close    no reply, BYTES per second (1), half a body, not a byte
    slow:SECONDS huge            a good reply too late, 50 MB
    html empty no-choices        bodies that are no completion
    length filter refusal null   completions with something other than a verdict
    renamed                      a completion of another model
    say-...                      malformed verdicts, see MALFORMED
"""

import hashlib
import json
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from email.utils import formatdate
from typing import Literal

Way = Literal["whole", "hang", "drip", "cut", "close"]
HUGE_BYTES = 50_000_000
DATE_SECONDS = 3
MALFORMED = {
    "say-prose": 'The verdict is {"score": 7}, and here is why.',
    "say-fenced": '```json\n{"score": 7}\n```',
    "say-quoted": '"7"',
    "say-fraction": "7/10",
    "say-two": "8 6 or rather 5 5",
    "say-range": "11 -3",
    "say-nan": "NaN nan",
    "say-bool": "true",
    "say-missing": "{}",
    "say-extra": '{"score": 7, "rank": 1}',
    "say-other": '{"id": "#0#", "score": 7}',
}


@dataclass(frozen=True, slots=True)
class Served:
    """One response and how it is sent. `retry_after` are the seconds its Retry-After asks for, 0
    for none."""

    status: int = 200
    body: bytes = b""
    headers: Mapping[str, str] = field(default_factory=dict)
    way: Way = "whole"
    delay_seconds: float = 0.0
    bytes_per_second: float = 1.0
    retry_after: float = 0.0


@dataclass(frozen=True, slots=True)
class Completion:
    """What a good reply says; faults spoil it."""

    text: str
    model: str
    fingerprint: str
    prompt_tokens: int
    reply_tokens: int

    def body(
        self,
        content: object = "",
        *,
        finish_reason: str = "stop",
        model: str = "",
        **message: object,
    ) -> bytes:
        """The JSON of a completion; `content` and `message` in place of the good text."""
        said = {"role": "assistant", "content": self.text if content == "" else content, **message}
        usage = {"prompt_tokens": self.prompt_tokens, "completion_tokens": self.reply_tokens}
        usage["total_tokens"] = self.prompt_tokens + self.reply_tokens
        document = {
            "id": "completion",
            "object": "chat.completion",
            "created": 0,
            "model": model or self.model,
            "system_fingerprint": self.fingerprint,
            "choices": [{"index": 0, "finish_reason": finish_reason, "message": said}],
            "usage": usage,
        }
        return json.dumps(document).encode()


Fault = Callable[[Completion, str], Served]


def refused(status: int, code: str = "", **headers: str) -> Served:
    error = {"message": "refused on demand", "type": "error", "code": code or None}
    named = {name.replace("_", "-"): text for name, text in headers.items()}
    return Served(status, json.dumps({"error": error}).encode(), named)


def passing(status: int, default: str = "none") -> Fault:
    def serve(_: Completion, detail: str) -> Served:
        return refused_until(status, detail or default)

    return serve


def refused_until(status: int, wish: str, code: str = "rate_limit_exceeded") -> Served:
    """A refusal whose Retry-After is `wish`: seconds, "date", "garbage" or "none"."""
    said, seconds = wish, 0.0
    if wish == "date":
        said = formatdate(time.time() + DATE_SECONDS, usegmt=True)
        seconds = DATE_SECONDS - 1.0  # a date has no fractions
    elif wish == "garbage":
        said = "when it suits"
    elif wish != "none":
        seconds = float(wish)
    headers = {} if wish == "none" else {"Retry-After": said}
    plain = refused(status, code if status == 429 else "")
    return Served(status, plain.body, headers, retry_after=seconds)


def lasting(status: int, code: str, **headers: str) -> Fault:
    return lambda _, __: refused(status, code, **headers)


def text_only(text: str) -> Fault:
    return lambda good, _: Served(body=good.body(text))


def drip(good: Completion, detail: str) -> Served:
    return Served(body=good.body(), way="drip", bytes_per_second=float(detail or 1))


def slow(good: Completion, detail: str) -> Served:
    return Served(body=good.body(), delay_seconds=float(detail or 5))


def html(_: Completion, __: str) -> Served:
    return Served(
        body=b"<!doctype html><title>Sorry</title><p>8 6", headers={"Content-Type": "text/html"}
    )


FAULTS: Mapping[str, Fault] = {
    **{str(status): passing(status) for status in (408, 409, 500, 502, 503, 529)},
    "429": passing(429, "1"),
    "400": lasting(400, "invalid_request"),
    "401": lasting(401, "invalid_api_key"),
    "402": lasting(402, "no_credit"),
    "403": lasting(403, "forbidden"),
    "404": lasting(404, "model_not_found"),
    "307": lasting(307, "", Location="http://127.0.0.1:9/v1/chat/completions"),
    "quota": lasting(429, "insufficient_quota"),
    "context": lasting(400, "context_length_exceeded"),
    "hang": lambda _, __: Served(way="hang"),
    "drip": drip,
    "cut": lambda good, _: Served(body=good.body(), way="cut"),
    "close": lambda _, __: Served(way="close"),
    "slow": slow,
    "huge": lambda good, _: Served(body=good.body("8 " * (HUGE_BYTES // 2))),
    "html": html,
    "empty": lambda _, __: Served(),
    "no-choices": lambda _, __: Served(body=b'{"choices": []}'),
    "length": lambda good, _: Served(body=good.body(good.text[:1], finish_reason="length")),
    "filter": lambda good, _: Served(body=good.body(None, finish_reason="content_filter")),
    "refusal": lambda good, _: Served(body=good.body(None, refusal="I would rather not.")),
    "null": lambda good, _: Served(body=good.body(None)),
    "renamed": lambda good, _: Served(body=good.body(model=good.model + "-renamed")),
    **{name: text_only(text) for name, text in MALFORMED.items()},
}


def parse_faults(text: str) -> list[tuple[str, float]]:
    """Fault and share in the order of `text`. Raises ValueError for unknown names and details, and
    for shares that are more than 1 together."""
    shares = []
    for part in filter(None, text.split(",")):
        name, _, share = part.strip().partition("=")
        if name.partition(":")[0] not in FAULTS:
            raise ValueError(f"no fault is named {name!r}; there are {', '.join(FAULTS)}")
        serve_fault(name, Completion("", "", "", 0, 0))
        shares.append((name, float(share or 1)))
    if sum(share for _, share in shares) > 1 + 1e-9:
        raise ValueError("the shares of the faults are more than 1 together")
    return shares


def serve_fault(name: str, good: Completion) -> Served:
    kind, _, detail = name.partition(":")
    return FAULTS[kind](good, detail)


def chance(seed: int, key: str, number: int) -> float:
    """From 0 to below 1, the same for the same request of the same answer."""
    digest = hashlib.blake2b(f"{seed}:{key}:{number}".encode(), digest_size=7).digest()
    return int.from_bytes(digest) / 2**56


def draw(shares: Sequence[tuple[str, float]], chance: float) -> str:
    """The fault at this place of the line on which the shares stand one after the other; "" behind
    them."""
    for name, share in shares:
        chance -= share
        if chance < 0:
            return name
    return ""
