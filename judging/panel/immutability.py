"""Database triggers that keep what people said: a rating comes with its file and can only be
withdrawn with it."""

from collections.abc import Sequence
from typing import Any

from benchmarks.immutability import Guard, install_guards, lift_guards

TABLE = "panel_rating"
FILE_IS_WITHDRAWN = (
    "EXISTS (SELECT 1 FROM panel_ratingfile f WHERE f.id = NEW.file_id AND f.withdrawn IS NOT NULL)"
)
FIXED = ("id", "file_id", "answer_id", "rater", "dimension", "score")
GUARDS = (
    Guard(
        TABLE,
        "INSERT",
        f"NEW.is_withdrawn OR {FILE_IS_WITHDRAWN}",
        "a withdrawn file of ratings takes no more; import a corrected one",
    ),
    Guard(
        TABLE,
        "UPDATE",
        " OR ".join(f"OLD.{field} <> NEW.{field}" for field in FIXED)
        + (
            " OR (OLD.is_withdrawn AND NOT NEW.is_withdrawn) OR (NEW.is_withdrawn AND NOT "
            f"{FILE_IS_WITHDRAWN})"
        ),
        "a rating is never changed; withdraw its file and import a corrected one",
    ),
    Guard(TABLE, "DELETE", "1 = 1", "a rating is never deleted; withdraw its file"),
)


def install_rating_guards(using: str = "default", **_: Any) -> None:
    install_guards(using, GUARDS)


def lift_rating_guards(using: str = "default", plan: Sequence[object] = (), **_: Any) -> None:
    lift_guards(using, plan, GUARDS)
