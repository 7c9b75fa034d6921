import sys
from typing import Any

from django.core.management.base import BaseCommand

from benchmarks.management.console import writable_database
from leaderboard.operations.files.stored_files import check_files, damaged_files


class Command(BaseCommand):
    help = (
        "Compare every stored file with its digest now; workers do so by themselves, a few at a "
        "time. Exit status 1 where any is damaged or missing, with what to do."
    )

    def handle(self, *args: Any, **options: Any) -> None:
        with writable_database():
            read = check_files(everything=True)
            found = damaged_files()
        self.stdout.write(f"{read:,} stored files read.")
        if found:
            self.stdout.write("\n".join(found))
            sys.exit(1)
        self.stdout.write("All are as their digests say.")
