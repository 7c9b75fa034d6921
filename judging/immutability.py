"""Database triggers that keep verdicts: one that stands is not written over, and what stood before
never changes.

Asking anew keeps the verdict first (EarlierVerdict), in the same transaction; then the row may lose
it. And nothing that a scoresheet was made of changes unless its run says so, because sweeps look at
no other run.
"""

from collections.abc import Sequence
from typing import Any

from benchmarks.immutability import Guard, install_guards, lift_guards

IS_KEPT = (
    "EXISTS (SELECT 1 FROM judging_earlierverdict e WHERE e.judgement_id = OLD.id"
    " AND e.content_key = OLD.content_key AND e.verdict = OLD.verdict"
    " AND e.raw_reply = OLD.raw_reply"
    # One that came back equals an older kept one but for when it was settled, and by which version.
    " AND (e.settled = OLD.settled OR (e.settled IS NULL AND OLD.settled IS NULL))"
    " AND (e.texts_id = OLD.texts_id OR (e.texts_id IS NULL AND OLD.texts_id IS NULL)))"
)
WHAT_IS_SAID = ("verdict", "raw_reply", "content_key")
OVERWRITING = Guard(
    "judging_judgement",
    "UPDATE",
    f"OLD.state = 'judged' AND ({' OR '.join(f'OLD.{f} <> NEW.{f}' for f in WHAT_IS_SAID)})"
    f" AND NOT {IS_KEPT}",
    "a verdict is not written over; keep it as an earlier verdict first",
)
UNNOTICED = Guard(
    "judging_judgement",
    "UPDATE",
    # Judgements that wait belong to a run that is not scored: only what ended costs a look at it.
    "OLD.state NOT IN ('waiting', 'leased')"
    " AND (OLD.state <> NEW.state OR OLD.verdict <> NEW.verdict)"
    " AND EXISTS (SELECT 1 FROM judging_judgerun r WHERE r.id = OLD.run_id"
    " AND r.unscored IS NULL)",
    "no sweep would see this: raise the revision of its run first, in the same transaction",
    about="revision",
)
GUARDS = (
    OVERWRITING,
    UNNOTICED,
    Guard("judging_earlierverdict", "UPDATE", "1 = 1", "an earlier verdict never changes"),
    Guard("judging_earlierverdict", "DELETE", "1 = 1", "an earlier verdict is never deleted"),
    Guard(
        "judging_judgedtexts", "UPDATE", "1 = 1", "what was read does not change; add a row for it"
    ),
)


def install_verdict_guards(using: str = "default", **_: Any) -> None:
    install_guards(using, GUARDS)


def lift_verdict_guards(using: str = "default", plan: Sequence[object] = (), **_: Any) -> None:
    lift_guards(using, plan, GUARDS)
