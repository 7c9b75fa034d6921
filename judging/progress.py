"""How far the runs of a submission are, for whoever watches: all of it in one query, whose parts
are a union, because it is asked again every few seconds."""

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

from django.db.models import (
    BigIntegerField,
    Count,
    F,
    Func,
    OuterRef,
    Q,
    QuerySet,
    Subquery,
    Sum,
    TextField,
    Value,
    Window,
)
from django.db.models.functions import Cast, Coalesce, JSONObject, Now, RowNumber
from django.utils.dateparse import parse_datetime

from benchmarks.models import Release
from judging.models import JudgeCall, Judgement, JudgeRun, JudgeSpec
from judging.querysets import IN_REVIEW, UNFINISHED
from judging.selectors import RunCounts, counts_of

Outcome, State = JudgeCall.Outcome, Judgement.State
MOST_REASONS = 5
"""Of a run, the commonest: one may quote what an endpoint said, so that each is another."""
PACE_WINDOW = timedelta(minutes=5)
"""What an endpoint bore last, it will bear next; a longer past tells of other limits, and of a
shorter one a batch more or less is half."""

Row = tuple[str, int, str, int]
"""Which part, of which run (0: of none), a text that may be JSON, and a number."""


@dataclass(frozen=True, slots=True)
class RunPace:
    """How fast an unfinished run moves. per_minute: judgements that ended, on average of the last
    PACE_WINDOW or since it was planned. seconds_left: at that pace; both None where none ended.
    ahead: runs asked for earlier that are not done with either."""

    per_minute: float | None
    seconds_left: int | None
    ahead: int


@dataclass(frozen=True, slots=True)
class CallSums:
    """Calls of a run by the ledger, in micro. reserved: of what is spent, the worst case of calls
    under way. answered, unknown: how many calls; for_answers: what the answered ones cost."""

    spent: int
    reserved: int
    answered: int
    for_answers: int
    unknown: int


@dataclass(frozen=True, slots=True)
class RunProgress:
    """run: of its fields only those of RUN_FIELDS, with its judge's kind and names. states: how
    many judgements have each. pace: None once nothing is open. calls: None where rules decide."""

    run: JudgeRun
    states: Mapping[str, int]
    counts: RunCounts
    reasons: tuple[tuple[str, int], ...]
    pace: RunPace | None
    calls: CallSums | None
    is_hidden_test: bool = False


RUN_FIELDS = ("pause_kind", "pause_reason")
RUN_TIMES = ("created", "planned", "paused", "asked_anew")
LEVEL = "submission__release__disclosure"
SPEC_FIELDS = ("id", "slug", "kind", "model")


# --- asking ---------------------------------------------------------------------------------------


def as_text(**fields: Any) -> Cast:
    """Fields as a JSON object; times as text, for `moment`."""
    return Cast(JSONObject(**fields), TextField())


def part(rows: QuerySet[Any], name: str, run: str | Value, text: Any, number: Any) -> QuerySet[Any]:
    """Rows as `Row`, to be united with others."""
    named = Value(name, output_field=TextField())
    return rows.values_list(named, run, text, number)


NONE = Value(0, output_field=BigIntegerField())
NO_TEXT = Value("", output_field=TextField())


def progress_parts(submission_id: UUID) -> list[QuerySet[Any]]:
    """What `read_progress` reads, of whole runs alone. Each part is found by keys or indexes of the
    runs; the ledger's calls are summed of unfinished runs with a price, nothing else is."""
    runs = JudgeRun.objects.whole().filter(submission=submission_id).order_by()
    own = Judgement.objects.filter(run__in=runs.values("pk")).order_by()
    ended = own.filter(state__in=IN_REVIEW).exclude(reason="")
    begun = Coalesce("run__asked_anew", "run__planned")
    late = own.filter(run__unscored=1, settled__gte=Now() - PACE_WINDOW)
    moved = late.filter(settled__gte=begun).exclude(state__in=UNFINISHED)
    calls = JudgeCall.objects.filter(judgement__run__in=asking_runs(runs).values("pk")).order_by()
    return [
        part(runs, "run", "pk", as_text(**run_columns()), NONE),
        part(own.values("run").annotate(n=Count("pk")), "state", "run", "state", "n"),
        part(commonest(ended), "reason", "run", "reason", "n"),
        part(moved.values("run").annotate(n=Count("pk")), "moved", "run", NO_TEXT, "n"),
        part(runs.unscored(), "ahead", "pk", NO_TEXT, Subquery(runs_before())),
        part(summed(calls), "calls", "judgement__run", "sums", "n"),
    ]


def asking_runs(runs: Any) -> QuerySet[Any]:
    """Those that ask a model: rules make no call."""
    found: QuerySet[Any] = runs.exclude(judge_spec__kind=JudgeSpec.RULES)
    return found


def summed(calls: QuerySet[Any]) -> QuerySet[Any]:
    by_run = calls.values("judgement__run")
    found: QuerySet[Any] = by_run.annotate(n=Count("pk"), sums=as_text(**call_sums()))
    return found


def commonest(ended: QuerySet[Any]) -> QuerySet[Any]:
    counted = ended.values("run", "reason").annotate(n=Count("pk"))
    order = [F("n").desc(), F("reason").asc()]
    place = Window(RowNumber(), partition_by=[F("run")], order_by=order)
    found: QuerySet[Any] = counted.annotate(place=place).filter(place__lte=MOST_REASONS)
    return found


