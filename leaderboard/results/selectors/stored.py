"""Reading a stored board: as many rows as are asked for, whatever the board holds."""

from collections.abc import Iterable, Mapping, Set
from dataclasses import replace
from typing import Any
from uuid import UUID

import numpy as np
from django.db.models import F, Min, Q, QuerySet
from numpy.typing import NDArray

from benchmarks.models import Benchmark
from benchmarks.statistics.differences import Difference
from benchmarks.submissions.models import Submission
from leaderboard.models import (
    BoardEdition,
    BoardFacts,
    BoardOrder,
    BoardRow,
    BoardSnapshot,
    Scoresheet,
)
from leaderboard.results.entries.older_texts import OutdatedTexts
from leaderboard.results.entries.standing import Standing
from leaderboard.results.selectors.part import ColumnRows, Marks, read_part
from leaderboard.results.selectors.readings import (
    SIZES,
    TOGETHER,
    BoardEntry,
    BoardPart,
    BoardReading,
    Counts,
    PackedFigures,
    SizeRange,
    organisations_among,
    told_of,
)
from leaderboard.results.selectors.snapshots import columns_of

BIG_OF_SNAPSHOTS = ("head", "columns", "leaders", "changes")


def editions_of(*benchmarks: Benchmark) -> tuple[BoardEdition, ...]:
    """Those whose snapshot this code can read."""
    found = BoardEdition.objects.filter(release__benchmark__in=benchmarks, replaced__isnull=True)
    rows = found.select_related("release__benchmark", "judge_spec__prompt_set", "snapshot")
    # 30 kB, which pages of models look at, and what boards of now do without
    light = rows.defer("middles", *(f"snapshot__{name}" for name in BIG_OF_SNAPSHOTS))
    known = BoardSnapshot.SCHEMAS
    return tuple(one for one in light if one.snapshot and one.snapshot.schema in known)


def read_stored(head: BoardReading, stored: BoardEdition, part: BoardPart) -> BoardReading:
    """What `part` asks for, and what is told of the whole board. `head` has benchmark, era and
    ranges."""
    rows = StoredRows(stored, together=head.ranges == TOGETHER)
    told = told_of(head, stored)
    if head.as_of is not None:
        told = rows.leave_out(told, gone_rows(stored))
    return read_part(told, rows, part)


def read_rows(stored: BoardEdition) -> QuerySet[BoardRow]:
    """With their scoresheets; never what is not public any more."""
    return (
        BoardRow.objects.filter(
            Scoresheet.is_readable("sheet__"),
            edition=stored,
            sheet__submission__visibility="public",
            sheet__submission__withdrawn__isnull=True,
        )
        .select_related("sheet")
        .defer(
            "sheet__figures",
            "sheet__lengths",
            "sheet__item_scores",
            "sheet__ability_moves",
            "sheet__draws",
            "text",
        )
        .annotate(repeats_texts=F("sheet__submission__repeats_hidden_text"))
    )


class StoredRows(ColumnRows):
    """The rows of a stored board."""

    def __init__(self, stored: BoardEdition, *, together: bool) -> None:
        assert stored.snapshot is not None
        columns = columns_of(stored.snapshot.pk, stored.snapshot.digest)
        super().__init__(columns, together=together)
        self.stored = stored

    def leave_out(self, told: BoardReading, gone: Mapping[int, bool]) -> BoardReading:
        """Of a board that changed what is not public any more, and what is told without that. gone:
        by place, whether the row is judged in part by other texts than today's."""
        places, counts, organisations = list(gone), told.counts, told.organisations
        self.is_left[places] = False
        is_ranked, is_folded = self.is_ranked[places], self.leads[places] >= 0
        if gone and organisations is not None:
            named = rows_in_order(self.stored).values_list("position", "organisation")
            organisations = organisations_among(
                name for place, name in named if self.is_left[place]
            )
        return replace(
            told,
            organisations=organisations,
            counts=Counts(
                entries=counts.entries - len(gone),
                ranked=counts.ranked - int(is_ranked.sum()),
                folded=counts.folded - int(is_folded.sum()),
                behind=counts.behind - sum(gone.values()),
                ranked_rows=counts.ranked_rows - int((is_ranked & ~is_folded).sum()),
            ),
        )

    def at(self, places: Iterable[int]) -> tuple[BoardEntry, ...]:
        wanted = list(places)
        if not wanted:
            return ()
        rows = {row.position: row for row in read_rows(self.stored).filter(position__in=wanted)}
        answers, has_leader = self.stored.release.question_count, bool(self.first_two())
        return tuple(
            entry_of(rows[place], answers=answers, together=self.together, has_leader=has_leader)
            for place in wanted
            if place in rows
        )

    def places_of(self, entries: Set[UUID]) -> Iterable[int]:
        return rows_of_entries(self.stored, entries).values_list("position", flat=True)

    def best_of(self, models: Set[int]) -> tuple[BoardEntry, ...]:
        theirs = Submission.objects.public().filter(release=self.stored.release, model__in=models)
        rows = rows_of_entries(self.stored, theirs.values("pk")).filter(rank__isnull=False)
        first = rows.order_by().values("model").annotate(place=Min("position"))
        return self.at(first.values_list("place", flat=True))

    def fitting(self, part: BoardPart) -> Marks:
        rows = rows_in_order(self.stored).filter(fits_part(part))
        found = np.zeros(len(self.leads), dtype=bool)
        found[list(rows.values_list("position", flat=True))] = True
        return found

    def ordered(self, metric: str, *, ascending: bool) -> NDArray[np.int64]:
        direction = "ascending" if ascending else "descending"
        orders = BoardOrder.objects.filter(edition=self.stored, metric=metric)
        packed = orders.values_list(direction, flat=True).first()
        if packed is None:
            return np.arange(len(self.leads))
        return np.frombuffer(bytes(packed), dtype="<i4").astype(np.int64)


