"""Whether paid work may be asked for now: rooms that know a reason to wait add it here, and
whatever is about to claim or ask paid work looks first. Calls under way are brought to their end.
"""

import time
from collections.abc import Callable

KEPT_SECONDS = 1.0  # an engine looks a hundred times a second; a reason may take a query

checks: list[Callable[[], str]] = []
kept: tuple[float, str] = (0.0, "")  # until when, monotonic, and the answer


def add_reason(check: Callable[[], str]) -> None:
    """`check` answers "", or with one sentence that says why nothing may be spent and what to do.
    It is asked at most once in KEPT_SECONDS, by any thread."""
    checks.append(check)


def reason_to_wait() -> str:
    """One sentence that says why nothing that costs money may be asked now; "" where it may.
    Raises what a check raises."""
    global kept  # one pair, replaced whole: no thread reads half of it
    until, reason = kept
    now = time.monotonic()
    if now >= until:
        reason = next((found for check in checks if (found := check())), "")
        kept = (now + KEPT_SECONDS, reason)
    return reason


def look_again() -> None:
    """Forget the stored results, so that every check is asked again: something that a check
    depends on has changed."""
    global kept
    kept = (0.0, "")
