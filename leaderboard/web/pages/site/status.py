"""What /status/ prints and /status.json holds: how much waits, what is paused and why, who works,
what the last hour brought.

Never whose runs they are, the address of an endpoint or the names of our machines.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.db.models import Count, Exists, F, OuterRef, Q, QuerySet
from django.db.models.functions import Now
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.views.decorators.cache import cache_control, never_cache
from django.views.decorators.http import require_safe

from benchmarks.models import Release
from benchmarks.submissions.models import Submission
from judging.coordination import witness
from judging.models import Endpoint, JudgeCall, Judgement, JudgeRun
from judging.querysets import UNFINISHED
from leaderboard.operations.files.stored_files import damage_sentence, damaged_pictures
from leaderboard.operations.health import NOT_READY, no_space, problems, state
from leaderboard.operations.progress import SILENCE_SECONDS, Progress, read_progress
from leaderboard.operations.redaction import publishable

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

STATUS_SECONDS = 5  # a crowd that reloads costs twelve renderings a minute


@never_cache
@require_safe
def health_live(request: HttpRequest) -> JsonResponse:
    """This process answers. Nothing else is asked, least of all the database."""
    return JsonResponse({"status": "live"})


@never_cache
@require_safe
def health_ready(request: HttpRequest) -> JsonResponse:
    """200 while pages can be made, degraded or not, with a sentence per thing that is wrong; 503
    otherwise."""
    found = problems()
    status = state(found)
    return JsonResponse(
        {"status": status, "wrong": found}, status=503 if status == NOT_READY else 200
    )


@require_safe
@cache_control(public=True, max_age=STATUS_SECONDS)
def status(request: HttpRequest) -> HttpResponse:
    return render(request, "site/status.html", {"page": status_page()})


@require_safe
@cache_control(public=True, max_age=STATUS_SECONDS)
def status_json(request: HttpRequest) -> JsonResponse:
    """The figures of the status page."""
    return JsonResponse(status_page())


def status_page() -> dict[str, Any]:
    """Fifteen queries, however much there is. `state` is "idle", "working", "on hold" or "stuck";
    queue: judgements by what they wait for; settled, calls: what the last hour brought, by outcome;
    damage: of stored files; damaged_pictures: names and faults of those that everybody may see."""
    progress = read_progress()
    left = open_judgements()
    queue = queue_of(left)
    unplanned = unplanned_submissions()
    failing = failing_lines()
    stopped = RESTORED if witness.problem() else FULL if no_space() else progress.fault()
    state = "stuck" if stopped else state_of(progress, queue, unplanned + len(failing))
    return {
        "taken": progress.taken,
        "state": state,
        "sentence": stopped or SENTENCES[state],
        "waiting_seconds": whole(progress.waiting_seconds),
        "idle_seconds": whole(progress.idle_seconds),
        "unplanned": unplanned,
        "queue": list(queue.items()),
        "runs": run_lines(left) + failing,
        "settled": settled_counts(),
        "calls": call_counts(),
        "workers": worker_lines(progress),
        "endpoints": endpoint_lines(progress.taken),
        "damage": damage_sentence(),
        "damaged_pictures": damaged_pictures(),
    }


def whole(seconds: float | None) -> int | None:
    return None if seconds is None else int(seconds)


def state_of(progress: Progress, queue: Mapping[str, int], unplanned: int) -> str:
    if progress.waiting_seconds is not None or queue["being judged"]:
        return "working"
    return "on hold" if sum(queue.values()) or unplanned else "idle"


# --- the queue ------------------------------------------------------------------------------------


def open_judgements() -> list[dict[str, Any]]:
    """Unfinished judgements of a run that are in one state; `later` of them wait for the time of
    their next try. Each state is asked for by itself: its partial index holds nothing of what is
    settled."""
    first, *others = (
        counted(Judgement.objects.filter(found))
        for found in (
            Q(state=State.WAITING),
            Q(state=State.LEASED, lease_until__isnull=False),
            Q(state=State.PAUSED),
        )
    )
    return list(first.union(*others, all=True))


def counted(rows: QuerySet[Any]) -> QuerySet[Any, Any]:
    """Of standing submissions, by run and state."""
    found: QuerySet[Any, Any] = (
        rows.filter(run__submission__withdrawn__isnull=True)
        .exclude(**{HIDDEN: Release.Disclosure.HIDDEN_TEST})
        .order_by()
        .values(
            "run",
            "state",
            benchmark=F("run__submission__release__benchmark__title"),
            paused=F("run__paused"),
            pause_kind=F("run__pause_kind"),
            pause_reason=F("run__pause_reason"),
        )
        .annotate(rows=Count("pk"), later=Count("pk", filter=Q(not_before__gt=Now())))
    )
    return found


def queue_of(left: Iterable[Mapping[str, Any]]) -> dict[str, int]:
    queue = dict.fromkeys(("ready", "being judged", "waiting for the next attempt", "paused"), 0)
    for part in left:
        if part["state"] == State.LEASED:
            queue["being judged"] += part["rows"]
        elif part["paused"] or part["state"] == State.PAUSED:
            queue["paused"] += part["rows"]
        else:
            queue["waiting for the next attempt"] += part["later"]
            queue["ready"] += part["rows"] - part["later"]
    return queue


def unplanned_submissions() -> int:
    """What has been finished was planned, and is not looked at."""
    planned = JudgeRun.objects.filter(submission=OuterRef("pk"), planned__isnull=False)
    return Submission.objects.confirmed().unfinished().exclude(Exists(planned)).count()


def run_lines(left: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Runs of a benchmark that are in the same state for the same reason, most judgements first."""
    by_run: dict[int, list[Mapping[str, Any]]] = {}
    for part in left:
        by_run.setdefault(part["run"], []).append(part)
    runs, judgements = Counter[tuple[str, str, str]](), Counter[tuple[str, str, str]]()
    for parts in by_run.values():
        line = (parts[0]["benchmark"], *run_state(parts))
        runs[line] += 1
        judgements[line] += sum(part["rows"] for part in parts)
    return [run_line(*line, runs[line], rows) for line, rows in judgements.most_common(RUN_LINES)]


