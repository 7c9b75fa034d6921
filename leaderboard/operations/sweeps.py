"""The sweep: each stage looks for rows in the state it waits for. Every worker runs it, with or
without a broker."""

import logging
import os
import signal
import time
from datetime import timedelta

from celery import shared_task
from django.conf import settings
from django.core.cache import cache
from django.db import InterfaceError, OperationalError
from django.db.models import Exists, OuterRef, Q, Value
from django.db.models.functions import Now
from django.utils.module_loading import import_string

from benchmarks.forms.unsaved import delete_old_texts
from benchmarks.services.archives import make_archives
from benchmarks.services.claims import delete_old_claims
from benchmarks.services.renditions import make_renditions
from benchmarks.submissions.files.loose import delete_orphaned_files
from benchmarks.submissions.intake.incoming import forget_old_incoming
from benchmarks.submissions.intake.refusals import delete_old_refusals
from benchmarks.submissions.samples.floor import ensure_floor, open_releases_without_floor
from benchmarks.wake import SWEEP
from judging.coordination.clock import database_now
from judging.coordination.lost_leases import release_lost
from judging.coordination.spending import reason_to_wait
from judging.engine.canary import due_canaries, run_due_canary, specs_with_due_canary
from judging.engine.engine import judge_run
from judging.engine.references import write_requested_references
from judging.models import Judgement, JudgeRun, JudgeSpec, ReferenceRequest
from judging.querysets import ENDED_BY_SWEEPS, MOVING, RunQuerySet, any_of
from judging.services import end_pauses, expire_overdue, plan_waiting_runs, request_missing_runs
from judging.services.attempts import describe_error
from judging.services.deadlines import overdue, unconfirmed_too_long
from judging.services.dry_runs import confirmable_dry_runs
from judging.services.runs import submissions_without_run
from judging.tasks import judge_run as judge_run_task
from judging.tasks import run_canary as run_canary_task
from judging.tasks import write_references as write_references_task
from leaderboard.models import LookAtWaits
from leaderboard.operations.files.file_marks import own_files
from leaderboard.operations.files.stored_files import delete_leftovers
from leaderboard.operations.mail.operator_mail import (
    signs_of_events,
    tell_operators,
    unreported_events,
)
from leaderboard.operations.processes.heartbeat import (
    heartbeats,
    note_failed_sweep,
    record_sweep,
    worker_name,
)
from leaderboard.operations.processes.lent_connections import lent_connection
from leaderboard.operations.processes.memory import trim_memory
from leaderboard.operations.processes.worker_threads import WorkerThread
from leaderboard.results.boards.editions import refresh_boards, stale_boards
from leaderboard.results.chain.links import link_waiting, rows_to_link
from leaderboard.results.services import (
    due_replacements,
    forget_expired,
    outdated_runs,
    replace_entries,
    score_finished_runs,
)
from leaderboard.results.versions.numbers import add_up_others
from leaderboard.results.versions.older_code import too_old

log = logging.getLogger(__name__)
BROKER_GRACE = timedelta(seconds=5)
"""A worker that a message woke begins within a second. Where all are busy whoever is small waits no
longer than this, and a sweep, for somebody who takes it over."""
SLICE_SECONDS = 15.0
STAGE_SECONDS = 60.0
"""Of a sweep for planning, and as many for scoring; what is left is for the next sweep. A broker's
worker is stopped in the middle of whatever it does after 270 s."""
RUNS_AT_ONCE = 20
LOOK_AGAIN = timedelta(minutes=1)
"""A mail whose server is away is tried again as often: a site on which something waits for people
for weeks is as idle as another, and that it is over shows within the minute."""
MINUTE = 60.0
TIDY_SECONDS = 3600


def prepare() -> None:
    """Open releases have their baselines, new submissions have planned runs, lost leases wait
    again, pauses whose cause is gone are over, and what was left too long has ended."""
    ensure_floor()
    request_missing_runs()
    release_lost()
    end_pauses()
    expire_overdue()
    plan_waiting_runs(large=False, seconds=STAGE_SECONDS)


