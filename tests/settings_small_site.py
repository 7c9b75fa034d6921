"""Settings of a small site in VAR_DIR: the spelling benchmark, and a storage for uploads that can
be told to die."""

import os
import signal
from pathlib import Path

from django.core.files.base import File

from benchmarks.common.file_storage import WholeFileStorage
from leaderboard.settings import *
from leaderboard.settings import PROTOCOLS as REAL_PROTOCOLS
from leaderboard.settings import STORAGES as REAL_STORAGES

PROTOCOLS = [*REAL_PROTOCOLS, "tests.tiny_protocol"]
STORAGES = {
    **REAL_STORAGES,
    "uploads": {  # settings are untyped
        **REAL_STORAGES["uploads"],  # type: ignore[dict-item]  # as said above
        "BACKEND": "tests.settings_small_site.UploadStorage",
    },
    "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"},
}
ALLOWED_HOSTS = ["testserver"]


class UploadStorage(WholeFileStorage):
    """Its process is killed within the file where DIES says so."""

    def _save(self, name: str, content: File) -> str:  # type: ignore[type-arg]  # of bytes
        if os.environ.get("DIES") != "in the file":
            return super()._save(name, content)
        half = Path(self.path(name))
        half.parent.mkdir(exist_ok=True)
        half.write_bytes(content.read()[:5])
        os.kill(os.getpid(), signal.SIGKILL)
        return name
