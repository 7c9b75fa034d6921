"""Smaller copies of the figures there are, for pages."""

from typing import Any

from django.core.management.base import BaseCommand

from benchmarks.management.console import writable_database
from benchmarks.services.renditions import make_renditions


class Command(BaseCommand):
    help = (
        "Make smaller copies of figures for pages. Importing a release makes those of its "
        "figures, and the hourly sweep some at a time; this makes all there are to make."
    )

    def handle(self, *args: Any, **options: Any) -> None:
        with writable_database():
            made = make_renditions(limit=None)
        self.stdout.write(f"{made:,} {'picture was' if made == 1 else 'pictures were'} looked at.")
