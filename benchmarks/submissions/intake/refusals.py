"""All that is wrong with a refused file, kept for its sender: pages and the API show it by kind.

Bounded: KEPT of a person, for a day, of at most 12,000 problems (protocols/files/limits.py).
"""

import json
import zlib
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import timedelta
from uuid import UUID

from django.contrib.auth.models import User
from django.shortcuts import get_object_or_404
from django.utils import timezone

from benchmarks.common.spreadsheets import inert
from benchmarks.kept_documents import from_mapping
from benchmarks.protocols.base import Problem
from benchmarks.submissions.intake.problem_groups import EXAMPLES, grouped
from benchmarks.submissions.models import RefusedFile

KEPT = 3
"""Files of a person: whoever mends one looks at the newest, with another beside it at most."""
KEPT_FOR = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class Refusal:
    """What was wrong with a file. `missing`: ids of the release that it does not name."""

    id: UUID
    file_name: str
    problems: tuple[Problem, ...]
    missing: tuple[str, ...]


def keep_refusal(
    *, owner: User, file_name: str, problems: Sequence[Problem], missing: Sequence[str] = ()
) -> Refusal | None:
    """Where that is more than what stands in the answer to the sender; else None."""
    if not missing and all(group.count <= EXAMPLES for group in grouped(problems)):
        return None
    text = json.dumps({"problems": [asdict(one) for one in problems], "missing": list(missing)})
    row = RefusedFile.objects.create(
        owner=owner, file_name=file_name, report=zlib.compress(text.encode())
    )
    newest = RefusedFile.objects.filter(owner=owner).order_by("-created", "-pk")
    RefusedFile.objects.filter(pk__in=list(newest.values_list("pk", flat=True)[KEPT:])).delete()
    return Refusal(row.pk, file_name, tuple(problems), tuple(missing))


def own_refusal(owner: User, refusal_id: UUID) -> Refusal:
    """Raises Http404 for one of somebody else, or that is gone."""
    row = get_object_or_404(RefusedFile, owner=owner.pk, pk=refusal_id)
    report = json.loads(zlib.decompress(row.report))
    problems = tuple(from_mapping(Problem, one) for one in report["problems"])
    return Refusal(row.pk, row.file_name, problems, tuple(report["missing"]))


def problem_rows(problems: Sequence[Problem]) -> list[Sequence[object]]:
    """A table with a header. What is repeated of the file is no formula in it."""
    return [
        ("line", "record", "column", "code", "message", "expected", "found"),
        *(
            (
                one.line or "",
                *map(inert, (one.record, one.column)),
                one.code,
                *map(inert, (one.message, one.expected, one.found)),
            )
            for one in problems
        ),
    ]


def delete_old_refusals() -> int:
    """How many are gone."""
    old = RefusedFile.objects.filter(created__lt=timezone.now() - KEPT_FOR)
    return old.delete()[0]
