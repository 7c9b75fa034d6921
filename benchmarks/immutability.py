"""Database triggers that refuse to change the content of a release that has been opened.

Python-level checks stop only code that asks them; a trigger also stops `QuerySet.update`,
`bulk_update`, the admin's actions and a person with a database shell. Questions and figures need no
trigger against deleting: they are protected foreign keys of the memberships, which have one. A row
moved from elsewhere counts as added.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from django.db import connections

from benchmarks.groups import PROJECT_GROUPS

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
ROWS_OF = {"INSERT": "NEW.{0}", "UPDATE": "OLD.{0}, NEW.{0}", "DELETE": "OLD.{0}"}


@dataclass(frozen=True, slots=True)
class Guard:
    """A trigger. `about` tells it from another one of the same table and event."""

    table: str
    event: str
    condition: str
    message: str
    about: str = ""

    @property
    def name(self) -> str:
        parts = (self.table, self.event.lower(), self.about, "guard")
        return "_".join(part for part in parts if part)


GUARDS = (
    Guard(
        "benchmarks_question",
        "UPDATE",
        f"({' OR '.join(f'OLD.{name} <> NEW.{name}' for name in CONTENT)}"
        " OR COALESCE(OLD.figure_id, 0) <> COALESCE(NEW.figure_id, 0)) AND "
        f"EXISTS ({MEMBER} WHERE m.question_id = OLD.id AND {LOCKED})",
        "this question belongs to an opened release and cannot change; make a new release",
    ),
    Guard(
        "benchmarks_question",
        "UPDATE",
        "NEW.corrected_truth IS NOT NULL AND NOT EXISTS (SELECT 1 FROM benchmarks_labelcorrection c"
        " WHERE c.question_id = NEW.id AND c.state = 'confirmed'"
        " AND c.truth = NEW.corrected_truth)",
        "a label is corrected by a confirmed correction alone",
        about="label",
    ),
    Guard(
        "benchmarks_question",
        "UPDATE",
        "NEW.corrected_truth IS NULL AND OLD.corrected_truth IS NOT NULL",
        "a corrected label is corrected again, not taken back",
        about="label_kept",
    ),
    Guard(
        "benchmarks_labelcorrection",
        "UPDATE",
        "OLD.state <> 'in review' OR OLD.label <> NEW.label OR OLD.before <> NEW.before"
        " OR OLD.truth <> NEW.truth OR OLD.reference <> NEW.reference"
        " OR OLD.reason <> NEW.reason OR OLD.question_id <> NEW.question_id"
        " OR OLD.author_id <> NEW.author_id",
        "a correction is decided once, and its words stay",
    ),
    Guard(
        "benchmarks_labelcorrection",
        "DELETE",
        "OLD.state = 'confirmed'",
        "answers were judged by this correction: it stays",
    ),
    Guard(
        "benchmarks_figure",
        "UPDATE",
        f"EXISTS ({MEMBER_BY_FIGURE} WHERE q.figure_id = OLD.id AND {LOCKED})",
        "this figure belongs to an opened release and cannot change; make a new release",
    ),
    *(
        Guard(
            "benchmarks_figureimage",
            event,
            f"EXISTS ({MEMBER_BY_FIGURE} WHERE q.figure_id IN ({places.format('figure_id')}) AND "
            f"{LOCKED})",
            "the images of an opened release cannot change; make a new release",
        )
        for event, places in ROWS_OF.items()
    ),
    *(
        Guard(
            "benchmarks_releasequestion",
            event,
            f"EXISTS ({RELEASE} WHERE r.id IN ({places.format('release_id')}) AND {LOCKED})",
            "the questions of an opened release cannot change; make a new release",
        )
        for event, places in ROWS_OF.items()
    ),
    Guard(
        "benchmarks_release",
        "UPDATE",
        "OLD.state <> 'draft' AND (NEW.checksum <> OLD.checksum OR NEW.slug <> OLD.slug"
        " OR NEW.benchmark_id <> OLD.benchmark_id OR NEW.state = 'draft')",
        "an opened release keeps its name and content and cannot become a draft again",
    ),
    Guard(
        "benchmarks_reference",
        "UPDATE",
        "OLD.text <> NEW.text OR OLD.question_id <> NEW.question_id OR OLD.version <> NEW.version",
        "a reference is never changed in place; add a version",
    ),
    Guard(
        "benchmarks_reference",
        "DELETE",
        f"EXISTS ({MEMBER} WHERE m.question_id = OLD.question_id AND {LOCKED})",
        "this reference belongs to an opened release and cannot go; add a version",
    ),
    Guard(
        "benchmarks_description",
        "UPDATE",
        "OLD.state = 'approved' AND (OLD.text <> NEW.text OR OLD.figure_id <> NEW.figure_id"
        " OR OLD.version <> NEW.version)",
        "an approved description is never changed in place; add a version",
    ),
    Guard("benchmarks_staffaction", "UPDATE", "1 = 1", "what staff did is never changed"),
    Guard("benchmarks_staffaction", "DELETE", "1 = 1", "what staff did is never deleted"),
    Guard("auth_group", "DELETE", OWN_GROUP, "a group of the site itself is never deleted"),
    Guard(
        "auth_group",
        "UPDATE",
        f"{OWN_GROUP} AND NEW.name <> OLD.name",
        "a group of the site itself keeps its name",
    ),
)


def install_guards(using: str = "default", guards: Iterable[Guard] = GUARDS, **_: Any) -> None:
    """Every trigger of `guards` exists afterwards, as far as their tables do; safe to repeat."""
    connection = connections[using]
    statements = {"sqlite": sqlite_statements, "postgresql": postgresql_statements}[
        connection.vendor
    ]
    present = set(connection.introspection.table_names())
    with connection.cursor() as cursor:
        for guard in guards:
            if guard.table in present:
                for statement in statements(guard):
                    cursor.execute(statement)


def lift_guards(
    using: str = "default",
    plan: Sequence[object] = (),
    guards: Iterable[Guard] = GUARDS,
    **_: Any,
) -> None:
    """No trigger of `guards` exists on SQLite while migrations run, if any are to run;
    `install_guards` follows them.

    SQLite changes a table by building it anew and renaming it, and refuses the renaming while a
    trigger of any other table names the old one. If a migration fails, they are missing until one
    succeeds, which every start tries first.
    """
    connection = connections[using]
    if plan and connection.vendor == "sqlite":
        with connection.cursor() as cursor:
            for guard in guards:
                cursor.execute(f"DROP TRIGGER IF EXISTS {guard.name}")


def sqlite_statements(guard: Guard) -> tuple[str, ...]:
    return (
        f"DROP TRIGGER IF EXISTS {guard.name}",
        f"CREATE TRIGGER {guard.name} BEFORE {guard.event} ON {guard.table} WHEN {guard.condition}"
        f" BEGIN SELECT RAISE(ABORT, '{guard.message}'); END",
    )


def postgresql_statements(guard: Guard) -> tuple[str, ...]:
    kept = "OLD" if guard.event == "DELETE" else "NEW"
    return (
        f"CREATE OR REPLACE FUNCTION {guard.name}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN"
        f" IF {guard.condition} THEN RAISE EXCEPTION '{guard.message}'"
        f" USING ERRCODE = 'integrity_constraint_violation'; END IF; RETURN {kept}; END $$",
        f"CREATE OR REPLACE TRIGGER {guard.name} BEFORE {guard.event} ON {guard.table}"
        f" FOR EACH ROW EXECUTE FUNCTION {guard.name}()",
    )
