"""What is done to the site and when, drawn from a seed."""

import random
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum

CHILD_KILLS = 54
WORKER_KILLS = 8
UPLOADS_UNTIL = 0.5  # of the time of the faults
JITTER = 0.03


class Fault(Enum):
    UPLOAD = "an upload"
    KILL_CHILD = "a pool process killed"
    KILL_WORKER = "a whole worker killed"
    CRASH_DATABASE = "PostgreSQL crashed"
    FLUSH_BROKER = "Redis emptied"
    RESTART_BROKER = "Redis restarted"
    FREEZE = "a worker frozen"
    THAW = "it goes on"


RARE = (
    (Fault.FLUSH_BROKER, 0.15),
    (Fault.CRASH_DATABASE, 0.3),
    (Fault.FREEZE, 0.38),
    (Fault.RESTART_BROKER, 0.73),
    (Fault.CRASH_DATABASE, 0.85),
)


@dataclass(frozen=True, slots=True)
class Event:
    """`after` seconds from the start of the faults."""

    after: float
    fault: Fault


def schedule(*, seed: int, seconds: float, uploads: int, frozen_seconds: float) -> list[Event]:
    drawn = events(random.Random(seed), seconds, uploads, frozen_seconds)
    return sorted(drawn, key=lambda event: event.after)


def events(
    rng: random.Random, seconds: float, uploads: int, frozen_seconds: float
) -> Iterator[Event]:
    for number in range(uploads):
        yield Event(seconds * UPLOADS_UNTIL * number / uploads, Fault.UPLOAD)
    for fault, place in RARE:
        moment = seconds * (place + rng.uniform(-JITTER, JITTER))
        yield Event(moment, fault)
        if fault is Fault.FREEZE:
            yield Event(moment + frozen_seconds, Fault.THAW)
    for fault, count in ((Fault.KILL_CHILD, CHILD_KILLS), (Fault.KILL_WORKER, WORKER_KILLS)):
        for number in range(count):  # spread over all the time, not in heaps
            yield Event(seconds * (number + rng.random()) / count, fault)
