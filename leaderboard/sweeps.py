"""The sweep: each stage looks for rows in the state it waits for. Every worker runs it, with or without a broker."""

import logging
import threading
from datetime import timedelta

from celery import bootsteps, shared_task
from django.conf import settings
from django.db import close_old_connections
from django.utils import timezone

from benchmarks.wake import SWEEP
from judging import queue
from judging.models import Judgement, JudgeRun, ReferenceRequest
from judging.services import judge_run, plan_waiting_runs, request_missing_runs, write_requested_references
from judging.tasks import judge_run as judge_run_task
from judging.tasks import write_references as write_references_task
from leaderboard.services import score_finished_runs

log = logging.getLogger(__name__)
BROKER_GRACE = timedelta(seconds=10)


def prepare() -> list[int]:
    """New submissions have planned runs, lost leases wait again; the runs planned just now."""
    request_missing_runs()
    queue.release_expired()
    return plan_waiting_runs()


@shared_task(name=SWEEP)
def sweep_and_queue() -> None:
    for run_id in prepare():
        judge_run_task.delay(run_id)
    for request_id in ReferenceRequest.objects.claimable().values_list("pk", flat=True):
        write_references_task.delay(request_id)
    score_finished_runs()


def sweep_here(*, grace: timedelta) -> None:
    """All stages, in this process. Work younger than `grace` is left to the workers the broker wakes."""
    prepare()
    cutoff = timezone.now() - grace
    runs = JudgeRun.objects.standing().filter(planned__lt=cutoff).order_by("created")
    claimable = Judgement.objects.all().claimable()
    for run_id in runs.filter(pk__in=claimable.values("run")).values_list("pk", flat=True)[:20]:
        judge_run(run_id=run_id)
    for request_id in ReferenceRequest.objects.claimable().filter(created__lt=cutoff).values_list("pk", flat=True):
        write_requested_references(request_id=request_id)
    score_finished_runs()


class Sweeper(bootsteps.StartStopStep):
    """A thread of every worker's main process that sweeps on, whether or not a broker answers."""

    requires = ("celery.worker.components:Pool",)

    def __init__(self, worker: object, **options: object) -> None:
        super().__init__(worker, **options)
        self.stopping = threading.Event()
        self.thread: threading.Thread | None = None

    def start(self, worker: object) -> None:
        self.thread = threading.Thread(target=self.run, name="sweeper", daemon=True)
        self.thread.start()

    def stop(self, worker: object) -> None:
        self.stopping.set()
        if self.thread is not None:
            self.thread.join(timeout=20)

    def run(self) -> None:
        grace = BROKER_GRACE if settings.BROKER_URL else timedelta(0)
        while not self.stopping.wait(settings.SWEEP_SECONDS):
            close_old_connections()
            try:
                sweep_here(grace=grace)
            except Exception:
                log.exception("A sweep failed; the next one is in %s s", settings.SWEEP_SECONDS)