@shared_task(name=SWEEP)
def sweep_and_queue() -> None:
    if not is_anything_due() or too_old():
        return
    prepare()
    # Of large ones those that ask a model, which is waiting and no work: the others have a lane.
    others = JudgeRun.objects.exclude(is_large=True, judge_spec__kind=JudgeSpec.RULES)
    for run_id in idle_runs(among=others):
        for _ in range(settings.JUDGE_PROCESSES_PER_RUN):
            judge_run_task.delay(run_id)
    for request_id in ReferenceRequest.objects.claimable().values_list("pk", flat=True):
        write_references_task.delay(request_id)
    score_and_store()
    for spec in due_canaries():
        run_canary_task.delay(spec.pk)


@shared_task(name="assay.tidy")
def tidy() -> None:
    """What a killed process left behind is gone, and limits that ended; some figures that had none
    have their smaller copies, and some releases their archives."""
    if not own_files():  # or rows go for files of elsewhere, and what is made is seen by nobody
        delete_orphaned_files()
        delete_leftovers()
        make_renditions()
        make_archives()
    delete_old_refusals()
    forget_old_incoming()
    forget_expired()
    delete_old_texts()
    delete_old_claims()
    add_up_others()


def tidy_once() -> None:
    """One of all workers, once in TIDY_SECONDS, whether there is a beat or not; where there is a
    broker, in a process that keeps no sweep waiting. One that does not see the site's files leaves
    it to another."""
    if not cache.add("tidied", True, TIDY_SECONDS - 60):  # or an hour's look comes just too early
        return
    if own_files():
        cache.delete("tidied")
    elif settings.BROKER_URL:
        tidy.apply_async(expires=TIDY_SECONDS)
    else:
        tidy()


def idle_runs(*, among: RunQuerySet | None = None, grace: timedelta = timedelta(0)) -> list[int]:
    """Runs with work that could be claimed now and of which no worker holds anything, the oldest
    first; none that was planned within `grace`, or costs while nothing may be
    spent. Dry runs before all others: somebody sits before the page, and they are a few calls."""
    among = JudgeRun.objects.all() if among is None else among
    if reason_to_wait():
        among = among.filter(judge_spec__kind=JudgeSpec.RULES)
    runs = among.unscored().whole().not_withdrawn().filter(waited("planned", grace))
    tried = (among & confirmable_dry_runs()).filter(waited("dry_run", grace))
    held = Judgement.objects.filter(run=OuterRef("pk"), state=Judgement.State.LEASED)
    due = Judgement.objects.all().claimable().filter(run=OuterRef("pk"))
    first, then = (
        found.filter(Exists(due), ~Exists(held))
        .order_by()
        .annotate(turn=Value(turn))
        .values_list("turn", "created", "pk")
        for turn, found in enumerate((tried, runs))
    )
    idle = first.union(then, all=True).order_by("turn", "created")
    return [key for *_, key in idle[:RUNS_AT_ONCE]]


def waited(field: str, grace: timedelta) -> Q:
    """Since before `grace`. A date of the future is of a clock that was set back meanwhile."""
    return Q(**{f"{field}__lte": Now() - grace}) | Q(**{f"{field}__gt": Now()})


def is_anything_due() -> bool:
    """Whether any stage may find a row: three queries, which look at nothing that is done with, and
    two more where something waits for people.

    Each part holds at least what its stages look for: runs that are not scored are also those to be
    planned, judged, and given back by lost workers; a pause may be over.
    """
    runs = JudgeRun.objects.not_withdrawn()
    unended = Judgement.objects.filter(run=OuterRef("pk"), state__in=MOVING)
    is_due = any_of(
        open_releases_without_floor(),
        submissions_without_run(),
        unconfirmed_too_long(),
        runs.unscored().whole().not_left_to_people(),
        confirmable_dry_runs().filter(Exists(unended), paused__isnull=True),
        *outdated_runs(),
        runs.filter(paused__isnull=False, pause_kind__in=ENDED_BY_SWEEPS),
        ReferenceRequest.objects.filter(finished__isnull=True),
        specs_with_due_canary(),
        due_replacements(),
        *rows_to_link(),
    )
    return is_due or are_waits_due() or bool(stale_boards())


