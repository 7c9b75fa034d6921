"""Files that no row names: not yet, while they are taken in, or not any more.

Each is noted before it is stored, in a row that goes in the transaction which names the file. So a
process that is killed in between leaves a row by which the file is found, and nobody lists what is
stored, which grows for ever.
"""

from datetime import timedelta

from django.core.files.base import ContentFile
from django.core.files.storage import storages
from django.db import transaction
from django.utils import timezone

from benchmarks.submissions.models import LooseFile

GRACE = timedelta(hours=1)
"""A file is stored and named within seconds, but a process may be frozen in between, and lives
on."""


def store_loose(name: str, content: bytes) -> str:
    """The name under which the file is stored among uploads. It is to be named by a row and claimed
    within GRACE, or dropped."""
    storage = storages["uploads"]
    noted = LooseFile.objects.create(name=storage.get_available_name(name))
    stored = storage.save(noted.name, ContentFile(content))
    if stored != noted.name:  # somebody took the name just now
        LooseFile.objects.filter(pk=noted.pk).update(name=stored)
    return stored


def claim(name: str) -> None:
    """To be called in the transaction that names the file. Raises FileNotFoundError where the file
    was loose for so long that it was taken away."""
    if not LooseFile.objects.filter(name=name).delete()[0]:
        raise FileNotFoundError(f"{name} is not stored any more")


def let_go(name: str) -> None:
    """To be called in the transaction that stops naming the file: it is deleted afterwards."""
    LooseFile.objects.create(name=name)
    transaction.on_commit(lambda: drop(name))


def drop(name: str) -> None:
    """The file and its note are gone."""
    storages["uploads"].delete(name)
    LooseFile.objects.filter(name=name).delete()


def delete_orphaned_files(*, older_than: timedelta = GRACE) -> int:
    """Files that have been loose for longer are gone; how many."""
    before = timezone.now() - older_than
    done = 0
    for key in LooseFile.objects.filter(since__lte=before).values_list("pk", flat=True):
        with transaction.atomic():
            # Not one that is being claimed at this moment.
            rows = LooseFile.objects.select_for_update(skip_locked=True).filter(pk=key)
            if loose := rows.first():
                drop(loose.name)
                done += 1
    return done
