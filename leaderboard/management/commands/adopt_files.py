from typing import Any

from django.core.management.base import BaseCommand

from benchmarks.management.console import writable_database
from leaderboard.operations.files.file_marks import adopt_files


class Command(BaseCommand):
    help = (
        "The files that this host sees are the site's from now on: after they were restored or "
        "moved without their marks."
    )

    def handle(self, *args: Any, **options: Any) -> None:
        with writable_database():
            changed = adopt_files()
        subject = f"The files in {', '.join(changed)}" if changed else "These files"
        self.stdout.write(f"{subject} {'are' if changed else 'were'} this site's.")
