from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.conf import settings
from django.contrib.auth.models import User
from django.core.management.base import BaseCommand

from benchmarks.management.console import (
    count_of,
    print_problems,
    readable_dataset,
    refuse,
    writable_database,
)
from benchmarks.models import Release
from benchmarks.protocols.base import Upload
from benchmarks.selectors import protocol_of
from benchmarks.submissions.models import EvaluatedModel, Submission
from benchmarks.submissions.naming.addresses import owner_of
from benchmarks.submissions.services import SubmissionRefusedError, accept_submission
from benchmarks.wake import send_sweep


class Command(BaseCommand):
    help = (
        "Submit a file of answers. It is checked as in the browser and accepted whole or not at "
        "all."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("release", help="slug of an open release")
        parser.add_argument(
            "file", type=Path, help="a file, or a folder of lists of answers in JSON"
        )
        parser.add_argument("--model", required=True, help="name of the evaluated model")
        parser.add_argument(
            "--owner", required=True, help="user name, or confirmed e-mail address, of an account"
        )
        parser.add_argument("--organisation", default="")
        parser.add_argument(
            "--public", action="store_true", help="show it on the board once it is judged"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        with writable_database():
            release = (
                Release.objects.filter(slug=options["release"]).select_related("benchmark").first()
            )
            if release is None:
                known = (
                    ", ".join(Release.objects.accepting().values_list("slug", flat=True)) or "none"
                )
                raise refuse(f"There is no release {options['release']!r}. Open releases: {known}.")
            owner = find_user(options["owner"])
            path: Path = options["file"]
            with readable_dataset(path, protocol_of(release), lists_only=True) as answers:
                upload = Upload(
                    f"{path.name}.json" if path.is_dir() else path.name, answers.stream.read()
                )
            for name in answers.left_out:
                self.stdout.write(f"Left out: {name} holds no list.")
            try:
                submission = accept_submission(
                    release=release,
                    upload=upload,
                    model=EvaluatedModel(
                        name=options["model"], organisation=options["organisation"]
                    ),
                    owner=owner,
                    visibility=Submission.Visibility.PUBLIC
                    if options["public"]
                    else Submission.Visibility.PRIVATE,
                )
            except SubmissionRefusedError as error:
                listing = print_problems(map(answers.located, error.problems))
                raise refuse(
                    f"The file is refused: {count_of(error.problems)}.\n{listing}"
                ) from None
        is_called = not settings.BROKER_URL or send_sweep()
        for note in submission.reading_notes:
            self.stdout.write(f"Note: {note['message']}")
        self.stdout.write(
            f"Accepted as submission {submission.pk}: {release.question_count:,} answers."
        )
        if not is_called:
            self.stdout.write(
                "The broker does not answer, so no worker was called: accepted, judged as soon as "
                f"a worker looks by itself, which each does every {settings.SWEEP_SECONDS:g} s."
            )


def find_user(name: str) -> User:
    user = User.objects.filter(username=name).first() or owner_of(name)
    if user is None:
        raise refuse(f"There is no account {name!r}.")
    return user
