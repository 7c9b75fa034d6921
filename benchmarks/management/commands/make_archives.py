"""What releases give away in one file."""

import math
from typing import Any

from django.core.management.base import BaseCommand

from benchmarks.management.console import writable_database
from benchmarks.services.archives import make_archives


class Command(BaseCommand):
    help = (
        "Make the archives that people download of releases. Importing a release makes its own, "
        "and the hourly sweep those that are no longer right; this makes all of them at once, and "
        "anew those in which a picture was missing."
    )

    def handle(self, *args: Any, **options: Any) -> None:
        with writable_database():
            made = make_archives(missing=True, seconds=math.inf)
        self.stdout.write(f"{made:,} {'archive was' if made == 1 else 'archives were'} made.")
