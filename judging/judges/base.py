"""The port of a judge: what it is asked, what it says, and the named ways in which it fails."""

from dataclasses import dataclass
from typing import Protocol

from benchmarks.protocols.base import JudgeCase, Message

UNASKED_HOLD_SECONDS = 1.0  # where an overloaded endpoint does not say how long


@dataclass(frozen=True, slots=True)
class JudgeRequest:
    """One call. `messages` are empty for a judge without prompts. Nothing here names the
    submitter."""

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

    @property
    def tokens(self) -> int | None:
        """Of prompt and reply together; None where the endpoint did not say both."""
        if self.prompt_tokens is None or self.reply_tokens is None:
            return None
        return self.prompt_tokens + self.reply_tokens


class JudgeUnavailableError(Exception):
    """A passing fault: ask again later.

    Its reason, like those of the two errors below, is stored and public: words of ours, and nothing
    that an endpoint said, for what it says may repeat the prompt.

    retry_after_seconds: the endpoint's own wish, if it has one. is_overload: everybody leaves it
    alone for a moment. is_limit: it was asked too often, which says nothing about this request.
    is_unknown: the request left and may have been carried out. is_timeout: nothing came in time, as
    of an endpoint that is asked more than it bears.
    """

    def __init__(
        self,
        reason: str,
        retry_after_seconds: float | None = None,
        *,
        is_overload: bool = False,
        is_limit: bool = False,
        is_unknown: bool = False,
        is_timeout: bool = False,
    ):
        super().__init__(reason)
        self.retry_after_seconds = retry_after_seconds
        self.is_overload = is_overload or is_limit
        self.is_limit = is_limit
        self.is_unknown = is_unknown
        self.is_timeout = is_timeout

    @property
    def hold_seconds(self) -> float:
        """How long an overloaded endpoint is left alone."""
        return self.retry_after_seconds or UNASKED_HOLD_SECONDS


class JudgeRefusedError(Exception):
    """A lasting refusal of this request: asking again will not help."""


class JudgeHaltedError(Exception):
    """Nothing will be answered until an operator acts: pause, burn no retries. `is_endpoint_wide`
    where no judge behind the endpoint will be answered (key, quota), not only this one (model
    name)."""

    def __init__(self, reason: str, *, is_endpoint_wide: bool = False):
        super().__init__(reason)
        self.is_endpoint_wide = is_endpoint_wide


class Judge(Protocol):
    """`makes_requests` says whether a call leaves the machine and so must stand in the ledger
    first."""

    makes_requests: bool

    async def ask(self, request: JudgeRequest) -> Reply:
        """The reply. Raises JudgeUnavailableError, JudgeRefusedError or JudgeHaltedError, and
        nothing else."""

    async def close(self) -> None: ...
