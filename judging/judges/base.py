"""The port of a judge: what it is asked, what it says, and the named ways in which it fails."""

from dataclasses import dataclass
from typing import Protocol

from benchmarks.protocols.base import JudgeCase, Message


@dataclass(frozen=True, slots=True)
class JudgeRequest:
    """One call. `messages` are empty for a judge without prompts. Nothing here names the submitter."""

    case: JudgeCase
    messages: tuple[Message, ...] = ()


@dataclass(frozen=True, slots=True)
class Reply:
    text: str
    finish_reason: str = "stop"
    model: str = ""
    request_id: str = ""
    prompt_tokens: int | None = None
    reply_tokens: int | None = None


class JudgeUnavailableError(Exception):
    """A passing fault: ask again later. `retry_after_seconds` is the endpoint's own wish, if it has one."""

    def __init__(self, reason: str, retry_after_seconds: float | None = None):
        super().__init__(reason)
        self.retry_after_seconds = retry_after_seconds


class JudgeRefusedError(Exception):
    """A lasting refusal of this request: asking again will not help."""


class JudgeHaltedError(Exception):
    """The endpoint will answer nobody until an operator acts (key, quota, model name): pause, burn no retries."""


class Judge(Protocol):
    """`makes_requests` says whether a call leaves the machine and so must stand in the ledger first."""

    makes_requests: bool

    async def ask(self, request: JudgeRequest) -> Reply:
        """The reply. Raises JudgeUnavailableError, JudgeRefusedError or JudgeHaltedError, and nothing else."""

    async def close(self) -> None: ...
