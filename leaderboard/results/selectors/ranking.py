"""Who stands where on a board: ranks, rank ranges and differences of the scoresheets of an era."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

import numpy as np

from benchmarks.protocols.base import Board
from benchmarks.statistics.differences import (
    Difference,
    Differences,
    assumed_error,
    both_differences,
    critical_of_two,
    paired_differences,
    smallest_difference,
    typical,
)
from benchmarks.statistics.ranks import competition_ranks
from benchmarks.statistics.resampling import Floats
from benchmarks.submissions.models import RankingDecision, Submission
from benchmarks.submissions.naming.public_names import handed_in_by
from leaderboard.models import BoardFacts, Scoresheet
from leaderboard.results.entries.standing import (
    Standing,
    first_of_equals,
    first_of_names,
    kept_out_before,
    name_mark,
    standing_of,
    verification_words,
    verified_team,
)
from leaderboard.results.selectors.eras import public_sheets
from leaderboard.results.selectors.readings import (
    EACH,
    TOGETHER,
    BoardEntry,
    Era,
    PackedFigures,
    SmallestDifference,
)


@dataclass(frozen=True, slots=True)
class Ranking:
    """Entries in board order, and the smallest difference that two of them show."""

    entries: tuple[BoardEntry, ...]
    smallest: SmallestDifference | None


@dataclass(frozen=True, slots=True)
class Place:
    """Of an entry among those it is compared with: the ends of its rank range, and how far it is
    ahead of the one that leads, None for that one."""

    best: int
    worst: int
    to_leader: Difference | None


BIG = ("figures", "lengths", "item_scores", "ability_moves", "draws", "board_figures")
"""Columns of a scoresheet that may be many kilobytes."""


def era_sheets(era: Era, *, light: bool = False) -> list[Scoresheet]:
    """The public scoresheets of an era, who came first first; with `light` without what makes ten
    thousand of them hundreds of megabytes."""
    return list(
        Scoresheet.objects.filter(
            public_sheets(), submission__release=era.release, judge_spec=era.judge_spec
        )
        .select_related(
            "submission__model",
            "submission__decision",
            "submission__owner__public_name",
            "submission__verification__decided_by__public_name",
            "judge_spec",
        )
        .prefetch_related("submission__team__public_name", "submission__team__verification")
        .defer(*(BIG if light else ("figures", "lengths", "item_scores", "ability_moves")))
        .order_by("submission__created", "submission_id")
    )


@dataclass(frozen=True, slots=True)
class Order:
    """The scoresheets of an era in board order.

    ranks: by key, of those that are ranked. leads: by key, of the sheets with the same answers the
    one that is compared with all others. compared: the ranked ones of these, who came first first.
    """

    sheets: tuple[Scoresheet, ...]
    standings: Mapping[int, Standing]
    ranks: Mapping[int, int]
    leads: Mapping[int, Scoresheet]
    compared: tuple[Scoresheet, ...]

    @property
    def ranked(self) -> tuple[Scoresheet, ...]:
        return tuple(sheet for sheet in self.sheets if sheet.pk in self.ranks)


def board_order(sheets: Sequence[Scoresheet], board: Board) -> Order:
    """By rank, ties by who came first; then those without a rank.

    Of equal answers the first ranked entry is compared with all others, and its place is that of
    every one of them that is ranked: to hand the same answers in again moves nobody.
    """
    firsts = first_of_equals(sheet.submission for sheet in sheets)
    named = first_of_names([sheet.submission for sheet in sheets])
    kept_out = kept_out_before(firsts.values())
    standings = {
        sheet.pk: standing_of_sheet(sheet, firsts[sheet.submission_id], named, kept_out)
        for sheet in sheets
    }
    ranked = [s for s in sheets if is_ranked(s, board) and not standings[s.pk].is_kept_out]
    by_answers: dict[UUID, Scoresheet] = {}
    for sheet in (*ranked, *sheets):
        by_answers.setdefault(firsts[sheet.submission_id].pk, sheet)
    leads = {sheet.pk: by_answers[firsts[sheet.submission_id].pk] for sheet in sheets}
    higher = is_higher_better(board)
    compared = tuple(s for s in ranked if leads[s.pk] is s)
    scores = np.array([sheet.ranking for sheet in compared], dtype=np.float64)
    places = competition_ranks(scores, higher_is_better=higher)
    by_lead = {sheet.pk: int(rank) for sheet, rank in zip(compared, places, strict=True)}
    ranks = {sheet.pk: by_lead[leads[sheet.pk].pk] for sheet in ranked}
    sign = -1 if higher else 1

    def place(sheet: Scoresheet) -> tuple[bool, float, bool, datetime, str]:
        rank, value = ranks.get(sheet.pk), sheet.ranking
        score = np.inf if value is None else sign * value
        is_folded = leads[sheet.pk] is not sheet
        submission = sheet.submission
        return rank is None, rank or score, is_folded, submission.created, str(submission.pk)

    return Order(tuple(sorted(sheets, key=place)), standings, ranks, leads, compared)


@dataclass(frozen=True, slots=True)
class SheetReader:
    """How the numbers behind sheets are read: of one or more their draws, (resamples, sheets), and
    what the resampling groups behind the score count for, of the one where it is least."""

    draws: Callable[[Sequence[Scoresheet]], Floats]
    fewest: Callable[[Sequence[Scoresheet], str], float | None]


def have_draws(era: Era, sheets: Sequence[Scoresheet]) -> bool:
    """Whether differences between the sheets are known: those of a hidden test have none, nor has
    one of a former hidden test that is to be scored again (its `scoring` is 0)."""
    return era.release.verdicts_are_public and all(sheet.scoring for sheet in sheets)


def rank_entries(
    sheets: Sequence[Scoresheet], board: Board, era: Era, *, ranges: str = EACH
) -> Ranking:
    """Entries in board order, read from sheets that have all their columns."""
    order = board_order(sheets, board)
    reader = SheetReader(draws_of, fewest_groups) if have_draws(era, sheets) else None
    places, smallest = places_on(order, board, ranges=ranges, reader=reader)
    entries = (board_entry(sheet, order, places) for sheet in order.sheets)
    return Ranking(tuple(entries), smallest)


Placed = tuple[Mapping[int, Place], SmallestDifference | None]
"""By key of the compared sheets, and what two typical ones of the board must differ by; nothing of
a hidden test, whose sheets have no resamples."""


def places_on(order: Order, board: Board, *, ranges: str, reader: SheetReader | None) -> Placed:
    if reader is None:
        return {}, None
    places, found = places_of(
        order.compared,
        higher_is_better=is_higher_better(board),
        simultaneous=ranges == TOGETHER,
        groups=reader.fewest(order.compared, board.ranking),
        draws=reader.draws,
    )
    return places, smallest_on(found, order, board, reader)


def both_places_on(
    order: Order, board: Board, *, reader: SheetReader | None
) -> tuple[Placed, Placed]:
    """With each range by itself, and with all at once."""
    if reader is None or not order.compared:
        found = places_on(order, board, ranges=EACH, reader=reader)
        return found, found
    each, together = both_differences(
        scores_of(order.compared),
        reader.draws(order.compared),
        higher_is_better=is_higher_better(board),
        groups=reader.fewest(order.compared, board.ranking),
    )
    return (
        (places_by(each, order.compared), smallest_on(each, order, board, reader)),
        (places_by(together, order.compared), smallest_on(together, order, board, reader)),
    )


def smallest_on(
    found: Differences | None, order: Order, board: Board, reader: SheetReader
) -> SmallestDifference | None:
    compared, higher = order.compared, is_higher_better(board)
    smallest = smallest_of_pairs(found, compared, higher_is_better=higher) if found else None
    if smallest is None:
        smallest = smallest_assumed(order.ranked or order.sheets, board, reader)
    return smallest


def places_by(found: Differences, compared: Sequence[Scoresheet]) -> dict[int, Place]:
    leader = int(competition_ranks(found.scores).argmin())
    return {
        sheet.pk: Place(
            best=int(found.best[i]),
            worst=int(found.worst[i]),
            to_leader=None if i == leader else found.between(i, leader),
        )
        for i, sheet in enumerate(compared)
    }


def scores_of(sheets: Sequence[Scoresheet]) -> Floats:
    return np.array([sheet.ranking for sheet in sheets], dtype=np.float64)


def draws_of(sheets: Sequence[Scoresheet]) -> Floats:
    """Of one or more sheets, (resamples, sheets)."""
    return np.array([np.frombuffer(s.draws, dtype="<f8") for s in sheets], dtype=np.float64).T


KEYS_AT_ONCE = 500
"""Scoresheets whose large columns are read together: 4 MB of draws."""


def packed_values(sheets: Sequence[Scoresheet]) -> Mapping[int, Mapping[str, Any]]:
    """By key, what boards show of the sheets, as stored."""
    return dict(read_in_parts(sheets, "board_figures"))


def read_in_parts(sheets: Sequence[Scoresheet], column: str) -> Iterator[tuple[int, Any]]:
    """Key and a large column of each sheet, in the order of the sheets."""
    for start in range(0, len(sheets), KEYS_AT_ONCE):
        keys = [sheet.pk for sheet in sheets[start : start + KEYS_AT_ONCE]]
        found = dict(Scoresheet.objects.filter(pk__in=keys).values_list("pk", column))
        yield from ((key, found[key]) for key in keys)


def stored_draws(sheets: Sequence[Scoresheet]) -> Floats:
    """The draws of light sheets."""
    found = np.empty((len(sheets), 0))
    for i, (_, draws) in enumerate(read_in_parts(sheets, "draws")):
        own = np.frombuffer(draws, dtype="<f8")
        if not i:
            found = np.empty((len(sheets), len(own)))
        found[i] = own
    return found.T


def places_of(
    compared: Sequence[Scoresheet],
    *,
    higher_is_better: bool,
    simultaneous: bool = False,
    groups: float | None = None,
    draws: Callable[[Sequence[Scoresheet]], Floats] = draws_of,
) -> tuple[dict[int, Place], Differences | None]:
    """By key of the sheet, and all differences in the order of the sheets. `groups`: see
    `pairs.Pairs`."""
    if not compared:
        return {}, None
    found = paired_differences(
        scores_of(compared),
        draws(compared),
        higher_is_better=higher_is_better,
        simultaneous=simultaneous,
        groups=groups,
    )
    return places_by(found, compared), found


def differences_between(
    sheets: Sequence[Scoresheet], board: Board, *, groups: float | None
) -> Differences:
    """Of these alone, in their order; the intervals of all pairs hold at once. Each has a score and
    its draws."""
    return paired_differences(
        scores_of(sheets),
        draws_of(sheets),
        higher_is_better=is_higher_better(board),
        simultaneous=True,
        groups=groups,
    )


def smallest_of_pairs(
    found: Differences, compared: Sequence[Scoresheet], *, higher_is_better: bool
) -> SmallestDifference | None:
    """By the typical error and critical value of one entry per submitter; None where no pair of
    them tells."""
    ones = once_per_owner(compared, higher_is_better=higher_is_better)
    error = found.typical_error(ones)
    critical = typical(found.critical[ones])
    if error is None or critical is None:
        return None
    return SmallestDifference(smallest_difference(error, critical), is_assumed=False)


def smallest_assumed(
    sheets: Sequence[Scoresheet], board: Board, reader: SheetReader
) -> SmallestDifference | None:
    """By the errors of single sheets, one per submitter, as of two that are compared alone; None
    where none tells."""
    scored = [sheet for sheet in sheets if sheet.ranking is not None]
    ones = once_per_owner(scored, higher_is_better=is_higher_better(board))
    groups = reader.fewest(scored, board.ranking)
    critical = critical_of_two(groups=groups)
    error = assumed_error(reader.draws([scored[i] for i in ones]), groups=groups) if ones else None
    if error is None or critical is None:
        return None
    return SmallestDifference(smallest_difference(error, critical), is_assumed=True)


def once_per_owner(sheets: Sequence[Scoresheet], *, higher_is_better: bool) -> list[int]:
    """Places of the sheets that stand for their submitters: the best of each account or team, and
    every sample and every sheet of the operators. What is typical of a board must not be moved by
    one account that hands in near copies."""
    sign = -1 if higher_is_better else 1
    kept: dict[tuple[str, int], int] = {}
    for i in sorted(range(len(sheets)), key=lambda i: sign * (sheets[i].ranking or 0.0)):
        submission = sheets[i].submission
        is_upload = submission.origin == Submission.Origin.UPLOAD
        owner = submission.owner_id if is_upload else None
        if owner is None:
            kept.setdefault(("sheet", i), i)
        elif submission.team_id:
            kept.setdefault(("team", submission.team_id), i)
        else:
            kept.setdefault(("account", owner), i)
    return sorted(kept.values())


def fewest_groups(sheets: Sequence[Scoresheet], ranking: str) -> float | None:
    """What the resampling groups behind the score count for, of the sheet where they count least;
    None where none tells it."""
    figures = (PackedFigures(sheet.board_figures).get(ranking) for sheet in sheets)
    return min((f.groups for f in figures if f and f.groups is not None), default=None)


def standing_of_sheet(
    sheet: Scoresheet,
    first: Submission,
    named: Mapping[str, Submission],
    kept_out: Mapping[str, RankingDecision],
) -> Standing:
    submission = sheet.submission
    return standing_of(
        submission,
        name_mark=name_mark(submission, named[submission.model.skeleton]),
        kept_out=kept_out.get(submission.answers_digest),
        is_by_rules=sheet.judge_spec.is_offline,
        first=None if first.pk == sheet.submission_id else first,
    )


def is_ranked(sheet: Scoresheet, board: Board) -> bool:
    return (
        sheet.ranking is not None
        and sheet.coverage >= board.min_coverage
        and sheet.submission.origin != sheet.submission.Origin.BASELINE
    )


def is_higher_better(board: Board) -> bool:
    found = {metric.name: metric for metric in board.metrics()}.get(board.ranking)
    return found is None or found.higher_is_better is not False


def board_entry(
    sheet: Scoresheet, order: Order, places: Mapping[int, Place], *, light: bool = False
) -> BoardEntry:
    """Of a light sheet without metric values."""
    submission, model = sheet.submission, sheet.submission.model
    lead = order.leads[sheet.pk]
    place = places.get(lead.pk) if sheet.pk in order.ranks else None
    return BoardEntry(
        id=submission.id,
        model_id=model.pk,
        model=model.name,
        facts=BoardFacts.of_model(model),
        origin=submission.origin,
        submitted=submission.created,
        rank=order.ranks.get(sheet.pk),
        rank_best=place.best if place else None,
        rank_worst=place.worst if place else None,
        coverage=sheet.coverage,
        judged=sheet.judged,
        unreadable=sheet.unreadable,
        failed=sheet.failed,
        excluded=sheet.excluded,
        figures=PackedFigures({} if light else sheet.board_figures),
        standing=order.standings[sheet.pk],
        same_answers_as=None if lead.pk == sheet.pk else lead.submission_id,
        handed_in_by=handed_in_by(submission),
        verified=verification_words(submission),
        verified_team=verified_team(submission.team),
        to_leader=place.to_leader if place else None,
        repeats_texts=submission.repeats_hidden_text,
    )
