"""Database triggers that keep what people said: a rating comes with its file and can only be
withdrawn with it; a vote is taken back, never changed; what an open study asks stays as it is."""

from benchmarks.common.triggers import differ, guard

TABLE = "panel_rating"
FILE_IS_WITHDRAWN = (
    "EXISTS (SELECT 1 FROM panel_ratingfile f WHERE f.id = NEW.file_id AND f.withdrawn IS NOT NULL)"
)
FIXED = ("id", "file_id", "answer_id", "rater", "dimension", "score")


STUDY_IS_DRAWN = (
    "EXISTS (SELECT 1 FROM panel_study s WHERE s.id = {0}.study_id AND s.state <> 'draft')"
)
STUDY_TAKES_NO_VOTE = (
    "EXISTS (SELECT 1 FROM panel_studyitem i JOIN panel_study s ON s.id = i.study_id"
    " WHERE i.id = NEW.item_id AND s.state <> 'open' AND NOT (s.state = 'closed'"
    " AND s.late_until IS NOT NULL AND NEW.at <= s.late_until AND EXISTS (SELECT 1 FROM"
    " panel_assignment a WHERE a.item_id = NEW.item_id AND a.rater_id = NEW.rater_id)))"
)
RATER_IS_REMOVED = (
    "EXISTS (SELECT 1 FROM panel_studyrater r WHERE r.id = NEW.rater_id AND r.removed IS NOT NULL)"
)
RATER_OF_ANOTHER_STUDY = (
    "NOT EXISTS (SELECT 1 FROM panel_studyitem i JOIN panel_studyrater r"
    " ON r.study_id = i.study_id WHERE i.id = NEW.item_id AND r.id = NEW.rater_id)"
)
STUDY_GUARDS = (
    guard(
        "panel_study",
        "UPDATE",
        "OLD.state <> 'draft' AND ("
        + differ(
            "release_id",
            "questionnaire",
            "size",
            "seed",
            "raters_per_item",
            "check_every",
            "failing",
            "least_passed",
            "note",
            "consent",
        )
        + " OR COALESCE(OLD.quota, 0) <> COALESCE(NEW.quota, 0)"
        + " OR NEW.state = 'draft' OR (OLD.state <> 'open' AND NEW.state = 'open')"
        " OR (OLD.state = 'withdrawn' AND NEW.state <> 'withdrawn'))",
        "a study that was opened asks what it asked, and goes on to closed or withdrawn only",
    ),
    guard("panel_study", "DELETE", "OLD.state <> 'draft'", "a study that was opened stays"),
    guard(
        "panel_studyitem",
        "INSERT",
        STUDY_IS_DRAWN.format("NEW"),
        "a study that was opened takes no more items",
    ),
    guard(
        "panel_studyitem",
        "UPDATE",
        STUDY_IS_DRAWN.format("OLD")
        + f""" AND ({
            differ(
                "study_id",
                "answer_id",
                "position",
                "shown_answer",
                "shown_reference",
                "is_check",
                "check_dimension",
                "passed_by",
            )
        })""",
        "an item of a study that was opened stays as it is",
    ),
    guard(
        "panel_studyitem",
        "DELETE",
        STUDY_IS_DRAWN.format("OLD"),
        "an item of a study that was opened stays",
    ),
    guard(
        "panel_vote",
        "INSERT",
        f"NEW.taken_back IS NOT NULL OR {STUDY_TAKES_NO_VOTE} OR {RATER_IS_REMOVED}"
        f" OR {RATER_OF_ANOTHER_STUDY}",
        "only raters of an open study vote, and late ones on what they were given",
    ),
    guard(
        "panel_vote",
        "UPDATE",
        differ("id", "item_id", "rater_id", "dimension", "value", "at", "key")
        + " OR COALESCE(OLD.milliseconds, -1) <> COALESCE(NEW.milliseconds, -1)"
        " OR OLD.taken_back IS NOT NULL",
        "a vote is never changed; it may be taken back once",
    ),
    guard("panel_vote", "DELETE", "1 = 1", "a vote is never deleted"),
)
GUARDS = (
    *STUDY_GUARDS,
    guard(
        TABLE,
        "INSERT",
        f"NEW.is_withdrawn OR {FILE_IS_WITHDRAWN}",
        "a withdrawn file of ratings takes no more; import a corrected one",
    ),
    guard(
        TABLE,
        "UPDATE",
        differ(*FIXED)
        + (
            " OR (OLD.is_withdrawn AND NOT NEW.is_withdrawn) OR (NEW.is_withdrawn AND NOT "
            f"{FILE_IS_WITHDRAWN})"
        ),
        "a rating is never changed; withdraw its file and import a corrected one",
    ),
    guard(TABLE, "DELETE", "1 = 1", "a rating is never deleted; withdraw its file"),
)
