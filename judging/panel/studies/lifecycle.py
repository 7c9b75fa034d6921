"""Opening a study, closing it, and withdrawing it.

Whoever changes a study or votes in it holds its row for so long (`hold_study`): no vote comes in
between closing and the file of its votes. What comes later, or is withdrawn later, changes the
ratings of the closed study (`settle_ratings`).
"""

import logging
from collections.abc import Sequence
from datetime import datetime, timedelta

from django.contrib.auth.models import User
from django.db import transaction

from benchmarks.common.lately import lately
from benchmarks.common.spreadsheets import csv_text
from benchmarks.protocols.base import Upload
from judging.coordination.clock import database_now
from judging.panel.models import Rating, RatingFile, Study, Vote
from judging.panel.reading import RatingRow
from judging.panel.services import RatingsRefusedError, import_votes, withdraw_ratings
from judging.panel.studies.errors import StudyRefusedError
from judging.panel.studies.votes import CountedVote, counted_votes, left_out

log = logging.getLogger(__name__)
HEADER = ["entry", "item", "rater", "dimension", "score"]
ROWS_OF_A_FILE = 100_000  # half of what the reader takes of one
OPEN_DAYS = 90  # a study of 3,000 votes takes weeks; a link in an old mailbox must open nothing
LATE_TIME = timedelta(days=7)
"""After the end, for votes on items that were handed out before it. Whoever rates on a journey has
a network again within a week; longer, and a report would not be final for too long."""
LATE_VOTES_WAIT = timedelta(minutes=10)
"""A browser that comes back sends twenty votes at a time: taken in together they are one file."""
REPLACED = "Votes were withdrawn, or a rater failed a check: a file of what stands follows."


def hold_study(study: Study) -> Study:
    """The row as it is now; nobody else changes it or votes until the transaction ends."""
    return Study.objects.select_for_update(no_key=True).get(pk=study.pk)


def require_reason(reason: str) -> None:
    if not reason.strip():
        raise StudyRefusedError("Say why: the reason stays with the study.")


@transaction.atomic
def open_study(*, study: Study, now: datetime | None = None, days: int = OPEN_DAYS) -> Study:
    """Raters may vote afterwards, and what is asked is fixed. Raises StudyRefusedError."""
    held = hold_study(study)
    if held.state != Study.State.DRAFT:
        raise StudyRefusedError(f"This study is {held.state} already.")
    if not held.items.filter(is_check=False).exists():
        raise StudyRefusedError("Nothing is drawn for this study.")
    held.state = Study.State.OPEN
    held.opened = now or database_now()
    held.expires = held.opened + timedelta(days=days)
    held.late_until = held.expires + LATE_TIME
    held.save(update_fields=["state", "opened", "expires", "late_until"])
    return held


@transaction.atomic
def close_study(
    *, study: Study, by: User | None = None, now: datetime | None = None
) -> tuple[RatingFile, ...]:
    """Nothing is handed out any more, and the standing votes are files of ratings, as if they had
    been handed in. Votes on what raters have are taken for LATE_TIME. Raises StudyRefusedError,
    having changed nothing."""
    held = hold_study(study)
    if held.state != Study.State.OPEN:
        raise StudyRefusedError(f"Only an open study can be closed; this one is {held.state}.")
    if not Vote.objects.filter(item__study=held, taken_back__isnull=True).exists():
        raise StudyRefusedError("Nobody has voted yet. Withdraw the study instead.")
    held.state = Study.State.CLOSED
    held.closed = now or database_now()
    held.late_until = held.closed + LATE_TIME
    held.save(update_fields=["state", "closed", "late_until"])
    files = settle_ratings(held, by=by)
    if not files:
        raise StudyRefusedError("None of its votes counts. Withdraw the study instead.")
    return files


def settle_ratings(study: Study, *, by: User | None = None) -> tuple[RatingFile, ...]:
    """The ratings of a closed study are its standing votes: those that are missing are added as a
    file; where some rating's vote stands no more, the files are withdrawn and written anew. The new
    files. Nothing is written where staff withdrew one, for that is to stay; what is not to count is
    withdrawn all the same. Whoever calls holds the study."""
    Study.objects.filter(pk=study.pk).update(unsettled=None)
    votes = {
        (vote.answer, vote.rater, vote.dimension, vote.value): vote
        for vote in counted_votes(study, left_out(study))
    }
    files = study.files.filter(withdrawn__isnull=True)
    columns = "answer", "rater", "dimension", "score"
    known = set(Rating.objects.filter(file__in=files).values_list(*columns))
    if known - votes.keys():
        for file in list(files):
            withdraw_ratings(file=file, reason=REPLACED)
        known = set()
    if study.files.filter(withdrawn__isnull=False).exclude(reason=REPLACED).exists():
        return ()
    new = [vote for key, vote in votes.items() if key not in known]
    first = study.files.count() + 1
    blocks = [new[start : start + ROWS_OF_A_FILE] for start in range(0, len(new), ROWS_OF_A_FILE)]
    return tuple(stored(study, block, number, by) for number, block in enumerate(blocks, first))


def settle_late_votes(now: datetime | None = None) -> int:
    """Closed studies have ratings of the votes that came late; of how many. Each by itself, some
    minutes after its first late vote: one that cannot be settled keeps no other waiting."""
    now = now or database_now()
    due = Study.objects.filter(state=Study.State.CLOSED, unsettled__isnull=False)
    count = 0
    for study in due.exclude(lately("unsettled", now, LATE_VOTES_WAIT)):
        try:
            with transaction.atomic():
                count += bool(settle_ratings(hold_study(study)))
        except StudyRefusedError as error:
            log.error("Late votes of study %s: %s", study.pk, error)
            Study.objects.filter(pk=study.pk).update(unsettled=now)  # looked at again, but not soon
    return count


def stored(study: Study, votes: Sequence[CountedVote], number: int, by: User | None) -> RatingFile:
    rows = [
        RatingRow(
            line=line,
            entry=str(vote.submission),
            item=vote.public_id,
            rater=vote.rater,
            dimension=vote.dimension,
            score=str(vote.value),
            is_label=False,
        )
        for line, vote in enumerate(votes, 2)
    ]
    cells = [[row.entry, row.item, row.rater, row.dimension, row.score] for row in rows]
    upload = Upload(f"study-{study.code}-{number}.csv", csv_text([HEADER, *cells]).encode())
    try:
        return import_votes(upload=upload, rows=rows, by=by, study=study).file
    except RatingsRefusedError as error:
        first = error.problems[0].message if error.problems else ""
        raise StudyRefusedError(f"The votes cannot be stored as ratings: {first}") from error


@transaction.atomic
def withdraw_study(*, study: Study, reason: str, now: datetime | None = None) -> Study:
    """Nothing of it counts any more, the ratings of a closed one included; all of it stays where
    it is. Raises StudyRefusedError."""
    held = hold_study(study)
    if held.state == Study.State.WITHDRAWN:
        raise StudyRefusedError("This study was withdrawn before.")
    require_reason(reason)
    for file in held.files.filter(withdrawn__isnull=True):
        withdraw_ratings(file=file, reason=f"Study withdrawn: {reason}"[:300])
    held.state = Study.State.WITHDRAWN
    held.withdrawn = now or database_now()
    held.reason = reason
    held.save(update_fields=["state", "withdrawn", "reason"])
    return held
