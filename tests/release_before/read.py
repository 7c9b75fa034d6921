"""What visitors and an owner are answered by today's code on a database that another version wrote.

python -m tests.release_before.read DATABASE HOW      prints pages by status, as JSON

HOW: `kept`, as it is; `grown`, each document with more at its end, as a newer version may write;
`unknown`, each by a schema that this code does not know.
"""

import json
import os
import sys
import zlib
from collections import Counter
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlsplit

import django

os.environ["DATABASE_URL"] = f"sqlite:///{sys.argv[1]}"
os.environ["DJANGO_SETTINGS_MODULE"] = "tests.settings"
django.setup()

from django.conf import settings  # noqa: E402 - Django is there
from django.contrib.auth.models import User  # noqa: E402
from django.core.management import call_command  # noqa: E402
from django.test import Client  # noqa: E402

from benchmarks.common.triggers import lift  # noqa: E402
from leaderboard.models import (  # noqa: E402
    BoardEdition,
    BoardSnapshot,
    JudgeComparison,
    JudgeRecord,
    QuestionStatistics,
    Scoresheet,
    ShownFigures,
    ShownRow,
    StudyAnswer,
    StudyReport,
)
from leaderboard.results.snapshots.triggers import GUARDS  # noqa: E402
from leaderboard.results.versions.code import board_code  # noqa: E402
from leaderboard.results.versions.numbers import number_shown, numbers_of  # noqa: E402
from tests.finished_work import boards_are_stored  # noqa: E402
from tests.walk import kind_of, links_on  # noqa: E402

KEPT = (
    *(BoardEdition, BoardSnapshot, JudgeComparison, JudgeRecord),
    *(QuestionStatistics, Scoresheet, StudyReport),
)
DOCUMENTS = {
    Scoresheet: ("figures", "board_figures", "record"),
    BoardEdition: ("spans", "middles", "asked"),
    BoardSnapshot: ("head", "leaders", "changes"),
    JudgeComparison: ("judges", "pairs"),
    JudgeRecord: ("totals",),
    StudyReport: ("parts",),
    StudyAnswer: ("agreement", "people"),
}
API = "/api/v1"


def grown(value: Any) -> Any:
    """With one number more at the end of each row of values, and one member more in each object
    that has fixed ones."""
    if isinstance(value, dict):
        is_by_name = all(isinstance(one, dict | list) for one in value.values())
        more = {} if is_by_name else {"since": 1}
        return {**{key: grown(one) for key, one in value.items()}, **more}
    if isinstance(value, list):
        is_row = len(value) > 2 and not any(isinstance(one, dict | list) for one in value)
        return [*(grown(one) for one in value), *([1] if is_row else [])]
    return value


def grow() -> None:
    for model, names in DOCUMENTS.items():
        for row in model._default_manager.all():
            values = {name: grown(getattr(row, name)) for name in names if getattr(row, name)}
            model._default_manager.filter(pk=row.pk).update(**values)
    for row in ShownFigures.objects.all():
        more = grown(json.loads(zlib.decompress(row.values)))
        packed = zlib.compress(json.dumps(more).encode())
        ShownFigures.objects.filter(pk=row.pk).update(values=packed)
    for row in ShownRow.objects.all():
        text = json.dumps({**json.loads(row.text), "since": 1})
        ShownRow.objects.filter(pk=row.pk).update(text=text)


def take_for_own() -> None:
    """The stored boards are read as they are: boards of other code are computed anew."""
    boards_are_stored()
    numbers = numbers_of(["spelling"])
    BoardEdition.objects.update(code=board_code(), version=number_shown("spelling", numbers))
    BoardEdition.objects.get().release.benchmark.board_version.__class__.objects.update(
        code=board_code()
    )


def asked(client: Client, first: tuple[str, ...]) -> Iterator[tuple[str, int]]:
    """Page by page as links lead, of each kind one."""
    waiting = list(first)
    seen = {kind_of(address) for address in waiting}
    while waiting:
        address = waiting.pop()
        response = client.get(address)
        content = b"".join(response) if response.streaming else response.content
        yield address, response.status_code
        if response.get("Content-Type", "").startswith("text/html"):
            for link in links_on(str(content, "utf-8"), urlsplit(address).path):
                # The site's files are not kept beside its rows.
                if kind_of(link) not in seen and not link.endswith(("/logout/", "/file/")):
                    seen.add(kind_of(link))
                    waiting.append(link)


def first_pages() -> tuple[str, ...]:
    entries = Scoresheet.of_any_schema.values_list("submission", flat=True)
    judge = Scoresheet.of_any_schema.values_list("judge_spec__slug", flat=True).first()
    board = "/boards/spelling/"
    return (
        *("/", board, f"{board}history/", f"{board}questions/", f"{board}export.csv"),
        *("/judges/", f"/judges/{judge}/", "/studies/", "/models/", "/status/", "/submissions/"),
        *(f"/entries/{entry}/" for entry in entries),
        *(f"{API}/entries/{entry}/" for entry in entries),
        *(f"{API}/{name}/" for name in ("boards", "entries", "judges", "studies", "models")),
        *(f"{API}/boards/spelling/", f"{API}/judges/{judge}/", "/sitemap.xml"),
        *(f"{board}?snapshot={one.name}" for one in BoardSnapshot.of_any_schema.all()),
    )


def main(how: str) -> None:
    call_command("migrate", verbosity=0, interactive=False)
    settings.ALLOWED_HOSTS = ["*"]
    lift(GUARDS, plan=[("all", False)])
    if how == "grown":
        grow()
    take_for_own()
    if how == "unknown":
        for model in KEPT:
            model.of_any_schema.update(schema=model.SCHEMAS[-1] + 1)
    owner = Client(raise_request_exception=False)
    owner.force_login(User.objects.get(username="rosa"))
    statuses: Counter[int] = Counter()
    failed: set[str] = set()
    opened: set[str] = set()
    for client in (Client(raise_request_exception=False), owner):
        for address, status in asked(client, first_pages()):
            statuses[status] += 1
            is_to_come = status == 503 and "/evidence.zip" in address  # no worker made it yet
            (failed if status >= 500 and not is_to_come else opened).add(address)
    figures = {str(row): row.figures["accuracy"][:7] for row in Scoresheet.objects.all()}
    json.dump(
        {
            "statuses": statuses,
            "failed": sorted(failed),
            "opened": sorted(opened),
            "figures": figures,
        },
        sys.stdout,
    )


if __name__ == "__main__":
    main(sys.argv[2])
