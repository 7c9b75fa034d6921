"""The lane of large runs: a worker has one process for all of them, which plans, judges and scores
beside everything else.

So nobody small waits for them, and they wait for nobody small. A process, because a thread that
computes takes the interpreter away from the others in its process at every row that they read; one
for as long as there are large runs, because it takes a second to begin. What a broker's worker does
ends after 270 seconds; nothing here does. The run itself has a lease like any other
(judging.services.attempts): of several workers one is at it.
"""

import logging

from django.conf import settings
from django.db.models import Exists, OuterRef

from judging.engine.stopping import STOPPING
from judging.models import Judgement, JudgeRun
from judging.querysets import RunQuerySet, any_of
from judging.services import plan_waiting_runs
from judging.services.planning import runs_to_plan
from leaderboard.operations.processes.lent_connections import lent_connection
from leaderboard.operations.processes.supervisor import child_process
from leaderboard.operations.processes.worker_threads import WorkerThread
from leaderboard.operations.sweeps import grace_of_broker, idle_runs, judge_a_while
from leaderboard.results.entries.rejudging import held_back
from leaderboard.results.services import outdated_runs, runs_to_score, score_finished_runs

log = logging.getLogger(__name__)
JOB = "leaderboard.operations.processes.large_runs.work_on_large_runs"


def is_any_due() -> bool:
    """Whether a large run can be planned, judged or scored now."""
    due = Judgement.objects.all().claimable().filter(run=OuterRef("pk"))
    return any_of(
        large(runs_to_plan()),
        large(JudgeRun.objects.unscored().whole().not_withdrawn()).filter(Exists(due)),
        large(runs_to_score().unscored()).exclude(held_back()),
        *outdated_runs(large=True),
    )


def large(runs: RunQuerySet) -> RunQuerySet:
    return runs.of_size(large=True)


def work_on_large_runs() -> None:
    """Round by round, until nothing can be done or the process is told to stop."""
    while is_any_due() and not STOPPING.is_set():
        plan_waiting_runs(large=True)
        for run_id in idle_runs(among=large(JudgeRun.objects.all()), grace=grace_of_broker()):
            judge_a_while(run_id)
        score_finished_runs(large=True)
        STOPPING.wait(settings.SWEEP_SECONDS)


class LargeRuns(WorkerThread):
    """Sees to it that the process is there while there are large runs."""

    thread_name = "large runs"
    stop_seconds = 20

    def run(self) -> None:
        while not self.stopping.wait(settings.SWEEP_SECONDS):
            try:
                with lent_connection():
                    is_due = is_any_due()
                if is_due:  # the process has a connection of its own
                    self.see_through()
            except Exception:
                log.exception("Large runs failed; next look in %s s", settings.SWEEP_SECONDS)

    def see_through(self) -> None:
        process = child_process(JOB)
        process.start()
        while process.is_alive():
            if self.stopping.wait(0.2):
                process.terminate()
                process.join(self.stop_seconds)
                return
        if process.exitcode:
            log.error("The process of large runs ended with status %s", process.exitcode)
