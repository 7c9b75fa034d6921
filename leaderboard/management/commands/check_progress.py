import sys
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand

from benchmarks.management.console import writable_database
from judging.coordination import witness
from leaderboard.operations.files.stored_files import damaged_files
from leaderboard.operations.health import no_space
from leaderboard.operations.progress import (
    PATIENCE_SECONDS,
    SILENCE_SECONDS,
    Progress,
    Worker,
    read_progress,
)
from leaderboard.results.formatting import print_age


class Command(BaseCommand):
    help = (
        "Exit status 1 where work waits and nobody does it, a worker's clock or files are not the "
        "site's, there is no space left, or the database was restored and nobody has confirmed it; "
        "0 where all is well."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--patience",
            type=float,
            default=PATIENCE_SECONDS,
            help="seconds work may wait untouched",
        )
        parser.add_argument(
            "--silence", type=float, default=SILENCE_SECONDS, help="seconds a worker may be unseen"
        )
        parser.add_argument(
            "--workers", type=int, default=0, help="also 1 where fewer workers than this were seen"
        )
        parser.add_argument("--host", default="", help="count only the workers of this host")

    def handle(self, *args: Any, **options: Any) -> None:
        with writable_database():
            progress = read_progress()
            damaged = damaged_files()
            found = [witness.problem(), no_space()]
        faults = [
            *found,
            progress.fault(patience=options["patience"], silence=options["silence"]),
            too_few(progress, options["workers"], options["host"], options["silence"]),
            *problems(progress, options["host"], options["silence"]),
        ]
        self.stdout.write(
            f"{len(progress.alive(options['silence']))} of {len(progress.workers)} workers "
            f"seen, {waiting(progress)}"
        )
        if any(faults):
            self.stdout.write(" ".join(filter(None, faults)))
        self.stdout.writelines(f"{line}\n" for line in damaged)
        if any(faults):
            sys.exit(1)


def waiting(progress: Progress) -> str:
    if progress.waiting_seconds is None:
        return "no work waits"
    done = (
        "none was ever done"
        if progress.idle_seconds is None
        else f"last done {print_age(progress.idle_seconds)} ago"
    )
    return f"oldest work waits {print_age(progress.waiting_seconds)}, {done}"


def there(progress: Progress, host: str, silence: float) -> list[Worker]:
    return [worker for worker in progress.alive(silence) if host in ("", worker.host)]


def problems(progress: Progress, host: str, silence: float) -> list[str]:
    """What workers say of their clocks and files."""
    found = there(progress, host, silence)
    return [f"{worker.name}: {worker.problem}" for worker in found if worker.problem]


def too_few(progress: Progress, wanted: int, host: str, silence: float) -> str:
    """A sentence where fewer workers beat than there should be."""
    seen = len(there(progress, host, silence))
    where = f" on {host}" if host else ""
    return f"{seen} of {wanted} workers were seen{where}." if seen < wanted else ""
