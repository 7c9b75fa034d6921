import os
import signal
import sys
from argparse import ArgumentParser
from pathlib import Path
from typing import Any, TextIO

from django.conf import settings
from django.contrib.auth.models import User
from django.contrib.staticfiles.management.commands import collectstatic
from django.core.management import call_command
from django.core.management.base import BaseCommand
from django.db import transaction
from django.utils import timezone

from benchmarks.bundled.synthetic_models import DAYS
from benchmarks.management.console import refuse, refuse_unsound, writable_database
from benchmarks.registry import protocols
from leaderboard.operations.demo.desk import load_desk
from leaderboard.operations.demo.world import load_releases, load_world
from leaderboard.operations.processes.supervisor import (
    HOST,
    Ended,
    PortError,
    SiteIsRunningError,
    free_port,
    judging_processes,
    only_site_of,
    port_number,
    site_processes,
    supervise,
    wait_for_answers,
    write_down,
)
from leaderboard.people.accounts.services import DEMO_ACCOUNTS, demo_email, ensure_demo_accounts
from leaderboard.project.environment import given
from leaderboard.project.style_sheets import WholeSheetsStorage

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
            free_port(options["port"])  # one that is refused is so before any set-up
            with only_site_of(settings.VAR_DIR) as lock:
                self.prepare(is_served_here=not options["setup_only"])
                if options["setup_only"]:
                    self.load(options)
                else:
                    sys.exit(self.serve(options, lock))
        except (SiteIsRunningError, PortError) as error:
            raise refuse(str(error)) from None
        except KeyboardInterrupt:
            self.stderr.write("\nStopped. Started again, set-up goes on where it was.")
            sys.exit(INTERRUPTED)

    def prepare(self, *, is_served_here: bool) -> None:
        """All that a first page needs."""
        with writable_database():
            refuse_unsound(protocols().values())
            self.say("Setting up the database")
            call_command("migrate", verbosity=0, interactive=False)
            ensure_demo_accounts(later=True)
            self.say("Collecting the site's own files")
            collect_static(compressed=not is_served_here)
            for release in load_releases(protocols().values()):
                self.say(f"Content: {release.title}, {release.question_count} questions")

    def load(self, options: dict[str, Any]) -> None:
        people = {name: User.objects.get(email=demo_email(name)) for name in DEMO_ACCOUNTS}
        with judging_processes() as pool:
            load_world(
                families=protocols().values(),
                owner=people["researcher"],
                now=timezone.now(),
                say=self.say,
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
            self.say(f"For annotators and reviewers: {release.title}")

    def serve(self, options: dict[str, Any], lock: TextIO) -> int:
        """The exit status. Pages are there at once, and fill while what ships is judged."""
        port, wanted = free_port(options["port"]), options["port"]
        if wanted not in (0, port):
            self.say(f"Port {wanted} is taken; using {port}.")
        asks_no_second_factor = not given().get("STAFF_SECOND_FACTOR")
        if asks_no_second_factor:
            os.environ["STAFF_SECOND_FACTOR"] = "false"
        write_down(lock, f"at http://{HOST}:{port}/")
        processes = site_processes(
            port=port,
            broker_url=settings.BROKER_URL,
            site_url=f"http://{HOST}:{port}",
        )
        self.say("Starting the site\n")

        def fill(ended: Ended) -> None:
            with transaction.atomic():  # who is stopped before they are shown is shown others
                self.show(ensure_demo_accounts())
            if asks_no_second_factor:
                self.say(
                    "  The admin asks for no second factor here; on a site it does "
                    "(STAFF_SECOND_FACTOR)."
                )
            if not wait_for_answers(port, ended):
                return  # what ended is told
            self.say(f"\n  Assay is at http://{HOST}:{port}/\n")
            self.say("  Boards fill while the samples are judged:\n")
            self.load(options)
            self.say("\n  All is loaded; a worker judges the rest. Ctrl-C stops everything.\n")

        return supervise(
            processes, cwd=Path(settings.BASE_DIR), kept=[lock.fileno()], meanwhile=fill
        )

    def say(self, line: str) -> None:
        self.stdout.write(line)
        self.stdout.flush()

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


def collect_static(*, compressed: bool) -> None:
    """Compressing takes longer than all else that a page needs, and wins nothing on this machine.
    Names are the same."""
    collect = collectstatic.Command()
    if not compressed:
        collect.storage = WholeSheetsStorage()
    call_command(collect, verbosity=0, interactive=False)
