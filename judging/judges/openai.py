"""A judge behind any OpenAI-compatible endpoint: one request per question, no retries and no redirects of its own."""

import asyncio
import json
from collections.abc import Mapping
from typing import Any

import httpx2
import openai
from openai import AsyncOpenAI, DefaultAioHttpClient

from judging.judges.base import JudgeHaltedError, JudgeRefusedError, JudgeRequest, JudgeUnavailableError, Reply

CONNECT_SECONDS = 5.0
REPLY_LIMIT_BYTES = 2 * 1024 * 1024
HALTING = {401: "the key is refused", 403: "access is refused", 404: "the model or address is unknown"}
PASSING = {408, 409, 425, 429}


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
                response = await self.client.post("/chat/completions", cast_to=httpx2.Response, body=body)
        except openai.APIStatusError as error:
            raise status_failure(error) from None
        except (openai.OpenAIError, httpx2.HTTPError, TimeoutError, OSError, json.JSONDecodeError) as error:
            raise JudgeUnavailableError(f"no answer from the endpoint ({type(error).__name__})") from None
        return read_completion(response)

    async def close(self) -> None:
        await self.client.close()


def status_failure(error: openai.APIStatusError) -> Exception:
    """The named failure behind an HTTP status."""
    status = error.status_code
    if status in HALTING:
        return JudgeHaltedError(f"HTTP {status}: {HALTING[status]}")
    if status == 429 and error.code in {"insufficient_quota", "billing_hard_limit_reached"}:
        return JudgeHaltedError("HTTP 429: the quota of the account is used up")
    if status in PASSING or status >= 500:
        return JudgeUnavailableError(f"HTTP {status}", retry_after(error.response.headers.get("retry-after")))
    if 300 <= status < 400:
        return JudgeHaltedError(f"HTTP {status}: the endpoint redirects, which is not followed")
    return JudgeRefusedError(f"HTTP {status}: {error.code or 'the request is refused'}")


def retry_after(header: str | None) -> float | None:
    """Seconds of a Retry-After header given in seconds; None for anything else."""
    try:
        seconds = float(header or "")
    except ValueError:
        return None
    return seconds if 0 <= seconds < 86_400 else None


def read_completion(response: httpx2.Response) -> Reply:
    """The reply in a 200 response. Raises JudgeUnavailableError where it is not a chat completion."""
    if len(response.content) > REPLY_LIMIT_BYTES:
        raise JudgeUnavailableError(f"a reply of {len(response.content):,} bytes")
    try:
        body = response.json()
        choice = body["choices"][0]
        message = choice["message"]
    except (ValueError, KeyError, IndexError, TypeError):
        raise JudgeUnavailableError("HTTP 200 with something that is not a chat completion") from None
    usage = body.get("usage") or {}
    refusal = message.get("refusal")
    content = message.get("content")
    return Reply(
        text=content if isinstance(content, str) else "",
        finish_reason="refusal" if refusal else str(choice.get("finish_reason") or "stop"),
        model=str(body.get("model") or ""),
        request_id=str(response.headers.get("x-request-id") or ""),
        prompt_tokens=usage.get("prompt_tokens"),
        reply_tokens=usage.get("completion_tokens"),
    )
