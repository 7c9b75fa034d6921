"""Files of ratings as tests write them."""

from benchmarks.protocols.base import Problem, Upload
from benchmarks.submissions.models import Submission
from judging.panel.services import ImportedRatings, RatingsRefusedError, import_ratings

RATED = "entry,item,rater,dimension,score"
LABELLED = "entry,item,rater,label"


def upload(*lines: str, header: str = RATED, name: str = "ratings.csv") -> Upload:
    return Upload(name, "\n".join([header, *lines, ""]).encode())


def ratings(submission: Submission, *lines: str) -> Upload:
    """A file of lines "item,rater,dimension,score" on one entry."""
    return upload(*(f"{submission.pk},{line}" for line in lines))


def labels(submission: Submission, *lines: str) -> Upload:
    return upload(*(f"{submission.pk},{line}" for line in lines), header=LABELLED)


def imported(file: Upload) -> ImportedRatings:
    return import_ratings(upload=file, by=None)


def problems_of(file: Upload) -> tuple[Problem, ...]:
    """Why the file is refused; none where it is not."""
    try:
        imported(file)
    except RatingsRefusedError as error:
        return error.problems
    return ()
