"""A site is updated, and goes back, in the middle of the day: the web process of the release before
answers 1,000 requests while today's `migrate` runs forward, today's workers judge, and `migrate`
takes everything back.

python -m tests.drill.two_versions [COMMIT]      own servers, own endpoint, some two minutes

COMMIT is the release before: the newest tag before today's commit, or else 0.1.0.
"""

import os
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path

from deploy.private_services import ServiceError, StopSignals, end_process
from leaderboard.operations.processes.supervisor import HOST, free_port
from tests.chaos.workers import running_workers
from tests.drill.ground import START_SECONDS, Ground, ground, is_scored
from tests.drill.outcome import Outcome, books, play
from tests.release_before.make import checkout, fill
from tests.site import PROJECT

FIRST = "333246f"  # 0.1.0
REQUESTS, VISITORS = 1_000, 3
WORDS = 240
LATENCY_MS = 500
LIMIT_SECONDS = 180.0
PAGES = (
    *("/", "/boards/spelling/", "/boards/spelling/history/", "/boards/spelling/export.csv"),
    *("/models/", "/judges/", "/studies/", "/status/", "/api/v1/boards/spelling/"),
    *("/api/v1/entries/", "/search/?q=speller"),
)
HEADERS = {"Host": "testserver", "Cookie": "sessionid=nobodys"}
"""With a session pages are made for this visitor, of the database, and not taken from a cache."""
SETTINGS = {
    "DJANGO_SETTINGS_MODULE": "tests.settings_small_site",
    "JUDGE_PRICES_LAB": "m=2/2",
    "JUDGE_CONCURRENCY": "8",
    "SWEEP_SECONDS": "1",
    "VISITOR_SHARE": "0",
}


def release_before(commit: str) -> str:
    """The commit that was asked for, the newest tag, or the first release. LookupError: it is not
    in the history, with a sentence."""
    git = partial(subprocess.run, cwd=PROJECT, capture_output=True, text=True, check=False)
    tag = git(["git", "describe", "--tags", "--abbrev=0", "--match", "v*", "HEAD^"]).stdout.strip()
    chosen = commit or tag or FIRST
    if git(["git", "cat-file", "-e", f"{chosen}^{{commit}}"]).returncode:
        raise LookupError(
            f"Skipped: {chosen}, the release before, is not in the history here, as in a shallow"
            " clone or without git. Fetch it (git fetch --unshallow --tags), or name a commit."
        )
    return chosen


class Traffic:
    """Answers of pages by phase and status; 0 where there was none."""

    def __init__(self, url: str) -> None:
        self.url, self.phase = url, "before"
        self.found: Counter[tuple[str, int]] = Counter()
        self.failed: Counter[tuple[str, str, int]] = Counter()
        self.ended = threading.Event()

    def visit(self, first: int) -> None:
        place = first
        while not self.ended.is_set() or self.found.total() < REQUESTS:
            page, phase = PAGES[place % len(PAGES)], self.phase
            status = asked(f"{self.url}{page}")
            self.found[phase, status] += 1
            if status >= 500 or not status:
                self.failed[phase, page, status] += 1
            place += 1
            time.sleep(0.05)


def asked(address: str) -> int:
    try:
        with urllib.request.urlopen(
            urllib.request.Request(address, headers=HEADERS), timeout=60
        ) as r:
            r.read()
            return int(r.status)
    except urllib.error.HTTPError as error:
        return error.code
    except OSError:
        return 0


@contextmanager
def visited(url: str) -> Iterator[Traffic]:
    traffic = Traffic(url)
    visitors = [threading.Thread(target=traffic.visit, args=(4 * i,)) for i in range(VISITORS)]
    for visitor in visitors:
        visitor.start()
    try:
        yield traffic
    finally:
        traffic.ended.set()
        for visitor in visitors:
            visitor.join()


@contextmanager
def old_web(site: Ground, old: Path) -> Iterator[str]:
    """The address of the web process of that checkout, once it answers."""
    port = free_port()
    web = site.processes(port=port)["web"]
    with (site.folder / "web.log").open("wb") as log:
        process = subprocess.Popen(
            web.command,
            cwd=old,
            env={**web.environment, "PYTHONPATH": str(old)},
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
        )
    url = f"http://{HOST}:{port}"
    try:
        site.wait(lambda: asked(f"{url}/health/live") == 200, START_SECONDS, "the old web process")
        yield url
    finally:
        end_process(process)


