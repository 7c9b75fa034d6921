"""What a provider saw: sliding windows, totals by outcome, and counts per answer."""

import time
from collections import Counter, deque
from dataclasses import asdict, dataclass, field
from typing import Any


@dataclass(slots=True)
class Window:
    """The sum over the last `seconds`, and the highest it ever was."""

    seconds: float
    entries: deque[tuple[float, int]] = field(default_factory=deque)
    total: int = 0
    peak: int = 0

    def add(self, now: float, amount: int = 1) -> None:
        self.forget(now)
        self.entries.append((now, amount))
        self.total += amount
        self.peak = max(self.peak, self.total)

    def forget(self, now: float) -> None:
        while self.entries and self.entries[0][0] <= now - self.seconds:
            self.total -= self.entries.popleft()[1]

    def wait_seconds(self, now: float, amount: int, limit: float) -> float:
        """How long until `amount` more stays within `limit`: 0 if it does now, a whole window if it
        never will."""
        self.forget(now)
        excess = self.total + amount - limit
        if excess <= 0:
            return 0.0
        for moment, size in self.entries:
            excess -= size
            if excess <= 0:
                return moment + self.seconds - now
        return self.seconds


@dataclass(slots=True)
class AnswerCount:
    """Requests about one answer. completed: a 200 was sent whole, so it is billed, whatever it
    said. good: with a verdict. unknown: hung, cut, or the caller left. drawn: those that no limit
    refused."""

    seen: int = 0
    completed: int = 0
    good: int = 0
    unknown: int = 0
    drawn: int = 0


@dataclass(slots=True)
class Statistics:
    requests: int = 0
    tokens: int = 0
    outcomes: Counter[str] = field(default_factory=Counter)
    answers: dict[str, AnswerCount] = field(default_factory=dict)
    second: Window = field(default_factory=lambda: Window(1.0))
    minute: Window = field(default_factory=lambda: Window(60.0))
    minute_tokens: Window = field(default_factory=lambda: Window(60.0))
    in_flight: int = 0
    peak_concurrent: int = 0
    first: float = 0.0
    last: float = 0.0
    hold_began: float = 0.0
    held_until: float = 0.0
    early: int = 0
    early_latest_seconds: float = 0.0

    def arrive(self, key: str, tokens: int, now: float) -> AnswerCount:
        self.requests += 1
        self.tokens += tokens
        self.second.add(now)
        self.minute.add(now)
        self.minute_tokens.add(now, tokens)
        self.in_flight += 1
        self.peak_concurrent = max(self.peak_concurrent, self.in_flight)
        self.last = time.time()
        self.first = self.first or self.last
        if now < self.held_until:
            self.early += 1
            self.early_latest_seconds = max(self.early_latest_seconds, now - self.hold_began)
        count = self.answers.setdefault(key, AnswerCount())
        count.seen += 1
        return count

    def hand_out(self, retry_after: float, now: float) -> None:
        """From now on, requests before the end of this wait are early. Waits that overlap are
        one."""
        if now >= self.held_until:
            self.hold_began = now
        self.held_until = max(self.held_until, now + retry_after)

    def document(self, *, with_answers: bool) -> dict[str, Any]:
        """early: requests that came while a Retry-After was running, and how long after it began
        the latest did."""
        return {
            "requests": self.requests,
            "tokens": self.tokens,
            "outcomes": dict(self.outcomes),
            "answers": {key: asdict(count) for key, count in self.answers.items()}
            if with_answers
            else {},
            "peak_requests_second": self.second.peak,
            "peak_requests": self.minute.peak,
            "peak_tokens": self.minute_tokens.peak,
            "peak_concurrent": self.peak_concurrent,
            "in_flight": self.in_flight,
            "first": self.first,
            "last": self.last,
            "early": self.early,
            "early_latest_seconds": self.early_latest_seconds,
            "cpu_seconds": time.process_time(),
        }
