"""Triggers of the chain: those that add the links of events, and those that keep links as they are.

Who publishes, withdraws, makes private or keeps out stands in rooms that know nothing of the chain,
in the admin and in database shells; a trigger misses none of them. Names are in no link: their
owners may change them, and go.
"""

from benchmarks.common.triggers import Trigger, differ, guard

LINKS, HEAD = "leaderboard_chainlink", "leaderboard_chainhead"
FIXED = ("id", "kind", "submission", "judge", "content")
SUBMISSIONS, DECISIONS = "submissions_submission", "submissions_rankingdecision"
SHEETS = "leaderboard_scoresheet"
LINKED = "EXISTS (SELECT 1 FROM leaderboard_chainlink l WHERE l.submission = {0})"
OF_KINDS = "EXISTS (SELECT 1 FROM leaderboard_chainlink l WHERE l.submission = {0} AND l.kind {1})"
"""Whether the chain has links about a row that is to go."""
GUARDS = (
    guard(
        LINKS,
        "UPDATE",
        # One that waits gets its number; nothing else ever changes.
        f"OLD.number IS NOT NULL OR {differ(*FIXED)}",
        "a link of the chain is never changed",
    ),
    guard(LINKS, "DELETE", "1 = 1", "a link of the chain is never deleted"),
    guard(
        HEAD,
        "UPDATE",
        "NEW.number < OLD.number OR (NEW.number = OLD.number AND NEW.digest <> OLD.digest)",
        "the head of the chain only goes on",
    ),
    guard(HEAD, "DELETE", "1 = 1", "the head of the chain is never deleted"),
    # Of what is gone the links would be told to nobody, and nobody could tell that it ever was.
    guard(
        SUBMISSIONS,
        "DELETE",
        LINKED.format("OLD.id"),
        "a submission in the chain is never deleted; withdraw it",
        about="chain",
        needs=LINKS,
    ),
    guard(
        SHEETS,
        "DELETE",
        OF_KINDS.format("OLD.submission_id", "= 'scoresheet'"),
        "a scoresheet in the chain is never deleted; it is scored anew",
        about="chain",
        needs=LINKS,
    ),
    guard(
        DECISIONS,
        "DELETE",
        OF_KINDS.format("OLD.submission_id", "IN ('kept_out', 'ranked')"),
        "a decision in the chain is never deleted; make another one",
        about="chain",
        needs=LINKS,
    ),
)

NOW = {
    "sqlite": "strftime('%Y-%m-%dT%H:%M:%fZ', 'now')",
    "postgresql": (
        "to_char(clock_timestamp() AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS.MS\"Z\"')"
    ),
}
HEX = "NEW.{key}"
DASHED = {  # SQLite stores 32 hex digits
    "sqlite": " || '-' || ".join(
        f"substr({HEX}, {start}, {count})" for start, count in ((1, 8), (9, 4), (13, 4), (17, 4))
    )
    + f" || '-' || substr({HEX}, 21)",
    "postgresql": f"{HEX}::text",
}
PUBLIC = "{row}.visibility = 'public' AND {row}.withdrawn IS NULL"
WAS, IS = PUBLIC.replace("{row}", "OLD"), PUBLIC.replace("{row}", "NEW")


def event(kind: str, table: str, event: str, condition: str, key: str = "id") -> Trigger:
    """Adds a link of `kind` where `condition` holds of a row written. key: the column that names
    the submission."""

    def link(vendor: str) -> str:
        entry_id = DASHED[vendor].replace("{key}", key)
        # Nothing of it comes from outside: all of it are constants of this file.
        content = (
            f"""'{{"at":"' || {NOW[vendor]} || '","kind":"{kind}","submission":"' || {entry_id}"""
            """ || '"}'"""
        )
        columns = "kind, submission, judge, content, content_digest, previous, digest"
        values = f"'{kind}', NEW.{key}, '', {content}, '', '', ''"
        return f"INSERT INTO {LINKS} ({columns}) VALUES ({values})"  # noqa: S608 # nosec B608

    name = f"{table}_{event.lower()}_{kind}_linked"
    adds = {vendor: link(vendor) for vendor in NOW}
    return Trigger(name, table, event, condition, adds=adds, needs=LINKS)


TRIGGERS = (
    event("publication", SUBMISSIONS, "INSERT", IS),
    event("publication", SUBMISSIONS, "UPDATE", f"{IS} AND NOT ({WAS})"),
    event(
        "withdrawal",
        SUBMISSIONS,
        "UPDATE",
        # what was cancelled before it was confirmed was never anywhere
        "NEW.withdrawn IS NOT NULL AND OLD.withdrawn IS NULL AND NEW.confirmed IS NOT NULL",
    ),
    event(
        "made_private",
        SUBMISSIONS,
        "UPDATE",
        f"({WAS}) AND NEW.visibility <> 'public' AND NEW.withdrawn IS NULL",
    ),
    event("kept_out", DECISIONS, "INSERT", "NOT NEW.is_ranked", "submission_id"),
    event("ranked", DECISIONS, "INSERT", "NEW.is_ranked", "submission_id"),
)
