"""A process of a web server that has received a large file and has it read, and is killed then.

`python -m tests.submissions.killed_web FUNCTION FOLDER`: prints a line once the file has arrived,
and waits for the reader. Its temporary files are in FOLDER/tmp. Run by test_incoming.py.
"""

import os
import sys
import tempfile
from pathlib import Path

import django
from django.conf import settings
from django.core.files.uploadedfile import SimpleUploadedFile
from django.http import HttpRequest
from django.test import RequestFactory


def received() -> HttpRequest:
    content = b"1=two\n" * (settings.FILE_UPLOAD_MAX_MEMORY_SIZE // 5)
    request = RequestFactory().post("/submit/", {"file": SimpleUploadedFile("a.csv", content)})
    request.FILES  # noqa: B018 - parses the body
    return request


def main(function: str, folder: Path) -> None:
    from benchmarks.protocols.base import Upload
    from benchmarks.submissions.files.reading import read_apart
    from tests.submissions import readers

    tempfile.tempdir = str(folder / "tmp")
    settings.VAR_DIR = folder / "var"
    file = received().FILES["file"]
    assert not isinstance(file, SimpleUploadedFile)
    assert file.size > settings.FILE_UPLOAD_MAX_MEMORY_SIZE
    sys.stdout.write(f"{type(file.file).__name__}\n")
    sys.stdout.flush()
    read_apart(getattr(readers, function), Upload("a.csv", file.read()), (), sender_id=1)


if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.settings")
    django.setup()
    main(sys.argv[1], Path(sys.argv[2]))
