"""The disk of a site on SQLite fills up while a worker judges, a release is imported and a database
is migrated: nothing is lost, asked twice, damaged or left behind, and all of it runs again.

python -m tests.drill.full_disk      the embedded default on a file system of its own; root alone
"""

import base64
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

from deploy.private_services import StopSignals
from tests.chaos.workers import running_workers
from tests.drill.ground import START_SECONDS, Ground, ground, is_scored, request_run
from tests.drill.outcome import Outcome, books, play
from tests.site import PROJECT
from tests.small_disk import filled

QUESTIONS = 60
LATENCY_MS = 500
FULL_SECONDS = 5.0
LIMIT_SECONDS = 120.0
SIZE = "64m"


@contextmanager
def disk() -> Iterator[Path | None]:
    """None where none can be mounted."""
    with TemporaryDirectory(prefix="assay-disk-") as name:
        mount = ["mount", "-t", "tmpfs", "-o", f"size={SIZE}", "assay-drill", name]
        try:
            is_mounted = subprocess.run(mount, capture_output=True).returncode == 0
        except OSError:
            is_mounted = False
        try:
            yield Path(name) if is_mounted else None
        finally:
            if is_mounted:
                subprocess.run(["umount", "--lazy", name], check=True)


def drill(signals: StopSignals) -> Outcome:
    with disk() as small:
        if small is None:
            return Outcome(0.0, {}, notes=("Skipped: no small file system can be mounted here.",))
        settings = {"JUDGE_CONCURRENCY": "4", "SWEEP_SECONDS": "0.5", "JUDGE_LEASE_SECONDS": "30"}
        with ground(
            signals, settings, on_servers=False, judge={"latency": LATENCY_MS}, var=small / "var"
        ) as site:
            return fill(site, small)


def fill(site: Ground, small: Path) -> Outcome:
    from django.db import connection

    from judging.models import Judgement
    from leaderboard.operations.files.stored_files import check_files, damaged_files

    promises = {"a migration that was stopped runs again": migrates_again(small)}
    run = request_run(site, QUESTIONS)
    [worker] = site.processes(workers=1).values()
    with running_workers([worker]):
        site.wait(lambda: worker.is_ready, START_SECONDS, "the worker")
        judged = Judgement.objects.filter(run=run.pk, state="judged")
        site.wait(lambda: judged.count() >= QUESTIONS // 4, LIMIT_SECONDS, "the first verdicts")
        before = stored(small)
        with connection.cursor() as cursor:  # or what is written next takes the place of old pages
            cursor.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        with filled(small):
            refused = import_pictures(small)
            known = judged.count()
            time.sleep(FULL_SECONDS)
            known = judged.count() - known
            left = stored(small) - before
        start = time.monotonic()
        site.wait(lambda: is_scored(run.pk), LIMIT_SECONDS, "the scores")
        outcome = books(run.pk, 2 * QUESTIONS, site.judge, seconds=time.monotonic() - start)
    again = import_pictures(small)
    read = check_files(everything=True)
    return replace(
        outcome,
        promises={
            **promises,
            **outcome.promises,
            f"while it was full {known} verdicts could be stored": known == 0,
            f"an import that was stopped leaves {len(left)} files": refused != 0 and not left,
            "and runs again": again == 0,
            f"none of {read} stored files is damaged": read > QUESTIONS and not damaged_files(),
        },
    )


def stored(small: Path) -> set[str]:
    """Files that the site keeps."""
    folders = ("figures", "uploads", "exports")
    files = (path for folder in folders for path in (small / "var" / folder).rglob("*"))
    return {path.name for path in files if path.is_file()}


def import_pictures(small: Path) -> int:
    """The exit status of an import of pictures that the disk has never seen."""
    from bench.judging_worker import ANSWER, DESCRIPTION
    from benchmarks.protocols.touchstone.dataset import COLUMNS, TAXONOMY
    from tests.benchmarks.pictures import picture

    ability = TAXONOMY[0]
    lines = ["\t".join(COLUMNS)]
    for number in range(5):
        content = base64.b64encode(picture(colour=f"#{number + 1:02x}ff7f")).decode()
        texts = ("What?", f"{number} {DESCRIPTION}", ANSWER, ability.title)
        lines.append("\t".join((str(number), content, *texts, ability.subtasks[0].title)))
    with TemporaryDirectory(prefix="assay-drill-import-") as folder:
        file = Path(folder, "official.tsv")
        file.write_text("\n".join(lines) + "\n", encoding="utf-8", newline="")
        return manage("import_release", "touchstone", str(file), "--slug", "drill-full")


def manage(*arguments: str, **environment: str) -> int:
    return subprocess.run(
        [sys.executable, "manage.py", *arguments],
        cwd=PROJECT,
        env={**os.environ, **environment},
        capture_output=True,
    ).returncode


def migrates_again(small: Path) -> bool:
    """Stopped by a disk that is nearly full."""
    own = small / "other"
    own.mkdir()
    with filled(small, leave=1_000_000):
        is_stopped = manage("migrate", VAR_DIR=str(own)) != 0
    done = manage("migrate", VAR_DIR=str(own)) == 0
    shutil.rmtree(own)
    return is_stopped and done


if __name__ == "__main__":
    sys.exit(play("full disk", drill))
