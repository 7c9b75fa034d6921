"""Reading what a board showed: at a moment, or in one snapshot by its name.

Figures and ranks are those that were kept. What is not public any more stands as a row that tells
its place and nothing else, and nothing that others show tells its score; who handed an entry in,
and who verified it, is told as of today.
"""

import json
import zlib
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from datetime import datetime
from functools import lru_cache, partial
from typing import Any
from uuid import UUID

from benchmarks.models import Benchmark, Release
from benchmarks.statistics.differences import Difference
from benchmarks.submissions.models import Submission
from benchmarks.submissions.naming.public_names import handed_in_by
from leaderboard.models import BoardEdition, BoardFacts, BoardSnapshot, ShownFigures, ShownRow
from leaderboard.results.chain.links import Head
from leaderboard.results.entries.older_texts import OutdatedTexts
from leaderboard.results.entries.standing import Standing, verification_words, verified_team
from leaderboard.results.selectors.part import ROWS_AT_ONCE, ColumnRows, read_part
from leaderboard.results.selectors.readings import (
    TOGETHER,
    BoardEntry,
    BoardPart,
    BoardReading,
    ColumnSpan,
    Era,
    PackedFigures,
    told_of,
)
from leaderboard.results.snapshots.columns import Columns, unpacked
from leaderboard.results.snapshots.keeping import KEPT_OF_EDITION

GONE = "An entry withdrawn or made private since"


class NoSuchSnapshotError(LookupError):
    """There is none by that name, or of that moment."""


def snapshot_named(benchmark: Benchmark, name: str) -> BoardSnapshot:
    """By the digest, or its first 16 hex digits or more. Raises NoSuchSnapshotError."""
    length = BoardSnapshot._meta.get_field("name").max_length or 0
    found = (
        BoardSnapshot.objects.filter(release__benchmark=benchmark, name=name[:length])
        .select_related("release__benchmark", "judge_spec__prompt_set")
        .first()
    )
    if found is None or not found.digest.startswith(name):
        raise NoSuchSnapshotError(f"This board has no snapshot “{name}”.")
    return found


def snapshot_at(moment: datetime, **of_era: Any) -> BoardSnapshot | None:
    """What stood at that moment, by its release and judge as the database names them; None where
    nothing had been kept yet."""
    return (
        BoardSnapshot.objects.filter(taken__lte=moment, **of_era)
        .select_related("release__benchmark", "judge_spec__prompt_set")
        .order_by("-taken", "-pk")
        .first()
    )


def first_kept(era: Era) -> datetime | None:
    """Of when the first snapshot of the era is."""
    of_era = BoardSnapshot.objects.filter(release=era.release, judge_spec=era.judge_spec)
    return of_era.order_by("taken").values_list("taken", flat=True).first()


def read_snapshot(head: BoardReading, snapshot: BoardSnapshot, part: BoardPart) -> BoardReading:
    """What `part` asks for of what was shown. `head` has benchmark, metrics and ranges."""
    rows = KeptRows(snapshot, together=head.ranges == TOGETHER)
    told = told_of(head, edition_of(snapshot))
    spans = told.span
    told = replace(
        told,
        era=Era(snapshot.release, snapshot.judge_spec, snapshot.entries),
        chain=chain_of(snapshot.head["chain"]),
        snapshot=snapshot,
        span=(lambda name: without_ends(spans(name))) if rows.gone else spans,
    )
    return read_part(told, rows, part)


def without_ends(span: ColumnSpan | None) -> ColumnSpan | None:
    """The ends of a column may be those of an entry that is gone."""
    return span and span._replace(low=None, high=None)


def edition_of(snapshot: BoardSnapshot) -> BoardEdition:
    """The edition that was kept, as it was of now."""
    newest = snapshot.head["newest_sheet"]
    return BoardEdition(
        release=snapshot.release,
        judge_spec=snapshot.judge_spec,
        computed=snapshot.taken,
        content_number=snapshot.content_number,
        content_since=snapshot.content_since,
        newest_sheet=datetime.fromisoformat(newest) if newest else None,
        **{name: snapshot.head[name] for name in KEPT_OF_EDITION},
    )


