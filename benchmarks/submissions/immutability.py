"""Database triggers that keep what staff decided in public, and what was said of models: neither is
ever changed, another one follows it."""

from collections.abc import Sequence
from typing import Any

from benchmarks.immutability import Guard, install_guards, lift_guards

FIXED = ("id", "submission_id", "reason", "decided")
GUARDS = (
    *(
        Guard(
            table,
            "UPDATE",
            " OR ".join(f"OLD.{field} <> NEW.{field}" for field in (*FIXED, *own)),
            "a decision is never changed; make another one",
        )
        for table, own in (
            ("submissions_rankingdecision", ("is_ranked",)),
            ("submissions_verificationdecision", ("is_verified", "decided_by_id")),
        )
    ),
    *(
        Guard(table, event, "1 = 1", "a decision is never changed; make another one")
        for table in ("submissions_teamverification", "submissions_limitraise")
        for event in ("UPDATE", "DELETE")
    ),
    Guard(
        "submissions_factchange",
        "UPDATE",
        " OR ".join(
            f"OLD.{field} <> NEW.{field}"
            for field in ("id", "model_id", "field", "before", "after", "reason", "changed")
        ),
        "the history of a model is never changed; change what is said of it",
    ),
    Guard(
        "submissions_factchange",
        "DELETE",
        "1 = 1",
        "the history of a model is never changed; change what is said of it",
    ),
)


def install_decision_guards(using: str = "default", **_: Any) -> None:
    install_guards(using, GUARDS)


def lift_decision_guards(using: str = "default", plan: Sequence[object] = (), **_: Any) -> None:
    lift_guards(using, plan, GUARDS)
