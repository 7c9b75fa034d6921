from argparse import ArgumentParser
from typing import Any
from uuid import UUID

from django.core.management.base import BaseCommand

from benchmarks.console import progress, refuse, writable_database
from benchmarks.selectors import protocol_of
from benchmarks.submissions.models import Submission
from judging.models import JudgeRun
from judging.selectors import run_counts
from judging.services import (
    PromptsRefusedError,
    UnknownJudgeError,
    find_spec,
    judge_run,
    plan_run,
    request_run,
    resume_run,
)
from leaderboard.models import Scoresheet
from leaderboard.services import score_run


class Command(BaseCommand):
    help = "Judge a submission, or all that are not judged yet, to the end in this terminal, and score it."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("submission", nargs="?", help="id of a submission")
        parser.add_argument("--all", action="store_true", help="every confirmed submission")
        parser.add_argument("--judge", default="", help="rules, openai:MODEL@ENDPOINT, or the name of a judge spec")

        parser.add_argument("--prompts", default="", help="version of the prompt set, for a model judge")
        parser.add_argument("--parser", default="", help="reply parser: strict (default) or official")

    def handle(self, *args: Any, **options: Any) -> None:
        if bool(options["submission"]) == bool(options["all"]):
            raise refuse("Name one submission, or say --all.")
        with writable_database():
            for submission in chosen_submissions(options["submission"]):
                try:
                    spec = find_spec(
                        of=protocol_of(submission.release),
                        name=options["judge"],
                        prompts=options["prompts"],
                        parser=options["parser"],
                    )
                except (UnknownJudgeError, PromptsRefusedError) as error:
                    raise refuse(str(error)) from None
                self.finish(request_run(submission=submission, spec=spec))

    def finish(self, run: JudgeRun) -> None:
        plan_run(run_id=run.pk)
        resume_run(run=run)
        counts = run_counts(run)
        if not counts.open and Scoresheet.objects.filter(run=run).exists():
            self.stdout.write(f"{run.submission.model}: judged before by {run.judge_spec.slug}")
            return
        if counts.open:
            with progress(counts.open, str(run.submission.model)) as bar:
                judge_run(run_id=run.pk, seconds=float("inf"), wait=True, on_progress=bar.update)
        counts = run_counts(run)
        if counts.open:
            self.stdout.write(f"{run.submission.model}: paused, {counts.open} judgements wait ({pause_reason(run)})")
            return
        sheet = score_run(run=run)
        self.stdout.write(
            f"{run.submission.model}: {counts.judged} judged, {counts.unreadable} unreadable, {counts.failed} failed"
            f" · {run.judge_spec.slug} · score {sheet.ranking}"
        )


def chosen_submissions(name: str | None) -> list[Submission]:
    found = Submission.objects.confirmed().standing().select_related("model", "release__benchmark")
    if name is None:
        return list(found.order_by("created"))
    try:
        return [found.get(pk=UUID(name))]
    except (ValueError, Submission.DoesNotExist):
        raise refuse(f"There is no confirmed submission {name!r}.") from None


def pause_reason(run: JudgeRun) -> str:
    row = run.judgements.filter(state="paused").first()
    return row.reason if row else "the next try is not due yet"
