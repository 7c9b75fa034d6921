"""A judge behind any OpenAI-compatible endpoint: one request per question, no retries and no redirects of its own."""

import asyncio
import json
import math
from collections.abc import Mapping
from datetime import datetime
from email.utils import parsedate_to_datetime
from typing import Any

import httpx2
import openai
from django.utils import timezone
from openai import AsyncOpenAI, DefaultAioHttpClient

from judging.judges.base import JudgeHaltedError, JudgeRefusedError, JudgeRequest, JudgeUnavailableError, Reply

CONNECT_SECONDS = 5.0
REPLY_LIMIT_BYTES = 2 * 1024 * 1024
STREAMED = {"X-Stainless-Raw-Response": "stream"}  # the client leaves the body to us, so that its size is bounded
HALTING = {
    401: "the key is refused",
    402: "the account has no credit",
    403: "access is refused",
    404: "the model or address is unknown",
}
PASSING = {408, 409, 425, 429}
NEVER_LEFT = (httpx2.ConnectError, httpx2.ConnectTimeout, httpx2.PoolTimeout, ConnectionRefusedError)
OVERLOADED = {429, 503, 529}
LONGEST_WAIT_SECONDS = 86_400.0
LARGEST_COUNT = 2**31 - 1


class OpenAIJudge:
    makes_requests = True

    def __init__(
        self, *, url: str, key: str, model: str, parameters: Mapping[str, Any], timeout_seconds: float, concurrency: int
    ):
        self.model = model
        self.parameters = dict(parameters)
        self.timeout_seconds = timeout_seconds
        self.client = AsyncOpenAI(
            base_url=url,
            api_key=key or "none",
            max_retries=0,
            timeout=httpx2.Timeout(timeout_seconds, connect=CONNECT_SECONDS),
            http_client=DefaultAioHttpClient(
                follow_redirects=False,
                limits=httpx2.Limits(max_connections=concurrency, max_keepalive_connections=concurrency),
            ),
        )

    async def ask(self, request: JudgeRequest) -> Reply:
        messages = [{"role": message.role, "content": message.content} for message in request.messages]
        body = {"model": self.model, "messages": messages, **self.parameters}
        try:
            async with asyncio.timeout(self.timeout_seconds):
                response = await self.client.post(
                    "/chat/completions", cast_to=httpx2.Response, body=body, options={"headers": STREAMED}
                )
                content = await read_bounded(response)
        except openai.APIStatusError as error:
            raise status_failure(error) from None
        except (openai.OpenAIError, httpx2.HTTPError, TimeoutError, OSError) as error:
            reason = f"no answer from the endpoint ({type(error).__name__})"
            raise JudgeUnavailableError(reason, is_unknown=not never_left(error)) from None
        return read_completion(content, request_id=response.headers.get("x-request-id", ""))

    async def close(self) -> None:
        await self.client.close()


def never_left(error: BaseException) -> bool:
    """Whether no connection came about, so that nobody can have carried out the request."""
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, NEVER_LEFT):
            return True
        cause = cause.__cause__ or cause.__context__
    return False


def status_failure(error: openai.APIStatusError) -> Exception:
    """The named failure behind an HTTP status."""
    status, code = error.status_code, storable(error.code)
    if status in HALTING:
        return JudgeHaltedError(f"HTTP {status}: {HALTING[status]}", is_endpoint_wide=status != 404)
    if status == 429 and code in {"insufficient_quota", "billing_hard_limit_reached"}:
        return JudgeHaltedError("HTTP 429: the quota of the account is used up", is_endpoint_wide=True)
    if status in PASSING or status >= 500:
        wish = retry_after(error.response.headers.get("retry-after", ""), now=timezone.now())
        return JudgeUnavailableError(f"HTTP {status}", wish, is_overload=status in OVERLOADED)
    if 300 <= status < 400:
        return JudgeHaltedError(f"HTTP {status}: the endpoint redirects, which is not followed")
    return JudgeRefusedError(f"HTTP {status}: {code or 'the request is refused'}")


def retry_after(header: str, *, now: datetime) -> float | None:
    """Seconds a Retry-After header asks for, as a number or as a date, at most a day; None where it says neither."""
    try:
        seconds = float(header)
    except ValueError:
        try:
            seconds = (parsedate_to_datetime(header) - now).total_seconds()
        except (ValueError, TypeError):
            return None
    return None if math.isnan(seconds) or seconds < 0 else min(seconds, LONGEST_WAIT_SECONDS)


async def read_bounded(response: httpx2.Response) -> bytes:
    """The whole body. Raises JudgeUnavailableError as soon as it is longer than any reply can be."""
    content = bytearray()
    try:
        async for chunk in response.aiter_bytes():
            content += chunk
            if len(content) > REPLY_LIMIT_BYTES:
                raise JudgeUnavailableError(f"a reply of more than {REPLY_LIMIT_BYTES:,} bytes", is_unknown=True)
    finally:
        await response.aclose()
    return bytes(content)


def read_completion(content: bytes, *, request_id: str) -> Reply:
    """The reply in a 200 response. Raises JudgeUnavailableError where it is not a chat completion."""
    try:
        body = json.loads(content)
        choice = body["choices"][0]
        message = dict(choice["message"])
        usage = dict(body.get("usage") or {})
    except (ValueError, KeyError, IndexError, TypeError, RecursionError):
        raise JudgeUnavailableError("HTTP 200 with something that is not a chat completion", is_unknown=True) from None
    text = message.get("content")
    return Reply(
        text=storable(text) if isinstance(text, str) else "",
        finish_reason="refusal" if message.get("refusal") else storable(choice.get("finish_reason")) or "stop",
        model=storable(body.get("model")),
        request_id=storable(request_id),
        prompt_tokens=token_count(usage.get("prompt_tokens")),
        reply_tokens=token_count(usage.get("completion_tokens")),
    )


def storable(value: object) -> str:
    """Text that every database takes: JSON may hold NUL and lone surrogates, which PostgreSQL refuses."""
    return str(value or "").replace("\0", "\ufffd").encode("utf-8", "replace").decode()


def token_count(value: object) -> int | None:
    return value if isinstance(value, int) and 0 <= value <= LARGEST_COUNT else None
