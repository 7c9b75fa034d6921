"""Reading the same short texts again and again, as scoring does when it asks what each answer is
worth."""

from collections.abc import Callable
from functools import lru_cache, wraps
from typing import TypeVar

Found = TypeVar("Found")
KEPT = 4096
"""Texts: the answers of a submission to a release or two."""
LONGEST = 1000
"""Characters of a text that is kept, so that all of them are 16 MB at most; answers have a
hundred."""


def remembering(read: Callable[[str], Found]) -> Callable[[str], Found]:
    """`read`, which depends on nothing but its text, without reading short texts twice."""
    known = lru_cache(maxsize=KEPT)(read)

    @wraps(read)
    def reading(text: str) -> Found:
        return known(text) if len(text) <= LONGEST else read(text)

    return reading