@lru_cache(maxsize=16)  # of 10,000 entries one takes 5 ms to unpack, and 1.5 MB
def columns_of(snapshot: int, digest: str) -> Columns:
    """The rows of a snapshot. digest: its own; what it names never changes."""
    packed = BoardSnapshot.objects.values_list("columns", flat=True).get(pk=snapshot, digest=digest)
    return unpacked(bytes(packed))


def chain_of(head: Sequence[Any] | None) -> Head | None:
    return Head(head[0], head[1], datetime.fromisoformat(head[2])) if head else None


@dataclass(frozen=True, slots=True)
class KeptRow:
    """What is kept of a row, and its submission where that is public today."""

    face: Mapping[str, Any]
    figures: bytes
    submission: Submission | None


class KeptRows(ColumnRows):
    """The rows of a snapshot: those of a page are read, or of a search all. has_leader: whether the
    entry that all were compared with is public: a difference to it tells its score."""

    def __init__(self, snapshot: BoardSnapshot, *, together: bool) -> None:
        super().__init__(columns_of(snapshot.pk, snapshot.digest), together=together)
        self.snapshot = snapshot
        self.keys: list[int] = self.columns.numbers["keys"].tolist()
        self.kept: dict[int, KeptRow] = {}
        self.gone = gone_keys(snapshot.release) & set(self.keys)
        self.has_leader = self.gone.isdisjoint(self.keys[place] for place in self.first_two()[:1])

    def places_of(self, entries: Set[UUID]) -> Iterable[int]:
        public = Submission.objects.public().filter(pk__in=entries)
        rows = ShownRow.objects.filter(submission__in=public.values_list("pk", flat=True))
        wanted = set(rows.values_list("pk", flat=True))
        return (place for place, key in enumerate(self.keys) if key in wanted)

    def at(self, places: Iterable[int]) -> tuple[BoardEntry, ...]:
        wanted = list(places)
        if "every" in self.__dict__:
            return tuple(self.every[place] for place in wanted)
        if len(self.kept) > ROWS_AT_ONCE:  # or a file of a board would hold all of it
            self.kept.clear()
        leads = {self.columns.number("lead", place) for place in wanted} - {None}
        self.read([*wanted, *(place for place in leads if place is not None)])
        return tuple(map(self.entry, wanted))

    def read(self, places: Iterable[int]) -> None:
        keys = list({self.keys[place] for place in places} - self.kept.keys())
        for start in range(0, len(keys), ROWS_AT_ONCE):
            rows = list(
                ShownRow.objects.filter(pk__in=keys[start : start + ROWS_AT_ONCE]).values_list(
                    "pk", "submission", "text", "figures"
                )
            )
            figures = ShownFigures.objects.filter(pk__in={row[3] for row in rows})
            values = dict(figures.values_list("pk", "values"))
            public = {s.pk: s for s in public_submissions({row[1] for row in rows})}
            for key, submission, text, figure in rows:
                self.kept[key] = KeptRow(
                    json.loads(text), bytes(values[figure]), public.get(submission)
                )

    def entry(self, place: int) -> BoardEntry:
        kept = self.kept[self.keys[place]]
        number, real = partial(self.columns.number, position=place), self.real_at(place)
        suffix = "_together" if self.together else ""
        ahead = real("ahead") if self.has_leader else None
        submission = kept.submission
        entry = BoardEntry(
            **face_values(kept.face),
            rank=number("rank"),
            rank_best=number(f"best{suffix}"),
            rank_worst=number(f"worst{suffix}"),
            figures=KeptFigures(kept.figures, kept.face["beside"]),
            same_answers_as=self.lead_of(place),
            handed_in_by=handed_in_by(submission) if submission else "",
            verified=verified_words(kept.face, submission) if submission else "",
            verified_team=verified_team(submission.team) if submission else None,
            to_leader=None
            if ahead is None
            else Difference(ahead, real(f"low{suffix}"), real(f"high{suffix}")),
            by_older_texts=texts_of(kept.face).sentence(self.snapshot.release.question_count),
            position=place,
            firsts=tuple(name for name, marks in self.columns.firsts.items() if marks[place]),
        )
        return entry if submission else gone(entry)

    def real_at(self, place: int) -> Callable[[str], float | None]:
        return lambda name: self.columns.real(name, place)

    def lead_of(self, place: int) -> UUID | None:
        """None where that is gone: the score of its equals is its own."""
        lead = self.columns.number("lead", place)
        if lead is None:
            return None
        kept = self.kept[self.keys[lead]]
        return UUID(kept.face["id"]) if kept.submission else None


