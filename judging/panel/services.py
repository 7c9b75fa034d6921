"""Taking in what people said. A file is taken whole or refused with every problem; a wrong one is
withdrawn."""

import hashlib
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import PurePath
from uuid import UUID

from django.contrib.auth.models import User
from django.db import IntegrityError, transaction

from benchmarks.protocols.base import Problem, Upload
from benchmarks.submissions.files import loose
from benchmarks.submissions.models import Submission
from benchmarks.submissions.services import shown_name
from judging.coordination.clock import database_now
from judging.models import JudgeRun
from judging.panel.checking import NewRating, RatingReading, checked, read_ratings
from judging.panel.models import Rating, RatingFile, Study
from judging.panel.reading import RatingRow

BATCH = 2_000  # rows of one statement, which Django cuts where SQLite needs it
IDS_AT_ONCE = 500  # keys of one statement; SQLite takes 999 for certain


class RatingsRefusedError(Exception):
    """The file is refused; `problems` says why, all of it."""

    def __init__(self, problems: Iterable[Problem]):
        self.problems = tuple(problems)
        super().__init__(f"{len(self.problems)} problems")


@dataclass(frozen=True, slots=True)
class ImportedRatings:
    """`is_new` is False where the same file was imported before and stands."""

    file: RatingFile
    count: int
    is_new: bool


def import_ratings(*, upload: Upload, by: User | None) -> ImportedRatings:
    """The file and each of its ratings are stored afterwards; a file that stands already changes
    nothing.

    Raises RatingsRefusedError, having stored nothing.
    """
    if earlier := file_not_withdrawn(upload):
        return ImportedRatings(earlier, earlier.rating_count, is_new=False)
    reading = read_ratings(upload)
    if reading.problems:
        raise RatingsRefusedError(reading.problems)
    return store_ratings(upload, reading, by)


def import_votes(
    *, upload: Upload, rows: Sequence[RatingRow], by: User | None, study: Study
) -> ImportedRatings:
    """`import_ratings` for a file that was made of these rows, a study's votes: they are checked
    against the database like any others, and the file is not read back. Reading 60,000 took as long
    as all else of closing. Entries that were withdrawn since are rated as well.

    Raises RatingsRefusedError."""
    reading = checked(rows, of_withdrawn=True)
    if reading.problems:
        raise RatingsRefusedError(reading.problems)
    return store_ratings(upload, reading, by, study)


def file_not_withdrawn(upload: Upload) -> RatingFile | None:
    return RatingFile.objects.not_withdrawn().filter(sha256=digest_of(upload)).first()


def digest_of(upload: Upload) -> str:
    return hashlib.sha256(upload.content).hexdigest()


def store_ratings(
    upload: Upload, reading: RatingReading, by: User | None, study: Study | None = None
) -> ImportedRatings:
    """File first, then rows in one transaction; the file goes again when the rows cannot be
    written. Where somebody was faster, that is the answer: the same file stands, or the problems it
    makes."""
    file = RatingFile(
        file_name=shown_name(upload.name),
        sha256=digest_of(upload),
        rating_count=len(reading.ratings),
        uploaded_by=by,
        study=study,
    )
    suffix = PurePath(upload.name).suffix.lower()
    stored = loose.store_loose(f"ratings-{file.pk}{suffix}", upload.content)
    file.file.name = stored
    try:
        with transaction.atomic():
            loose.claim(stored)
            write_ratings(file, reading.ratings)
    except BaseException as error:
        loose.drop(stored)
        if isinstance(error, IntegrityError):
            if twin := file_not_withdrawn(upload):
                return ImportedRatings(twin, twin.rating_count, is_new=False)
            if problems := read_ratings(upload).problems:
                raise RatingsRefusedError(problems) from None
        raise
    return ImportedRatings(file, file.rating_count, is_new=True)


def write_ratings(file: RatingFile, ratings: Collection[NewRating]) -> None:
    submissions = {rating.submission_id for rating in ratings}
    hold_submissions(submissions)
    JudgeRun.objects.filter(submission__in=submissions).raise_revision()
    file.created = database_now()
    file.save(force_insert=True)
    through = RatingFile.submissions.through
    through._default_manager.bulk_create(
        through(ratingfile=file, submission_id=pk) for pk in submissions
    )
    rows = (
        Rating(
            file_id=file.pk,
            answer_id=r.answer_id,
            rater=r.rater,
            dimension=r.dimension,
            score=r.score,
        )
        for r in ratings
    )
    while batch := list(islice(rows, BATCH)):
        Rating.objects.bulk_create(batch)


@transaction.atomic
def withdraw_ratings(*, file: RatingFile, reason: str) -> bool:
    """Its ratings count no longer and stay where they are. False where it was withdrawn before."""
    hold_submissions(file.submissions.values_list("pk", flat=True))
    kept = RatingFile.objects.not_withdrawn().filter(pk=file.pk)
    if not kept.update(withdrawn=database_now(), reason=reason):
        return False
    JudgeRun.objects.filter(submission__rating_files=file).raise_revision()
    file.ratings.update(is_withdrawn=True)
    return True


def hold_submissions(ids: Iterable[UUID]) -> None:
    """Until the transaction ends, nobody else changes the ratings of these submissions or scores
    them. So a moment noted after this is later than every scoresheet that does not know the change,
    however long it takes to write."""
    ordered = iter(sorted(ids))
    while block := list(islice(ordered, IDS_AT_ONCE)):
        list(
            Submission.objects.filter(pk__in=block)
            .order_by("pk")
            .select_for_update(no_key=True)
            .values_list("pk")
        )
