"""Keeping what a board showed, each time that it shows something else.

What a row shows besides its place is kept once under the digest of its text (`ShownRow`), its
figures once under theirs (`ShownFigures`); a snapshot names rows by key and holds what moves
whenever anybody comes: ranks, ranges, differences.
"""

import hashlib
import json
import zlib
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple
from uuid import UUID

from leaderboard.models import (
    BoardEdition,
    BoardFacts,
    BoardRow,
    BoardSnapshot,
    ShownFigures,
    ShownRow,
)
from leaderboard.results.chain.links import content_of, head
from leaderboard.results.snapshots.changes import (
    EntryPosition,
    changes_between,
    place_at,
    positions_before,
)
from leaderboard.results.snapshots.columns import (
    BASELINE,
    FLOATS,
    Columns,
    columns_of,
    packed,
    unpacked,
)

NAME_LENGTH = 16
"""Hex digits of the digest by which a snapshot is asked for: nobody meets another one by chance."""
KEPT_OF_EDITION = (
    *("entries", "handed_in", "ranked", "folded", "behind", "ranked_rows"),
    *("smallest_each", "smallest_together", "each_is_assumed", "together_is_assumed"),
    *("valued", "asked", "spans"),
)
"""Columns of an edition that its snapshot tells of the whole board by the same names."""
LEADERS = 10
"""Entries whose scores a snapshot tells by itself, for the drawing of scores over time."""
AT_ONCE = 500


class Ranked(NamedTuple):
    """Value and interval of an entry in the metric that ranks."""

    value: float | None
    low: float | None
    high: float | None


class Kept(NamedTuple):
    """What of a board is kept, in board order. figures: digest of each row's; ranking: of each
    row."""

    edition: BoardEdition
    rows: Sequence[BoardRow]
    figures: Sequence[str]
    ranking: Sequence[Ranked]