def failing_lines() -> list[dict[str, Any]]:
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
    state = f"paused: {Pause.FAULT.value}"
    return [
        run_line(title, state, publishable(reason), runs, 0)
        for title, reason, runs in found[:RUN_LINES]
    ]


def run_line(benchmark: str, state: str, reason: str, runs: int, judgements: int) -> dict[str, Any]:
    return {
        "benchmark": benchmark,
        "state": state,
        "reason": reason,
        "runs": runs,
        "judgements": judgements,
    }


def run_state(parts: Sequence[Mapping[str, Any]]) -> tuple[str, str]:
    """State of a run, and why."""
    run = parts[0]
    if run["paused"]:
        reason = PRIVATE_PAUSES.get(run["pause_kind"]) or publishable(run["pause_reason"])
        return f"paused: {run['pause_kind']}", reason
    if all(part["state"] == State.PAUSED for part in parts):
        return "paused: answers", "the rest needs an operator's attention"
    return "running", "nothing is blocking it"


# --- the last hour --------------------------------------------------------------------------------


HIDDEN = "run__submission__release__disclosure"
"""Of what belongs to hidden tests nothing is counted here: somebody who hands in alone would read
of their own answers which could be judged without a model."""


def settled_counts() -> list[tuple[str, int]]:
    ended = Judgement.objects.filter(settled__gte=Now() - HOUR).exclude(state__in=UNFINISHED)
    return counts_by("state", ended.exclude(**{HIDDEN: Release.Disclosure.HIDDEN_TEST}))


def call_counts() -> list[tuple[str, int]]:
    lately = JudgeCall.objects.filter(started__gte=Now() - HOUR)
    public = lately.exclude(**{f"judgement__{HIDDEN}": Release.Disclosure.HIDDEN_TEST})
    return counts_by("outcome", public)


def counts_by(field: str, rows: QuerySet[Any]) -> list[tuple[str, int]]:
    """The most frequent first."""
    counts = rows.order_by().values_list(field).annotate(rows=Count("pk"))
    return list(counts.order_by("-rows", field))


# --- who works, and whom they ask -----------------------------------------------------------------


def worker_lines(progress: Progress) -> list[dict[str, Any]]:
    """Numbered. `problem`: of a worker's clock or its files."""
    return [
        {
            "number": number,
            "state": "alive" if worker.seen_seconds <= SILENCE_SECONDS else "silent",
            "seen_seconds": int(worker.seen_seconds),
            "swept_seconds": whole(worker.swept_seconds),
            "problem": worker.problem,
        }
        for number, worker in enumerate(progress.workers, start=1)
    ]


def endpoint_lines(now: datetime) -> list[dict[str, Any]]:
    """Every endpoint of the settings, and nothing of one that is not among them any more. `until`:
    of a halted one since when."""
    rows = {row.alias: row for row in Endpoint.objects.filter(alias__in=settings.JUDGE_ENDPOINTS)}
    lines = []
    for alias in settings.JUDGE_ENDPOINTS:
        row = rows.get(alias, Endpoint(alias=alias))
        state, until, reason = "open", None, "nothing is blocking it"
        if row.halted:
            state, until, reason = "halted", row.halted, publishable(row.halt_reason)
        elif row.held_until and row.held_until > now:
            state, until, reason = "held", row.held_until, publishable(row.hold_reason)
        lines.append({"alias": alias, "state": state, "until": until, "reason": reason})
    return lines
