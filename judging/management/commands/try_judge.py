from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand

from benchmarks.management.console import refuse, writable_database
from benchmarks.models import Release
from benchmarks.registry import protocols
from benchmarks.selectors import protocol_of
from judging.coordination.money import print_money
from judging.engine.trials import Trial, TrialRefusedError, try_judge
from judging.models import JudgeSpec
from judging.services import PromptsRefusedError, UnknownJudgeError, find_spec
from judging.services.estimates import usage_of_release

NO_VERDICT = 1
SHOWN_CHARACTERS = 600


class Command(BaseCommand):
    help = (
        "Ask a model judge about five questions of a release and print its replies, what is read "
        "in them, and the price. Exit status: 0 where a verdict came; 1 where none did; 2 for a "
        "refusal."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("name", help="model:MODEL@ENDPOINT, or the name of a judge spec")
        parser.add_argument("--release", default="", help="slug (default: one its model judges)")
        parser.add_argument("--prompts", default="", help="version of the prompt set")
        parser.add_argument("--parser", default="", help="reply parser: strict or official")

    def handle(self, *args: Any, **options: Any) -> None:
        with writable_database():
            release = chosen_release(options["release"], options["name"])
            try:
                spec = find_spec(
                    of=protocol_of(release),
                    name=options["name"],
                    prompts=options["prompts"],
                    parser=options["parser"],
                )
                trials = try_judge(spec=spec, release=release)
            except (UnknownJudgeError, PromptsRefusedError, TrialRefusedError) as error:
                raise refuse(str(error)) from None
        self.stdout.write(f"{spec.slug} on {release.slug}")
        for trial in trials:
            self.stdout.write(described(trial))
        self.stdout.write(summary(trials, spec, release))
        if not any(trial.verdict for trial in trials):
            raise SystemExit(NO_VERDICT)


def chosen_release(slug: str, name: str) -> Release:
    """The release of that slug; else the smallest open one that the judge can be asked about."""
    found = Release.objects.select_related("benchmark")
    if slug:
        release = found.filter(slug=slug).first()
        if release is None:
            raise refuse(f"There is no release {slug!r}.")
        return release
    spec = JudgeSpec.objects.filter(slug=name).first()
    judged = [spec.protocol] if spec else [k for k, p in protocols().items() if p.default_prompts]
    release = (
        found.filter(benchmark__slug__in=judged, opened__isnull=False)
        .order_by("question_count", "pk")
        .first()
    )
    if release is None:
        raise refuse("There is no open release to ask about: import one, or run manage.py demo.")
    return release


def described(trial: Trial) -> str:
    answer = "the reference itself" if trial.is_right else "another question's reference"
    shown = " ".join(trial.reply[:SHOWN_CHARACTERS].split()) or "(nothing)"
    read = f"verdict  {trial.verdict}" if trial.verdict else f"no verdict: {trial.fault}"
    return (
        f"\n{trial.question} · {trial.slot} · answered with {answer}\n  reply    {shown}\n  {read}"
    )


def summary(trials: list[Trial], spec: JudgeSpec, release: Release) -> str:
    verdicts = sum(bool(trial.verdict) for trial in trials)
    cost = sum(trial.cost for trial in trials)
    calls, usage = usage_of_release(release, spec)
    return (
        "\n"
        f"{verdicts} of {len(trials)} replies have a verdict. They cost {print_money(cost)}; the "
        f"{calls:,} calls for a submission would cost about {print_money(usage.cost)}."
    )
