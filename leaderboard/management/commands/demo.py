import os
import sys
from argparse import ArgumentParser
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from django.conf import settings
from django.contrib.auth.models import User
from django.core.management import call_command
from django.core.management.base import BaseCommand
from django.utils import timezone

from benchmarks.bundled.synthetic_models import DAYS
from benchmarks.management.console import writable_database
from benchmarks.registry import protocols
from leaderboard.accounts.services import demo_email, ensure_demo_accounts
from leaderboard.environment import given
from leaderboard.operations.demo_world import load_world
from leaderboard.operations.supervisor import (
    free_port,
    judging_processes,
    site_processes,
    supervise,
)

PORT = 8000


class Command(BaseCommand):
    help = (
        "A whole site on this machine: content loaded, samples judged, web and worker running. "
        "Ctrl-C stops it."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--port", type=int, default=PORT)
        parser.add_argument(
            "--setup-only", action="store_true", help="load and judge all, start nothing"
        )
        parser.add_argument(
            "--small", action="store_true", help="without synthetic models and their three days"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        with writable_database():
            call_command("migrate", verbosity=0, interactive=False)
            passwords = ensure_demo_accounts()
            owner = User.objects.get(email=demo_email("researcher"))
            with ThreadPoolExecutor(1) as beside, judging_processes() as pool:
                # compressing files takes no turn of Python
                static = beside.submit(collect_static)
                load_world(
                    families=protocols().values(),
                    owner=owner,
                    now=timezone.now(),
                    say=self.stdout.write,
                    judge_last=options["setup_only"] or options["small"],
                    days=0 if options["small"] else DAYS,
                    pool=pool,
                )
                static.result()
        if not options["setup_only"]:
            sys.exit(self.serve(options["port"], passwords))

    def serve(self, wanted: int, passwords: dict[str, str]) -> int:
        port = free_port(wanted)
        if port != wanted:
            self.stdout.write(f"Port {wanted} is taken; using {port}.")
        self.stdout.write(f"\n  Assay is at http://127.0.0.1:{port}/\n")
        for address, password in passwords.items():
            self.stdout.write(f"  account {address}  password {password}")
        if passwords:
            self.stdout.write("  These passwords are shown once; `make passwords` sets new ones.")
        else:
            self.stdout.write(
                "  Accounts admin@assay.example and researcher@assay.example; `make passwords` "
                "sets new passwords."
            )
        if not given().get("STAFF_SECOND_FACTOR"):
            os.environ["STAFF_SECOND_FACTOR"] = "false"
            self.stdout.write(
                "  The admin asks for no second factor here; on a site it does "
                "(STAFF_SECOND_FACTOR)."
            )
        self.stdout.write("  Ctrl-C stops everything.\n")
        self.stdout.flush()
        processes = site_processes(
            port=port,
            broker_url=settings.BROKER_URL,
            site_url=f"http://127.0.0.1:{port}",
        )
        return supervise(processes, cwd=Path(settings.BASE_DIR))


def collect_static() -> None:
    call_command("collectstatic", verbosity=0, interactive=False)
