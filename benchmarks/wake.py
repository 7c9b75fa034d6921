"""Waking the workers early. The database is the queue: a lost message delays work until the next
sweep, no more."""

import logging

from celery import current_app
from django.conf import settings
from django.db import transaction

log = logging.getLogger(__name__)
SWEEP = "assay.sweep"


def wake() -> None:
    """Once the transaction is committed, some worker looks for waiting rows."""
    if settings.BROKER_URL:
        transaction.on_commit(send_sweep)


def send_sweep() -> bool:
    """Whether the broker took the message. One that is away, deaf or full is a line of the log:
    what waits is in the database."""
    try:
        current_app.send_task(SWEEP)
    except Exception as error:  # each broker has its own, and none of them may fail an upload
        log.warning("No worker was called, for the broker does not take a message: %s", error)
        return False
    return True
