"""What a board page depends on, as one short text: another text whenever the page may be another.

That is code, rows of the database, which triggers count (`leaderboard.versions`), and which stored
boards there are.
"""

import hashlib
from collections.abc import Sequence
from typing import Any

from leaderboard.versions.code import PAGE_CODE
from leaderboard.versions.numbers import numbers_of, slugs_shown


def board_version(slug: str) -> str:
    """The version of what the benchmark's board shows. One query."""
    numbers = numbers_of(slugs_shown(slug))
    told = sorted((name, found.number, found.written) for name, found in numbers.items())
    return digest([PAGE_CODE, *told])


def digest(parts: Sequence[Any]) -> str:
    return hashlib.sha256(repr(parts).encode()).hexdigest()
