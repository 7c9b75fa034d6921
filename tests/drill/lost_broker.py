"""The broker is away for a minute, or emptied, while two workers judge at an endpoint that takes
seconds: nothing is asked twice, no call stays open, and messages wake workers once it is back.

python -m tests.drill.lost_broker [redis|rabbitmq] [--seconds 60] [--emptied]
"""

import argparse
import re
import socket
import sys
import time
from collections import Counter
from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from pathlib import Path

from deploy.private_services import HOST, ServiceError, StopSignals
from tests.chaos.workers import Worker, running_workers
from tests.drill.ground import START_SECONDS, Broker, Ground, ground, is_scored, request_run
from tests.drill.outcome import Outcome, books, play
from tests.drill.rabbitmq import RabbitMQ, running_rabbitmq

LATENCY_MS = 4_000  # so that a lost broker meets calls which are under way
AT_ONCE = 8  # by each engine, of which there are two
MARGIN_SECONDS = 30.0  # of work beyond the time that the broker is away
WOKEN_SECONDS = 45.0  # until workers read messages again, once the broker is back
SUBMIT_SECONDS = 1.0  # that whoever hands in waits for a broker that is away
LIMIT_SECONDS = 300.0
RECEIVED = re.compile(rb"Task judging\.judge_run\[([0-9a-f-]+)\] received")


def read_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.drill.lost_broker")
    parser.add_argument("broker", nargs="?", choices=["redis", "rabbitmq"], default="redis")
    parser.add_argument("--seconds", type=float, default=60.0, help="for which it is away")
    parser.add_argument(
        "--emptied", action="store_true", help="Redis stays, and forgets every message"
    )
    return parser.parse_args()


def drill(arguments: argparse.Namespace, signals: StopSignals) -> Outcome:
    settings = {"JUDGE_CONCURRENCY": str(AT_ONCE)}
    with ground(
        signals,
        settings,
        broker=rabbitmq_in if arguments.broker == "rabbitmq" else None,
        judge={"latency": LATENCY_MS},
    ) as site:
        workers = list(site.processes(workers=2).values())
        with running_workers(workers):
            site.wait(lambda: all(worker.is_ready for worker in workers), START_SECONDS, "workers")
            return lose(site, workers, arguments.seconds, is_emptied=arguments.emptied)


def rabbitmq_in(folder: Path) -> AbstractContextManager[RabbitMQ]:
    return running_rabbitmq(folder / "rabbitmq")


def lose(site: Ground, workers: Sequence[Worker], seconds: float, *, is_emptied: bool) -> Outcome:
    from benchmarks.wake import wake

    assert site.broker is not None
    away = 0.0 if is_emptied else seconds
    questions = round((away + MARGIN_SECONDS) * 1000 / LATENCY_MS * AT_ONCE)
    run = request_run(site, questions)
    wake()
    site.wait(lambda: site.in_flight() >= AT_ONCE, START_SECONDS, "the first calls")
    time.sleep(LATENCY_MS / 1000)
    start = time.monotonic()
    sent = 0.0
    if is_emptied:
        empty(site.broker)
    else:
        site.broker.stop()
        wake()
        sent = time.monotonic() - start
        site.wait(lambda: time.monotonic() - start > away, away + 1)
        site.broker.start(site.broker.port)
    heard, back = messages_of(workers), time.monotonic()
    site.wait(lambda: wakes(workers, heard), LIMIT_SECONDS, "a message that wakes a worker")
    woken = time.monotonic() - back
    site.wait(lambda: is_scored(run.pk), LIMIT_SECONDS, "the scores")
    outcome = books(run.pk, 2 * questions, site.judge, seconds=woken)
    return replace(
        outcome,
        promises={
            **outcome.promises,
            f"woken by a message {woken:.1f} s after it was back": woken <= WOKEN_SECONDS,
            f"a wake-up message is given up after {sent:.1f} s": sent <= SUBMIT_SECONDS,
        },
        notes=(
            f"scored {time.monotonic() - start:.0f} s after it was "
            f"{'emptied' if is_emptied else 'lost'}, {delivered_again(workers)} messages "
            "delivered again",
        ),
    )


def wakes(workers: Sequence[Worker], heard: int) -> bool:
    """Whether a worker read another message. One sent at a broker that is only starting is lost."""
    from benchmarks.wake import wake

    wake()
    time.sleep(1)
    return messages_of(workers) > heard


def empty(broker: Broker) -> None:
    with socket.create_connection((HOST, broker.port), timeout=5) as connection:
        connection.sendall(b"FLUSHALL\r\n")
        if not connection.recv(100).startswith(b"+OK"):
            raise ServiceError("Redis did not empty itself.")


def messages_of(workers: Sequence[Worker]) -> int:
    return sum(worker.log.read_bytes().count(b"Task assay.sweep[") for worker in workers)


def delivered_again(workers: Sequence[Worker]) -> int:
    """Messages to judge a run that came while a worker was at them, or had done with them."""
    ids = Counter(name for worker in workers for name in RECEIVED.findall(worker.log.read_bytes()))
    return sum(count - 1 for count in ids.values())


if __name__ == "__main__":
    chosen = read_arguments()
    name = f"{'emptied' if chosen.emptied else 'lost'} {chosen.broker}"
    sys.exit(play(name, lambda signals: drill(chosen, signals)))