def gone_rows(stored: BoardEdition) -> dict[int, bool]:
    """By place, of the rows that are not public any more, whether they are judged in part by other
    texts than today's."""
    of_release = Submission.objects.filter(release=stored.release)
    gone = of_release.exclude(visibility="public", withdrawn__isnull=True)
    rows = rows_of_entries(stored, gone.values("pk"))
    found = rows.values_list("position", "older_texts", "unknown_texts")
    return {place: bool(older or unknown) for place, older, unknown in found}


def rows_in_order(stored: BoardEdition) -> QuerySet[BoardRow]:
    """As they were written, which is a quarter of the time of any other way."""
    return BoardRow.objects.filter(edition=stored).order_by("position")


def rows_of_entries(stored: BoardEdition, entries: Any) -> QuerySet[BoardRow]:
    """entries: ids, or a query for them. Found by indexes alone: a row of a scoresheet is read to
    its end for any other column, and is large."""
    sheets = Scoresheet.objects.filter(submission__in=entries, judge_spec=stored.judge_spec)
    return BoardRow.objects.filter(edition=stored, sheet__in=sheets.values("pk"))


def fits_part(part: BoardPart) -> Q:
    fits = Q()
    if part.open_weights:
        fits &= Q(is_open_weights=True)
    if part.verified:
        fits &= Q(is_verified=True)
    if part.size:
        fits &= of_size(SIZES[part.size])
    if part.organisation:
        fits &= Q(organisation=part.organisation)
    for word in part.words:
        fits &= Q(text__contains=word)
    return fits


def of_size(size: SizeRange) -> Q:
    """Boards stored before sizes were kept say none."""
    if size.over is None and size.most is None:
        return Q(billions__isnull=True)
    over = Q() if size.over is None else Q(billions__gt=size.over)
    return over if size.most is None else over & Q(billions__lte=size.most)


def entry_of(row: BoardRow, *, answers: int, together: bool, has_leader: bool) -> BoardEntry:
    """has_leader: whether the entry that all were compared with is still there."""
    sheet = row.sheet
    best, worst = (row.best_together, row.worst_together) if together else (row.best, row.worst)
    low, high = (row.low_together, row.high_together) if together else (row.low, row.high)
    texts = OutdatedTexts(row.older_texts, row.unknown_texts)
    return BoardEntry(
        id=sheet.submission_id,
        model_id=row.model,
        model=row.name,
        facts=BoardFacts.of_row(row),
        origin=row.origin,
        submitted=row.submitted,
        rank=row.rank,
        rank_best=best,
        rank_worst=worst,
        coverage=sheet.coverage,
        judged=sheet.judged,
        unreadable=sheet.unreadable,
        failed=sheet.failed,
        excluded=sheet.excluded,
        figures=PackedFigures({**sheet.board_figures, **row.beside}),
        standing=Standing(row.is_kept_out, tuple(row.codes), tuple(row.marks), row.sentence),
        same_answers_as=row.same_answers_as,
        handed_in_by=row.handed_in_by,
        verified=row.verified,
        verified_team=row.verified_team,
        to_leader=Difference(row.ahead, low, high)
        if has_leader and row.ahead is not None
        else None,
        texts=texts,
        by_older_texts=texts.sentence(answers),
        scored_since=row.scored is not None and sheet.computed != row.scored,
        repeats_texts=row.repeats_texts,  # type: ignore[attr-defined]  # rows_of_edition
        position=row.position,
        firsts=tuple(row.firsts),
    )
