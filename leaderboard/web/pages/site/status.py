"""The context of the status page: how much waits, what is paused and why, who works, what the last
hour brought."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.db.models import Count, Exists, OuterRef, Q, QuerySet
from django.db.models.functions import Now

from benchmarks.models import Release
from benchmarks.submissions.models import Submission
from judging.coordination import witness
from judging.models import Endpoint, JudgeCall, Judgement, JudgeRun
from judging.querysets import UNFINISHED
from leaderboard.operations.files.stored_files import damage_sentence, damaged_pictures
from leaderboard.operations.health import no_space
from leaderboard.operations.progress import SILENCE_SECONDS, Progress, read_progress
from leaderboard.operations.redaction import publishable
from leaderboard.results.formatting import print_age


@dataclass(frozen=True, slots=True)
class StatusRunLine:
    """Runs of a benchmark that are in the same state for the same reason. Never whose they are."""

    benchmark: str
    state: str
    reason: str
    runs: int
    judgements: int


@dataclass(frozen=True, slots=True)
class StatusWorkerLine:
    """A worker, numbered: the names of our machines are nobody's business. `state` is "alive" or
    "silent". `problem`: of its clock or its files."""

    number: int
    state: str
    seen_seconds: int
    swept_seconds: int | None
    problem: str

    @property
    def seen(self) -> str:
        return f"{print_age(self.seen_seconds)} ago"

    @property
    def swept(self) -> str:
        return "not yet" if self.swept_seconds is None else f"{print_age(self.swept_seconds)} ago"


@dataclass(frozen=True, slots=True)
class StatusEndpointLine:
    """`state` is "open", "held" (until `until`) or "halted" (since then). The alias only, never the
    address."""

    alias: str
    state: str
    until: datetime | None
    reason: str


@dataclass(frozen=True, slots=True)
class StatusPage:
    """What /status/ prints and /status.json holds. `state` is "idle", "working", "on hold" or
    "stuck".

    queue: judgements by what they wait for. settled, calls: what the last hour brought, by outcome.
    damage: of stored files; damaged_pictures: names and faults of those that everybody may see.
    """

    taken: datetime
    state: str
    sentence: str
    waiting_seconds: int | None
    idle_seconds: int | None
    unplanned: int
    queue: tuple[tuple[str, int], ...]
    runs: tuple[StatusRunLine, ...]
    settled: tuple[tuple[str, int], ...]
    calls: tuple[tuple[str, int], ...]
    workers: tuple[StatusWorkerLine, ...]
    endpoints: tuple[StatusEndpointLine, ...]
    damage: str
    damaged_pictures: tuple[tuple[str, str], ...]

    @property
    def ages(self) -> str:
        """How long work waits and when any was done, as far as there is any."""
        waiting, idle = self.waiting_seconds, self.idle_seconds
        return " ".join(
            (
                ""
                if waiting is None
                else f"The oldest one that is ready has waited {print_age(waiting)}.",
                "" if idle is None else f"The last work was done {print_age(idle)} ago.",
            )
        ).strip()


HOUR = timedelta(hours=1)  # what the page calls lately
RUN_LINES = 30  # those with the most work; a longer table is read by nobody
State, Pause = Judgement.State, JudgeRun.Pause
SENTENCES = {
    "idle": "Nothing is waiting to be judged.",
    "working": "Submissions are being judged.",
    "on hold": ("Judging is on hold; the tables below say why."),
}
RESTORED = (
    "Judging is on hold: the database was restored, and the operators first check what would be"
    " judged again."
)
FULL = (
    "The site has no space left: it accepts nothing new, and judging continues once the operators"
    " have made room."
)
# What a budget or a person says of one submission is its owner's to read, on the submission's own
# page.
PRIVATE_PAUSES = {
    Pause.BUDGET.value: "a budget is used up; judging continues when there is room",
    Pause.PERSON.value: "an operator paused it",
}


def status_page() -> StatusPage:
    """Fifteen queries, however much there is."""
    progress = read_progress()
    left = open_judgements()
    queue = queue_of(left)
    unplanned = unplanned_submissions()
    failing = failing_lines()
    stopped = RESTORED if witness.problem() else FULL if no_space() else progress.fault()
    state = "stuck" if stopped else state_of(progress, queue, unplanned + len(failing))
    return StatusPage(
        taken=progress.taken,
        state=state,
        sentence=stopped or SENTENCES[state],
        waiting_seconds=whole(progress.waiting_seconds),
        idle_seconds=whole(progress.idle_seconds),
        unplanned=unplanned,
        queue=tuple(queue.items()),
        runs=(*run_lines(left), *failing),
        settled=settled_counts(),
        calls=call_counts(),
        workers=worker_lines(progress),
        endpoints=endpoint_lines(progress.taken),
        damage=damage_sentence(),
        damaged_pictures=damaged_pictures(),
    )


def whole(seconds: float | None) -> int | None:
    return None if seconds is None else int(seconds)


def state_of(progress: Progress, queue: Mapping[str, int], unplanned: int) -> str:
    if progress.waiting_seconds is not None or queue["being judged"]:
        return "working"
    return "on hold" if sum(queue.values()) or unplanned else "idle"


# --- the queue ------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class OpenRows:
    """Unfinished judgements of a run that are in one state; `later` of them wait for the time of
    their next try."""

    run: int
    benchmark: str
    is_paused: bool
    pause_kind: str
    pause_reason: str
    state: str
    rows: int
    later: int


def open_judgements() -> list[OpenRows]:
    """Each state is asked for by itself: its partial index holds nothing of what is settled."""
    first, *others = (
        counted(Judgement.objects.filter(found))
        for found in (
            Q(state=State.WAITING),
            Q(state=State.LEASED, lease_until__isnull=False),
            Q(state=State.PAUSED),
        )
    )
    found = first.union(*others, all=True)
    return [OpenRows(run, title, paused is not None, *more) for run, title, paused, *more in found]


def counted(rows: QuerySet[Any]) -> QuerySet[Any, Any]:
    """Of standing submissions, by run and state."""
    fields = ("run__paused", "run__pause_kind", "run__pause_reason", "state")
    found: QuerySet[Any, Any] = (
        rows.filter(run__submission__withdrawn__isnull=True)
        .exclude(**{HIDDEN: Release.Disclosure.HIDDEN_TEST})
        .order_by()
        .values_list("run", "run__submission__release__benchmark__title", *fields)
        .annotate(rows=Count("pk"), later=Count("pk", filter=Q(not_before__gt=Now())))
    )
    return found


def queue_of(left: Iterable[OpenRows]) -> dict[str, int]:
    queue = dict.fromkeys(("ready", "being judged", "waiting for the next attempt", "paused"), 0)
    for part in left:
        if part.state == State.LEASED:
            queue["being judged"] += part.rows
        elif part.is_paused or part.state == State.PAUSED:
            queue["paused"] += part.rows
        else:
            queue["waiting for the next attempt"] += part.later
            queue["ready"] += part.rows - part.later
    return queue


def unplanned_submissions() -> int:
    """What has been finished was planned, and is not looked at."""
    planned = JudgeRun.objects.filter(submission=OuterRef("pk"), planned__isnull=False)
    return Submission.objects.confirmed().unfinished().exclude(Exists(planned)).count()


def run_lines(left: Iterable[OpenRows]) -> tuple[StatusRunLine, ...]:
    """Most judgements first."""
    by_run: dict[int, list[OpenRows]] = {}
    for part in left:
        by_run.setdefault(part.run, []).append(part)
    runs, judgements = Counter[tuple[str, str, str]](), Counter[tuple[str, str, str]]()
    for parts in by_run.values():
        line = (parts[0].benchmark, *run_state(parts))
        runs[line] += 1
        judgements[line] += sum(part.rows for part in parts)
    return tuple(
        StatusRunLine(*line, runs[line], rows) for line, rows in judgements.most_common(RUN_LINES)
    )


def failing_lines() -> tuple[StatusRunLine, ...]:
    """Runs that cannot be planned or scored, and have no judgement that waits."""
    open_rows = Judgement.objects.unfinished().filter(run=OuterRef("pk"))
    found = (
        JudgeRun.objects.not_withdrawn()
        .filter(~Exists(open_rows), pause_kind=Pause.FAULT, paused__isnull=False)
        .order_by()
        .values_list("submission__release__benchmark__title", "pause_reason")
        .annotate(runs=Count("pk"))
        .order_by("-runs")
    )
    return tuple(
        StatusRunLine(title, f"paused: {Pause.FAULT.value}", publishable(reason), runs, 0)
        for title, reason, runs in found[:RUN_LINES]
    )


def run_state(parts: Sequence[OpenRows]) -> tuple[str, str]:
    """State of a run, and why."""
    run = parts[0]
    if run.is_paused:
        return f"paused: {run.pause_kind}", PRIVATE_PAUSES.get(run.pause_kind) or publishable(
            run.pause_reason
        )
    if all(part.state == State.PAUSED for part in parts):
        return "paused: answers", "the rest needs an operator's attention"
    return "running", "nothing is blocking it"


# --- the last hour --------------------------------------------------------------------------------


HIDDEN = "run__submission__release__disclosure"
"""Of what belongs to hidden tests nothing is counted here: somebody who hands in alone would read
of their own answers which could be judged without a model."""


def settled_counts() -> tuple[tuple[str, int], ...]:
    ended = Judgement.objects.filter(settled__gte=Now() - HOUR).exclude(state__in=UNFINISHED)
    return counts_by("state", ended.exclude(**{HIDDEN: Release.Disclosure.HIDDEN_TEST}))


def call_counts() -> tuple[tuple[str, int], ...]:
    lately = JudgeCall.objects.filter(started__gte=Now() - HOUR)
    public = lately.exclude(**{f"judgement__{HIDDEN}": Release.Disclosure.HIDDEN_TEST})
    return counts_by("outcome", public)


def counts_by(field: str, rows: QuerySet[Any]) -> tuple[tuple[str, int], ...]:
    """The most frequent first."""
    return tuple(
        rows.order_by().values_list(field).annotate(rows=Count("pk")).order_by("-rows", field)
    )


# --- who works, and whom they ask -----------------------------------------------------------------


def worker_lines(progress: Progress) -> tuple[StatusWorkerLine, ...]:
    return tuple(
        StatusWorkerLine(
            number=number,
            state="alive" if worker.seen_seconds <= SILENCE_SECONDS else "silent",
            seen_seconds=int(worker.seen_seconds),
            swept_seconds=whole(worker.swept_seconds),
            problem=worker.problem,
        )
        for number, worker in enumerate(progress.workers, start=1)
    )


def endpoint_lines(now: datetime) -> tuple[StatusEndpointLine, ...]:
    """Every endpoint of the settings, and nothing of one that is not among them any more."""
    rows = {row.alias: row for row in Endpoint.objects.filter(alias__in=settings.JUDGE_ENDPOINTS)}
    return tuple(
        endpoint_line(rows.get(alias, Endpoint(alias=alias)), now)
        for alias in settings.JUDGE_ENDPOINTS
    )


def endpoint_line(row: Endpoint, now: datetime) -> StatusEndpointLine:
    if row.halted:
        return StatusEndpointLine(row.alias, "halted", row.halted, publishable(row.halt_reason))
    if row.held_until and row.held_until > now:
        return StatusEndpointLine(row.alias, "held", row.held_until, publishable(row.hold_reason))
    return StatusEndpointLine(row.alias, "open", None, "nothing is blocking it")
