from argparse import ArgumentParser
from datetime import UTC, date
from typing import Any, NamedTuple

from django.core.management.base import BaseCommand, CommandError
from django.db.models import Count, Sum
from django.db.models.functions import Coalesce, TruncDate

from benchmarks.management.console import writable_database
from judging.coordination import witness
from judging.coordination.money import print_money, spend_drift
from judging.models import JudgeCall

COLUMNS = "{:<11} {:<20} {:<10} {:>9} {:>14} {:>14} {:>14}"
HEADS = COLUMNS.format("day", "endpoint", "outcome", "calls", "tokens in", "tokens out", "cost")
UNDECIDED = (JudgeCall.Outcome.OPEN, JudgeCall.Outcome.UNKNOWN)


class LedgerLine(NamedTuple):
    """Calls of a day, endpoint and outcome together. Calls for references have no endpoint in the
    ledger."""

    day: date
    endpoint: str | None
    outcome: str
    calls: int
    prompt_tokens: int
    reply_tokens: int
    cost: int

    def __str__(self) -> str:
        numbers = (f"{n:,}" for n in (self.calls, self.prompt_tokens, self.reply_tokens))
        endpoint = self.endpoint or "(references)"
        return COLUMNS.format(
            self.day.isoformat(), endpoint, self.outcome, *numbers, print_money(self.cost)
        )


class Command(BaseCommand):
    help = (
        "Print what was asked and spent, by day, endpoint and outcome. Exit status 1: a stored "
        "sum has drifted, or the database was restored and calls are missing."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--days", type=int, default=0, help="only so many of the latest days (default: all)"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        with writable_database():
            lines = ledger_lines()
            drift = spend_drift()
            restored = witness.problem()
        days = sorted({line.day for line in lines}, reverse=True)[: options["days"] or None]
        shown = [line for line in lines if line.day in days]
        self.print_lines("Calls", [line for line in shown if line.outcome not in UNDECIDED])
        undecided = [line for line in shown if line.outcome in UNDECIDED]
        self.print_lines("Calls still open or of unknown outcome, at their worst case", undecided)
        if restored:
            raise CommandError(restored, returncode=1)
        if drift:
            raise CommandError(
                "Stored sums differ from the ledger:\n" + "\n".join(drift), returncode=1
            )
        self.stdout.write("Every stored sum is that of the ledger.")

    def print_lines(self, title: str, lines: list[LedgerLine]) -> None:
        if not lines:
            self.stdout.write(f"{title}: none\n\n")
            return
        total = COLUMNS.format(
            "", "", "", "", "", "", print_money(sum(line.cost for line in lines))
        )
        self.stdout.write("\n".join([f"{title}:", HEADS, *map(str, lines), total]) + "\n\n")


def ledger_lines() -> list[LedgerLine]:
    """Newest day first."""
    grouped = JudgeCall.objects.values_list(
        TruncDate("started", tzinfo=UTC),
        Coalesce(
            "judgement__judge_spec__endpoint",
            "canary_case__judge_spec__endpoint",
            "judge_spec__endpoint",
        ),
        "outcome",
    ).annotate(
        calls=Count("pk"),
        sent=Coalesce(Sum("prompt_tokens"), 0),
        received=Coalesce(Sum("reply_tokens"), 0),
        total=Sum("cost"),
    )
    lines = [LedgerLine(*row) for row in grouped]
    return sorted(
        lines, key=lambda line: (-line.day.toordinal(), line.endpoint or "", line.outcome)
    )
