from argparse import ArgumentParser
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand

from benchmarks.management.console import progress, refuse, writable_database
from benchmarks.models import Release
from judging.desk.references.page import estimate_sentence
from judging.engine.references import (
    NoReferencesError,
    estimate_references,
    generate_references,
    request_references,
)
from judging.judges.base import JudgeHaltedError


class Command(BaseCommand):
    help = "Have a model propose the reference answers that today's approved descriptions ask for."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("release", help="slug of an open release")
        parser.add_argument("--model", required=True, help="MODEL@ENDPOINT")
        parser.add_argument("--all", action="store_true", help="also those that are up to date")
        parser.add_argument(
            "--yes", action="store_true", help="ask, and pay for it; without it the price is told"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        model, _, endpoint = options["model"].rpartition("@")
        if not model or endpoint not in settings.JUDGE_ENDPOINTS:
            known = ", ".join(sorted(settings.JUDGE_ENDPOINTS)) or "none"
            raise refuse(
                f"Say --model MODEL@ENDPOINT with an endpoint of JUDGE_ENDPOINTS; known: {known}."
            )
        with writable_database():
            found = Release.objects.filter(slug=options["release"])
            release = found.select_related("benchmark").first()
            if release is None:
                raise refuse(f"There is no release {options['release']!r}.")
            asked: dict[str, Any] = {"release": release, "model": model, "endpoint": endpoint}
            asked["everything"] = options["all"]
            try:
                estimate = estimate_references(**asked)
                self.stdout.write(estimate_sentence(estimate))
                if not estimate.calls:
                    return
                if estimate.refusal:
                    raise refuse(f"Nothing was asked: {estimate.refusal}.")
                if not options["yes"]:
                    self.stdout.write("Nothing was asked. Say --yes to ask and to pay.")
                    return
                request = request_references(
                    **asked,
                    requested_by=None,
                    calls=estimate.calls,
                    cost=estimate.cost,
                    claimed=True,
                )
                with progress(estimate.calls, "references") as bar:
                    done = generate_references(request=request, on_progress=bar.update)
            except (NoReferencesError, JudgeHaltedError) as error:
                raise refuse(str(error)) from None
        self.stdout.write(
            f"{done.made} proposed, {done.current} were current,"
            f" {done.undescribed} without a description. A reviewer approves them in the admin,"
            f" under reference requests: number {request.pk}."
        )
        for reason, count in done.failed.items():
            self.stdout.write(f"{count} failed: {reason}")
