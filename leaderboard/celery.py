"""The Celery application. Tasks are thin, messages are hints, rows are the truth."""

import os
from typing import Any

from celery import Celery
from celery.signals import celeryd_init

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "leaderboard.settings")

app = Celery("assay")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()
app.autodiscover_tasks(["leaderboard"], related_name="sweeps")


@celeryd_init.connect
def add_sweeper(instance: Any = None, **_: Any) -> None:
    """Workers, and only they, get the sweeping thread; its module needs Django's models."""
    from leaderboard.sweeps import Sweeper  # noqa: PLC0415 - models are not loaded when this module is

    app.steps["worker"].add(Sweeper)
