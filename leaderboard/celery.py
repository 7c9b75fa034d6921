"""The Celery application. Tasks are thin, messages are hints, rows are the truth."""

import os
import threading
from typing import Any

from celery import Celery
from celery.signals import celeryd_init, worker_shutting_down
from django.conf import settings
from django.db import connections

from judging.engine.stopping import STOPPING

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "leaderboard.settings")

END_SECONDS = 60.0  # docs/operator/set_up_debian.md promises 40

app = Celery("assay")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()
app.autodiscover_tasks(["leaderboard.operations"], related_name="sweeps")


@celeryd_init.connect
def add_sweeper(instance: Any = None, **_: Any) -> None:
    """Workers, and only they, sweep, see to large runs, send mail and ask webhooks, in threads; the
    modules need Django's models. The pool is forked later, with the protocols and the client of
    judges imported."""
    from benchmarks.registry import protocols  # noqa: PLC0415
    from judging.judges import client  # noqa: PLC0415
    from leaderboard.operations.mail.outbox import Postman  # noqa: PLC0415 - models are not loaded when this module is
    from leaderboard.operations.processes.large_runs import LargeRuns  # noqa: PLC0415
    from leaderboard.operations.sweeps import Sweeper  # noqa: PLC0415
    from leaderboard.people.notices.messenger import Messenger  # noqa: PLC0415
    from leaderboard.results.versions.code import page_code  # noqa: PLC0415
    from leaderboard.results.versions.older_code import too_old  # noqa: PLC0415

    if reason := too_old():
        raise SystemExit(f"Assay cannot start: {reason}")
    page_code()  # of the files that this process runs, before others come
    protocols()
    for endpoint in settings.JUDGE_ENDPOINTS.values():
        client(endpoint["provider"])
    connections.close_all()  # none is handed on to the processes of the pool
    app.steps["worker"].add(Sweeper)
    app.steps["worker"].add(LargeRuns)
    app.steps["worker"].add(Postman)
    app.steps["worker"].add(Messenger)


@worker_shutting_down.connect
def stop_judging(**_: Any) -> None:
    """Main process and pool share the flag: engines end what is under way and give back the
    rest. A main process whose pool was killed with it would wait for that for ever."""
    STOPPING.set()
    last = threading.Timer(END_SECONDS, os._exit, (1,))
    last.daemon = True
    last.start()
