"""Is the work getting done? Tells workers that are deaf or gone from workers that have nothing to
do."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, overload

from django.db.models import Max, Min, Q, QuerySet, Value
from django.db.models.expressions import Combinable
from django.db.models.functions import Coalesce, Now

from judging.coordination.clock import database_now
from judging.models import Endpoint, JudgeCall, Judgement, JudgeRun, ReferenceRequest
from judging.querysets import JudgementQuerySet, any_of
from judging.services.runs import submissions_without_run
from leaderboard.models import WorkerBeat

PATIENCE_SECONDS = 120.0  # longer than a sweep, a plan or a slow reply takes
SILENCE_SECONDS = 60.0  # a dozen heartbeats
SHOWN = timedelta(hours=1)  # a worker that was lost is shown for so long


@dataclass(frozen=True, slots=True)
class Worker:
    """problem: of its clock or its files."""

    name: str
    seen_seconds: float
    swept_seconds: float | None
    problem: str = ""

    @property
    def host(self) -> str:
        return self.name.rpartition("/")[0]


@dataclass(frozen=True, slots=True)
class Progress:
    """`waiting_seconds`: how long the oldest work that could be done waits; None where there is
    none. `idle_seconds`: since anything was planned, asked or settled; None: never."""

    taken: datetime
    waiting_seconds: float | None
    idle_seconds: float | None
    workers: tuple[Worker, ...]

    def alive(self, silence: float = SILENCE_SECONDS) -> tuple[Worker, ...]:
        return tuple(worker for worker in self.workers if worker.seen_seconds <= silence)

    def fault(self, *, patience: float = PATIENCE_SECONDS, silence: float = SILENCE_SECONDS) -> str:
        """Why work is stuck, as a sentence; empty where none waits or it is being done."""
        if self.waiting_seconds is None:
            return ""
        if not self.alive(silence) and self.waiting_seconds > silence:
            return f"Work is waiting, and no worker has been seen for {silence:.0f} s."
        is_still = self.idle_seconds is None or self.idle_seconds > patience
        if self.waiting_seconds > patience and is_still:
            return (
                f"Work has been waiting for {self.waiting_seconds:.0f} s, and nothing has been "
                f"done for {patience:.0f} s."
            )
        return ""


def read_progress() -> Progress:
    """Four queries; every age is by the clock of the database."""
    oldest = moments(*((rows, Min(since)) for rows, since in waiting_work()))
    newest = moments(*((rows, Max(moment)) for rows, moment in signs_of_work()))
    beats = list(WorkerBeat.objects.filter(seen__gte=Now() - SHOWN))
    now = database_now()
    return Progress(
        taken=now,
        waiting_seconds=age(min(oldest, default=None), now),
        idle_seconds=age(max(newest, default=None), now),
        workers=tuple(
            Worker(beat.name, age(beat.seen, now), age(beat.swept, now), beat.problem)
            for beat in beats
        ),
    )


@overload
def age(moment: datetime, now: datetime) -> float: ...
@overload
def age(moment: datetime | None, now: datetime) -> float | None: ...
def age(moment: datetime | None, now: datetime) -> float | None:
    """Seconds since then, at least 0; `now` may have been read a moment earlier."""
    return None if moment is None else max((now - moment).total_seconds(), 0.0)


def progress_fault() -> str:
    """`read_progress().fault()`. Where work was just done, or none waits, one or two queries
    tell."""
    just_now = Now() - timedelta(seconds=PATIENCE_SECONDS)
    if any_of(*(rows.filter(**{f"{moment}__gte": just_now}) for rows, moment in signs_of_work())):
        return ""
    if not any_of(*(rows for rows, _ in waiting_work())):
        return ""
    return read_progress().fault()


def waiting_work() -> tuple[tuple[QuerySet[Any], Combinable | str], ...]:
    """Work of each kind that could be done, and by what it tells since when it waits."""
    references = ReferenceRequest.objects.claimable().exclude(endpoint__in=closed_endpoints())
    return (
        (ready_judgements(), Coalesce("not_before", "run__planned", "run__dry_run")),
        (JudgeRun.objects.unplanned().not_withdrawn().filter(paused__isnull=True), "created"),
        (submissions_without_run(), "confirmed"),
        (references, "created"),
    )


def signs_of_work() -> tuple[tuple[QuerySet[Any], str], ...]:
    """What has the moment of each kind of work that was done, and in which field. A request counts:
    an endpoint that fails is not a worker that is deaf."""
    return (
        (Judgement.objects.all(), "settled"),
        (JudgeCall.objects.all(), "started"),
        (JudgeRun.objects.all(), "planned"),
    )


def moments(*bounds: tuple[QuerySet[Any], Min | Max]) -> list[datetime]:
    """The bound of each queryset that has one, in one query."""
    first, *others = (
        rows.order_by().values_list(Value(1)).annotate(moment=bound) for rows, bound in bounds
    )
    return [moment for _, moment in first.union(*others, all=True) if moment is not None]


def closed_endpoints() -> QuerySet[Any, Any]:
    """Aliases of endpoints that nobody may ask now."""
    closed = Endpoint.objects.filter(Q(halted__isnull=False) | Q(held_until__gt=Now()))
    return closed.values("alias")


def ready_judgements() -> JudgementQuerySet:
    """Claimable, of a standing submission, and their endpoint takes calls."""
    ready = Judgement.objects.all().claimable().filter(run__submission__withdrawn__isnull=True)
    return ready.exclude(judge_spec__endpoint__in=closed_endpoints())
