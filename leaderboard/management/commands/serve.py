import shlex
import sys
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand

from benchmarks.management.console import refuse, writable_database
from leaderboard.operations.processes.supervisor import (
    GUNICORN,
    HOST,
    PortError,
    free_port,
    port_number,
    supervise,
)

PORT = 8000


class Command(BaseCommand):
    help = "The web server alone, with the settings of this environment."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--port", type=port_number, default=PORT)

    def handle(self, *args: Any, **options: Any) -> None:
        wanted: int = options["port"]
        try:
            port = free_port(wanted)
        except PortError as error:
            raise refuse(str(error)) from None
        if wanted not in (0, port):
            raise refuse(f"Port {wanted} is taken. Choose another: manage.py serve --port {port}")
        with writable_database():
            call_command("migrate", verbosity=0, interactive=False)
        call_command("collectstatic", verbosity=0, interactive=False)
        web = f"{shlex.quote(sys.executable)} -m {GUNICORN} --bind {HOST}:{port}"
        sys.exit(supervise({"web": (web, {})}, cwd=Path(settings.BASE_DIR)))
