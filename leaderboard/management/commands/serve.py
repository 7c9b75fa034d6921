import os
import sys
from argparse import ArgumentParser
from typing import Any

from django.core.management import call_command
from django.core.management.base import BaseCommand

from benchmarks.management.console import refuse, writable_database
from leaderboard.operations.supervisor import GUNICORN, HOST, free_port

PORT = 8000


class Command(BaseCommand):
    help = "The web server alone, with the settings of this environment."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--port", type=int, default=PORT)

    def handle(self, *args: Any, **options: Any) -> None:
        port: int = options["port"]
        if free_port(port) != port:
            raise refuse(f"Port {port} is taken. Choose another: manage.py serve --port {port + 1}")
        with writable_database():
            call_command("migrate", verbosity=0, interactive=False)
        call_command("collectstatic", verbosity=0, interactive=False)
        program = [sys.executable, "-m", *GUNICORN.split(), "--bind", f"{HOST}:{port}"]
        os.execv(sys.executable, program)  # noqa: S606 - our own interpreter
