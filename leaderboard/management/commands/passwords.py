from typing import Any

from django.core.management.base import BaseCommand

from benchmarks.management.console import writable_database
from leaderboard.people.accounts.services import ensure_demo_accounts


class Command(BaseCommand):
    help = "Give the demo accounts new random passwords and print them once."

    def handle(self, *args: Any, **options: Any) -> None:
        with writable_database():
            for address, password in ensure_demo_accounts(reset=True).items():
                self.stdout.write(f"{address}  {password}")
