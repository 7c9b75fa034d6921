"""What every judge behind an HTTP endpoint does: one request per question, no retries and no
redirects of its own. How an interface words requests and replies is told by a file in providers/.
"""

import asyncio
import json
import math
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from functools import partial
from typing import Any

import aiohttp
from django.utils import timezone

from judging.judges.base import (
    JudgeHaltedError,
    JudgeRefusedError,
    JudgeRequest,
    JudgeUnavailableError,
    Reply,
)
from judging.judges.connections import settled_session

CONNECT_SECONDS = 5.0  # a connection takes milliseconds; the rest is for lost packets
REPLY_LIMIT_BYTES = 2 * 1024 * 1024  # a thousand times a usual verdict; it is held in memory
HALTING = {
    401: "the key is refused",
    402: "the account has no credit",
    403: "access is refused",
    404: "the model or address is unknown",
}
PASSING = {408, 409, 425, 429}
NEVER_LEFT = (
    aiohttp.ClientConnectorError,
    aiohttp.ClientHttpProxyError,
    aiohttp.ConnectionTimeoutError,
    ConnectionRefusedError,
)
FAILURES = (aiohttp.ClientError, aiohttp.http.HttpProcessingError, TimeoutError, OSError)
TOO_MANY_REQUESTS = 429
OVERLOADED = {503, 529}
LONGEST_WAIT_SECONDS = 86_400.0  # a day's quota; a longer wish would park work nobody looks at
FAILURE_LIMIT_BYTES = 64 * 1024  # only the words of an error are read, whatever page a proxy sends
QUOTA_GONE = {"insufficient_quota", "billing_hard_limit_reached"}
LARGEST_COUNT = 10_000_000  # tokens; no model reads or writes so many at once
# Codes that endpoints give with a refusal, and that help whoever runs the site. Any other may be
# text of the prompt.
REFUSAL_CODES = {
    "context_length_exceeded",
    "content_filter",
    "content_policy_violation",
    "invalid_request_error",
    "invalid_prompt",
    "invalid_value",
    "model_not_found",
    "string_above_max_length",
    "unsupported_parameter",
    "unsupported_value",
}
LONGEST_MODEL_NAME = (
    100  # what is kept of one; a longer "name" is a text, and texts may be the prompt
)
NO_NAME = "not a model's name"


class EndpointJudge:
    """A provider says the `path` below the endpoint's address ("/chat/completions", for addresses
    end in "/v1"), how a request and a reply are worded, and the headers that carry the key where
    it is not the usual one. tests/judging/test_judges.py adds one as an example."""

    makes_requests = True
    path: str

    def __init__(
        self,
        *,
        url: str,
        key: str,
        model: str,
        parameters: Mapping[str, Any],
        timeout_seconds: float,
        concurrency: int,
    ):
        self.model = model
        self.parameters = dict(parameters)
        self.timeout_seconds = timeout_seconds
        self.address = url.rstrip("/") + self.path
        self.headers = {
            "Accept": "application/json",
            "Accept-Encoding": "identity",  # a short body must not become a long one here
            "Content-Type": "application/json",
            "User-Agent": "Assay",  # and nothing about the machine it runs on
            **self.authorization(key),
        }
        self.new_session = partial(
            settled_session, url, at_most=concurrency, connect_seconds=CONNECT_SECONDS
        )
        self.session: aiohttp.ClientSession | None = None  # is of the loop that asks first

    def authorization(self, key: str) -> Mapping[str, str]:
        return {"Authorization": f"Bearer {key or 'none'}"}

    def body(self, request: JudgeRequest) -> Mapping[str, Any]:
        """What is sent, as JSON."""
        raise NotImplementedError

    @staticmethod
    def reply(content: bytes, *, request_id: str) -> Reply:
        """What a response with status 200 says. Raises JudgeUnavailableError where it is no
        reply."""
        raise NotImplementedError

    async def ask(self, request: JudgeRequest) -> Reply:
        body = json.dumps(self.body(request)).encode()
        self.session = self.session or self.new_session()
        try:
            async with (
                asyncio.timeout(self.timeout_seconds),
                self.session.post(
                    self.address, data=body, headers=self.headers, allow_redirects=False
                ) as response,
            ):
                if response.status >= 300:
                    failure = await first_bytes(response, FAILURE_LIMIT_BYTES)
                    raise status_failure(response.status, response.headers, failure)
                content = await first_bytes(response, REPLY_LIMIT_BYTES + 1)
        except FAILURES as error:
            raise silence_of(error) from None
        if len(content) > REPLY_LIMIT_BYTES:
            raise JudgeUnavailableError(
                f"a reply of more than {REPLY_LIMIT_BYTES:,} bytes", is_unknown=True
            )
        return self.reply(content, request_id=response.headers.get("x-request-id", ""))

    async def close(self) -> None:
        if self.session is not None:
            await self.session.close()