def public_submissions(ids: Iterable[UUID]) -> list[Submission]:
    """With what tells who handed them in and verified them, and nothing else."""
    public = Submission.objects.public().filter(pk__in=list(ids)).order_by()
    return list(
        public.select_related("owner__public_name", "verification__decided_by__public_name")
        .prefetch_related("team__public_name", "team__verification")
        .only(
            "origin",
            "team",
            "owner__username",
            "owner__is_active",
            "owner__public_name__name",
            "verification__is_verified",
            "verification__decided",
            "verification__reason",
            "verification__decided_by__username",
            "verification__decided_by__is_active",
            "verification__decided_by__public_name__name",
        )
    )


def face_values(face: Mapping[str, Any]) -> dict[str, Any]:
    plain = ("origin", "coverage", "judged", "unreadable", "failed", "excluded")
    return {
        **{name: face[name] for name in plain},
        "facts": BoardFacts(**{name: face[name] for name in BoardFacts._fields if name in face}),
        "id": UUID(face["id"]),
        "model_id": face["model"],
        "model": face["name"],
        "submitted": datetime.fromisoformat(face["submitted"]),
        "standing": Standing(
            face["kept_out"], tuple(face["codes"]), tuple(face["marks"]), face["sentence"]
        ),
        "texts": texts_of(face),
    }


def texts_of(face: Mapping[str, Any]) -> OutdatedTexts:
    return OutdatedTexts(face["older_texts"], face["unknown_texts"])


def verified_words(face: Mapping[str, Any], submission: Submission) -> str:
    if not face["is_verified"]:
        return ""
    return verification_words(submission) or "verified then, and not any more"


def gone_keys(release: Release) -> set[int]:
    """Of all rows of the release that any board showed, those of entries that are not public any
    more."""
    others = Submission.objects.filter(release=release).exclude(
        visibility=Submission.Visibility.PUBLIC, withdrawn__isnull=True
    )
    rows = ShownRow.objects.filter(submission__in=others.values("pk"))
    return set(rows.values_list("pk", flat=True))


def gone(entry: BoardEntry) -> BoardEntry:
    """The row without anything that tells whose it is, when it came or what it scored; its place is
    that of the board, whose other ranks count it."""
    return replace(
        entry,
        id=pseudonym_id(entry.position),
        model_id=0,
        model=GONE,
        facts=BoardFacts(),
        origin="",
        submitted=None,
        is_gone=True,
        figures={},
        standing=Standing(is_kept_out=False, codes=(), marks=(), sentence=""),
        to_leader=None,
        by_older_texts="",
        texts=OutdatedTexts(),
        coverage=0.0,
        judged=0,
        unreadable=0,
        failed=0,
        excluded=0,
        firsts=(),
    )


def pseudonym_id(place: int) -> UUID:
    """An id of its own in one snapshot for what must not be told by its own."""
    return UUID(int=place + 1)


def is_pseudonym_id(entry: UUID) -> bool:
    """Ids of submissions are random, and have a version in their upper half."""
    return entry.int < 2**64


class KeptFigures(PackedFigures):
    """Figures that are unpacked when one of them is looked at: a page shows some of a board's
    rows."""

    __slots__ = ("beside", "content")

    def __init__(self, content: bytes, beside: Mapping[str, Any]) -> None:
        self.content, self.beside = content, beside

    def __getattr__(self, name: str) -> Any:
        if name != "packed":
            raise AttributeError(name)
        self.packed = {**json.loads(zlib.decompress(self.content)), **self.beside}
        return self.packed