def are_waits_due() -> bool:
    """What waits for people is looked at once in LOOK_AGAIN, but for what they were not told of yet
    and what is overdue."""
    paused = JudgeRun.objects.not_withdrawn().filter(paused__isnull=False)
    parked = Judgement.objects.filter(state=Judgement.State.PAUSED)
    if not any_of(paused, parked, *signs_of_events()):
        return False
    soon = LookAtWaits.objects.filter(pk=LookAtWaits.ONLY, next_at__gt=Now())
    return not soon.exists() or any_of(*overdue(), *unreported_events())


def look_again() -> None:
    """What waits for people was looked at, and is again in LOOK_AGAIN."""
    row = LookAtWaits.objects.filter(pk=LookAtWaits.ONLY)
    if not row.filter(next_at__gt=Now()).exists() and not row.update(next_at=Now() + LOOK_AGAIN):
        first = LookAtWaits(pk=LookAtWaits.ONLY, next_at=database_now() + LOOK_AGAIN)
        LookAtWaits.objects.bulk_create([first], ignore_conflicts=True)


def sweep_here(*, grace: timedelta) -> None:
    """All stages but those of large runs, in this process. Work younger than `grace` is left to the
    workers the broker wakes. What then keeps judging from going on, a stage that fails included,
    operators are told."""
    if not is_anything_due():
        return
    try:
        work_here(grace=grace)
    finally:
        tell_operators()
    look_again()


def work_here(*, grace: timedelta) -> None:
    prepare()
    for run_id in idle_runs(among=JudgeRun.objects.of_size(large=False), grace=grace):
        judge_a_while(run_id)
    references = ReferenceRequest.objects.claimable().filter(waited("created", grace))
    for request_id in references.values_list("pk", flat=True):
        write_requested_references(request_id=request_id)
    score_and_store()
    for spec in due_canaries():
        run_due_canary(spec_id=spec.pk)


def score_and_store() -> None:
    scored = score_finished_runs(large=False, seconds=STAGE_SECONDS)
    replace_entries()
    link_waiting()
    stored = refresh_boards()
    if scored or stored:
        trim_memory()


def judge_a_while(run_id: int) -> None:
    """One run that fails does not keep the others waiting: what it had claimed falls free when the
    leases end, and is paused after a few times."""
    try:
        judge_run(run_id=run_id, seconds=SLICE_SECONDS)
    except (OperationalError, InterfaceError):
        raise
    except Exception as error:
        log.error("Run %s: judging it failed: %s", run_id, describe_error(error))


def each_minute() -> None:
    """What rooms above this one do: a failure of one of them is none of the sweep."""
    for job in settings.EACH_MINUTE:
        try:
            if import_string(job)():
                trim_memory()
        except (OperationalError, InterfaceError):
            raise
        except Exception as error:
            log.error("%s failed: %s", job, describe_error(error))


def grace_of_broker() -> timedelta:
    """How long work is left to the workers that a message wakes."""
    return BROKER_GRACE if settings.BROKER_URL else timedelta(0)


def end_worker(reason: str) -> None:
    """The worker gives back what it holds and ends; whoever starts it again may have newer code."""
    log.critical("This worker ends. %s", reason)
    os.kill(os.getpid(), signal.SIGTERM)


class Sweeper(WorkerThread):
    """Sweeps on, all its worker's life."""

    thread_name = "sweeper"
    stop_seconds = 20

    def run(self) -> None:
        grace = grace_of_broker()
        name = worker_name()
        next_minute = 0.0
        next_tidying = 0.0
        with heartbeats(name):
            while not self.stopping.wait(settings.SWEEP_SECONDS):
                try:
                    with lent_connection():
                        if reason := too_old():
                            end_worker(reason)
                            return
                        sweep_here(grace=grace)
                        record_sweep(name=name)
                        if time.monotonic() >= next_minute:
                            next_minute = time.monotonic() + MINUTE
                            each_minute()
                        if time.monotonic() >= next_tidying:
                            next_tidying = time.monotonic() + TIDY_SECONDS
                            tidy_once()
                except Exception as error:
                    note_failed_sweep(error)
                    log.exception("A sweep failed; the next one is in %s s", settings.SWEEP_SECONDS)
