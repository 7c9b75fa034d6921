"""Bodies of requests that are too large for memory, in files without a name.

Django's own have one, and stay for ever where a process is killed while it reads or receives them:
20 MiB each time.
"""

import tempfile
from typing import Any

from django.conf import settings
from django.core.files.uploadedfile import UploadedFile
from django.core.files.uploadhandler import FileUploadHandler


class UnnamedFileUploadHandler(FileUploadHandler):
    """The operating system takes the file away as the process ends, however it does."""

    file: "UploadedFile[bytes]"

    def new_file(self, *args: Any, **kwargs: Any) -> None:
        super().new_file(*args, **kwargs)
        folder = settings.FILE_UPLOAD_TEMP_DIR
        self.file = UploadedFile(
            tempfile.TemporaryFile(dir=folder),  # noqa: SIM115 - the request closes it
            self.file_name,
            self.content_type,
            0,
            self.charset,
            self.content_type_extra,
        )

    def receive_data_chunk(self, raw_data: bytes, start: int) -> bytes | None:
        self.file.write(raw_data)
        return None

    def file_complete(self, file_size: int) -> "UploadedFile[bytes]":
        self.file.seek(0)
        self.file.size = file_size
        return self.file

    def upload_interrupted(self) -> None:
        if hasattr(self, "file"):
            self.file.close()
