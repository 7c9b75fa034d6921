"""Is the work getting done? Tells workers that are deaf or gone from workers that have nothing to do."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, overload

from django.db.models import Exists, Max, Min, OuterRef, Q, QuerySet, Value
from django.db.models.functions import Coalesce, Now

from benchmarks.submissions.models import Submission
from judging.clock import database_now
from judging.models import Endpoint, JudgeCall, Judgement, JudgeRun, ReferenceRequest
from judging.querysets import JudgementQuerySet
from leaderboard.models import WorkerBeat

PATIENCE_SECONDS = 120.0  # longer than a sweep, a plan or a slow reply takes
SILENCE_SECONDS = 60.0  # a dozen heartbeats
SHOWN = timedelta(hours=1)  # a worker that was lost is shown for so long


@dataclass(frozen=True, slots=True)
class Worker:
    name: str
    seen_seconds: float
    swept_seconds: float | None

    @property
    def host(self) -> str:
        return self.name.rpartition("/")[0]


@dataclass(frozen=True, slots=True)
class Progress:
    """`waiting_seconds`: how long the oldest work that could be done waits; None where there is none.
    `idle_seconds`: since anything was planned, asked or settled; None: never."""

    taken: datetime
    waiting_seconds: float | None
    idle_seconds: float | None
    workers: tuple[Worker, ...]

    def beating(self, silence: float = SILENCE_SECONDS) -> tuple[Worker, ...]:
        return tuple(worker for worker in self.workers if worker.seen_seconds <= silence)

    def fault(self, *, patience: float = PATIENCE_SECONDS, silence: float = SILENCE_SECONDS) -> str:
        """Why work is stuck, as a sentence; empty where none waits or it is being done."""
        if self.waiting_seconds is None:
            return ""
        if not self.beating(silence) and self.waiting_seconds > silence:
            return f"Work waits, and no worker was seen for {silence:.0f} s."
        is_still = self.idle_seconds is None or self.idle_seconds > patience
        if self.waiting_seconds > patience and is_still:
            return f"Work waits for {self.waiting_seconds:.0f} s, and nothing was done for {patience:.0f} s."
        return ""


def read_progress() -> Progress:
    """Four queries; every age is by the clock of the database."""
    oldest, newest = oldest_work(), signs_of_work()
    beats = list(WorkerBeat.objects.filter(seen__gte=Now() - SHOWN))
    now = database_now()
    return Progress(
        taken=now,
        waiting_seconds=age(min(oldest, default=None), now),
        idle_seconds=age(max(newest, default=None), now),
        workers=tuple(
            Worker(beat.name, age(beat.seen, now), age(beat.swept, now)) for beat in beats
        ),
    )


@overload
def age(moment: datetime, now: datetime) -> float: ...
@overload
def age(moment: datetime | None, now: datetime) -> float | None: ...
def age(moment: datetime | None, now: datetime) -> float | None:
    """Seconds; never less than none, though `now` may have been asked a moment earlier."""
    return None if moment is None else max((now - moment).total_seconds(), 0.0)


def oldest_work() -> list[datetime]:
    """Since when the oldest work of each kind waits."""
    references = ReferenceRequest.objects.claimable().exclude(endpoint__in=closed_endpoints())
    return moments(
        (ready_judgements(), Min(Coalesce("not_before", "run__planned"))),
        (JudgeRun.objects.unplanned().standing().filter(paused__isnull=True), Min("created")),
        (unasked_submissions(), Min("confirmed")),
        (references, Min("created")),
    )


def signs_of_work() -> list[datetime]:
    """When each kind of work was done last. A request counts: an endpoint that fails is not a worker that is deaf."""
    return moments(
        (Judgement.objects.all(), Max("settled")),
        (JudgeCall.objects.all(), Max("started")),
        (JudgeRun.objects.all(), Max("planned")),
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


def unasked_submissions() -> QuerySet[Submission]:
    """Confirmed, and no judge was asked yet."""
    asked = JudgeRun.objects.filter(submission=OuterRef("pk"))
    return Submission.objects.confirmed().standing().exclude(Exists(asked))
