"""Row 24: the primary is lost while its answers are judged, and a streaming standby takes its
place.

Everybody has both addresses (`DATABASE_URL` with two hosts), so that nothing stands between site
and servers.
"""

import io
import os
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import psycopg
import pytest
from django.core.management import call_command

from deploy.private_services import (
    DATABASE_USER,
    HOST,
    REPLICATED,
    Postgres,
    find_programs,
    running_postgres,
)
from judging.coordination import money, witness
from judging.coordination.queue import MAX_UNKNOWN
from judging.models import JudgeCall, JudgeRun
from leaderboard.models import Scoresheet
from tests.chaos.content import patiently
from tests.judging.matrix.small_site import (
    database_at,
    judging,
    paid,
    wait_until,
)
from tests.provider import RunningProvider

pytestmark = [
    pytest.mark.services,
    pytest.mark.skipif("DATABASE_URL" not in os.environ, reason="needs `make test-services`"),
]
DURABLE = "synchronous_commit = on\nfull_page_writes = on\n"
WORDS = 160
LATENCY_MS = 250
SECONDS = 60


@dataclass(frozen=True)
class Pair:
    primary: Postgres
    standby: Postgres

    @property
    def url(self) -> str:
        """Of whichever of both takes writes."""
        hosts, ports = f"{HOST},{HOST}", f"{self.primary.port},{self.standby.port}"
        login = f"{DATABASE_USER}:{self.primary.password}"
        wanted = "target_session_attrs=read-write"
        return f"postgres://{login}@/postgres?host={hosts}&port={ports}&{wanted}"

    def fail_over(self) -> None:
        self.primary.stop()
        self.standby.promote()


@dataclass(frozen=True)
class Site:
    run: JudgeRun
    provider: RunningProvider

    def judged(self) -> int:
        return patiently(lambda: self.run.judgements.filter(state="judged").count())

    def await_scores(self) -> None:
        wait_until(lambda: Scoresheet.objects.filter(run=self.run).exists(), SECONDS)
        assert self.judged() == WORDS


@pytest.fixture
def pair(transactional_db) -> Iterator[Pair]:
    programs = find_programs().postgres_folder
    with ExitStack() as stack:
        one, two = (
            Path(stack.enter_context(TemporaryDirectory(prefix="assay-pair-"))) for _ in range(2)
        )
        primary = stack.enter_context(running_postgres(programs, one, DURABLE + REPLICATED))
        with database_at(primary.url):
            call_command("migrate", verbosity=0, interactive=False)
        yield Pair(primary, stack.enter_context(running_postgres(programs, two, primary=primary)))


def order(server: Postgres, setting: str, value: str) -> None:
    with psycopg.connect(server.url, autocommit=True) as connection:
        connection.execute(f"ALTER SYSTEM SET {setting} = '{value}'")
        connection.execute("SELECT pg_reload_conf()")


@pytest.fixture
def site(pair, tmp_path, settings) -> Iterator[Site]:
    """A worker that has begun to judge."""
    folder = str(settings.VAR_DIR)
    with (
        database_at(pair.url),
        judging(tmp_path, pair.url, WORDS, latency=LATENCY_MS, VAR_DIR=folder) as (run, provider),
    ):
        yield Site(run, provider)


def test_with_a_synchronous_standby_nothing_is_lost_and_every_call_stands_in_the_ledger(pair, site):
    order(pair.primary, "synchronous_standby_names", "*")
    wait_until(lambda: site.judged() >= WORDS // 4, SECONDS)
    pair.fail_over()
    site.await_scores()
    calls = Counter(JudgeCall.objects.values_list("outcome", flat=True))
    assert 0 <= paid(site.provider) - WORDS <= calls["open"] + calls["unknown"]
    assert site.provider.stats()["requests"] <= calls.total() - calls["unsent"]
    assert money.spend_drift() == []


def test_what_an_asynchronous_standby_had_not_got_is_asked_again_and_only_the_bill_shows_it(
    pair, site
):
    wait_until(lambda: site.judged() >= WORDS // 4, SECONDS)
    order(pair.standby, "primary_conninfo", "")  # the link is cut
    had, noted = site.judged(), witness.in_file().number
    wait_until(lambda: site.judged() >= had + WORDS // 4, SECONDS)
    # the first note may still have reached the standby
    wait_until(lambda: witness.in_file().number >= noted + 2, SECONDS)
    pair.fail_over()
    wait_until(lambda: bool(witness.problem()), SECONDS)
    assert not Scoresheet.objects.exists()
    call_command("confirm_restore", "--yes", stdout=io.StringIO())
    site.await_scores()
    said = site.provider.stats()
    assert paid(site.provider) > WORDS
    assert max(count["completed"] for count in said["answers"].values()) <= MAX_UNKNOWN
    assert said["requests"] > JudgeCall.objects.exclude(outcome="unsent").count()