def migrate(*arguments: str) -> float:
    """Seconds that today's `migrate` took. ServiceError: it failed."""
    start = time.monotonic()
    command = [sys.executable, "manage.py", "migrate", "--no-input", "-v", "0", *arguments]
    ran = subprocess.run(command, cwd=PROJECT, capture_output=True, text=True, check=False)
    if ran.returncode:
        raise ServiceError(f"migrate {' '.join(arguments)}: {ran.stderr[-500:]}")
    return time.monotonic() - start


def steps_back(old: Path) -> Sequence[tuple[str, str]]:
    """For each app that got migrations since, the last one of the checkout."""
    from leaderboard.results.versions.older_code import own_migrations

    had = {
        key
        for key, migration in own_migrations().items()
        if all(
            any(old.glob(f"**/{app}/migrations/{name}.py"))
            for app, name in migration.replaces or [key]
        )
    }
    ours = {app for app, _ in had}
    grown = {app for app, name in own_migrations() if app in ours and (app, name) not in had}
    return [(app, max(name for one, name in had if one == app)) for app in sorted(grown)]


def old_database(old: Path) -> None:
    """As the release before made it, with its small site."""
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute("DROP SCHEMA public CASCADE")
        cursor.execute("CREATE SCHEMA public")
    connection.close()
    fill(old)


def judged_today(site: Ground, url: str) -> tuple[Outcome, int, bool]:
    """What today's workers did with a run; the health of the old web process beside them, and
    whether it shows what they judged."""
    from judging.models import JudgeSpec
    from tests.judging.matrix.small_site import make_run

    run = make_run(WORDS)
    with running_workers(list(site.processes().values())):
        seconds = site.wait(lambda: is_scored(run.pk), LIMIT_SECONDS, "the run of today's workers")
        found = books(run.pk, WORDS, site.judge, seconds=seconds)
        time.sleep(5)  # boards are stored, and read by the old process
        health = asked(f"{url}/health/ready")
        judge = JudgeSpec.objects.get(runs=run).slug
        return found, health, asked(f"{url}/boards/spelling/?judge={judge}") == 200


def drill(signals: StopSignals, commit: str) -> Outcome:
    judge = {"model": "m", "reply": "auto", "latency": LATENCY_MS}
    with ground(signals, SETTINGS, judge=judge) as site:
        old = site.folder / "release_before"
        old.mkdir()
        checkout(commit, old)
        old_database(old)
        back = steps_back(old)
        with old_web(site, old) as url, visited(url) as traffic:
            time.sleep(3)
            traffic.phase = "forward"
            seconds = [migrate()]
            traffic.phase = "judging"
            found, beside, is_shown = judged_today(site, url)
            traffic.phase = "back"
            seconds += [migrate(*step) for step in back]
            traffic.phase = "forward again"
            seconds.append(migrate())
            traffic.phase = "back again"
            seconds += [migrate(*step) for step in back]
            after = asked(f"{url}/health/ready")
    total, errors = traffic.found.total(), traffic.failed.total()
    return replace(
        found,
        errors=errors,
        notes=(
            f"{commit} before; taken back to {', '.join(map('.'.join, back)) or 'the same'}",
            *(f"{phase}: {n:,} × {status}" for (phase, status), n in traffic.found.items()),
            *(f"{phase} {page}: {n:,} × {s}" for (phase, page, s), n in traffic.failed.items()),
            f"migrate took {', '.join(f'{one:.0f}' for one in seconds)} s",
        ),
        promises={
            **found.promises,
            f"{errors:,} of {total:,} requests failed": total >= REQUESTS and not errors,
            f"the old web process is {beside} beside newer workers, {after} after": (
                beside in (200, 503) and after == 200
            ),
            "it shows what newer workers judged": is_shown or beside == 503,
        },
    )


def main() -> int:
    try:
        commit = release_before(" ".join(sys.argv[1:]))
    except LookupError as error:
        sys.stdout.write(f"  {error}\n")
        return 0
    return play("two versions", partial(drill, commit=commit))


if __name__ == "__main__":
    os.chdir(PROJECT)
    sys.exit(main())
