"""A backup is put back that was made before a submission was judged: nothing is asked and no mail
sent again until an operator confirms it.

python -m tests.drill.old_backup             PostgreSQL and Redis, half a minute
python -m tests.drill.old_backup embedded    the embedded default
"""

import shutil
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

from deploy.private_services import StopSignals
from tests.chaos.workers import running_workers
from tests.drill.ground import START_SECONDS, Ground, ground, is_scored, request_run
from tests.drill.outcome import Outcome, play
from tests.site import PROJECT

QUESTIONS = 40
NEEDED = 2 * QUESTIONS
STILL_SECONDS = 15.0  # sweeps, and looks for work that lay about for a while
LIMIT_SECONDS = 120.0
EMBEDDED = "embedded"


def drill(signals: StopSignals) -> Outcome:
    with ground(signals, {"SWEEP_SECONDS": "1"}, on_servers=EMBEDDED not in sys.argv) as site:
        return put_back(site)


def put_back(site: Ground) -> Outcome:
    from django.core.mail import EmailMessage

    from judging.models import JudgeCall
    from leaderboard.models import OutgoingMail, WorkerBeat
    from leaderboard.operations.mail import outbox

    run = request_run(site, QUESTIONS)
    outbox.keep(EmailMessage("Hello", "Text", "assay@lab.org", ["somebody@lab.org"]))
    back_up(site)
    with running_workers([*site.processes(workers=1, with_beat=site.broker is not None).values()]):
        site.wait(lambda: is_scored(run.pk), START_SECONDS + LIMIT_SECONDS, "the scores")
        site.wait(lambda: not OutgoingMail.objects.exists(), LIMIT_SECONDS, "the mail")
        first = asked(site)
    restore(site)
    calls, mails = JudgeCall.objects.count(), OutgoingMail.objects.count()
    WorkerBeat.objects.all().delete()
    with running_workers([*site.processes(workers=1, with_beat=site.broker is not None).values()]):
        site.wait(
            lambda: WorkerBeat.objects.filter(swept__isnull=False).exists(),
            START_SECONDS,
            "a sweep",
        )
        time.sleep(STILL_SECONDS)
        again = asked(site) - first
        unsent = OutgoingMail.objects.count()
        told = [manage(name) for name in ("check_progress", "ledger", "confirm_restore")]
        listed = f"{NEEDED} calls would be asked" in told[-1].stdout
        confirmed = manage("confirm_restore", "--yes")
        start = time.monotonic()
        site.wait(lambda: is_scored(run.pk), LIMIT_SECONDS, "the scores after it was confirmed")
        seconds = time.monotonic() - start
        site.wait(lambda: not OutgoingMail.objects.exists(), LIMIT_SECONDS, "the mail again")
    return Outcome(
        seconds=seconds,
        calls=asked(site),
        verdicts=NEEDED,
        twice=again,
        notes=tuple(told[-1].stdout.splitlines()),
        promises={
            f"{first} calls before; the backup knows of {calls}, and of {mails} mail": (
                (first, calls, mails) == (NEEDED, 0, 1)
            ),
            f"{again} calls and {mails - unsent} mails while nobody confirmed": (
                again == 0 and unsent == mails
            ),
            f"check_progress, ledger and confirm_restore end with {[t.returncode for t in told]}": (
                [t.returncode for t in told] == [1, 1, 2]
            ),
            "what would be asked again is listed": listed,
            "confirmed, all of it is asked": confirmed.returncode == 0
            and asked(site) == first + NEEDED,
        },
    )


def asked(site: Ground) -> int:
    return int(site.judge.stats(with_answers=False)["requests"])


def kept(site: Ground) -> tuple[Path, Path]:
    """The database, and where its backup is."""
    folder = site.postgres.data if site.postgres else site.folder / "var" / "assay.sqlite3"
    return folder, site.folder / "servers-backup"


def back_up(site: Ground) -> None:
    from django.db import connection

    database, backup = kept(site)
    if site.postgres is None:
        sqlite3.connect(database).execute("VACUUM INTO ?", [str(backup)])
        return
    with connection.cursor() as cursor:
        cursor.execute("CHECKPOINT")  # private servers write their log late
    site.postgres.stop()
    subprocess.run(["cp", "-a", str(database), str(backup)], check=True)
    start(site)


def restore(site: Ground) -> None:
    from django.db import connection

    connection.close()
    database, backup = kept(site)
    if site.postgres is None:
        for end in ("-wal", "-shm"):
            database.with_name(database.name + end).unlink(missing_ok=True)
        shutil.copy(backup, database)
        return
    site.postgres.stop()
    shutil.rmtree(database)
    subprocess.run(["cp", "-a", str(backup), str(database)], check=True)
    start(site)


def start(site: Ground) -> None:
    from django.db import connection

    assert site.postgres is not None
    connection.close()
    site.postgres.start(site.postgres.port)


def manage(*arguments: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, "manage.py", *arguments],
        cwd=PROJECT,
        capture_output=True,
        text=True,
        check=False,
    )


if __name__ == "__main__":
    sys.exit(play("old backup", drill))
