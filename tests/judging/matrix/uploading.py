"""What a process of the small site does: `prepare` it, `upload` a file over its API, `look` at what
is there.

An upload is killed where DIES says so: "in the file", "before the commit", or "after the commit".
"""

import io
import os
import signal
import time
from datetime import timedelta
from pathlib import Path
from typing import Any

from celery.signals import before_task_publish
from django.conf import settings
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import call_command
from django.db.models.signals import post_save

from benchmarks.registry import protocol
from benchmarks.services.importing import import_release
from benchmarks.submissions.files.loose import delete_orphaned_files
from benchmarks.submissions.models import Answer, Submission
from leaderboard.models import Scoresheet
from leaderboard.operations.sweeps import sweep_here
from tests.api_clients import API, token_client
from tests.conftest import ANSWERS, SPELLING


def prepare() -> dict[str, Any]:
    call_command("migrate", verbosity=0)
    import_release(protocol=protocol("spelling"), stream=io.BytesIO(SPELLING), slug="spelling-1")
    User.objects.create_user("rosa", "rosa@example.org", "a long enough password")
    return {}


def upload() -> dict[str, Any]:
    client = token_client(User.objects.get(), "submit")
    form = {
        "release": "spelling-1",
        "model": "Speller",
        "file": SimpleUploadedFile("a.txt", ANSWERS),
    }
    before_task_publish.connect(die_after_the_commit)
    begun = time.monotonic()
    if os.environ.get("DIES") == "before the commit":
        post_save.connect(die_in_the_transaction, sender=Submission)
    response = client.post(f"{API}/submissions/", form)
    return {"status": response.status_code, "seconds": time.monotonic() - begun}


def die_in_the_transaction(**_: object) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def die_after_the_commit(**_: object) -> None:
    if os.environ.get("DIES") == "after the commit":
        os.kill(os.getpid(), signal.SIGKILL)


def submit() -> dict[str, Any]:
    """In a terminal: what is said there, and the seconds it took."""
    file = Path(settings.VAR_DIR) / "a.txt"
    file.write_bytes(ANSWERS)
    said = io.StringIO()
    start = time.monotonic()
    call_command("submit", "spelling-1", file, model="Speller", owner="rosa", stdout=said)
    return {"said": said.getvalue(), "seconds": time.monotonic() - start}


def look() -> dict[str, Any]:
    """Rows and files, then what a sweep makes of them, and how many files without a row it
    finds."""
    folder = Path(settings.STORAGES["uploads"]["OPTIONS"]["location"])  # type: ignore[index]  # untyped
    uploads = Submission.objects.filter(origin=Submission.Origin.UPLOAD)
    answers = Answer.objects.filter(submission__in=uploads)
    found = {"submissions": uploads.count(), "answers": answers.count()}
    files = sum(path.is_file() for path in folder.glob("*"))
    sweep_here(grace=timedelta(0))
    orphans = delete_orphaned_files(older_than=timedelta(0))
    return {
        **found,
        "files": files,
        "orphans": orphans,
        "scored": Scoresheet.objects.filter(submission__in=uploads).count(),
    }
