"""Files that wait to be confirmed, to a release of more questions than a dry run asks."""

from django.contrib.auth.models import User

from benchmarks.models import Release
from benchmarks.submissions.models import Submission
from tests.conftest import submit

COUNT = 14


def draft(release: Release, owner: User | None, name: str = "Speller", **more) -> Submission:
    """Every answer is right; the release is `import_words(range(1, COUNT + 1))`."""
    answers = "".join(f"{n}=word{n}\n" for n in range(1, COUNT + 1))
    more = {"confirm": False, "visibility": "private", **more}
    return submit(release, owner, answers.encode(), name=name, **more)
