"""What a study is called wherever it is shown.

By what is public of it, for what staff call a study, or its file, may name an entry that is not;
and by the first signs of its address, for two studies of one release are nothing rare.
"""

from collections.abc import Iterable
from uuid import UUID

CODE_LENGTH = 8  # as short names of commits: two of a site's hundreds are equal once in 100,000


def study_title(releases: Iterable[str], file: UUID) -> str:
    """releases: titles of those whose answers people were asked about."""
    return f"{', '.join(dict.fromkeys(releases))}, study {study_code(file)}"


def study_code(file: UUID) -> str:
    return file.hex[:CODE_LENGTH]
