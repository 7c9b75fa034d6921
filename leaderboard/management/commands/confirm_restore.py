from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand

from benchmarks.management.console import refuse, writable_database
from judging.coordination import spending, witness
from judging.coordination.money import print_money
from judging.models import JudgeRun, JudgeSpec, ReferenceRequest
from judging.services.estimates import estimate_run
from judging.services.runs import request_missing_runs
from leaderboard.models import OutgoingMail
from leaderboard.models.notices import WebhookDelivery


class Command(BaseCommand):
    help = (
        "After the database was restored: list what would be asked and sent again, and with --yes "
        "let it be. Calls, mails and webhooks wait until then."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--yes", action="store_true", help="let it be asked and sent")

    def handle(self, *args: Any, **options: Any) -> None:
        with writable_database():
            if not (restored := witness.problem()):
                self.stdout.write("The database is as new as what left the site: nothing waits.")
                return
            self.stdout.write(f"{restored}\n\n")
            self.stdout.writelines(f"{line}\n" for line in waiting_lines())
            if not options["yes"]:
                raise refuse(
                    "Nothing was changed. Compare with the bill of the endpoint, withdraw or pause "
                    "what should not be asked again, and run this with --yes."
                )
            try:
                witness.confirm()
            except OSError as error:
                raise refuse(
                    f"{witness.unwritable(error)} Remove {witness.path()} if need be."
                ) from None
        spending.look_again()
        self.stdout.write("Confirmed: workers go on within seconds.")


def waiting_lines() -> list[str]:
    """A line per run with calls of a paid judge that are left, then what else would leave."""
    request_missing_runs()  # as a worker would, which spends nothing
    lines, calls, cost = [], 0, 0
    runs = JudgeRun.objects.unscored().not_withdrawn().exclude(judge_spec__kind=JudgeSpec.RULES)
    for run in runs.select_related("submission__model", "judge_spec").order_by("created"):
        estimate = estimate_run(run.submission, run.judge_spec)
        if estimate.calls:
            paused = ", paused" if run.paused else ""
            lines.append(
                f"{estimate.calls:,} calls to {run.judge_spec} for {run.submission} "
                f"({run.submission.pk}): about {print_money(estimate.cost)}{paused}"
            )
            calls, cost = calls + estimate.calls, cost + estimate.cost
    lines.append(f"{calls:,} calls would be asked, about {print_money(cost)} in all.")
    others = {
        "requests for references": ReferenceRequest.objects.filter(finished=None),
        "mails": OutgoingMail.objects.all(),
        "deliveries to webhooks": WebhookDelivery.objects.filter(next_try__isnull=False),
    }
    counts = {title: rows.count() for title, rows in others.items()}
    lines += [f"Waiting {title}: {count:,}." for title, count in counts.items() if count]
    return lines
