"""Reading a stored board: as many rows as are asked for, whatever the board holds."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import replace
from functools import partial
from uuid import UUID

import numpy as np
from django.db.models import Case, Count, F, Q, QuerySet, When, Window
from django.db.models.functions import RowNumber

from benchmarks.kept_documents import from_row
from benchmarks.models import Benchmark
from benchmarks.statistics.differences import Difference
from benchmarks.statistics.unpaired import Middle
from judging.texts import ContentEdition
from leaderboard.models import BoardEdition, BoardFacts, BoardOrder, BoardRow, Scoresheet
from leaderboard.results.entries.older_texts import OutdatedTexts
from leaderboard.results.entries.standing import Standing
from leaderboard.results.selectors.readings import (
    MOST_FOLDED,
    SIZES,
    TOGETHER,
    BoardEntry,
    BoardPart,
    BoardReading,
    ColumnSpan,
    Counts,
    Folded,
    PackedFigures,
    SizeRange,
    SmallestDifference,
    of_known_organisation,
    organisations_among,
)

ROWS_AT_ONCE = 500
"""Rows that are streamed together, some megabytes with the values of their scoresheets."""


BIG_OF_SNAPSHOTS = ("head", "columns", "leaders", "changes")


def editions_of(*benchmarks: Benchmark) -> tuple[BoardEdition, ...]:
    found = BoardEdition.objects.filter(release__benchmark__in=benchmarks, replaced__isnull=True)
    rows = found.select_related("release__benchmark", "judge_spec__prompt_set", "snapshot")
    # 30 kB, which pages of models look at, and what boards of now do without
    return tuple(rows.defer("middles", *(f"snapshot__{name}" for name in BIG_OF_SNAPSHOTS)))


def read_stored(head: BoardReading, stored: BoardEdition, part: BoardPart) -> BoardReading:
    """What `part` asks for, and what is told of the whole board. `head` has benchmark, era and
    ranges."""
    together = head.ranges == TOGETHER
    counts = stored_counts(stored) if head.as_of is None else counts_left(stored)
    has_gaps = counts.entries < stored.entries
    organisations = organisations_left(stored) if has_gaps else stored_organisations(stored)
    part = of_known_organisation(part, organisations)
    fitting = FittingRows(stored, part, has_gaps=has_gaps)
    shown = list(fitting.read(part))
    also = list(also_wanted(stored, part, shown))
    leads_are_read = part.first == 0 and not part.order and not part.is_filtered
    first, next_one = leading_two(shown if leads_are_read else [], stored)
    made = partial(
        entry_of,
        answers=stored.release.question_count,
        together=together,
        has_leader=first is not None,
    )
    value = stored.smallest_together if together else stored.smallest_each
    is_assumed = stored.together_is_assumed if together else stored.each_is_assumed
    folded = folded_below(stored, part, [*shown, *also])
    spans = stored.spans or {}
    return replace(
        head,
        entries=tuple(map(made, shown)),
        part=part,
        also=tuple(map(made, also)),
        matching=fitting.count(),
        counts=counts,
        valued=frozenset(stored.valued),
        organisations=organisations,
        firsts=firsts_among([*shown, *also], head.board.ranking, together=together),
        folded={
            lead: Folded(count, tuple(map(made, rows))) for lead, (count, rows) in folded.items()
        },
        leader=made(first) if first else None,
        second=made(next_one) if next_one else None,
        asked=stored.asked,
        edition=ContentEdition(stored.content_number, stored.content_since),
        computed=stored.newest_sheet,
        smallest=None if value is None else SmallestDifference(value, is_assumed=is_assumed),
        span=lambda name: from_row(ColumnSpan, spans[name]) if name in spans else None,
        middle=lambda name: stored_middle(stored, name),
        stream=lambda: map(made, fitting.read(replace(part, count=None))),
    )


def stored_middle(stored: BoardEdition, name: str) -> Middle | None:
    found = (stored.middles or {}).get(name)
    return from_row(Middle, found) if found else None


def stored_organisations(stored: BoardEdition) -> tuple[str, ...] | None:
    return None if stored.organisations is None else tuple(stored.organisations)


def organisations_left(stored: BoardEdition) -> tuple[str, ...] | None:
    """Of a board that changed, as `counts_left`: nothing tells that one of its organisations had an
    entry that is not public any more."""
    if stored.organisations is None:
        return None
    names = rows_of_edition(stored).order_by().values_list("organisation", flat=True)
    return organisations_among(names.distinct())


def rows_of_edition(stored: BoardEdition) -> QuerySet[BoardRow]:
    """In board order, with their scoresheets; never what is not public any more."""
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
        .order_by("position")
    )


def stored_counts(stored: BoardEdition) -> Counts:
    return Counts(
        entries=stored.entries,
        ranked=stored.ranked,
        folded=stored.folded,
        behind=stored.behind,
        ranked_rows=stored.ranked_rows,
    )


def counts_left(stored: BoardEdition) -> Counts:
    """Of a board that changed: without those of its entries that are not public any more."""
    found = rows_of_edition(stored).order_by()
    return Counts(
        **found.aggregate(
            entries=Count("pk"),
            ranked=Count("rank"),
            folded=Count("same_answers_as"),
            behind=Count("pk", filter=Q(older_texts__gt=0) | Q(unknown_texts__gt=0)),
            ranked_rows=Count("rank", filter=Q(same_answers_as__isnull=True)),
        )
    )


def leading_two(
    read: Sequence[BoardRow], stored: BoardEdition
) -> tuple[BoardRow | None, BoardRow | None]:
    """Who leads, and who is next; nobody where the entry that all were compared with is not public
    any more. read: the first rows of the board, where they were read."""
    ranked = [row for row in read if row.row is not None and row.rank is not None]
    if len(ranked) < 2:
        ranked = list(rows_of_edition(stored).filter(row__isnull=False, rank__isnull=False)[:2])
    first, second, *_ = (*ranked, None, None)
    if first is None or first.rank != 1 or first.ahead is not None:
        return None, None
    return first, second


def fitting_rows(stored: BoardEdition, part: BoardPart) -> QuerySet[BoardRow]:
    """Where those that share a place are folded: the rows that stand for any that fits, so that
    each is found by its own name."""
    rows, fits = rows_of_edition(stored), fits_part(part)
    if not part.fold:
        return rows.filter(fits)
    if part.is_filtered and stored.folded:
        folded = rows.filter(fits, same_answers_as__isnull=False).order_by()
        leads = list(folded.values_list("same_answers_as", flat=True).distinct())
        fits |= Q(sheet__submission__in=leads)
    return rows.filter(fits, row__isnull=False)


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


class FittingRows:
    """The rows that fit a part of a board. has_gaps: some of the board's are not public any more,
    so that their numbers tell no places."""

    def __init__(self, stored: BoardEdition, part: BoardPart, *, has_gaps: bool) -> None:
        self.stored, self.part = stored, part
        self.rows = fitting_rows(stored, part)
        self.are_some = has_gaps or part.is_filtered

    def count(self) -> int:
        if self.are_some:
            return self.rows.count()
        return self.stored.entries - (self.stored.folded if self.part.fold else 0)

    def read(self, part: BoardPart) -> Iterator[BoardRow]:
        """In the order of the part, from its first on, some at a time."""
        end = None if part.count is None else part.first + part.count
        if part.count == 0:
            return
        if part.order:
            chosen = self.places()[part.first : end]
            for start in range(0, len(chosen), ROWS_AT_ONCE):
                yield from at_places(self.stored, chosen[start : start + ROWS_AT_ONCE])
        elif self.are_some:
            yield from self.rows[part.first : end].iterator(chunk_size=ROWS_AT_ONCE)
        else:
            yield from self.numbered(part.first, end)

    def numbered(self, first: int, end: int | None) -> Iterator[BoardRow]:
        """In board order without filters rows are found by their numbers: the database counts past
        none."""
        number = "row" if self.part.fold else "position"
        last = self.stored.entries if end is None else min(end, self.stored.entries)
        for start in range(first, last, ROWS_AT_ONCE):
            stop = min(start + ROWS_AT_ONCE, last)
            yield from self.rows.filter(**{f"{number}__gte": start, f"{number}__lt": stop})

    def places(self) -> Sequence[int]:
        """Positions of all that fits, in the order of a metric."""
        direction = "ascending" if self.part.ascending else "descending"
        order = BoardOrder.objects.filter(edition=self.stored, metric=self.part.order)
        packed = order.values_list(direction, flat=True).first()
        places = (
            np.arange(self.stored.entries)
            if packed is None
            else np.frombuffer(bytes(packed), dtype="<i4")
        )
        if self.are_some:
            kept = list(self.rows.values_list("position", flat=True))
            places = places[np.isin(places, kept)]
        elif self.part.fold and self.stored.folded:
            folded = BoardRow.objects.filter(edition=self.stored, same_answers_as__isnull=False)
            places = places[~np.isin(places, list(folded.values_list("position", flat=True)))]
        found: Sequence[int] = places.tolist()
        return found


def at_places(stored: BoardEdition, places: Sequence[int]) -> Iterator[BoardRow]:
    rows = rows_of_edition(stored).filter(position__in=places)
    found = {row.position: row for row in rows}
    yield from (found[place] for place in places if place in found)


def also_wanted(
    stored: BoardEdition, part: BoardPart, shown: Sequence[BoardRow]
) -> QuerySet[BoardRow]:
    rows = rows_of_edition(stored)
    wanted = part.also - {row.sheet.submission_id for row in shown}
    if not wanted and not part.baselines:
        return rows.none()
    either = Q(sheet__submission__in=wanted)
    if part.baselines:
        either |= Q(origin="baseline")
    return rows.filter(either).exclude(position__in=[row.position for row in shown])


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
    )


def firsts_among(
    rows: Sequence[BoardRow], ranking: str, *, together: bool
) -> Mapping[str, Set[UUID]]:
    """By metric, who of these may be first in its column; of what ranks the kind of rank range
    decides."""
    found: defaultdict[str, set[UUID]] = defaultdict(set)
    for row in rows:
        best = row.best_together if together else row.best
        for name in (*row.firsts, *([ranking] if best == 1 else [])):
            found[name].add(row.sheet.submission_id)
    return found


def folded_below(
    stored: BoardEdition, part: BoardPart, read: Sequence[BoardRow]
) -> Mapping[UUID, tuple[int, Sequence[BoardRow]]]:
    """Of each of these, how many share its place, and the first of them, before all others those
    that are searched for."""
    if not stored.folded or not read:
        return {}
    leads = [row.sheet.submission_id for row in read]
    below = rows_of_edition(stored).filter(same_answers_as__in=leads)
    counts = dict(below.order_by().values_list("same_answers_as").annotate(Count("pk")))
    order: list[str | Case] = ["position"]
    if part.is_filtered:
        order.insert(0, Case(When(fits_part(part), then=0), default=1))
    numbered = below.annotate(
        place=Window(RowNumber(), partition_by="same_answers_as", order_by=order)
    )
    first: dict[UUID, list[BoardRow]] = {}
    for row in numbered.filter(place__lte=MOST_FOLDED).order_by("place"):
        if row.same_answers_as is not None:
            first.setdefault(row.same_answers_as, []).append(row)
    return {lead: (counts[lead], rows) for lead, rows in first.items()}