def run_columns() -> dict[str, Any]:
    spec = {f"spec_{name}": f"judge_spec__{name}" for name in SPEC_FIELDS}
    return {
        "now": Now(),
        "level": F(LEVEL),
        **{name: F(name) for name in (*RUN_FIELDS, *RUN_TIMES)},
        **spec,
    }


def runs_before() -> QuerySet[Any]:
    """How many runs stand ahead of the outer one. By time: of a file that was tried before it was
    confirmed the run is older than its place."""
    counted = Func(F("pk"), function="COUNT", output_field=BigIntegerField())
    earlier = JudgeRun.objects.queued().filter(created__lt=OuterRef("created")).order_by()
    return earlier.annotate(n=counted).values("n")


def call_sums() -> dict[str, Any]:
    """The fields of CallSums, over calls."""
    under_way = Q(outcome=Outcome.OPEN, judgement__state=State.LEASED, fence=F("judgement__fence"))
    lost = Q(outcome=Outcome.UNKNOWN) | (Q(outcome=Outcome.OPEN) & ~under_way)
    answered = Q(outcome=Outcome.ANSWERED)
    return {
        "spent": Sum("cost", default=0),
        "reserved": Sum("cost", filter=under_way, default=0),
        "answered": Count("pk", filter=answered),
        "for_answers": Sum("cost", filter=answered, default=0),
        "unknown": Count("pk", filter=lost),
    }


def calls_of(run: JudgeRun) -> CallSums | None:
    """None where rules decide: no call is made."""
    if run.judge_spec.is_offline:
        return None
    return CallSums(**JudgeCall.objects.filter(judgement__run=run).aggregate(**call_sums()))


# --- reading --------------------------------------------------------------------------------------


def read_progress(rows: Iterable[Row]) -> list[RunProgress]:
    """The runs in the order in which they were asked for; rows of other parts are passed over."""
    parts: dict[str, dict[int, list[tuple[str, int]]]] = {}
    for name, run, text, number in rows:
        parts.setdefault(name, {}).setdefault(run, []).append((text, number))
    found = [
        run_progress(key, {name: of_runs.get(key, []) for name, of_runs in parts.items()})
        for key in parts.get("run", {})
    ]
    return sorted(found, key=lambda one: (one.run.created, one.run.pk))


def run_progress(key: int, parts: Mapping[str, Sequence[tuple[str, int]]]) -> RunProgress:
    values = json.loads(parts["run"][0][0])
    run = run_of(key, values)
    if values["level"] == Release.Disclosure.HIDDEN_TEST:
        return hidden_progress(run, dict(parts.get("state", ())))
    states = dict(parts.get("state", ()))
    counts = counts_of(states)
    moved = sum(number for _, number in parts.get("moved", ()))
    ahead = sum(number for _, number in parts.get("ahead", ()))
    now = moment(values["now"])
    is_moving = counts.open or run.planned is None
    return RunProgress(
        run=run,
        states=states,
        counts=counts,
        reasons=tuple(sorted(parts.get("reason", ()), key=by_number)),
        pace=pace_of(run, counts.open, moved, ahead, now) if now and is_moving else None,
        calls=None if run.judge_spec.is_offline else sums_of(parts.get("calls", ())),
    )


def hidden_progress(run: JudgeRun, states: Mapping[str, int]) -> RunProgress:
    """Of a hidden test: whether all of it is judged, and nothing in between. Which judgements need
    no call, which replies could not be read and what the rest cost depends on references."""
    state = State.WAITING if any(states.get(one) for one in UNFINISHED) else State.JUDGED
    asked = sum(states.values())
    counts = {str(state): asked} if asked else {}
    return RunProgress(run, counts, counts_of(counts), (), None, None, is_hidden_test=True)


def sums_of(rows: Sequence[tuple[str, int]]) -> CallSums:
    if not rows:
        return CallSums(0, 0, 0, 0, 0)
    text, _ = rows[0]
    return CallSums(**{name: int(value) for name, value in json.loads(text).items()})


def by_number(reason: tuple[str, int]) -> tuple[int, str]:
    text, number = reason
    return -number, text


def run_of(key: int, values: Mapping[str, Any]) -> JudgeRun:
    spec = JudgeSpec(**{name: values[f"spec_{name}"] for name in SPEC_FIELDS})
    fields = {name: values[name] for name in RUN_FIELDS}
    times = {name: moment(values[name]) for name in RUN_TIMES}
    return JudgeRun(pk=key, judge_spec=spec, **fields, **times)


def moment(text: str | None) -> datetime | None:
    """A time as databases write it into JSON: SQLite without saying that it is UTC."""
    found = parse_datetime(text) if text else None
    return found.replace(tzinfo=UTC) if found and found.tzinfo is None else found


def pace_of(run: JudgeRun, still_open: int, moved: int, ahead: int, now: datetime) -> RunPace:
    """moved: judgements that ended within PACE_WINDOW, and since the run was planned or verdicts of
    it were asked about anew."""
    since = max(now - PACE_WINDOW, run.asked_anew or run.planned or now)
    per_minute = moved / max((now - since).total_seconds() / 60, 1 / 60)
    return RunPace(
        per_minute=per_minute or None,
        seconds_left=math.ceil(still_open / per_minute * 60) if per_minute else None,
        ahead=ahead,
    )