def digest_of(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def figures_text(packed_figures: Mapping[str, Any]) -> str:
    """What is kept of figures as a scoresheet has them, and hashed."""
    return content_of(packed_figures)


def face_of(row: BoardRow, figures: str) -> str:
    """What a row shows besides its place, as text. Who handed it in and who verified it is not
    kept: these are people, who may change their names and go."""
    sheet = row.sheet
    return content_of(
        {
            "id": str(sheet.submission_id),
            "model": row.model,
            "name": row.name,
            "is_verified": row.is_verified,
            "origin": row.origin,
            "submitted": row.submitted.isoformat(),
            "coverage": sheet.coverage,
            "judged": sheet.judged,
            "unreadable": sheet.unreadable,
            "failed": sheet.failed,
            "excluded": sheet.excluded,
            "scoring": sheet.scoring,
            "kept_out": row.is_kept_out,
            "codes": row.codes,
            "marks": row.marks,
            "sentence": row.sentence,
            "older_texts": row.older_texts,
            "unknown_texts": row.unknown_texts,
            "beside": row.beside,
            "figures": figures,
            # A row whose model does not say a fact is as one kept before there was that fact.
            **{
                name: fact
                for name, fact in BoardFacts.of_row(row)._asdict().items()
                if fact is not None
            },
        }
    )


def keep_snapshot(kept: Kept, figures_at: Any) -> BoardSnapshot:
    """The newest snapshot of the era, which shows what the board does: the one there is where that
    is so, else a new one.

    figures_at: of positions, the figures of each as a scoresheet has them.
    """
    edition = kept.edition
    faces = [face_of(row, digest) for row, digest in zip(kept.rows, kept.figures, strict=True)]
    keys = keys_of_rows(kept, faces, figures_at)
    columns = columns_with(kept.rows, keys)
    before = newest_of(edition)
    board_head = head_of(kept)
    shown = digest_of(shown_text(edition, board_head, columns, [digest_of(face) for face in faces]))
    if before is not None and before.shown == shown:
        return before
    digest = digest_of(f"{shown}\n{edition.computed.isoformat()}")
    return BoardSnapshot.objects.create(
        release=edition.release,
        judge_spec=edition.judge_spec,
        name=digest[:NAME_LENGTH],
        digest=digest,
        shown=shown,
        taken=edition.computed,
        entries=len(kept.rows),
        content_number=edition.content_number,
        content_since=edition.content_since,
        head={**board_head, "chain": chain_now()},
        columns=packed(columns),
        leaders=leaders_of(kept),
        changes=changes_since(before, kept, columns, faces),
    )


def newest_of(edition: BoardEdition) -> BoardSnapshot | None:
    found = BoardSnapshot.objects.filter(release=edition.release, judge_spec=edition.judge_spec)
    return found.order_by("-pk").first()


def head_of(kept: Kept) -> dict[str, Any]:
    """What is told of the whole board."""
    edition = kept.edition
    found = {name: getattr(edition, name) for name in KEPT_OF_EDITION}
    newest = edition.newest_sheet
    return {**found, "newest_sheet": newest.isoformat() if newest else None}


def chain_now() -> list[Any] | None:
    newest = head()
    return [newest.number, newest.digest, newest.linked.isoformat()] if newest else None


def shown_text(
    edition: BoardEdition, board_head: Mapping[str, Any], columns: Columns, digests: Sequence[str]
) -> str:
    """All that the board shows, by which two boards are told apart."""
    numbers = [name for name in columns.numbers if name != "keys"]
    return content_of(
        {
            "release": edition.release.slug,
            "release_checksum": edition.release.public_checksum,
            "judge": edition.judge_spec.slug,
            "judge_hash": edition.judge_spec.content_hash,
            "content_edition": edition.content_number,
            # When a sheet was computed alone is nothing that anybody sees to differ.
            "head": {name: value for name, value in board_head.items() if name != "newest_sheet"},
            "rows": list(digests),
            **{name: columns.numbers[name].tolist() for name in numbers},
            **{name: [columns.real(name, i) for i in range(columns.size)] for name in FLOATS},
            "firsts": {name: marks.tolist() for name, marks in columns.firsts.items()},
        }
    )


def columns_with(rows: Sequence[BoardRow], keys: Sequence[int]) -> Columns:
    places = {row.sheet.submission_id: row.position for row in rows}

    def values(row: BoardRow, key: int) -> dict[str, Any]:
        return {
            "keys": key,
            "rank": row.rank,
            "best": row.best,
            "worst": row.worst,
            "best_together": row.best_together,
            "worst_together": row.worst_together,
            "lead": places.get(row.same_answers_as) if row.same_answers_as else None,
            "flags": BASELINE * (row.origin == "baseline"),
            **{name: getattr(row, name) for name in FLOATS},
        }

    row_values = [values(row, key) for row, key in zip(rows, keys, strict=True)]
    return columns_of(row_values, [row.firsts for row in rows])


def leaders_of(kept: Kept) -> list[dict[str, Any]]:
    found = []
    for row, ranked in zip(kept.rows, kept.ranking, strict=True):
        if row.rank is None or row.same_answers_as is not None:
            continue
        found.append(
            {
                "id": str(row.sheet.submission_id),
                "place": [row.best, row.worst],
                "score": list(ranked),
            }
        )
        if len(found) == LEADERS:
            break
    return found


def changes_since(
    before: BoardSnapshot | None, kept: Kept, columns: Columns, faces: Sequence[str]
) -> dict[str, Any]:
    was = unpacked(bytes(before.columns)) if before else None
    keys = columns.numbers["keys"].tolist()
    after = {
        row.sheet.submission_id: EntryPosition(place_at(columns, position), key, json.loads(face))
        for position, (row, key, face) in enumerate(zip(kept.rows, keys, faces, strict=True))
    }
    is_new_edition = before is not None and before.content_number != kept.edition.content_number
    return changes_between(positions_before(before, was), after, is_new_edition=is_new_edition)


# --- rows and figures, each once ------------------------------------------------------------------


def keys_of_rows(kept: Kept, faces: Sequence[str], figures_at: Any) -> list[int]:
    """Of each row the key under which it is kept."""
    digests = [digest_of(face) for face in faces]
    known = known_keys(ShownRow, digests)
    new = [place for place, digest in enumerate(digests) if digest not in known]
    figures = keys_of_figures([kept.figures[place] for place in new], new, figures_at)
    rows = [
        ShownRow(
            digest=digests[place],
            submission=UUID(str(kept.rows[place].sheet.submission_id)),
            figures_id=figures[kept.figures[place]],
            text=faces[place],
        )
        for place in new
    ]
    ShownRow.objects.bulk_create(rows, batch_size=AT_ONCE, ignore_conflicts=True)
    known |= known_keys(ShownRow, [row.digest for row in rows])
    return [known[digest] for digest in digests]


def keys_of_figures(
    digests: Sequence[str], places: Sequence[int], figures_at: Any
) -> Mapping[str, int]:
    """By digest; those that are not kept yet are read and kept."""
    known = known_keys(ShownFigures, digests)
    wanted = {
        digest: place for digest, place in zip(digests, places, strict=True) if digest not in known
    }
    found: Iterator[Mapping[str, Any]] = figures_at(list(wanted.values()))
    some: list[ShownFigures] = []
    for digest, values in zip(wanted, found, strict=True):
        some.append(
            ShownFigures(digest=digest, values=zlib.compress(figures_text(values).encode(), 9))
        )
        if len(some) == AT_ONCE:
            ShownFigures.objects.bulk_create(some, ignore_conflicts=True)
            some = []
    ShownFigures.objects.bulk_create(some, ignore_conflicts=True)
    return known | known_keys(ShownFigures, list(wanted))


def known_keys(model: type[ShownRow | ShownFigures], digests: Sequence[str]) -> dict[str, int]:
    found: dict[str, int] = {}
    wanted = list(dict.fromkeys(digests))
    for start in range(0, len(wanted), AT_ONCE):
        rows = model._default_manager.filter(digest__in=wanted[start : start + AT_ONCE])
        found |= dict(rows.values_list("digest", "pk"))
    return found
