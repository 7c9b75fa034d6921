"""What stored rows say of a judge: price, calls, latency, tokens, unreadable replies, and how
steady it is."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import OuterRef, Subquery

from benchmarks.protocols.base import Metric
from judging.coordination.money import has_price, print_money
from judging.models import CanaryRun, JudgeCall, Judgement, JudgeSpec
from leaderboard.operations.canaries import canary_faults, first_models
from leaderboard.results.formatting import MISSING, StripFigure, print_share
from leaderboard.results.judges.comparisons import (
    JudgeFigures,
    MeanOver,
    handed_in_sheets,
    means_over,
)
from leaderboard.results.judges.length_effect import TITLE, length_figure
from leaderboard.results.judges.records import Calls, Record, Replies, counted_runs

State = Judgement.State
Outcome, Reading = JudgeCall.Outcome, JudgeCall.Reading
NO_VERDICT = {
    Reading.UNREADABLE: "unreadable",
    Reading.CUT: "cut at the length limit",
    Reading.REFUSED: "refusals",
}
UNKNOWN_OUTCOMES = (Outcome.OPEN, Outcome.UNKNOWN)
CANARY_LINES = 10  # the last weeks of a judge in daily use; all are kept


@dataclass(frozen=True, slots=True)
class Ledger:
    """Requests that left, how many of them have no reply, and `replies` by what they were; calls of
    before that was kept are not among these."""

    sent: Calls
    unknown: int
    replies: Mapping[str, int]


def judge_figures(
    spec: JudgeSpec, record: Record, stored: JudgeFigures | None = None
) -> tuple[StripFigure, ...]:
    """stored: what is kept of the judge beside others; without it the lengths of its newest entries
    are read, and sorted, now."""
    ledger = ledger_of(record)
    runs = counted_runs(spec).filter(planned__isnull=False).count()
    offline = (
        ()
        if spec.is_offline
        else (calls_figure(ledger), latency_figure(record), tokens_figure(ledger))
    )
    return (
        price_figure(spec, ledger, runs),
        *offline,
        no_verdict_figure(ledger) if ledger.replies else unreadable_figure(record),
        StripFigure(TITLE, *stored.length) if stored else length_figure(spec),
    )


def ledger_of(record: Record) -> Ledger:
    sent, unknown, replies = Calls(), 0, Counter[str]()
    for (outcome, reading), calls in record.calls.items():
        if reading:
            replies[reading] += calls.count
        if outcome != Outcome.UNSENT:
            sent = sent.moved(calls, 1)
        if outcome in UNKNOWN_OUTCOMES:
            unknown += calls.count
    return Ledger(sent, unknown, replies)


# --- what it costs --------------------------------------------------------------------------------


def price_figure(spec: JudgeSpec, ledger: Ledger, runs: int) -> StripFigure:
    title = "Price per entry"
    if spec.is_offline:
        return StripFigure(title, "free", "no request is made")
    if not ledger.sent.count:
        return StripFigure(title, MISSING, "no call yet")
    if not ledger.sent.cost:
        if has_price(spec):
            return StripFigure(title, "free", "its price is zero")
        return StripFigure(title, MISSING, "no price is set")
    price = print_money(round(ledger.sent.cost / max(runs, 1)))
    return StripFigure(
        title,
        price,
        f"mean of {runs:,}; reused verdicts are free, requests without a reply "
        f"count at their maximum",
    )


def calls_figure(ledger: Ledger) -> StripFigure:
    return StripFigure("Calls", f"{ledger.sent.count:,}", f"{ledger.unknown:,} without a reply")


def latency_figure(record: Record) -> StripFigure:
    count = sum(found.count for found in record.replies.values())
    if not count:
        return StripFigure("Latency", MISSING, "no reply yet")
    seconds = sum(found.milliseconds for found in record.replies.values()) / count / 1000
    return StripFigure("Latency", f"{seconds:.2f} s", f"mean of {count:,} replies")


def tokens_figure(ledger: Ledger) -> StripFigure:
    sent = ledger.sent
    if not sent.counted:
        return StripFigure("Tokens per call", MISSING, "the endpoint reports none")
    value = f"{sent.tokens_in / sent.counted:,.0f} + {sent.tokens_out / sent.counted:,.0f}"
    return StripFigure("Tokens per call", value, "prompt and reply")


# --- how far to trust it --------------------------------------------------------------------------


def no_verdict_figure(ledger: Ledger) -> StripFigure:
    """Every reply counts, those that were asked for again too."""
    count = sum(ledger.replies.values())
    kinds = [
        f"{number:,} {words}"
        for reading, words in NO_VERDICT.items()
        if (number := ledger.replies.get(reading, 0))
    ]
    missing = count - ledger.replies.get(Reading.READ, 0)
    note = f"{missing:,} of {count:,} replies" + (f": {', '.join(kinds)}" if kinds else "")
    return StripFigure("Without a verdict", print_share(missing / count), note)


def unreadable_figure(record: Record) -> StripFigure:
    """Where the ledger does not say what replies were: of the judgements that are settled, by their
    last reply."""
    settled = [
        (state, found.count)
        for (state, _), found in record.replies.items()
        if state not in (State.WAITING, State.LEASED, State.EXCLUDED)
    ]
    count = sum(found for _, found in settled)
    unreadable = sum(found for state, found in settled if state == State.UNREADABLE)
    if not count:
        return StripFigure("Unreadable", MISSING, "no judgement has a reply of its own yet")
    plural = "" if count == 1 else "s"
    note = f"{unreadable:,} of {count:,} judgement{plural}, by their last reply"
    return StripFigure("Unreadable", print_share(unreadable / count), note)


def reported_models(record: Record) -> list[tuple[str, Replies]]:
    """What the endpoint called the model that answered, by when it first did."""
    whole: dict[str, Replies] = {}
    for (_, name), found in record.replies.items():
        if name and found.first:
            whole[name] = whole.get(name, Replies()).moved(found, 1)
    return sorted(whole.items(), key=lambda item: (item[1].first, item[0]))


def reliability_means(
    spec: JudgeSpec, metrics: Sequence[Metric], stored: JudgeFigures | None = None
) -> list[tuple[Metric, MeanOver]]:
    """Metrics that are defined on one of the newest entries handed in, as they are stored beside
    other judges; read now where they are not."""
    means = stored.reliability if stored else {}
    if not means or any(mean.least is None for mean in means.values()):
        means = means_over(handed_in_sheets(spec), metrics)
    return [(metric, means[metric.name]) for metric in metrics if metric.name in means]


# --- whether it is still the same -----------------------------------------------------------------


def canary_table(spec: JudgeSpec) -> dict[str, Any]:
    """The newest times first, each with what was not as it had been; `fault` is that of the newest
    one with a reply, has_scores: verdicts are numbers. Empty where the judge was never asked its
    fixed cases again."""
    runs = list(CanaryRun.objects.filter(judge_spec=spec, finished__isnull=False)[:CANARY_LINES])
    if not runs:
        return {}
    known = first_models(spec.pk)
    lines = [(run, " and ".join(canary_faults(run, known)) if run.asked else "") for run in runs]
    return {
        "lines": lines,
        "fault": next((fault for run, fault in lines if run.asked), ""),
        "has_scores": any(run.mean_difference is not None for run in runs),
    }


def newest_canaries(specs: Iterable[int]) -> Mapping[int, CanaryRun]:
    """Of each judge that was asked again the last time. One query."""
    newest = CanaryRun.objects.filter(judge_spec=OuterRef("pk"), finished__isnull=False)
    keys = JudgeSpec.objects.filter(pk__in=specs).values_list(Subquery(newest.values("pk")[:1]))
    return {run.judge_spec_id: run for run in CanaryRun.objects.filter(pk__in=keys)}
