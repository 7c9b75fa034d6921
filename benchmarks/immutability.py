"""Database triggers that refuse to change the content of a release that has been opened.

Questions and figures need no trigger against deleting: they are protected foreign keys of the
memberships, which have one. A row moved from elsewhere counts as added.
"""

from benchmarks.common.groups import PROJECT_GROUPS
from benchmarks.common.triggers import ROWS, differ, guard

LOCKED = "r.state <> 'draft'"
MEMBER = (
    "SELECT 1 FROM benchmarks_releasequestion m JOIN benchmarks_release r ON r.id = m.release_id"
)
MEMBER_BY_FIGURE = f"{MEMBER} JOIN benchmarks_question q ON q.id = m.question_id"
CONTENT = (
    "id",
    "benchmark_id",
    "public_id",
    "content_hash",
    "subtask_id",
    '"group"',
    "text",
    "facts",
    "truth",
)
"""Columns of a question that a release was opened with, besides its figure."""
RELEASE = "SELECT 1 FROM benchmarks_release r"
OWN_NAMES = ", ".join(f"'{name}'" for name in PROJECT_GROUPS)
OWN_GROUP = f"OLD.name IN ({OWN_NAMES})"
ROWS_OF = {event: ", ".join(f"{row}.{{0}}" for row in rows) for event, rows in ROWS.items()}


GUARDS = (
    guard(
        "benchmarks_question",
        "UPDATE",
        f"({differ(*CONTENT)}"
        " OR COALESCE(OLD.figure_id, 0) <> COALESCE(NEW.figure_id, 0)) AND "
        f"EXISTS ({MEMBER} WHERE m.question_id = OLD.id AND {LOCKED})",
        "this question belongs to an opened release and cannot change; make a new release",
    ),
    # "confirmed" is what code says to which an update was taken back.
    guard(
        "benchmarks_question",
        "UPDATE",
        "NEW.corrected_truth IS NOT NULL AND NOT EXISTS (SELECT 1 FROM benchmarks_labelcorrection c"
        " WHERE c.question_id = NEW.id AND c.state IN ('approved', 'confirmed')"
        " AND c.truth = NEW.corrected_truth)",
        "a label is corrected by a confirmed correction alone",
        about="label",
    ),
    guard(
        "benchmarks_question",
        "UPDATE",
        "NEW.corrected_truth IS NULL AND OLD.corrected_truth IS NOT NULL",
        "a corrected label is corrected again, not taken back",
        about="label_kept",
    ),
    guard(
        "benchmarks_labelcorrection",
        "UPDATE",
        "OLD.state <> 'in review' OR OLD.label <> NEW.label OR OLD.before <> NEW.before"
        " OR OLD.truth <> NEW.truth OR OLD.reference <> NEW.reference"
        " OR OLD.reason <> NEW.reason OR OLD.question_id <> NEW.question_id"
        " OR OLD.author_id <> NEW.author_id",
        "a correction is decided once, and its words stay",
    ),
    guard(
        "benchmarks_labelcorrection",
        "DELETE",
        "OLD.state IN ('approved', 'confirmed')",
        "answers were judged by this correction: it stays",
    ),
    guard(
        "benchmarks_figure",
        "UPDATE",
        f"EXISTS ({MEMBER_BY_FIGURE} WHERE q.figure_id = OLD.id AND {LOCKED})",
        "this figure belongs to an opened release and cannot change; make a new release",
    ),
    *(
        guard(
            "benchmarks_figureimage",
            event,
            f"EXISTS ({MEMBER_BY_FIGURE} WHERE q.figure_id IN ({places.format('figure_id')}) AND "
            f"{LOCKED})",
            "the images of an opened release cannot change; make a new release",
        )
        for event, places in ROWS_OF.items()
    ),
    *(
        guard(
            "benchmarks_releasequestion",
            event,
            f"EXISTS ({RELEASE} WHERE r.id IN ({places.format('release_id')}) AND {LOCKED})",
            "the questions of an opened release cannot change; make a new release",
        )
        for event, places in ROWS_OF.items()
    ),
    guard(
        "benchmarks_release",
        "UPDATE",
        "OLD.state <> 'draft' AND (NEW.checksum <> OLD.checksum OR NEW.slug <> OLD.slug"
        " OR NEW.benchmark_id <> OLD.benchmark_id OR NEW.state = 'draft')",
        "an opened release keeps its name and content and cannot become a draft again",
    ),
    guard(
        "benchmarks_reference",
        "UPDATE",
        "OLD.text <> NEW.text OR OLD.question_id <> NEW.question_id OR OLD.version <> NEW.version",
        "a reference is never changed in place; add a version",
    ),
    guard(
        "benchmarks_reference",
        "DELETE",
        f"EXISTS ({MEMBER} WHERE m.question_id = OLD.question_id AND {LOCKED})",
        "this reference belongs to an opened release and cannot go; add a version",
    ),
    guard(
        "benchmarks_description",
        "UPDATE",
        "OLD.state = 'approved' AND (OLD.text <> NEW.text OR OLD.figure_id <> NEW.figure_id"
        " OR OLD.version <> NEW.version)",
        "an approved description is never changed in place; add a version",
    ),
    guard("benchmarks_staffaction", "UPDATE", "1 = 1", "what staff did is never changed"),
    guard("benchmarks_staffaction", "DELETE", "1 = 1", "what staff did is never deleted"),
    guard("auth_group", "DELETE", OWN_GROUP, "a group of the site itself is never deleted"),
    guard(
        "auth_group",
        "UPDATE",
        f"{OWN_GROUP} AND NEW.name <> OLD.name",
        "a group of the site itself keeps its name",
    ),
)
