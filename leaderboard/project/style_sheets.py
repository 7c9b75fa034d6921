"""Style sheets as they leave: what one imports is part of it, so that a page asks for two."""

import re
from collections.abc import Iterator
from typing import Any

from django.contrib.staticfiles.storage import ManifestStaticFilesStorage
from django.core.files.base import ContentFile
from django.core.files.storage import InMemoryStorage
from whitenoise.storage import CompressedManifestStaticFilesStorage as Compressed

IMPORT = re.compile(r'^@import "([\w-]+\.css)";\n', re.MULTILINE)
"""As our sheets write it; those of Django's admin write `url(…)`."""


class WholeSheetsStorage(ManifestStaticFilesStorage):
    def post_process(self, paths: dict[str, Any], *args: Any, **options: Any) -> Iterator[Any]:
        """As Django does, with whole sheets in the place of those that import."""

        def whole(name: str) -> str:
            storage, path = paths[name]
            with storage.open(path) as sheet:
                text = sheet.read().decode()
            return IMPORT.sub(lambda found: whole(f"css/{found[1]}"), text)

        sheets = InMemoryStorage()
        for name in [name for name in paths if re.fullmatch(r"css/[\w-]+\.css", name)]:
            sheets.save(name, ContentFile(whole(name).encode()))
        ours = {name: (sheets, name) for name in paths if sheets.exists(name)}
        yield from super().post_process(paths | ours, *args, **options)


class CompressedSheetsStorage(WholeSheetsStorage, Compressed):  # type: ignore[misc]  # has no types
    """And each file compressed too, as whitenoise sends it."""
