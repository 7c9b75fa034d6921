from argparse import ArgumentParser
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand

from benchmarks.management.console import refuse, writable_database
from benchmarks.wake import wake
from judging.coordination import limits

UNITS = {
    "requests": "requests a minute",
    "tokens": "tokens a minute",
    "concurrent": "calls at once",
}


class Command(BaseCommand):
    help = (
        "Say of every judge endpoint whether it is open, held or halted, and what limits it has; "
        "or reopen one."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--reopen",
            metavar="ALIAS",
            help="end its halt and its holds, and go on with runs that were paused for it or for "
            "their judge there",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        aliases = sorted(settings.JUDGE_ENDPOINTS)
        with writable_database():
            if options["reopen"] is not None:
                self.reopen(options["reopen"], aliases)
                return
            for alias in aliases:
                self.stdout.write(
                    f"{alias}: {described(limits.endpoint_status(alias))} · "
                    f"{listed(limits.limits_of(alias))}"
                )
        if not aliases:
            self.stdout.write("No endpoint is configured: JUDGE_ENDPOINTS is empty.")

    def reopen(self, alias: str, aliases: list[str]) -> None:
        if alias not in aliases:
            raise refuse(
                f"There is no endpoint {alias!r} in JUDGE_ENDPOINTS; known: "
                f"{', '.join(aliases) or 'none'}."
            )
        resumed = limits.reopen(alias)
        wake()
        self.stdout.write(
            f"{alias} is open; {resumed} paused {'run goes' if resumed == 1 else 'runs go'} on"
        )


def described(status: limits.EndpointStatus) -> str:
    if status.is_paused_by_person:
        return f"paused by a person ({status.halt_reason})"
    if status.halt_reason:
        return f"halted ({status.halt_reason})"
    if status.held_seconds:
        return f"held for {status.held_seconds:.0f} s ({status.hold_reason})"
    return "open"


def listed(known: dict[str, int]) -> str:
    return (
        ", ".join(f"{known[name]:,} {unit}" for name, unit in UNITS.items() if name in known)
        or "no limits"
    )
