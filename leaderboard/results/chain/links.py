"""Links of the append-only chain: what was shown when, so that nobody can change it unseen.

Whoever writes a scoresheet adds its link in the same transaction; triggers add those of events
(triggers.py). They wait without a number, so that no writer waits for another one, and the sweep
numbers them in the order of their keys, one worker at a time. A link's digest is the SHA-256 of the
digest before it, a line end and the SHA-256 of its content, both in hex: whoever has these two can
check the chain without the content, which is public only while its submission is.
"""

import hashlib
import json
import uuid
from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any, NamedTuple

from django.db import connection, transaction
from django.db.models import QuerySet

from benchmarks.models import Release
from benchmarks.submissions.models import Submission
from judging.coordination.clock import database_now
from judging.querysets import any_of
from leaderboard.models import ChainHead, ChainLink, Scoresheet

EMPTY = "0" * 64
"""What stands for the digest before the first link."""
LINKED_AT_ONCE = 200
"""In one transaction, which on SQLite holds up every other writer: a tenth of a second."""
MOST_ROUNDS = 10
"""Of a sweep: entries that wait for their scores wait some seconds at most for links."""
READ_AT_ONCE = 500


class Head(NamedTuple):
    """The newest link. linked: when it got its number."""

    number: int
    digest: str
    linked: datetime

    @property
    def short(self) -> str:
        return self.digest[:12]


class Link(NamedTuple):
    """A link as everybody may read it. Of a submission that is not public `content`, `kind`,
    `submission` and `judge` are None: its digests remain."""

    number: int
    kind: str | None
    submission: str | None
    judge: str | None
    content: str | None
    content_digest: str
    previous: str
    digest: str


def append(*, kind: str, submission_id: uuid.UUID, content: str, judge: str = "") -> None:
    """Add the link, without its number, which `link_waiting` gives it."""
    ChainLink.objects.create(kind=kind, submission=submission_id, judge=judge, content=content)


def content_of(values: Mapping[str, Any]) -> str:
    """Canonical JSON: keys in order, no spaces, every letter as it is. Raises ValueError for what
    is no number."""
    return json.dumps(
        values, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False
    )


def sheet_content(sheet: Scoresheet) -> str:
    """All figures of a scoresheet; the digests of what was scored, of resamples and lengths. Needs
    `judge_spec` and `submission__release` selected."""
    release, spec = sheet.submission.release, sheet.judge_spec
    return content_of(
        {
            "kind": ChainLink.Kind.SCORESHEET,
            "submission": str(sheet.submission_id),
            "release": release.slug,
            "release_checksum": release.public_checksum,
            "judge": spec.slug,
            "judge_hash": spec.content_hash,
            "ranking": sheet.ranking,
            "coverage": sheet.coverage,
            "judged": sheet.judged,
            "unreadable": sheet.unreadable,
            "failed": sheet.failed,
            "excluded": sheet.excluded,
            "figures": sheet.figures,
            "draws": sha256(bytes(sheet.draws)),
            "answers": sheet.answers_digest,
            "verdicts": sheet.verdicts_digest,
            "lengths": None if sheet.lengths is None else sha256(bytes(sheet.lengths)),
            "scoring": sheet.scoring,
            "computed": sheet.computed.isoformat(),
        }
    )


def sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def link_digest(previous: str, content_digest: str) -> str:
    return sha256(f"{previous}\n{content_digest}".encode())


def head() -> Head | None:
    """The newest link of the chain; None before the first."""
    found = ChainHead.objects.filter(pk=ChainHead.ONLY, linked__isnull=False).first()
    return Head(found.number, found.digest, found.linked) if found and found.linked else None


# --- linking --------------------------------------------------------------------------------------


def unlinked() -> QuerySet[ChainLink]:
    return ChainLink.objects.filter(number__isnull=True)


def rows_to_link() -> tuple[QuerySet[Any], ...]:
    """What `link_waiting` looks for, each found by an index."""
    return unlinked(), ChainHead.objects.filter(older_upto__isnull=False)


def link_waiting() -> int:
    """Links that wait have their numbers, and scoresheets from before there was a chain their
    links, some per sweep; how many links were numbered. 0 where another worker is at it."""
    linked = 0
    for _ in range(MOST_ROUNDS):
        some = link_some()
        linked += some
        if some < LINKED_AT_ONCE:
            break
    return linked


def link_some() -> int:
    if not any_of(*rows_to_link()):
        return 0
    with transaction.atomic():
        ChainHead.objects.get_or_create(pk=ChainHead.ONLY)
        last = held_head()
        if last is None:
            return 0
        add_older(last)
        number, digest, linked = last.number, last.digest or EMPTY, database_now()
        waiting = list(unlinked().order_by("pk")[:LINKED_AT_ONCE])
        for link in waiting:
            number, previous = number + 1, digest
            content_digest = sha256(link.content.encode())
            digest = link_digest(previous, content_digest)
            unlinked().filter(pk=link.pk).update(
                number=number, content_digest=content_digest, previous=previous, digest=digest
            )
        if waiting:
            last.number, last.digest, last.linked = number, digest, linked
        last.save()
    return len(waiting)


def held_head() -> ChainHead | None:
    """The one row, until the transaction ends; None where another worker has it. On SQLite every
    transaction that writes has the database to itself."""
    can_skip = connection.features.has_select_for_update_skip_locked
    rows = ChainHead.objects.select_for_update(skip_locked=can_skip)
    return rows.filter(pk=ChainHead.ONLY).first()


def add_older(last: ChainHead) -> None:
    """Some of the scoresheets from before there was a chain have links, but for those that were
    written again since."""
    if last.older_upto is None:
        return
    sheets = list(
        Scoresheet.objects.filter(pk__gt=last.older_from, pk__lte=last.older_upto)
        .select_related("judge_spec", "submission__release")
        .order_by("pk")[:LINKED_AT_ONCE]
    )
    known = set(
        ChainLink.objects.filter(
            kind=ChainLink.Kind.SCORESHEET, submission__in=[s.submission_id for s in sheets]
        ).values_list("submission", "judge")
    )
    ChainLink.objects.bulk_create(
        ChainLink(
            kind=ChainLink.Kind.SCORESHEET,
            submission=sheet.submission_id,
            judge=sheet.judge_spec.slug,
            content=sheet_content(sheet),
        )
        for sheet in sheets
        if (sheet.submission_id, sheet.judge_spec.slug) not in known
    )
    if len(sheets) < LINKED_AT_ONCE:
        last.older_upto = None
    else:
        last.older_from = sheets[-1].pk


# --- reading --------------------------------------------------------------------------------------


def public_links() -> Iterator[Link]:
    """Every link, some read at a time."""
    start = 1
    while rows := list(
        ChainLink.objects.filter(number__gte=start, number__lt=start + READ_AT_ONCE).order_by(
            "number"
        )
    ):
        public = set(
            Submission.objects.public()
            .filter(pk__in={row.submission for row in rows})
            # Links from before a release was a hidden test hold all its figures.
            .exclude(release__disclosure=Release.Disclosure.HIDDEN_TEST)
            .values_list("pk", flat=True)
        )
        yield from (shown_link(row, is_public=row.submission in public) for row in rows)
        start += READ_AT_ONCE


def shown_link(row: ChainLink, *, is_public: bool) -> Link:
    return Link(
        number=row.number or 0,
        kind=row.kind if is_public else None,
        submission=str(row.submission) if is_public else None,
        judge=row.judge if is_public else None,
        content=row.content if is_public else None,
        content_digest=row.content_digest,
        previous=row.previous,
        digest=row.digest,
    )
