"""Who stands where on a board: ranks, rank ranges and differences of the scoresheets of an era."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

import numpy as np

from benchmarks.protocols.base import Board
from benchmarks.statistics.differences import (
    Difference,
    Differences,
    assumed_error,
    critical_of_two,
    paired_differences,
    smallest_difference,
    typical,
)
from benchmarks.statistics.ranks import competition_ranks
from benchmarks.statistics.resampling import Floats
from benchmarks.submissions.models import RankingDecision, Submission
from benchmarks.submissions.naming.public_names import handed_in_by
from leaderboard.models import Scoresheet
from leaderboard.selectors.eras import public_sheets
from leaderboard.selectors.readings import (
    EACH,
    TOGETHER,
    BoardEntry,
    Era,
    PackedFigures,
    SmallestDifference,
)
from leaderboard.standing import (
    Standing,
    first_of_equals,
    first_of_names,
    kept_out_before,
    name_mark,
    standing_of,
    verification_words,
)


@dataclass(frozen=True, slots=True)
class Ranking:
    """Entries in board order, and the smallest difference that two of them show."""

    entries: tuple[BoardEntry, ...]
    smallest: SmallestDifference | None


@dataclass(frozen=True, slots=True)
class Place:
    """Of an entry among those it is compared with: its rank, the ends of its rank range, and how far it is ahead of the
    one that leads, None for that one."""

    rank: int
    best: int
    worst: int
    to_leader: Difference | None


def era_sheets(era: Era) -> list[Scoresheet]:
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
        .defer("figures", "lengths")
        .order_by("submission__created", "submission_id")
    )


def rank_entries(sheets: Sequence[Scoresheet], board: Board, *, ranges: str = EACH) -> Ranking:
    """Entries in board order: by rank, ties by who came first; then those without a rank.

    Of equal answers the first ranked entry is compared with all others, and its place is that of every one of them
    that is ranked: to hand the same answers in again moves nobody.
    """
    firsts = first_of_equals(sheet.submission for sheet in sheets)
    named = first_of_names([sheet.submission for sheet in sheets])
    kept_out = kept_out_before(firsts.values())
    standings = {
        sheet.pk: sheet_standing(sheet, firsts[sheet.submission_id], named, kept_out)
        for sheet in sheets
    }
    ranked = [s for s in sheets if is_ranked(s, board) and not standings[s.pk].is_kept_out]
    has_rank = {sheet.pk for sheet in ranked}
    by_answers: dict[UUID, Scoresheet] = {}
    for sheet in (*ranked, *sheets):
        by_answers.setdefault(firsts[sheet.submission_id].pk, sheet)
    leads = {sheet.pk: by_answers[firsts[sheet.submission_id].pk] for sheet in sheets}
    higher = is_higher_better(board)
    compared = [s for s in ranked if leads[s.pk] is s]
    places, found = places_of(
        compared,
        higher_is_better=higher,
        simultaneous=ranges == TOGETHER,
        groups=fewest_groups(compared, board.ranking),
    )
    smallest = smallest_of_pairs(found, compared, higher_is_better=higher) if found else None
    if smallest is None:
        smallest = smallest_assumed(ranked or sheets, board)
    entries = [
        board_entry(
            sheet,
            places[leads[sheet.pk].pk] if sheet.pk in has_rank else None,
            standings[sheet.pk],
            lead=leads[sheet.pk],
        )
        for sheet in sheets
    ]
    sign = -1 if higher else 1

    def place(entry: BoardEntry) -> tuple[bool, float, bool, datetime, str]:
        value = entry.value(board.ranking)
        score = sign * np.inf if value is None else value
        is_folded = entry.same_answers_as is not None
        key = entry.rank is None, entry.rank or sign * score
        return *key, is_folded, entry.submitted, str(entry.id)

    return Ranking(tuple(sorted(entries, key=place)), smallest)


def places_of(
    compared: Sequence[Scoresheet],
    *,
    higher_is_better: bool,
    simultaneous: bool = False,
    groups: int | None = None,
) -> tuple[dict[int, Place], Differences | None]:
    """By key of the sheet, and all differences in the order of the sheets. `groups`: see `ranks.rank_ranges`."""
    if not compared:
        return {}, None
    scores = np.array([sheet.ranking for sheet in compared], dtype=np.float64)
    ranks = competition_ranks(scores, higher_is_better=higher_is_better)
    found = paired_differences(
        scores,
        draws_of(compared),
        higher_is_better=higher_is_better,
        simultaneous=simultaneous,
        groups=groups,
    )
    leader = int(ranks.argmin())
    places = {
        sheet.pk: Place(
            rank=int(ranks[i]),
            best=int(found.best[i]),
            worst=int(found.worst[i]),
            to_leader=None if i == leader else found.between(i, leader),
        )
        for i, sheet in enumerate(compared)
    }
    return places, found


def draws_of(sheets: Sequence[Scoresheet]) -> Floats:
    """Of one or more sheets, (resamples, sheets)."""
    return np.array([np.frombuffer(s.draws, dtype="<f8") for s in sheets], dtype=np.float64).T


def smallest_of_pairs(
    found: Differences, compared: Sequence[Scoresheet], *, higher_is_better: bool
) -> SmallestDifference | None:
    """By the typical error and critical value of one entry per submitter; None where no pair of them tells."""
    ones = once_per_owner(compared, higher_is_better=higher_is_better)
    error = typical(found.error[np.ix_(ones, ones)])
    critical = typical(found.critical[ones])
    if error is None or critical is None:
        return None
    return SmallestDifference(smallest_difference(error, critical), is_assumed=False)


def smallest_assumed(sheets: Sequence[Scoresheet], board: Board) -> SmallestDifference | None:
    """By the errors of single sheets, one per submitter, as of two that are compared alone; None where none tells."""
    scored = [sheet for sheet in sheets if sheet.ranking is not None]
    ones = once_per_owner(scored, higher_is_better=is_higher_better(board))
    critical = critical_of_two(groups=fewest_groups(scored, board.ranking))
    error = assumed_error(draws_of([scored[i] for i in ones])) if ones else None
    if error is None or critical is None:
        return None
    return SmallestDifference(smallest_difference(error, critical), is_assumed=True)


def once_per_owner(sheets: Sequence[Scoresheet], *, higher_is_better: bool) -> list[int]:
    """Places of the sheets that stand for their submitters: the best of each account, and every sample and every sheet
    of the operators. What is typical of a board must not be moved by one account that hands in near copies."""
    sign = -1 if higher_is_better else 1
    kept: dict[tuple[str, int], int] = {}
    for i in sorted(range(len(sheets)), key=lambda i: sign * (sheets[i].ranking or 0.0)):
        submission = sheets[i].submission
        is_upload = submission.origin == Submission.Origin.UPLOAD
        owner = submission.owner_id if is_upload else None
        kept.setdefault(("sheet", i) if owner is None else ("account", owner), i)
    return sorted(kept.values())


def fewest_groups(sheets: Sequence[Scoresheet], ranking: str) -> int | None:
    """How many resampling groups are behind the score of the sheet that has fewest; None where none tells it."""
    figures = (PackedFigures(sheet.board_figures).get(ranking) for sheet in sheets)
    return min((f.groups for f in figures if f and f.groups is not None), default=None)


def sheet_standing(
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
    sheet: Scoresheet,
    place: Place | None,
    standing: Standing,
    *,
    lead: Scoresheet,
) -> BoardEntry:
    """`lead`: of the entries with the same answers the one that is compared with all others."""
    submission, model = sheet.submission, sheet.submission.model
    return BoardEntry(
        id=submission.id,
        model_id=model.pk,
        model=model.name,
        organisation=model.organisation,
        is_open_weights=model.is_open_weights,
        origin=submission.origin,
        submitted=submission.created,
        rank=place.rank if place else None,
        rank_best=place.best if place else None,
        rank_worst=place.worst if place else None,
        coverage=sheet.coverage,
        judged=sheet.judged,
        unreadable=sheet.unreadable,
        failed=sheet.failed,
        excluded=sheet.excluded,
        figures=PackedFigures(sheet.board_figures),
        standing=standing,
        same_answers_as=None if lead.pk == sheet.pk else lead.submission_id,
        handed_in_by=handed_in_by(submission),
        verified=verification_words(submission),
        to_leader=place.to_leader if place else None,
        losses=bytes(sheet.losses or b""),
    )
