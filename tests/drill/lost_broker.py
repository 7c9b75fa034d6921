"""The broker is away for a minute, or emptied, while two workers judge at an endpoint that takes
seconds: nothing is asked twice, and no call stays open.

python -m tests.drill.lost_broker [redis|rabbitmq] [--seconds 60] [--emptied]
                                  own servers, own provider, two minutes; status 1 where a promise
                                  is broken, 2 where a server is missing
"""

import argparse
import os
import re
import socket
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Protocol

import django

from deploy.private_services import (
    HOST,
    ServiceError,
    StopSignals,
    find_programs,
    running_postgres,
    running_redis,
)
from leaderboard.operations.supervisor import site_processes
from tests.chaos.workers import Worker, running_workers
from tests.drill.killed_workers import SETTINGS, is_scored
from tests.drill.rabbitmq import running_rabbitmq
from tests.provider import RunningProvider, running_provider

LATENCY_MS = 4_000  # so that a lost broker meets calls which are under way
AT_ONCE = 8  # by each engine, of which there are two
START_SECONDS = 60.0
LIMIT_SECONDS = 300.0
HEARD_SECONDS = 60.0  # until workers read messages again, once the broker is back
RECEIVED = re.compile(rb"Task judging\.judge_run\[([0-9a-f-]+)\] received")


class Broker(Protocol):
    port: int

    @property
    def url(self) -> str: ...

    def start(self, port: int) -> None: ...

    def stop(self) -> None: ...


def read_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.drill.lost_broker")
    parser.add_argument("broker", nargs="?", choices=["redis", "rabbitmq"], default="redis")
    parser.add_argument("--seconds", type=float, default=60.0, help="for which it is away")
    parser.add_argument(
        "--emptied", action="store_true", help="Redis stays, and forgets every message"
    )
    return parser.parse_args()


def main() -> int:
    arguments = read_arguments()
    signals = StopSignals()
    signals.install()
    try:
        return run(arguments, signals)
    except ServiceError as error:
        sys.stderr.write(f"lost broker: {error}\n")
        return 2


def run(arguments: argparse.Namespace, signals: StopSignals) -> int:
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="assay-drill-")))
        programs = find_programs()
        postgres = stack.enter_context(running_postgres(programs.postgres_folder, folder))
        broker: Broker = (
            stack.enter_context(running_redis(programs.redis_server, folder))
            if arguments.broker == "redis"
            else stack.enter_context(running_rabbitmq(folder / "rabbitmq"))
        )
        provider = stack.enter_context(running_provider(latency=LATENCY_MS, model="judge"))
        os.environ |= {
            **SETTINGS,
            "VAR_DIR": str(folder),
            "DATABASE_URL": postgres.url,
            "BROKER_URL": broker.url,
            "JUDGE_ENDPOINTS": f"lab={provider.url}",
            "JUDGE_CONCURRENCY": str(AT_ONCE),
            "JUDGE_LEASE_SECONDS": "30",
            "SWEEP_SECONDS": "2",
        }
        django.setup()
        processes = site_processes(port=0, broker_url=broker.url, workers=2)
        workers = [
            Worker(name, command.replace("WARNING", "INFO"), {**os.environ, **own}, folder)
            for name, (command, own) in processes.items()
            if name.startswith("worker")
        ]
        return drill(arguments, folder, workers, broker, provider, signals)


def drill(
    arguments: argparse.Namespace,
    folder: Path,
    workers: Sequence[Worker],
    broker: Broker,
    provider: RunningProvider,
    signals: StopSignals,
) -> int:
    from django.core.management import call_command

    from bench.judging_worker import make_release, submit
    from benchmarks.registry import protocol
    from benchmarks.wake import wake
    from judging.services import ensure_spec, request_run

    # as many as keep two engines busy for the time it is away, and some more before and after it
    rounds = (arguments.seconds + 30) * 1000 / LATENCY_MS
    questions = round(rounds * 2 * AT_ONCE / 2)  # each is asked about in both orders
    call_command("migrate", verbosity=0, interactive=False)
    spec = ensure_spec(of=protocol("touchstone"), kind="openai", endpoint="lab", model="judge")
    with running_workers(workers):
        wait_for(lambda: all(worker.is_ready for worker in workers), START_SECONDS, signals)
        run = request_run(submission=submit(make_release(folder, questions)), spec=spec)
        wake()
        wait_for(lambda: asked_at_once(provider) >= AT_ONCE, START_SECONDS, signals)
        time.sleep(LATENCY_MS / 1000)
        start = time.monotonic()
        if arguments.emptied:
            empty(broker)
        else:
            broker.stop()
            wait_for(lambda: time.monotonic() - start > arguments.seconds, LIMIT_SECONDS, signals)
            broker.start(broker.port)
        back = time.monotonic()
        heard = messages_of(workers)
        wait_for(lambda: wakes(workers, heard), HEARD_SECONDS, signals)
        heard_seconds = time.monotonic() - back
        wait_for(lambda: is_scored(run.pk), LIMIT_SECONDS, signals)
        took = time.monotonic() - start
        again = delivered_again(workers)
    name = f"{arguments.broker} {'emptied' if arguments.emptied else 'lost'}"
    sys.stdout.write(
        f"{name}: scored {took:.0f} s after it, woken {heard_seconds:.0f} s after it was back, "
        f"{again} messages delivered again\n"
    )
    return report(run.pk, 2 * questions, provider.stats())


def wakes(workers: Sequence[Worker], heard: int) -> bool:
    """Whether a worker read another message. One sent at a broker that is only starting is lost."""
    from benchmarks.wake import wake

    wake()
    time.sleep(1)
    return messages_of(workers) > heard


def asked_at_once(provider: RunningProvider) -> int:
    return int(provider.stats(with_answers=False)["in_flight"])


def wait_for(condition: Any, seconds: float, signals: StopSignals) -> None:
    end = time.monotonic() + seconds
    while not condition():
        signals.raise_if_received()
        if time.monotonic() > end:
            raise ServiceError(f"what was waited for did not come about within {seconds:g} s.")
        time.sleep(0.1)


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


def report(run: int, needed: int, stats: Mapping[str, Any]) -> int:
    from judging.models import JudgeCall, Judgement
    from judging.money import spend_drift

    states = Counter(Judgement.objects.filter(run=run).values_list("state", flat=True))
    ledger = Counter(JudgeCall.objects.values_list("outcome", flat=True))
    completed = sum(answer["completed"] for answer in stats["answers"].values())
    twice = Counter(
        JudgeCall.objects.exclude(outcome=JudgeCall.Outcome.UNSENT).values_list("judgement")
    )
    again = sum(count - 1 for count in twice.values())
    unended = ledger["open"] + ledger["unknown"]
    lines = {
        f"{states['judged']} of {needed} judged": states == {"judged": needed},
        f"{stats['requests']} requests seen, {completed} answered, {ledger['answered']} in the "
        "ledger": stats["requests"] == completed == ledger["answered"] == needed,
        f"{again} asked twice": again == 0,
        f"{unended} calls open or unknown": unended == 0,
        f"spend and ledger differ in {len(spend_drift())} scopes": not spend_drift(),
    }
    for line, holds in lines.items():
        sys.stdout.write(f"  {'holds' if holds else 'BROKEN'}  {line}\n")
    return 0 if all(lines.values()) else 1


if __name__ == "__main__":
    sys.exit(main())
