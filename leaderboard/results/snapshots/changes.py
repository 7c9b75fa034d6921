"""What changed between two kept boards of an era, and why: read of their rows, and kept with the
later one.

Only ids are kept: a name is told while its entry is public, and no longer.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from benchmarks.submissions.models import Submission
from leaderboard.models import BoardSnapshot, ShownRow
from leaderboard.results.snapshots.columns import Columns

MOST_REPORTED = 50
"""Entries with a cause of their own, and of those that others moved, in one snapshot: a page shows
twenty snapshots, and the others are counted."""
AT_ONCE = 500
COUNTS = ("coverage", "judged", "unreadable", "failed", "excluded")
"""Of an entry's face: what came of its judging besides figures."""


@dataclass(frozen=True, slots=True)
class EntryPosition:
    """Where an entry stood and with what. place: both ends of its rank range, None without a
    rank."""

    place: tuple[int, int] | None
    key: int
    face: Mapping[str, Any]


def changes_between(
    before: Mapping[UUID, EntryPosition],
    after: Mapping[UUID, EntryPosition],
    *,
    is_new_edition: bool,
) -> dict[str, Any]:
    """causes: of entries with one of their own; moved: those that only others moved, the farthest
    first; more: how many of either are not told."""
    gone = departures([key for key in before if key not in after])
    causes = [change_of(key, cause, before[key], None) for key, cause in gone.items()]
    moved = []
    for key, now in after.items():
        was = before.get(key)
        cause = "new" if was is None else cause_of(was, now, is_new_edition=is_new_edition)
        if cause:
            causes.append(change_of(key, cause, was, now))
        elif was and was.place != now.place:
            moved.append(change_of(key, "moved", was, now))
    moved.sort(key=distance, reverse=True)
    return {
        "is_new_edition": is_new_edition,
        "causes": causes[:MOST_REPORTED],
        "more_causes": max(0, len(causes) - MOST_REPORTED),
        "moved": moved[:MOST_REPORTED],
        "more_moved": max(0, len(moved) - MOST_REPORTED),
    }


def departures(gone: Sequence[UUID]) -> Mapping[UUID, str]:
    """By id why an entry is on the board no more: replaced by a new version, withdrawn, or made
    private."""
    found: dict[UUID, str] = {}
    for start in range(0, len(gone), AT_ONCE):
        some = Submission.objects.filter(pk__in=gone[start : start + AT_ONCE])
        for key, withdrawn, newer in some.values_list("pk", "withdrawn", "replaced_by"):
            found[key] = "replaced" if newer else "withdrawn" if withdrawn else "private"
    return {key: found.get(key, "withdrawn") for key in gone}


def cause_of(was: EntryPosition, now: EntryPosition, *, is_new_edition: bool) -> str:
    """Empty where nothing of the entry itself changed."""
    if was.key == now.key:
        return ""
    old, new = was.face, now.face
    if old["kept_out"] != new["kept_out"]:
        return "kept_out" if new["kept_out"] else "ranked"
    if old["figures"] == new["figures"]:
        # With the same figures only others can have moved it.
        return cause_beside_figures(old, new, is_new_edition) if was.place == now.place else ""
    if old["scoring"] != new["scoring"]:
        return "formulas"
    return "edition" if is_new_edition else "judged"


def cause_beside_figures(
    old: Mapping[str, Any], new: Mapping[str, Any], is_new_edition: bool
) -> str:
    """Why an entry whose figures are the same shows something else."""
    if old["scoring"] != new["scoring"]:
        return "formulas"
    if any(old[count] != new[count] for count in COUNTS):
        return "judged"
    if new["unknown_texts"] < old["unknown_texts"]:
        return "recorded"
    if new["older_texts"] > old["older_texts"]:
        return "older"
    if new["older_texts"] < old["older_texts"]:
        # A new edition may have brought back the words that it was judged by.
        return "newer" if is_new_edition else "judged"
    return "beside" if old["beside"] != new["beside"] else "described"


def change_of(
    key: UUID, cause: str, was: EntryPosition | None, now: EntryPosition | None
) -> dict[str, Any]:
    return {
        "id": str(key),
        "cause": cause,
        "from": list(was.place) if was and was.place else None,
        "to": list(now.place) if now and now.place else None,
    }


def distance(move: Mapping[str, Any]) -> int:
    start, end = move["from"] or [0, 0], move["to"] or [0, 0]
    return sum(abs(one - other) for one, other in zip(start, end, strict=True))


def place_at(columns: Columns, position: int) -> tuple[int, int] | None:
    best, worst = columns.number("best", position), columns.number("worst", position)
    return None if best is None or worst is None else (best, worst)


def positions_before(
    snapshot: BoardSnapshot | None, columns: Columns | None
) -> dict[UUID, EntryPosition]:
    """By id where everybody stood; nobody where nothing was kept before."""
    if snapshot is None or columns is None:
        return {}
    keys = columns.numbers["keys"].tolist()
    faces: dict[int, tuple[UUID, str]] = {}
    for start in range(0, len(keys), AT_ONCE):
        rows = ShownRow.objects.filter(pk__in=keys[start : start + AT_ONCE])
        faces |= {
            pk: (submission, text)
            for pk, submission, text in rows.values_list("pk", "submission", "text")
        }
    return {
        faces[key][0]: EntryPosition(place_at(columns, position), key, json.loads(faces[key][1]))
        for position, key in enumerate(keys)
    }
