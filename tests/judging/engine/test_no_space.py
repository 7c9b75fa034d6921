"""How long an engine keeps replies that the database cannot take."""

import time

import pytest
from django.db import OperationalError

from judging.engine.engine import NO_SPACE_SECONDS, PATIENCE_SECONDS, Engine


@pytest.mark.parametrize(
    ("error", "seconds"),
    [
        (OperationalError("server closed the connection"), PATIENCE_SECONDS),
        (OperationalError("database or disk is full"), NO_SPACE_SECONDS),
    ],
)
def test_replies_are_kept_longer_where_nobody_can_store_anything(error, seconds):
    engine = object.__new__(Engine)
    engine.lost_since = time.monotonic() - seconds + 5
    assert engine.may_wait_for_database(error)
    engine.lost_since -= 10
    assert not engine.may_wait_for_database(error)
