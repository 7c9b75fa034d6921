from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand

from benchmarks.management.console import refuse, writable_database
from judging.engine.canary import NoCanaryError, run_canary
from judging.models import CanaryRun, JudgeSpec


class Command(BaseCommand):
    help = (
        "Ask a model judge its fixed cases once more, now, and say how many verdicts are what "
        "they were."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("spec", help="name of a judge spec")

    def handle(self, *args: Any, **options: Any) -> None:
        with writable_database():
            spec = (
                JudgeSpec.objects.select_related("prompt_set").filter(slug=options["spec"]).first()
            )
            if spec is None:
                raise refuse(f"There is no judge {options['spec']!r}.")
            try:
                run = run_canary(spec=spec)
            except NoCanaryError as error:
                raise refuse(str(error)) from None
        self.stdout.write(f"{spec}: {described(run)}")


def described(run: CanaryRun) -> str:
    if not run.finished:
        return "another worker took over"
    if not run.asked:
        return "no reply"
    moved = "" if run.mean_difference is None else f" · scores moved by {run.mean_difference:+z.2f}"
    model = f" · the endpoint reports {run.reported_model}" if run.reported_model else ""
    return f"{run.same} of {run.asked} verdicts the same, {run.unreadable} unreadable{moved}{model}"
