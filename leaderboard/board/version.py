"""What a board page depends on, as one short text: another text whenever the page may be another.

That is code (`CODE`, read when a process starts) and rows of the database: every public scoresheet of the benchmark
and of those shown beside it, with submission, model, release and judge, and how many versions of texts can be judged
by. A scoresheet's figures are not read for it: whatever writes them writes `computed`.
"""

import hashlib
import threading
from collections.abc import Iterable, Iterator, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db import connection
from django.db.models import BinaryField, Count, JSONField, Max, Model

from benchmarks.models import Benchmark, Description, Reference, Release
from benchmarks.registry import protocol
from benchmarks.submissions.models import EvaluatedModel, RankingDecision, Submission
from judging.models import JudgeSpec
from leaderboard.models import Scoresheet
from leaderboard.selectors import public_sheets

MOMENT = {
    "sqlite": "PRAGMA data_version",  # what other connections commit changes it; `total_changes` counts our own
    "postgresql": "SELECT pg_current_snapshot()::text",
}
Moment = tuple[object, object, int]


class Known(threading.local):
    """The versions that a thread found at one moment; connections belong to threads."""

    moment: Moment | None = None
    versions: dict[str, str]


known = Known()


def board_version(slug: str) -> str:
    """The version of what the benchmark's board shows, its rows read anew only if anything at all was committed."""
    moment = database_moment()
    if moment is None or moment != known.moment:
        known.moment, known.versions = moment, {}
    if slug not in known.versions:
        known.versions[slug] = digest([CODE, *board_rows(slug)])
    return known.versions[slug]


def database_moment() -> Moment | None:
    """Equal to an earlier one only if no transaction was committed in between; None inside a transaction, whose end
    may take back what it sees."""
    if connection.in_atomic_block:
        return None
    with connection.cursor() as cursor:
        cursor.execute(MOMENT[connection.vendor])
        (counter,) = cursor.fetchone()
    return connection.connection, counter, getattr(connection.connection, "total_changes", 0)


NAMES = (
    "submission__owner__username",
    "submission__owner__public_name__name",
    "submission__verification__decided_by__public_name__name",
)
"""Who handed in and who verified; a deleted account is told by its user name."""


def board_rows(slug: str) -> Iterator[tuple[Any, ...]]:
    slugs = [slug, *(neighbour.benchmark for neighbour in protocol(slug).board.BOARD.beside)]
    yield from (
        Benchmark.objects.filter(slug__in=slugs)
        .order_by("releases")
        .values_list(*small_fields(Benchmark), *small_fields(Release, "releases__"))
    )
    yield from (
        JudgeSpec.objects.filter(protocol__in=slugs)
        .order_by("pk")
        .values_list(*small_fields(JudgeSpec))
    )
    for versions in (
        Reference.objects.filter(question__benchmark__slug__in=slugs),
        Description.objects.filter(
            figure__benchmark__slug__in=slugs, state=Description.State.APPROVED
        ),
        RankingDecision.objects.filter(submission__release__benchmark__slug__in=slugs),
    ):  # never changed and never gone, so that another number or a newer one is another text
        yield tuple(versions.aggregate(Count("pk"), Max("pk")).values())
    sheets = Scoresheet.objects.filter(
        public_sheets(), submission__release__benchmark__slug__in=slugs
    ).order_by("pk")
    yield from sheets.values_list(
        *small_fields(Scoresheet),
        *small_fields(Submission, "submission__"),
        *small_fields(EvaluatedModel, "submission__model__"),
        *NAMES,
    )


def small_fields(model: type[Model], path: str = "") -> list[str]:
    """All columns but those of values as large as they like."""
    fields = model._meta.concrete_fields
    return [
        f"{path}{field.attname}"
        for field in fields
        if not isinstance(field, JSONField | BinaryField)
    ]


def digest(parts: Sequence[Any]) -> str:
    return hashlib.sha256(repr(parts).encode()).hexdigest()


# --- code -----------------------------------------------------------------------------------------------------


def code_version(paths: Iterable[Path]) -> str:
    """Another text whenever one of the files, or of those below the folders, has another content or name."""
    found = hashlib.sha256()
    for file in sorted(file for path in paths for file in (path, *path.rglob("*"))):
        if file.is_file() and file.suffix != ".pyc":
            content = file.read_bytes()
            found.update(f"{file}\n{len(content)}\n".encode() + content)
    return found.hexdigest()


def code_paths() -> Iterator[Path]:
    """Our code and templates, protocols from elsewhere, the names of stylesheets, and which packages are installed."""
    yield from (
        settings.BASE_DIR / name for name in ("benchmarks", "judging", "leaderboard", "templates")
    )
    yield from (
        Path(settings.STATIC_ROOT, "staticfiles.json"),
        settings.BASE_DIR / "requirements.txt",
    )
    for name in settings.PROTOCOLS:
        file = Path(str(import_module(name).__file__))
        yield file.parent if file.name == "__init__.py" else file


# Pages name these two, and a new name is a restart.
CODE = code_version(code_paths()) + repr([settings.SITE_NAME, settings.CONTACT_EMAIL])
