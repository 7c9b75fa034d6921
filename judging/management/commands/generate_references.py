from argparse import ArgumentParser
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand

from benchmarks.console import progress, refuse, writable_database
from benchmarks.models import Release
from benchmarks.references import LockedContentError
from judging.judges.base import JudgeHaltedError
from judging.services import NoReferencesError, generate_references


class Command(BaseCommand):
    help = "Have a model write the reference answers that today's approved descriptions ask for."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("release", help="slug of an open release")
        parser.add_argument("--model", required=True, help="MODEL@ENDPOINT")
        parser.add_argument("--all", action="store_true", help="also those that are up to date")

    def handle(self, *args: Any, **options: Any) -> None:
        model, _, endpoint = options["model"].rpartition("@")
        if not model or endpoint not in settings.JUDGE_ENDPOINTS:
            known = ", ".join(sorted(settings.JUDGE_ENDPOINTS)) or "none"
            raise refuse(f"Say --model MODEL@ENDPOINT with an endpoint of JUDGE_ENDPOINTS; known: {known}.")
        with writable_database(), progress(None, "references") as bar:
            release = Release.objects.filter(slug=options["release"]).select_related("benchmark").first()
            if release is None:
                raise refuse(f"There is no release {options['release']!r}.")
            try:
                done = generate_references(
                    release=release,
                    model=model,
                    endpoint=endpoint,
                    everything=options["all"],
                    on_progress=bar.update,
                )
            except (NoReferencesError, LockedContentError, JudgeHaltedError) as error:
                raise refuse(str(error)) from None
        self.stdout.write(f"{done.made} made, {done.current} were current, {done.undescribed} without a description")
        for reason, count in done.failed.items():
            self.stdout.write(f"{count} failed: {reason}")
