from argparse import ArgumentParser
from typing import Any
from uuid import UUID

from django.core.management.base import BaseCommand
from django.db.models import Q

from benchmarks.management.console import progress, refuse, writable_database
from benchmarks.selectors import protocol_of
from benchmarks.submissions.models import Submission
from judging.coordination.money import print_money
from judging.coordination.spending import reason_to_wait
from judging.engine.engine import judge_run
from judging.engine.stopping import STOPPING, stopped_by_interrupt
from judging.judge_names import names_a_model
from judging.models import Judgement, JudgeRun, JudgeSpec, PromptSet
from judging.selectors import RunCounts, run_counts
from judging.services import (
    PromptsRefusedError,
    UnknownJudgeError,
    find_spec,
    plan_run,
    request_run,
    resume_run,
    retry_failed,
)
from judging.services.estimates import estimate_run
from leaderboard.models import Scoresheet
from leaderboard.results.formatting import print_value
from leaderboard.results.services import score_run
from leaderboard.results.versions.older_code import too_old
from leaderboard.web.pages.submissions.cost import (
    print_duration,
    print_price,
    print_tokens,
    print_without_call,
)

State = Judgement.State
UNFINISHED = 1
INTERRUPTED = 130


class Command(BaseCommand):
    help = (
        "Judge a submission, or all that are not judged yet, to the end in this terminal, and "
        "score it. Exit status: 0 where all is judged; 1 where judging of any of them is not "
        "finished, or ended without a single verdict; 2 for a refusal; 130 after Ctrl-C."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("submission", nargs="?", help="id of a submission")
        parser.add_argument("--all", action="store_true", help="every confirmed submission")
        parser.add_argument(
            "--baselines",
            action="store_true",
            help="with --all: ask a model about baselines too, which the offline rules judge "
            "otherwise",
        )
        parser.add_argument(
            "--only-failed",
            action="store_true",
            help="ask again only for what this judge ended without a verdict",
        )
        parser.add_argument(
            "--estimate", action="store_true", help="say what it will take, and judge nothing"
        )
        parser.add_argument(
            "--judge",
            default="",
            help="rules, rules:NAME, model:MODEL@ENDPOINT, or the name of a judge spec",
        )

        parser.add_argument(
            "--prompts", default="", help="version of the prompt set, for a model judge"
        )
        parser.add_argument(
            "--parser", default="", help="reply parser: strict (default) or official"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        self.passed_over: dict[str, str] = {}
        if bool(options["submission"]) == bool(options["all"]):
            raise refuse("Name one submission, or say --all.")
        if reason := too_old():
            raise refuse(reason)
        chosen, are_done = 0, []
        with writable_database(), stopped_by_interrupt(self.say_stopping):
            for submission in chosen_submissions(
                options["submission"], only_confirmed=not options["estimate"]
            ):
                if (spec := self.judge_of(submission, options)) is None:
                    continue
                chosen += 1
                if options["estimate"]:
                    self.estimate(submission, spec)
                elif options["only_failed"]:
                    are_done.append(self.retry(submission, spec))
                else:
                    run = request_run(submission=submission, spec=spec)
                    are_done.append(not self.is_left_alone(run, options) and self.finish(run))
                if STOPPING.is_set():
                    raise SystemExit(INTERRUPTED)
        if not chosen:
            self.require_prompts(options["prompts"])
        if not all(are_done):
            raise SystemExit(UNFINISHED)

    def require_prompts(self, version: str) -> None:
        if version and not PromptSet.objects.filter(version=version).exists():
            raise refuse(f"There are no prompts {version!r}; import them with import_prompts.")

    def judge_of(self, submission: Submission, options: dict[str, Any]) -> JudgeSpec | None:
        """None for what --all leaves out, which is said, once a benchmark."""
        family = protocol_of(submission.release)
        if options["all"] and names_a_model(options["judge"]) and not family.default_prompts:
            self.pass_over(family.title, "its rules alone decide")
            return None
        try:
            spec = find_spec(
                of=family,
                name=options["judge"],
                prompts=options["prompts"],
                parser=options["parser"],
            )
        except PromptsRefusedError as error:
            if not options["all"]:
                raise refuse(str(error)) from None
            self.pass_over(family.title, f"{error}".removesuffix("."))
            return None
        except UnknownJudgeError as error:
            raise refuse(str(error)) from None
        is_baseline = submission.origin == Submission.Origin.BASELINE
        if options["all"] and is_baseline and not (spec.is_offline or options["baselines"]):
            self.stdout.write(
                f"{submission.model}: a baseline, left out; say --baselines to have a model asked "
                "about it"
            )
            return None
        return spec

    def pass_over(self, title: str, reason: str) -> None:
        """Of each benchmark it is said once."""
        if title not in self.passed_over:
            self.passed_over[title] = reason
            self.stdout.write(f"{title}: passed over, {reason[0].lower()}{reason[1:]}")

    def say_stopping(self) -> None:
        self.stderr.write("Stopping: what is under way is waited for. Ctrl-C again leaves at once.")

    def estimate(self, submission: Submission, spec: JudgeSpec) -> None:
        found = estimate_run(submission, spec)
        without = print_without_call(found)
        lines = [
            f"{submission.model}: {found.judgements:,} judgements by {spec.slug}",
            f"  calls     {found.calls:,}" + (f" ({without})" if without else ""),
            f"  price     {print_price(found)}",
        ]
        if found.calls:
            lines += [
                f"  tokens    {print_tokens(found)}",
                f"  duration  about {print_duration(found.seconds)}",
            ]
        capped = (
            [budget for budget in found.budgets if budget.left is not None]
            if found.is_priced
            else []
        )
        lines += [
            f"  left      {print_money(b.left or 0)} of {print_money(b.cap)}: {b.title}"
            for b in capped
        ]
        if found.refusal:
            lines.append(f"  {found.refusal} will not reach: judging would pause at its cap")
        self.stdout.write("\n".join(lines))

    def retry(self, submission: Submission, spec: JudgeSpec) -> bool:
        """Nothing is asked for the first time: what this judge was never asked about is left to a
        command without --only-failed. Whether the run, if there is one, is done."""
        run = JudgeRun.objects.filter(submission=submission, judge_spec=spec).first()
        asked = retry_failed(run=run, by=None) if run else 0
        if run and asked:
            self.stdout.write(
                f"{submission.model}: {asked} judgements without a verdict are asked again"
            )
            return self.finish(run, has_changed=True)
        self.stdout.write(f"{submission.model}: nothing to ask again of {spec.slug}")
        return run is None or is_done(run, run_counts(run))

    def is_left_alone(self, run: JudgeRun, options: dict[str, Any]) -> bool:
        """What a person paused goes on when it is named, or resumed in the admin; not with all the
        others."""
        is_paused = run.pause_kind == JudgeRun.Pause.PERSON
        if options["all"] and is_paused:
            name = run.submission.model
            self.stdout.write(f"{name}: left alone, someone paused it ({run.pause_reason})")
        return bool(options["all"] and is_paused)

    def finish(self, run: JudgeRun, *, has_changed: bool = False) -> bool:
        """Whether the run is done."""
        plan_run(run_id=run.pk)
        resume_run(run=run)
        counts = run_counts(run)
        if not counts.open and not has_changed and Scoresheet.objects.filter(run=run).exists():
            self.stdout.write(f"{run.submission.model}: judged before by {run.judge_spec.slug}")
            return is_done(run, counts)
        if counts.open:
            with progress(counts.open, str(run.submission.model)) as bar:
                judge_run(run_id=run.pk, seconds=float("inf"), wait=True, on_progress=bar.update)
        counts = run_counts(run)
        if counts.open and STOPPING.is_set():
            self.stdout.write(
                f"{run.submission.model}: stopped, {counts.open} judgements wait; say it again to "
                "go on"
            )
            return False
        if counts.open:
            self.stdout.write(f"{run.submission.model}: {unfinished_sentence(run, counts)}")
            if JudgeRun.objects.scorable().filter(pk=run.pk).exists():
                sheet = score_run(run=run)
                self.stdout.write(f"  scored without them: coverage {sheet.coverage:.3f}")
            return False
        sheet, release = score_run(run=run), run.submission.release
        board = protocol_of(release).board
        metric = board.METRICS[board.BOARD.ranking]
        self.stdout.write(
            f"{run.submission.model} · {release.slug}: {counts.judged:,} judged, "
            f"{counts.unreadable:,} unreadable, {counts.failed:,} failed, "
            f"{counts.excluded:,} excluded · {run.judge_spec.slug} · "
            f"{metric.title} {print_value(metric, sheet.ranking)}"
        )
        return is_done(run, counts)


def chosen_submissions(name: str | None, *, only_confirmed: bool) -> list[Submission]:
    found = Submission.objects.not_withdrawn().select_related("model", "release__benchmark")
    found = found.confirmed() if only_confirmed else found
    if name is None:
        return list(found.order_by("created"))
    try:
        return [found.get(pk=UUID(name))]
    except (ValueError, Submission.DoesNotExist):
        kind = "confirmed submission" if only_confirmed else "submission"
        raise refuse(f"There is no {kind} {name!r}.") from None


def is_done(run: JudgeRun, counts: RunCounts) -> bool:
    """Every judgement has ended, and where any ended without a verdict, the judge gave one at
    least: what needs no call has its verdict whatever the judge is worth."""
    if counts.open or counts.unreadable + counts.failed == 0:
        return not counts.open
    by_reply = Q(latency_ms__isnull=False) | Q(reused_from__isnull=False)
    return run.judgements.filter(by_reply, state=State.JUDGED).exists()


def unfinished_sentence(run: JudgeRun, counts: RunCounts) -> str:
    run.refresh_from_db()
    row = run.judgements.filter(state=State.PAUSED).first()
    if reason := run.pause_reason or (row.reason if row else ""):
        return f"paused, {counts.open} judgements wait ({reason})"
    if not JudgeRun.objects.not_withdrawn().filter(pk=run.pk).exists():
        return f"withdrawn, {counts.open} judgements are left"
    if reason := "" if run.judge_spec.is_offline else reason_to_wait():
        return f"not finished, {counts.open} judgements wait. {reason}"
    if leased := run.judgements.filter(state=State.LEASED).count():
        return (
            f"not finished, another process holds {leased} of the {counts.open} judgements that "
            "are left"
        )
    return f"not finished, {counts.open} judgements wait (the next try is not due yet)"
