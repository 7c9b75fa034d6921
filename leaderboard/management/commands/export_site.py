import shutil
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand
from django.test import override_settings

from benchmarks.management.console import progress, refuse, writable_database
from leaderboard.web.evidence.static_site import StaticSite, TooManyPagesError


class Command(BaseCommand):
    help = (
        "Write the public site as files that open from a disk: every page that a visitor without "
        "an account reaches by links."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--out", type=Path, required=True, help="a folder that is empty or new")
        parser.add_argument(
            "--base-url",
            default="",
            help="the site's own address, for links to what needs a server; they lead nowhere "
            "without it",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        out = options["out"]
        if out.exists() and (not out.is_dir() or any(out.iterdir())):
            raise refuse(f"{out} is there already, and is not an empty folder.")
        # The budget of a visitor ends within seconds, and this is whoever runs the site.
        unlimited = override_settings(VISITOR_SHARE=0)
        with unlimited, writable_database(), progress(None, "site") as bar:
            site = StaticSite(out, base_url=options["base_url"], advance=bar.update)
            try:
                pages = site.write()
            except BaseException as error:
                shutil.rmtree(out, ignore_errors=True)
                if isinstance(error, TooManyPagesError):
                    raise refuse(str(error)) from None
                raise
        for address in site.unanswered:
            self.stderr.write(f"Not in the copy, for the site did not answer: {address}")
        self.stdout.write(f"{pages:,} pages. Open {out / 'index.html'}")
