import os
import signal
import sys
from argparse import ArgumentParser
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, TextIO

from django.conf import settings
from django.contrib.auth.models import User
from django.core.management import call_command
from django.core.management.base import BaseCommand
from django.db import transaction
from django.utils import timezone

from benchmarks.bundled.synthetic_models import DAYS
from benchmarks.management.console import refuse, refuse_unsound, writable_database
from benchmarks.registry import protocols
from leaderboard.accounts.services import DEMO_ACCOUNTS, demo_email, ensure_demo_accounts
from leaderboard.environment import given
from leaderboard.operations.demo_desk import load_desk
from leaderboard.operations.demo_world import load_world
from leaderboard.operations.supervisor import (
    HOST,
    PortError,
    SiteIsRunningError,
    free_port,
    judging_processes,
    only_site_of,
    port_number,
    site_processes,
    supervise,
    write_down,
)

PORT = 8000
INTERRUPTED = 130


class Command(BaseCommand):
    help = (
        "A whole site on this machine: content loaded, samples judged, web and worker running. "
        "Ctrl-C stops it."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--port", type=port_number, default=PORT)
        parser.add_argument(
            "--setup-only", action="store_true", help="load and judge all, start nothing"
        )
        parser.add_argument(
            "--small", action="store_true", help="without synthetic models and their three days"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        for number in (signal.SIGTERM, signal.SIGHUP):
            if signal.getsignal(number) != signal.SIG_IGN:
                signal.signal(number, signal.default_int_handler)
        try:
            free_port(options["port"])  # one that is refused is so before minutes of set-up
            with only_site_of(settings.VAR_DIR) as lock:
                self.set_up(options)
                if not options["setup_only"]:
                    sys.exit(self.serve(free_port(options["port"]), options["port"], lock))
        except (SiteIsRunningError, PortError) as error:
            raise refuse(str(error)) from None
        except KeyboardInterrupt:
            self.stderr.write("\nStopped. Started again, set-up goes on where it was.")
            sys.exit(INTERRUPTED)

    def set_up(self, options: dict[str, Any]) -> None:
        refuse_unsound(protocols().values())
        with writable_database():
            call_command("migrate", verbosity=0, interactive=False)
            ensure_demo_accounts(later=True)
            people = {name: User.objects.get(email=demo_email(name)) for name in DEMO_ACCOUNTS}
            with ThreadPoolExecutor(1) as beside, judging_processes() as pool:
                # compressing files takes no turn of Python
                static = beside.submit(collect_static)
                load_world(
                    families=protocols().values(),
                    owner=people["researcher"],
                    now=timezone.now(),
                    say=self.stdout.write,
                    judge_last=options["setup_only"] or options["small"],
                    days=0 if options["small"] else DAYS,
                    pool=pool,
                )
                drafts = load_desk(
                    families=protocols().values(),
                    annotator=people["annotator"],
                    reviewer=people["reviewer"],
                )
                for release in drafts:
                    self.stdout.write(f"For annotators and reviewers: {release.title}")
                static.result()

    def serve(self, port: int, wanted: int, lock: TextIO) -> int:
        if wanted not in (0, port):
            self.stdout.write(f"Port {wanted} is taken; using {port}.")
        self.stdout.write(f"\n  Assay is at http://{HOST}:{port}/\n")
        with transaction.atomic():  # who is stopped before they are shown is shown others
            passwords = ensure_demo_accounts()
            self.show(passwords)
        if not given().get("STAFF_SECOND_FACTOR"):
            os.environ["STAFF_SECOND_FACTOR"] = "false"
            self.stdout.write(
                "  The admin asks for no second factor here; on a site it does "
                "(STAFF_SECOND_FACTOR)."
            )
        self.stdout.write("  Ctrl-C stops everything.\n")
        self.stdout.flush()
        write_down(lock, f"at http://{HOST}:{port}/")
        processes = site_processes(
            port=port,
            broker_url=settings.BROKER_URL,
            site_url=f"http://{HOST}:{port}",
        )
        return supervise(processes, cwd=Path(settings.BASE_DIR), kept=[lock.fileno()])

    def show(self, passwords: dict[str, str]) -> None:
        for address, password in passwords.items():
            self.stdout.write(f"  account {address}  password {password}")
        if passwords:
            self.stdout.write("  These passwords are shown once; `make passwords` sets new ones.")
        else:
            self.stdout.write(
                f"  Accounts {', '.join(map(demo_email, DEMO_ACCOUNTS))}; `make passwords` sets "
                "new passwords."
            )
        self.stdout.flush()


def collect_static() -> None:
    call_command("collectstatic", verbosity=0, interactive=False)