def silence_of(error: BaseException) -> JudgeUnavailableError:
    """Where no connection came about, nobody can have carried out the request; what kept it from
    that is the innermost cause."""
    causes = list(causes_of(error))
    if any(isinstance(cause, NEVER_LEFT) for cause in causes):
        return JudgeUnavailableError(f"no connection to the endpoint ({type(causes[-1]).__name__})")
    return JudgeUnavailableError(
        f"no answer from the endpoint ({type(error).__name__})",
        is_unknown=True,
        is_timeout=any(isinstance(cause, TimeoutError) for cause in causes),
    )


def causes_of(error: BaseException) -> Iterator[BaseException]:
    """The error, what it was raised from, and so on."""
    cause: BaseException | None = error
    while cause is not None:
        yield cause
        cause = cause.__cause__ or cause.__context__


def status_failure(status: int, headers: Mapping[str, str], body: bytes) -> Exception:
    """The named failure behind an HTTP status and what came with it."""
    code, kind = code_and_type(body)
    if status in HALTING:
        return JudgeHaltedError(f"HTTP {status}: {HALTING[status]}", is_endpoint_wide=status != 404)
    if status == TOO_MANY_REQUESTS and QUOTA_GONE & {code, kind}:
        return JudgeHaltedError(
            "HTTP 429: the quota of the account is used up", is_endpoint_wide=True
        )
    if status in PASSING or status >= 500:
        wish = retry_after(headers)
        return JudgeUnavailableError(
            f"HTTP {status}",
            wish,
            is_overload=status in OVERLOADED,
            is_limit=status == TOO_MANY_REQUESTS,
        )
    if 300 <= status < 400:
        return JudgeHaltedError(f"HTTP {status}: the endpoint redirects, which is not followed")
    why = code if code in REFUSAL_CODES else "the request is refused"
    return JudgeRefusedError(f"HTTP {status}: {why}")


def code_and_type(content: bytes) -> tuple[str, str]:
    """Of an error as OpenAI words it, and others after it; "" where there are none."""
    try:
        body = json.loads(content)
        error = dict(body.get("error") or body)
    except (ValueError, TypeError, AttributeError, RecursionError):
        return "", ""
    return storable(error.get("code")), storable(error.get("type"))


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds a Retry-After header asks for, at most a day; None where it asks for none. A date
    counts from the Date of the same response: the two clocks need not agree."""
    wish = headers.get("retry-after", "")
    try:
        seconds = float(wish)
    except ValueError:
        until = http_date(wish)
        if until is None:
            return None
        seconds = (until - (http_date(headers.get("date", "")) or timezone.now())).total_seconds()
    return None if math.isnan(seconds) or seconds < 0 else min(seconds, LONGEST_WAIT_SECONDS)


def http_date(text: str) -> datetime | None:
    try:
        found = parsedate_to_datetime(text)
    except ValueError:
        return None
    return found if found.tzinfo else found.replace(tzinfo=UTC)


async def first_bytes(response: aiohttp.ClientResponse, at_most: int) -> bytes:
    """Of the body, however long it is. What is left unread ends its connection."""
    content = bytearray()
    async for chunk in response.content.iter_any():
        content += chunk
        if len(content) >= at_most:
            response.close()
            break
    return bytes(content[:at_most])


def storable(value: object) -> str:
    """Text that every database takes: JSON may hold NUL and lone surrogates, which PostgreSQL
    refuses."""
    return str(value or "").replace("\0", "\ufffd").encode("utf-8", "replace").decode()


def model_name(value: object) -> str:
    """The model as reported; everybody reads it on the card of the judge."""
    name = storable(value)
    return name if len(name) <= LONGEST_MODEL_NAME and name.isprintable() else NO_NAME


def token_count(value: object) -> int | None:
    """None where it is no count; what was reserved for the call then stands for what it cost."""
    return value if type(value) is int and 0 <= value <= LARGEST_COUNT else None
