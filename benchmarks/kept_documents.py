"""Values that were kept as JSON, perhaps by another version of the code.

A version may add fields at the end; those that this one does not know are left out, and those that
an older one did not keep have their defaults. What is changed in any other way is another schema
(leaderboard/models/kept.py).
"""

from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

T = TypeVar("T")


def from_row(kind: type[T], row: Sequence[Any]) -> T:
    """Of the values of a dataclass or named tuple, in the order of its fields."""
    return kind(*row[: len(kind.__match_args__)])  # type: ignore[attr-defined]  # both kinds have it


def from_mapping(kind: type[T], found: Mapping[str, Any]) -> T:
    names: Sequence[str] = kind.__match_args__  # type: ignore[attr-defined]  # as above
    return kind(**{name: found[name] for name in names if name in found})
