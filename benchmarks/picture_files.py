"""Sending a stored picture."""

from pathlib import PurePath

from django.db.models.fields.files import FieldFile
from django.http import FileResponse, Http404

TYPES = {".png": "image/png", ".jpg": "image/jpeg", ".webp": "image/webp", ".gif": "image/gif"}
"""Of what is stored; the types that a machine knows by itself may lack WebP."""


def picture_response(file: FieldFile) -> FileResponse:
    """Raises Http404 where the file is gone."""
    try:
        return FileResponse(file.open("rb"), content_type=TYPES[PurePath(file.name or "").suffix])
    except FileNotFoundError:
        raise Http404("The picture is not in the file storage.") from None
