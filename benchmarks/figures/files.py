"""Sending a stored picture."""

import hashlib
from pathlib import PurePath

from django.db.models.fields.files import FieldFile
from django.http import FileResponse, Http404

TYPES = {".png": "image/png", ".jpg": "image/jpeg", ".webp": "image/webp", ".gif": "image/gif"}
"""Of what is stored; the types that a machine knows by itself may lack WebP."""


def picture_response(file: FieldFile, sha256: str) -> FileResponse:
    """The picture, if it has this digest: a damaged one would stay in caches for a year, after it
    was mended too. Any is sent where `sha256` is empty. Raises Http404."""
    try:
        opened = file.open("rb")
        if sha256 and hashlib.file_digest(opened, "sha256").hexdigest() != sha256:
            opened.close()
            raise Http404("The picture is damaged. The next look at stored files names it.")
    except OSError:
        raise Http404("The picture is not in the file storage.") from None
    opened.seek(0)
    return FileResponse(opened, content_type=TYPES[PurePath(file.name or "").suffix])
