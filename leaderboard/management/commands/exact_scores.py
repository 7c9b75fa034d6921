from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand

from benchmarks.management.console import refuse
from benchmarks.models import Release
from benchmarks.submissions.selectors import answer_sheet
from leaderboard.models import Scoresheet
from leaderboard.results.services import exact_score, verdicts_and_ratings


class Command(BaseCommand):
    help = (
        "Print the exact scores of a hidden test, computed from its verdicts. Pages show rounded "
        "ones; whoever is told an exact one can work out labels from two of them."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("release", help="its name in addresses")

    def handle(self, *args: Any, **options: Any) -> None:
        release = Release.objects.filter(slug=options["release"]).first()
        if release is None:
            known = ", ".join(Release.objects.hidden_tests().values_list("slug", flat=True))
            raise refuse(f"There is no such release; hidden tests: {known or 'none'}.")
        sheets = Scoresheet.objects.filter(submission__release=release).select_related(
            "run__judge_spec", "run__submission__model", "run__submission__release__benchmark"
        )
        for sheet in sheets.order_by("judge_spec__slug", "submission__created"):
            run = sheet.run
            answered = answer_sheet(run.submission)
            exact, _ = exact_score(run, answered, *verdicts_and_ratings(run, answered))
            self.stdout.write(
                f"{run.submission_id}\t{run.submission.model.name}\t{run.judge_spec.slug}\t"
                f"{'none' if exact is None else repr(exact)}\tshown as {sheet.ranking}"
            )
