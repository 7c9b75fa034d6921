"""Opening a study, closing it, and withdrawing it.

Whoever changes a study or votes in it holds its row for so long (`hold_study`): no vote comes in
between closing and the file of its votes.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta

from django.contrib.auth.models import User
from django.db import transaction

from benchmarks.protocols.base import Upload
from benchmarks.spreadsheets import csv_text
from judging.clock import database_now
from judging.panel.models import RatingFile, Study
from judging.panel.reading import RatingRow
from judging.panel.services import RatingsRefusedError, import_votes, withdraw_ratings
from judging.panel.studies.errors import StudyRefusedError
from judging.panel.studies.votes import StandingVote, standing_votes

HEADER = ["entry", "item", "rater", "dimension", "score"]
ROWS_OF_A_FILE = 100_000  # half of what the reader takes of one
OPEN_DAYS = 90  # a study of 3,000 votes takes weeks; a link in an old mailbox must open nothing


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
    held.save(update_fields=["state", "opened", "expires"])
    return held


@transaction.atomic
def close_study(
    *, study: Study, by: User | None = None, now: datetime | None = None
) -> tuple[RatingFile, ...]:
    """Nobody votes any more, and the standing votes are files of ratings, as if they had been
    handed in. Raises StudyRefusedError, having changed nothing."""
    held = hold_study(study)
    if held.state != Study.State.OPEN:
        raise StudyRefusedError(f"Only an open study can be closed; this one is {held.state}.")
    votes = standing_votes(held)
    if not votes:
        raise StudyRefusedError("Nobody has voted yet. Withdraw the study instead.")
    held.state = Study.State.CLOSED
    held.closed = now or database_now()
    held.save(update_fields=["state", "closed"])
    blocks = [votes[n : n + ROWS_OF_A_FILE] for n in range(0, len(votes), ROWS_OF_A_FILE)]
    return tuple(stored(held, block, number, by) for number, block in enumerate(blocks, 1))


def stored(study: Study, votes: Sequence[StandingVote], number: int, by: User | None) -> RatingFile:
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
