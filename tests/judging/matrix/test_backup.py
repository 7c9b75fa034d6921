"""Row 44: a backup is taken while answers are judged, and put back later, by the lines of
docs/operator/backup.md."""

import io
import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.core.management import call_command
from django.db import connection

from deploy.private_services import find_programs, running_redis
from judging.coordination import money, spending, witness
from judging.engine.engine import judge_run
from judging.judges.base import JudgeUnavailableError
from judging.models import JudgeCall, JudgeRun
from leaderboard.models import Scoresheet, WorkerBeat
from leaderboard.operations.health import problems
from tests.judging.matrix.small_site import (
    database_at,
    environment_of,
    make_run,
    own_database,
    paid,
    wait_until,
    wake_at,
    working,
)
from tests.judging.scripted import ScriptedJudge
from tests.provider import RunningProvider, running_provider
from tests.site import PROJECT

WORDS = 600
LATENCY_MS = 100
SECONDS = 60
STILL_SECONDS = 5.0  # sweeps, and looks for work that lay about for a while
RTO_SECONDS = 30 * 60
BLOCK = re.compile(r"^```sh\n(.*?)^```", re.MULTILINE | re.DOTALL)
TAKE, TAKE_SQLITE, PUT_BACK, PUT_BACK_SQLITE = range(1, 5)  # the first names the places


def follow_the_guide(part: int, **environment: str) -> float:
    """The commands of that block of the page; the seconds they took."""
    page = (PROJECT / "docs/operator/backup.md").read_text()
    begun = time.monotonic()
    subprocess.run(
        ["bash", "-euc", BLOCK.findall(page)[part]],
        cwd=PROJECT,
        env=os.environ | environment,
        check=True,
        capture_output=True,
    )
    return time.monotonic() - begun


# --- PostgreSQL, 600 answers ----------------------------------------------------------------------


@pytest.fixture
def provider() -> Iterator[RunningProvider]:
    with running_provider(reply="auto", model="m", latency=LATENCY_MS) as provider:
        yield provider


@pytest.fixture
def database(transactional_db) -> Iterator[str]:
    with own_database() as url:
        yield url


def asked_about(run: JudgeRun) -> dict[str, str]:
    """States by the numbers that the provider counts by."""
    rows = run.judgements.values_list("answer__text", "state")
    return {text.partition(" ")[0]: state for text, state in rows}


@pytest.mark.services
@pytest.mark.skipif("DATABASE_URL" not in os.environ, reason="needs `make test-services`")
def test_what_a_restored_backup_knows_is_not_paid_again(
    database, provider, tmp_path, settings, capsys
):
    run = make_run(WORDS)
    places = {"DATABASE_URL": database, "VAR_DIR": str(settings.VAR_DIR), "BACKUP": str(tmp_path)}
    with running_redis(find_programs().redis_server, tmp_path) as redis:
        environment = environment_of(
            tmp_path,
            database=database,
            broker=redis.url,
            judge=provider.url,
            VAR_DIR=str(settings.VAR_DIR),
        )
        with working(tmp_path, environment):
            wake_at(redis.url)
            wait_until(lambda: run.judgements.filter(state="judged").count() >= WORDS // 3, SECONDS)
            backed_up = time.monotonic()
            took = follow_the_guide(TAKE, **places)
            wait_until(Scoresheet.objects.exists, SECONDS)
        lost_after = time.monotonic() - backed_up
        file = Path(run.submission.file.path)
        file.unlink()
        connection.close()
        back_in = follow_the_guide(PUT_BACK, **places)

        restored = asked_about(run)
        known = {key for key, state in restored.items() if state == "judged"}
        under_way = JudgeCall.objects.filter(outcome="open").count()
        assert problems().keys() == {"witness"}
        assert file.exists()
        asked = provider.stats()["requests"]
        WorkerBeat.objects.all().delete()
        with working(tmp_path, environment):
            wake_at(redis.url)
            wait_until(WorkerBeat.objects.filter(swept__isnull=False).exists, SECONDS)
            time.sleep(STILL_SECONDS)
        assert provider.stats()["requests"] == asked
        call_command("confirm_restore", "--yes", stdout=io.StringIO())
        assert problems() == {}
        begun = time.monotonic()
        with working(tmp_path, environment):
            wake_at(redis.url)
            wait_until(Scoresheet.objects.exists, SECONDS)
        again_in = time.monotonic() - begun

    after = provider.stats()["answers"]
    assert len(restored) == WORDS
    assert WORDS // 3 <= len(known) < WORDS
    assert {key: after[key]["completed"] for key in known} == dict.fromkeys(known, 1)
    assert paid(provider) == 2 * WORDS - len(known)
    assert set(asked_about(run).values()) == {"judged"}
    assert JudgeCall.objects.filter(outcome="open").count() == under_way
    assert money.spend_drift() == []
    assert back_in + again_in < RTO_SECONDS
    with capsys.disabled():
        say(
            f"RTO of {WORDS} judgements: put back in {back_in:.1f} s, judged and scored again "
            f"after {again_in:.1f} s"
        )
        say(
            f"RPO: {lost_after:.1f} s since the backup ({took:.1f} s), {WORDS - len(known)} "
            "verdicts paid for again"
        )


def say(line: str) -> None:
    sys.stdout.write(f"\n{line}")


# --- SQLite ---------------------------------------------------------------------------------------


def judge_the_rest(run: JudgeRun, *script: str | Exception) -> int:
    """How many were asked about."""
    run.judgements.update(not_before=None)
    judge = ScriptedJudge(script)
    judge_run(run_id=run.pk, judge=judge)
    return len(judge.asked)


@pytest.mark.slow
def test_the_same_holds_on_sqlite(committed, tmp_path):
    backup = tmp_path / "backup"
    backup.mkdir()
    places = {"VAR_DIR": str(tmp_path), "BACKUP": str(backup)}
    with database_at(f"sqlite:///{tmp_path}/assay.sqlite3"):
        call_command("migrate", verbosity=0, interactive=False)
        run = make_run(30)
        judge_the_rest(run, *["right"] * 10, JudgeUnavailableError("HTTP 500"))
        follow_the_guide(TAKE_SQLITE, **places)
        assert judge_the_rest(run, "right") == 20
        witness.refresh()
        connection.close()
        follow_the_guide(PUT_BACK_SQLITE, **places)
        assert run.judgements.filter(state="judged").count() == 10
        spending.look_again()
        assert judge_the_rest(run, "right") == 0
        call_command("confirm_restore", "--yes", stdout=io.StringIO())
        assert judge_the_rest(run, "right") == 20
        assert set(run.judgements.values_list("state", "verdict")) == {("judged", "right")}
        assert money.spend_drift() == []
