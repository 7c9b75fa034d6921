"""Database triggers that keep what staff decided in public, and what was said of models: neither is
ever changed, another one follows it."""

from benchmarks.common.triggers import differ, guard

FIXED = ("id", "submission_id", "reason", "decided")
GUARDS = (
    *(
        guard(
            table,
            "UPDATE",
            differ(*FIXED, *own),
            "a decision is never changed; make another one",
        )
        for table, own in (
            ("submissions_rankingdecision", ("is_ranked",)),
            ("submissions_verificationdecision", ("is_verified", "decided_by_id")),
        )
    ),
    *(
        guard(table, event, "1 = 1", "a decision is never changed; make another one")
        for table in ("submissions_teamverification", "submissions_limitraise")
        for event in ("UPDATE", "DELETE")
    ),
    guard(
        "submissions_factchange",
        "UPDATE",
        differ("id", "model_id", "field", "before", "after", "reason", "changed"),
        "the history of a model is never changed; change what is said of it",
    ),
    guard(
        "submissions_factchange",
        "DELETE",
        "1 = 1",
        "the history of a model is never changed; change what is said of it",
    ),
)
