"""Waking the workers early. The database is the queue: a lost message delays work until the next
sweep, no more."""

from celery import current_app
from django.conf import settings
from django.db import transaction

SWEEP = "assay.sweep"


def wake() -> None:
    """Once the transaction is committed, some worker looks for waiting rows. A broker that is down
    is only logged."""
    if settings.BROKER_URL:
        transaction.on_commit(send_sweep, robust=True)


def send_sweep() -> None:
    current_app.send_task(SWEEP, retry=False)
