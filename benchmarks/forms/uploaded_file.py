"""A file that a form takes whole: within the site's bound, and read once."""

from typing import Any

from django import forms
from django.conf import settings
from django.core.files.uploadedfile import UploadedFile

from benchmarks.protocols.base import Upload


class TakesFile:
    """Of a form with the field `file`, which each form describes in its own words."""

    cleaned_data: dict[str, Any]

    def clean_file(self) -> "UploadedFile[bytes]":
        file: UploadedFile[bytes] = self.cleaned_data["file"]
        if (file.size or 0) > settings.UPLOAD_LIMIT_BYTES:
            megabytes = settings.UPLOAD_LIMIT_BYTES // 1024 // 1024
            raise forms.ValidationError(
                f"The file has {file.size:,} bytes; at most {megabytes} MiB are accepted."
            )
        return file

    def upload(self) -> Upload:
        file = self.cleaned_data["file"]
        return Upload(file.name, file.read())
