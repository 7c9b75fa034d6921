from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand

from benchmarks.management.console import known_protocol, readable, refuse, writable_database
from judging.services import PromptsRefusedError, import_prompt_set


class Command(BaseCommand):
    help = (
        "Add a prompt set from a TOML file (version, about, [texts]): an era of its own, never "
        "changed after."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("protocol")
        parser.add_argument("file", type=Path)
        parser.add_argument(
            "--as-published",
            action="store_true",
            help="take texts without $delimiter; their era is labelled as without protection",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        protocol = known_protocol(options["protocol"])
        with readable(options["file"]) as stream, writable_database():
            try:
                prompts = import_prompt_set(
                    of=protocol, content=stream.read(), as_published=options["as_published"]
                )
            except PromptsRefusedError as error:
                raise refuse(f"The prompts are refused.\n{error}") from None
        self.stdout.write(
            f"Prompts {prompts.protocol} {prompts.version}, hash {prompts.content_hash[:16]}."
        )
        if prompts.caution:
            self.stdout.write(f"Their scores are an era labelled: {prompts.caution}.")
        self.stdout.write(
            "Judge with them: manage.py judge --all --judge model:MODEL@ENDPOINT --prompts "
            f"{prompts.version}"
        )
