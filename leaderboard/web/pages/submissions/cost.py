"""What judging costs, in words and figures: before it on the confirmation step, during it on the
progress page."""

import logging
import pickle
import threading
import time
import zlib
from collections.abc import Mapping, Sequence
from typing import Any

from django.core.cache import caches
from django.db import OperationalError

from benchmarks.models import Release
from benchmarks.selectors import protocol_of
from benchmarks.submissions.models import Answer, Submission
from judging.coordination.money import print_money
from judging.models import JudgeRun, JudgeSpec
from judging.progress import CallSums
from judging.services import PromptsRefusedError, UnknownJudgeError, find_spec
from judging.services.estimates import Estimate, estimate_answers, estimate_run
from leaderboard.results.judges.seals import judge_seal
from leaderboard.results.versions.code import board_code

log = logging.getLogger(__name__)


RULES_ARE_FREE = "Free: rules on this machine decide, without a model."
NO_PRICE = "Free as far as this site knows: no price is set for this model."
PRICED_FREE = "Free: the price set for this model is zero."
REMEDIES = {
    JudgeRun.Pause.BUDGET.value: (
        "A daily budget has room again after midnight UTC, and judging then continues by itself; "
        "the budget of a submission is used up until the operators raise it."
    ),
    JudgeRun.Pause.ENDPOINT.value: (
        "Judging continues by itself once the operators reopen the endpoint."
    ),
    JudgeRun.Pause.JUDGE.value: ("The operators have to fix the judge and then resume the run."),
    JudgeRun.Pause.PERSON.value: "The person who paused it can resume it.",
    JudgeRun.Pause.FAULT.value: (
        "Your file is fine: the operators have been told, and resume the run once the cause is "
        "fixed."
    ),
}


# --- before ---------------------------------------------------------------------------------------


# A file of 20 MB takes seconds of a processor: eight looks at it at once made every other page wait
# for twenty.
ESTIMATING = threading.Lock()
WAIT_SECONDS = 0.5
# What took longer than the first is remembered for the second; prices and budgets move on
# meanwhile.
LONG_SECONDS, REMEMBERED_SECONDS = 0.5, 300


def bounded_estimate(
    submission: Submission, spec: JudgeSpec, answers: Sequence[Answer] | None = None
) -> Estimate | None:
    """One at a time in a process; None for whoever comes while another is under way, and may look
    again. Of `answers` where nothing of the submission is stored."""
    key = f"estimate/{submission.pk}/{spec.pk}/{board_code()}"
    remembered = recall(key)
    if remembered is not None or not ESTIMATING.acquire(timeout=WAIT_SECONDS):
        return remembered
    try:
        start = time.monotonic()
        found = (
            estimate_run(submission, spec)
            if answers is None
            else estimate_answers(submission, answers, spec)
        )
        if answers is None and time.monotonic() - start > LONG_SECONDS:
            remember(key, found)
    finally:
        ESTIMATING.release()
    return found


def recall(key: str) -> Estimate | None:
    """What was remembered; in files, because a page that is read does not write to the database."""
    try:
        found: Estimate | None = caches["pages"].get(key)
    except (OSError, EOFError, zlib.error, pickle.UnpicklingError):
        return None  # a file that cannot be read is one that is not there
    return found


def remember(key: str, estimate: Estimate) -> None:
    try:
        caches["pages"].set(key, estimate, REMEMBERED_SECONDS)
    except OSError:
        log.exception("An estimate cannot be stored; it is made anew each time it is looked at.")


def estimate_card(
    submission: Submission, answers: Sequence[Answer] | None = None
) -> dict[str, Any] | None:
    """What the default judge will take, before its owner says yes; None where this site has no such
    judge, or is estimating something else, or cannot note a judge that was never used while another
    process writes. Of `answers` where nothing of the submission is stored. None for a hidden test
    too: its prompts hold references, and which answers need no call may depend on these.

    `cost` in micro, None where no price is set. `budgets` are left out on a site with a hidden
    test: what is left of them after a file would tell what its prompts and replies cost.
    """
    if not submission.release.verdicts_are_public:
        return None
    try:
        spec = find_spec(of=protocol_of(submission.release))
    except (UnknownJudgeError, PromptsRefusedError, OperationalError):
        return None
    found = bounded_estimate(submission, spec, answers)
    if found is None:
        return None
    shows_budgets = found.is_priced and not Release.objects.published().hidden_tests().exists()
    return {
        "judge": judge_seal(spec),
        "found": found,
        "cost": found.cost if found.is_offline or found.is_priced else None,
        "without_call": print_without_call(found),
        "tokens": print_tokens(found),
        "price": print_price(found),
        "duration": print_duration(found.seconds),
        "budgets": [budget for budget in found.budgets if budget.cap] if shows_budgets else [],
    }


def print_without_call(estimate: Estimate) -> str:
    """Which judgements need no call, and why."""
    parts = [
        (estimate.ended, "ended before"),
        (estimate.plain, "judged without a model"),
        (estimate.reused, "reused"),
    ]
    return ", ".join(f"{count:,} {words}" for count, words in parts if count)


def print_tokens(estimate: Estimate) -> str:
    return f"about {estimate.prompt_tokens:,} sent and {estimate.reply_tokens:,} received"


def print_price(estimate: Estimate) -> str:
    if estimate.is_offline:
        return RULES_ARE_FREE
    if estimate.halt:
        return f"Nothing will be judged: {estimate.halt}."
    if not estimate.is_priced:
        return NO_PRICE
    if not estimate.calls:
        return "Free: no model call is needed."
    return f"about {print_money(estimate.cost)}" if estimate.cost else PRICED_FREE


def print_duration(seconds: float) -> str:
    """ "8 s", "14 min" or "2.5 h", never less than it is."""
    if seconds <= 90:
        return f"{max(1, -int(-seconds // 1))} s"
    return f"{-int(-seconds // 60)} min" if seconds <= 5400 else f"{seconds / 3600 + 0.05:.1f} h"


# --- during ---------------------------------------------------------------------------------------


def run_money(calls: CallSums | None, open_judgements: int) -> dict[str, Any] | None:
    """What the calls of a run cost, in micro; None where rules decide: no call is made. expected:
    what it will cost in all, while some is left and the first calls tell."""
    if calls is None:
        return None
    expected = None
    if open_judgements and calls.answered:
        left = open_judgements * calls.for_answers / calls.answered
        expected = max(calls.spent, round(calls.spent - calls.reserved + left))
    return {"calls": calls, "expected": expected}


def cost_sentence(money: Mapping[str, Any] | None) -> str:
    """What the run has cost, what it will cost in all, and how many calls nobody knows the outcome
    of."""
    if money is None:
        return RULES_ARE_FREE
    spent, unknown = money["calls"].spent, money["calls"].unknown
    words = f"{print_money(spent)} spent so far" if spent else "Nothing spent so far"
    if money["expected"]:  # of a model whose price is nothing, nothing is left to be said
        words += f", about {print_money(money['expected'])} in all"
    return f"{words}.{unknown_sentence(unknown)}"


def unknown_sentence(count: int) -> str:
    if not count:
        return ""
    calls = "1 call" if count == 1 else f"{count:,} calls"
    return f" {calls} got no reply and may have been billed, so the maximum is counted."


def pause_words(run: JudgeRun) -> tuple[str, ...]:
    """Why a run is paused, and who or what ends the pause; nothing unless it is."""
    if run.paused is None:
        return ()
    reason = f"Paused: {run.pause_reason or 'no reason was given'}."
    return reason, REMEDIES.get(run.pause_kind, "")
