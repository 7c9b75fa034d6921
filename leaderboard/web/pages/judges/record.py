"""What stored rows say of a judge: price, calls, latency, tokens, unreadable replies, and how
steady it is."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db.models import OuterRef, Subquery

from benchmarks.protocols.base import Metric
from judging.coordination.money import has_price, print_money
from judging.models import CanaryRun, JudgeCall, Judgement, JudgeRun, JudgeSpec
from leaderboard.operations.canaries import canary_faults, first_models
from leaderboard.results.formatting import (
    MISSING,
    StripFigure,
    print_number,
    print_share,
    print_value,
    scale,
)
from leaderboard.results.judges.comparisons import (
    JudgeFigures,
    MeanOver,
    handed_in_sheets,
    means_over,
)
from leaderboard.results.judges.length_effect import TITLE, length_figure
from leaderboard.results.judges.records import Record, Replies


@dataclass(frozen=True, slots=True)
class ReliabilityLine:
    """A metric over a judge's public entries: mean, lowest to highest, and the mean spread over its
    repeats."""

    title: str
    about: str
    mean: str
    span: str
    spread: str
    entries: int


@dataclass(frozen=True, slots=True)
class ReportedModel:
    """What the endpoint called the model that answered, and when it first and last did."""

    name: str
    first: datetime
    last: datetime
    replies: int


@dataclass(frozen=True, slots=True)
class CanaryLine:
    """One time that the judge was asked its fixed cases again. `fault` says what is not as it was,
    if anything."""

    started: datetime
    same: str
    unreadable: str
    moved: str
    model: str
    fault: str


@dataclass(frozen=True, slots=True)
class CanaryTable:
    """The newest times first. `fault` is that of the newest one with a reply; `has_scores`:
    verdicts are numbers."""

    lines: tuple[CanaryLine, ...]
    fault: str
    has_scores: bool


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
    """Requests that left. `counted` are those of which the endpoint said how many tokens they took.
    `replies` by what they were; calls of before that was kept are not among them."""

    calls: int
    unknown: int
    cost: int
    tokens_in: int
    tokens_out: int
    counted: int
    replies: Mapping[str, int]


def judge_figures(
    spec: JudgeSpec, record: Record, stored: JudgeFigures | None = None
) -> tuple[StripFigure, ...]:
    """stored: what is kept of the judge beside others; without it the lengths of its newest entries
    are read, and sorted, now."""
    ledger = ledger_of(record)
    runs = JudgeRun.objects.filter(judge_spec=spec, planned__isnull=False).count()
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
    left = {key: calls for key, calls in record.calls.items() if key[0] != Outcome.UNSENT}
    replies: Counter[str] = Counter()
    for (_, reading), calls in record.calls.items():
        if reading:
            replies[reading] += calls.count
    return Ledger(
        calls=sum(calls.count for calls in left.values()),
        unknown=sum(
            calls.count for (outcome, _), calls in left.items() if outcome in UNKNOWN_OUTCOMES
        ),
        cost=sum(calls.cost for calls in left.values()),
        tokens_in=sum(calls.tokens_in for calls in left.values()),
        tokens_out=sum(calls.tokens_out for calls in left.values()),
        counted=sum(calls.counted for calls in left.values()),
        replies=replies,
    )


# --- what it costs --------------------------------------------------------------------------------


def price_figure(spec: JudgeSpec, ledger: Ledger, runs: int) -> StripFigure:
    title = "Price per entry"
    if spec.is_offline:
        return StripFigure(title, "free", "no request is made")
    if not ledger.calls:
        return StripFigure(title, MISSING, "no call yet")
    if not ledger.cost:
        known = has_price(spec)
        return (
            StripFigure(title, "free", "its price is zero")
            if known
            else StripFigure(title, MISSING, "no price is set")
        )
    price = print_money(round(ledger.cost / max(runs, 1)))
    return StripFigure(
        title,
        price,
        f"mean of {runs:,}; reused verdicts are free, requests without a reply "
        f"count at their maximum",
    )


def calls_figure(ledger: Ledger) -> StripFigure:
    return StripFigure("Calls", f"{ledger.calls:,}", f"{ledger.unknown:,} without a reply")


def latency_figure(record: Record) -> StripFigure:
    count = sum(found.count for found in record.replies.values())
    if not count:
        return StripFigure("Latency", MISSING, "no reply yet")
    seconds = sum(found.milliseconds for found in record.replies.values()) / count / 1000
    return StripFigure("Latency", f"{seconds:.2f} s", f"mean of {count:,} replies")


def tokens_figure(ledger: Ledger) -> StripFigure:
    if not ledger.counted:
        return StripFigure("Tokens per call", MISSING, "the endpoint reports none")
    value = f"{ledger.tokens_in / ledger.counted:,.0f} + {ledger.tokens_out / ledger.counted:,.0f}"
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


def reported_models(record: Record) -> tuple[ReportedModel, ...]:
    """By the time they were first reported."""
    whole: dict[str, Replies] = {}
    for (_, name), found in record.replies.items():
        if name and found.first:
            whole[name] = whole.get(name, Replies()).moved(found, 1)
    models = [
        ReportedModel(name, found.first, found.last, found.count)
        for name, found in whole.items()
        if found.first and found.last
    ]
    return tuple(sorted(models, key=lambda model: (model.first, model.name)))


def reliability_lines(
    spec: JudgeSpec, metrics: Sequence[Metric], stored: JudgeFigures | None = None
) -> tuple[ReliabilityLine, ...]:
    """A line per metric that is defined on one of the newest entries handed in, as they are stored
    beside other judges; read now where they are not."""
    means = stored.reliability if stored else {}
    if not means or any(mean.least is None for mean in means.values()):
        means = means_over(handed_in_sheets(spec), metrics)
    return tuple(
        reliability_line(metric, means[metric.name]) for metric in metrics if metric.name in means
    )


def reliability_line(metric: Metric, mean: MeanOver) -> ReliabilityLine:
    spread = "" if mean.spread is None else f"{mean.spread * scale(metric):.{metric.digits}f}"
    return ReliabilityLine(
        title=metric.title,
        about=metric.about,
        mean=print_value(metric, mean.value),
        span=f"{print_value(metric, mean.least)} to {print_value(metric, mean.most)}",
        spread=spread,
        entries=mean.entries,
    )


# --- whether it is still the same -----------------------------------------------------------------


def canary_table(spec: JudgeSpec) -> CanaryTable | None:
    """None where the judge was never asked its fixed cases again."""
    runs = list(CanaryRun.objects.filter(judge_spec=spec, finished__isnull=False)[:CANARY_LINES])
    if not runs:
        return None
    known = first_models(spec.pk)
    lines = tuple(canary_line(run, known) for run in runs)
    faults = (line.fault for line, run in zip(lines, runs, strict=True) if run.asked)
    return CanaryTable(
        lines, next(faults, ""), any(run.mean_difference is not None for run in runs)
    )


def newest_canaries(specs: Iterable[int]) -> Mapping[int, CanaryLine]:
    """Of each judge that was asked again the last time, without its fault. One query."""
    newest = CanaryRun.objects.filter(judge_spec=OuterRef("pk"), finished__isnull=False)
    keys = JudgeSpec.objects.filter(pk__in=specs).values_list(Subquery(newest.values("pk")[:1]))
    runs = CanaryRun.objects.filter(pk__in=keys)
    return {run.judge_spec_id: canary_line(run, set()) for run in runs}


def canary_line(run: CanaryRun, known: set[str]) -> CanaryLine:
    """`known` are the models that the endpoint reported with the first verdicts."""
    moved = run.mean_difference
    return CanaryLine(
        started=run.started,
        same=f"{run.same} of {run.asked}" if run.asked else MISSING,
        unreadable=f"{run.unreadable}" if run.asked else MISSING,
        moved=MISSING if moved is None else print_number(moved, 2, signed=True),
        model=run.reported_model or MISSING,
        fault=" and ".join(canary_faults(run, known)) if run.asked else "",
    )
