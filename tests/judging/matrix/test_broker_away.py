"""Rows 18 and 19: workers whose Redis is away, or has no memory left, for as long as it takes."""

import io
import os
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db.models import F
from kombu.utils.functional import retry_over_time

from benchmarks.registry import protocol
from benchmarks.services.importing import import_release
from deploy.private_services import Redis, find_programs, running_redis
from judging.coordination import money
from judging.models import JudgeCall, Judgement, JudgeRun
from leaderboard.celery import app
from leaderboard.models import Scoresheet
from leaderboard.operations.sweeps import BROKER_GRACE
from tests.chaos.workers import Worker
from tests.conftest import SPELLING
from tests.judging.matrix.small_site import (
    environment_of,
    make_run,
    own_database,
    paid,
    wait_until,
    wake_at,
    without_baselines,
    working,
)
from tests.judging.matrix.test_uploads import ACCEPTED_SECONDS, read, run, say
from tests.provider import RunningProvider, running_provider

pytestmark = [
    pytest.mark.services,
    pytest.mark.skipif("DATABASE_URL" not in os.environ, reason="needs `make test-services`"),
]
JUDGED_SECONDS = 60
HEARD_SECONDS = 60
TRIES = 150
WORDS = 24  # of which eight are under way when the broker goes


@dataclass(frozen=True)
class Site:
    folder: Path
    database: str
    redis: Redis
    worker: Worker
    judge: RunningProvider

    def upload(self) -> dict[str, Any]:
        """By a web process: status and seconds."""
        return read(
            run(self.folder, "upload", BROKER_URL=self.redis.url, DATABASE_URL=self.database)
        )

    def messages_heard(self) -> int:
        return self.worker.log.read_bytes().count(b"Task assay.sweep[")


@pytest.fixture
def site(transactional_db) -> Iterator[Site]:
    with TemporaryDirectory(prefix="assay-broker-") as name, own_database() as database:
        spelling = io.BytesIO(SPELLING)
        without_baselines(
            import_release(
                protocol=protocol("spelling"), stream=spelling, slug="spelling-1"
            ).release
        )
        User.objects.create_user("rosa", "rosa@example.org", "a long enough password")
        folder, program = Path(name), find_programs().redis_server
        with (
            running_redis(program, folder) as redis,
            running_provider(reply="auto", model="m") as provider,
        ):
            environment = environment_of(
                folder, database=database, broker=redis.url, judge=provider.url
            )
            with working(folder, environment) as worker:
                yield Site(folder, database, redis, worker, provider)


@contextmanager
def away(site: Site) -> Iterator[None]:
    site.redis.stop()
    yield
    site.redis.start(site.redis.port)


@contextmanager
def full(site: Site) -> Iterator[None]:
    """From the moment on in which the worker reads a message, of which Redis cannot even note that
    it was read."""
    site.worker.freeze()
    wake_at(site.redis.url)
    say(site.redis, "CONFIG SET maxmemory 1")
    site.worker.thaw()
    yield
    say(site.redis, "CONFIG SET maxmemory 0")


def let_the_grace_pass() -> None:
    """Workers leave a run to messages at first; this one was planned long enough ago."""
    wait_until(lambda: JudgeRun.objects.filter(planned__isnull=False).exists(), JUDGED_SECONDS)
    JudgeRun.objects.update(planned=F("planned") - BROKER_GRACE)


@pytest.mark.parametrize("without", [away, full])
def test_workers_judge_and_score_without_a_broker_and_hear_it_when_it_is_back(
    site: Site, without: Callable[[Site], AbstractContextManager[None]]
):
    with without(site):
        accepted = site.upload()
        assert accepted["status"] == 201
        assert accepted["seconds"] < ACCEPTED_SECONDS
        let_the_grace_pass()
        wait_until(Scoresheet.objects.exists, JUDGED_SECONDS)
        assert not site.worker.has_ended
    heard = site.messages_heard()
    wake_at(site.redis.url)
    wait_until(lambda: site.messages_heard() > heard, HEARD_SECONDS)
    assert set(Judgement.objects.values_list("state", flat=True)) == {"judged"}
    assert money.spend_drift() == []


def test_calls_under_way_when_the_broker_goes_are_waited_for_and_none_is_asked_twice(site: Site):
    site.judge.control(latency=3000)
    run = make_run(WORDS)
    wake_at(site.redis.url)
    wait_until(lambda: site.judge.stats()["in_flight"] > 0, JUDGED_SECONDS)
    with away(site):
        wait_until(
            lambda: "Connection to broker lost" in site.worker.log.read_text(), HEARD_SECONDS
        )
    wait_until(Scoresheet.objects.filter(run=run).exists, JUDGED_SECONDS)
    outcomes = JudgeCall.objects.exclude(outcome="unsent").values_list("outcome", flat=True)
    assert list(outcomes) == ["answered"] * WORDS
    assert site.judge.stats()["requests"] == paid(site.judge) == WORDS


def test_no_number_of_tries_makes_a_worker_give_its_broker_up():
    """Half a minute between two of them: what is refused at the 150th was away for more than an
    hour."""
    tries = iter(range(TRIES))

    def connect() -> bool:
        if next(tries, None) is not None:
            raise ConnectionRefusedError
        return True

    limit = app.conf.broker_connection_max_retries
    assert retry_over_time(
        connect,
        ConnectionRefusedError,
        max_retries=limit,
        interval_start=0,
        interval_step=0,
        interval_max=0,
    )
