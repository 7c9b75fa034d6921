"""Database triggers that keep verdicts: one that stands is not written over, and what stood before
never changes.

Asking anew keeps the verdict first (EarlierVerdict), in the same transaction; then the row may lose
it. And nothing that a scoresheet was made of changes unless its run says so, because sweeps look at
no other run.
"""

from benchmarks.common.triggers import differ, guard

IS_KEPT = (
    "EXISTS (SELECT 1 FROM judging_earlierverdict e WHERE e.judgement_id = OLD.id"
    " AND e.content_key = OLD.content_key AND e.verdict = OLD.verdict"
    " AND e.raw_reply = OLD.raw_reply"
    # One that came back equals an older kept one but for when it was settled, and by which version.
    " AND (e.settled = OLD.settled OR (e.settled IS NULL AND OLD.settled IS NULL))"
    " AND (e.texts_id = OLD.texts_id OR (e.texts_id IS NULL AND OLD.texts_id IS NULL)))"
)
OVERWRITING = guard(
    "judging_judgement",
    "UPDATE",
    f"OLD.state = 'judged' AND ({differ('verdict', 'raw_reply', 'content_key')}) AND NOT {IS_KEPT}",
    "a verdict is not written over; keep it as an earlier verdict first",
)
UNNOTICED = guard(
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
    guard("judging_earlierverdict", "UPDATE", "1 = 1", "an earlier verdict never changes"),
    guard("judging_earlierverdict", "DELETE", "1 = 1", "an earlier verdict is never deleted"),
    guard(
        "judging_judgedtexts", "UPDATE", "1 = 1", "what was read does not change; add a row for it"
    ),
)
