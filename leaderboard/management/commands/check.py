"""Django's `check`: with the pages of the admin loaded, and with `--tag content` the benchmarks of
this site, whose scorers are tried. That takes half a second, and Django runs before every command
whatever is registered for good.
"""

from typing import Any

from django.contrib import admin
from django.core.checks import register
from django.core.checks.registry import registry
from django.core.management.commands import check

from benchmarks.checks import check_boards

CONTENT = "content"


class Command(check.Command):
    def handle(self, *app_labels: Any, **options: Any) -> None:
        admin.autodiscover()
        if options["list_tags"] or CONTENT in (options["tags"] or ()):
            register(check_boards, CONTENT)
        try:
            super().handle(*app_labels, **options)
        finally:
            registry.registered_checks.discard(check_boards)
