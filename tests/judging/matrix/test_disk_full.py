"""Row 25: the disk of the database is full, on a file system of its own that really is. For SQLite
see test_changes."""

import os
import re
import secrets
import subprocess
import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import psycopg
import pytest
from django.contrib.auth.models import User
from django.core.files.storage import storages
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import call_command
from django.test import Client

from benchmarks.submissions.models import Answer, Submission
from deploy.private_services import (
    SYSTEM_USER,
    Postgres,
    find_programs,
    running_postgres,
)
from judging.coordination import money
from judging.models import JudgeCall, JudgeRun
from leaderboard.models import Scoresheet
from leaderboard.operations.health import problems
from tests.api_clients import session_client
from tests.judging.matrix.small_site import (
    database_at,
    judging,
    paid,
    wait_until,
)
from tests.provider import RunningProvider
from tests.small_disk import filled, mounted_disk

pytestmark = [
    pytest.mark.services,
    pytest.mark.skipif("DATABASE_URL" not in os.environ, reason="needs `make test-services`"),
]
WORDS = 400
LATENCY_MS = 250
SECONDS = 60


@dataclass(frozen=True)
class Site:
    postgres: Postgres
    provider: RunningProvider
    run: JudgeRun
    client: Client

    def upload(self) -> Any:
        """More than there is room for."""
        answers = "".join(
            f"{number}={secrets.token_hex(4000)}\n" for number in range(WORDS)
        ).encode()
        form = {
            "release": self.run.submission.release.slug,
            "model_name": "Other",
            "client_token": uuid.uuid4(),
            "file": SimpleUploadedFile("answers.txt", answers),
        }
        self.client.raise_request_exception = False
        return self.client.post("/submit/", form)

    def refusals(self) -> int:
        """How often a worker could not write what became of its calls, or that it makes more."""
        said = self.postgres.log.read_text()
        return len(
            re.findall(
                r"No space left on device\n(?:.*HINT.*\n)?.*STATEMENT:  \w+ .*judging_", said
            )
        )


@pytest.fixture
def disk() -> Iterator[Path]:
    with mounted_disk("48m") as found:
        yield found


@pytest.fixture
def postgres(disk, transactional_db) -> Iterator[Postgres]:
    """Its tables and indexes are on the small disk; its log and what it must write to go on are
    not."""
    tables = disk / "tables"
    tables.mkdir()
    subprocess.run(["chown", SYSTEM_USER, str(disk), str(tables)], check=True)
    programs = find_programs().postgres_folder
    with (
        TemporaryDirectory(prefix="assay-full-") as name,
        running_postgres(programs, Path(name)) as server,
    ):
        with psycopg.connect(server.url, autocommit=True) as admin:
            admin.execute(f"CREATE TABLESPACE small LOCATION '{tables}'")
            admin.execute("CREATE DATABASE assay TABLESPACE small")
        with database_at(server.url.removesuffix("/postgres") + "/assay"):
            call_command("migrate", verbosity=0, interactive=False)
            yield server


@pytest.fixture
def site(postgres, tmp_path) -> Iterator[Site]:
    """A worker that has begun to judge."""
    database = postgres.url.removesuffix("/postgres") + "/assay"
    owner = User.objects.create_user("rosa", "rosa@example.org", "a long enough password")
    with judging(tmp_path, database, WORDS, latency=LATENCY_MS, JUDGE_LEASE_SECONDS="30") as (
        run,
        provider,
    ):
        wait_until(lambda: run.judgements.filter(state="judged").count() >= WORDS // 8, SECONDS)
        yield Site(postgres, provider, run, session_client(owner))


def stored_files() -> set[str]:
    return set(storages["uploads"].listdir("")[1]) if storages["uploads"].exists("") else set()


def test_a_full_disk_is_waited_for_and_nothing_is_lost_scored_by_half_or_asked_again(disk, site):
    kept = stored_files()
    with filled(disk):
        refused = site.upload()
        assert (refused.status_code, refused["Retry-After"]) == (507, "600")
        assert "no space left for what you sent" in refused.content.decode()
        assert problems()["space"].startswith("There is no space left for the database")
        assert site.client.get("/status.json").json()["state"] == "stuck"
        wait_until(lambda: site.refusals() >= 2, SECONDS)
        assert not Scoresheet.objects.exists()
    assert (Submission.objects.count(), Answer.objects.count()) == (1, WORDS)
    assert stored_files() == kept
    wait_until(Scoresheet.objects.exists, SECONDS)
    assert set(site.run.judgements.values_list("state", flat=True)) == {"judged"}
    assert {count["seen"] for count in site.provider.stats()["answers"].values()} == {1}
    assert paid(site.provider) == WORDS == JudgeCall.objects.filter(outcome="answered").count()
    assert money.spend_drift() == []
    assert site.upload().status_code == 302
    assert "space" not in problems()
