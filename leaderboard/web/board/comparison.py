"""What a board says of how its entries compare: who may be first in a column, how far the leader is
ahead, and which differences the release can show."""

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from uuid import UUID

from benchmarks.models import Release
from benchmarks.protocols.base import Metric
from benchmarks.statistics.differences import Difference
from benchmarks.statistics.held import nearest
from benchmarks.statistics.intervals import LEAST_GROUPS_OF_MEAN
from benchmarks.submissions.intake.quota import HIDDEN_TEST_LIMIT
from benchmarks.submissions.naming.lookalike_names import skeleton
from benchmarks.submissions.naming.names import isolated
from leaderboard.results.formatting import (
    interval_text,
    print_number,
    print_value,
    scale,
)
from leaderboard.results.selectors import BoardEntry, BoardReading, SmallestDifference

# --- the lead -------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Lead:
    """The leading entry against the next."""

    leader: BoardEntry
    second: BoardEntry
    difference: Difference


def lead_of(reading: BoardReading) -> Lead | None:
    """None where fewer than two entries have a place, or the values of one are newer than it."""
    leader, second = reading.leader, reading.second
    if leader is None or second is None or reading.era is None:
        return None
    if leader.scored_since or second.scored_since:
        return None
    if (difference := second.to_leader) is None:
        return None
    return Lead(leader, second, difference.turned_round)


# --- in words -------------------------------------------------------------------------------------


def print_points(metric: Metric, difference: float) -> str:
    """A difference without its sign, in the unit in which the metric is printed."""
    return f"{abs(difference) * scale(metric):.{metric.digits}f}"


def print_difference(metric: Metric, difference: float) -> str:
    """With its sign, "+5.10", "−2.31" or "0.00"."""
    return print_number(difference * scale(metric), metric.digits, signed=True)


def print_ends(metric: Metric, difference: Difference) -> str:
    """Its interval; empty where there is none."""
    return interval_text(difference.low, difference.high, partial(print_difference, metric))


def of_values(metric: Metric, difference: Difference) -> Difference:
    """Value less value, as both are printed: where lower is better, whoever is ahead has less."""
    return difference.turned_round if metric.higher_is_better is False else difference


def verdict_words(difference: Difference) -> str:
    return "clear difference" if difference.is_significant else "too close to call"


ALL_AT_ONCE = "95 % for all comparisons at once"
"""What the interval of a difference is, among several that are made beside it."""
NOT_COMPARABLE = "these questions cannot show what chance does between the two"


def difference_words(
    metric: Metric, difference: Difference, *, of: str = "", holds: str = ALL_AT_ONCE
) -> str:
    """ "2.31 points ahead (−0.40 to +5.10, 95 % …): too close to call", "level (…): …". The
    interval is of what the words name: of points behind, positive is further behind. of: whom
    it is ahead of; holds: what the interval is."""
    if not difference.ahead:
        amount = "level"
    elif difference.ahead > 0:
        amount = f"{print_points(metric, difference.ahead)} points ahead{f' of {of}' if of else ''}"
    else:
        amount = f"{print_points(metric, difference.ahead)} points behind"
    named = difference.turned_round if difference.ahead < 0 else difference
    if ends := print_ends(metric, named):
        return f"{amount} ({ends}, {holds}): {verdict_words(difference)}"
    return f"{amount}; {NOT_COMPARABLE}"


def names_of(*entries: BoardEntry) -> tuple[str, ...]:
    """By their models; those that are easily taken for another one also by who handed them in, and
    by the day where that is the same too."""
    names = []
    for entry in entries:
        letters = skeleton(entry.model)
        alike = [e for e in entries if e is not entry and skeleton(e.model) == letters]
        days = any(other.handed_in_by == entry.handed_in_by for other in alike)
        names.append(name_with_origin(entry, day=days) if alike else isolated(entry.model))
    return tuple(names)


def name_with_origin(entry: BoardEntry, *, day: bool) -> str:
    model, by = isolated(entry.model), isolated(entry.handed_in_by)
    by = f"submitted by {by}" if entry.origin == "upload" else by
    return f"{model} ({by} on {entry.submitted:%Y-%m-%d})" if day else f"{model} ({by})"


def name_with_day(entry: BoardEntry, days: Mapping[UUID, str]) -> str:
    """days: of `days_of_namesakes`."""
    day = days.get(entry.id)
    return f"{isolated(entry.model)} ({day})" if day else entry.model


def days_of_namesakes(entries: Iterable[BoardEntry]) -> Mapping[UUID, str]:
    """By id, of entries shown together of which several are of one model: on which day each was
    handed in, and at which minute where several were on that day."""
    of_model: dict[int, dict[UUID, datetime]] = {}
    for entry in entries:
        if not entry.is_gone and entry.submitted is not None:
            of_model.setdefault(entry.model_id, {})[entry.id] = entry.submitted
    found = {}
    for some in of_model.values():
        days = Counter(moment.date() for moment in some.values())
        for key, moment in some.items() if len(some) > 1 else ():
            form = "%Y-%m-%d" if days[moment.date()] == 1 else "%Y-%m-%d %H:%M"
            found[key] = moment.strftime(form)
    return found


def lead_sentence(metric: Metric, lead: Lead) -> str:
    """ "Alder leads with 667.3 of 1000, 14.4 points ahead of Birch (…): too close to call." """
    leader, second = names_of(lead.leader, lead.second)
    score = print_score(metric, lead.leader.value(metric.name))
    words = difference_words(metric, lead.difference, of=second)
    who = f"{leader} leads" if lead.difference.ahead else f"{leader} and {second} lead"
    return f"{who} with {score}, {words}."


def print_score(metric: Metric, value: float | None) -> str:
    """With the end of its scale: "88.90 %", "667.3 of 1000", "155.1 of 1000, lower is better"."""
    return f"{print_value(metric, value)}{after_score(metric)}"


def after_score(metric: Metric) -> str:
    """What follows a printed score: " %", " of 1000", " of 1000, lower is better"."""
    most, of = metric.scale[1], ""
    if metric.unit == "percent" and most == 1:
        of = " %"
    elif not math.isinf(most):
        of = f" of {most * scale(metric):g}"
    return f"{of}, lower is better" if metric.higher_is_better is False else of


def smallest_sentence(metric: Metric, smallest: SmallestDifference, questions: int) -> str:
    points = print_points(metric, smallest.value)
    assumed = (
        (
            " This is estimated from single entries, because fewer than two submitters are ranked "
            "and can be compared."
        )
        if smallest.is_assumed
        else ""
    )
    return (
        f"With {questions:,} questions, this board can usually (in 80 % of cases) separate only "
        f"models at least {points} points apart.{assumed}"
    )


def simulated_sentence(reading: BoardReading) -> str:
    """How often rank ranges held in simulations of such a board; empty where nothing tells how much
    its groups vary."""
    score = reading.leader.figures.get(reading.board.ranking) if reading.leader else None
    if score is None or not score.groups or score.groups < LEAST_GROUPS_OF_MEAN:
        return ""
    found = nearest(score.groups, reading.counts.ranked_rows)
    return (
        f"The simulated case nearest to this board ({reading.counts.ranked_rows} entries on "
        f"{score.groups:.3g} groups of questions) has {found.entries} equally good entries that "
        f"fail in similar ways, on {found.groups} groups. There, {found.each} % of the ranges "
        f"contained the true rank. On {found.together} % of the simulated boards, all ranges did."
    )


def entry_claims(reading: BoardReading, entry: BoardEntry) -> tuple[str, ...]:
    """What an entry's page says of its place: its rank, how it compares with the leader, or with
    the next where it leads, and how many others it clearly differs from."""
    metric, lead = reading.metrics[reading.board.ranking], lead_of(reading)
    if entry.rank is None:
        return tuple(filter(None, [baselines_sentence(reading, entry)]))
    if lead is None or entry.scored_since:
        return ()
    if entry.to_leader is None:
        compared = lead_sentence(metric, lead)
    else:
        leader, _ = names_of(lead.leader, entry)
        compared = f"Against {leader}, the leader: {difference_words(metric, entry.to_leader)}."
    sentences = (rank_sentence(reading, entry), compared, baselines_sentence(reading, entry))
    return tuple(filter(None, sentences))


def rank_sentence(reading: BoardReading, entry: BoardEntry) -> str:
    """ "Could rank 2nd to 9th of 18 (95 %): clearly behind 1 entry and ahead of 9." """
    of = reading.counts.ranked_rows
    best, worst = entry.rank_best or 1, entry.rank_worst or of
    behind, ahead = best - 1, max(of - worst, 0)
    rank = f"{'Could rank' if best < worst else 'Ranks'} {rank_in_words(entry, of)} (95 %)"
    if not behind and not ahead:
        return f"{rank}: no clear difference from any other."
    if not ahead:
        return f"{rank}: clearly behind {entries_in_words(behind)}."
    if not behind:
        return f"{rank}: clearly ahead of {entries_in_words(ahead)}."
    return f"{rank}: clearly ahead of {entries_in_words(ahead)} and behind {behind:,}."


def rank_in_words(entry: BoardEntry, ranked: int) -> str:
    """ "1st to 3rd of 12" """
    ends = dict.fromkeys((entry.rank_best or 1, entry.rank_worst or ranked))
    return f"{' to '.join(map(ordinal, ends))} of {ranked:,}"


def is_crossed(entries: Iterable[BoardEntry]) -> bool:
    """Whether an entry may hold a better last rank than one with a higher score."""
    worst = [entry.rank_worst for entry in entries if entry.rank_worst]
    return worst != sorted(worst)


def entries_in_words(count: int) -> str:
    return "1 entry" if count == 1 else f"{count:,} entries"


def placement_claims(reading: BoardReading, entry: BoardEntry) -> tuple[str, ...]:
    """Where an entry that is not on the board would be placed by its score, told to whoever may see
    it: against the rows that the reading has of its neighbours."""
    metric = reading.metrics[reading.board.ranking]
    value = entry.value(metric.name)
    if value is None or not reading.counts.ranked_rows:
        return ()
    sign = -1.0 if metric.higher_is_better is False else 1.0
    near = [
        (sign * score, other)
        for other in (*reading.also, *filter(None, [reading.leader]))
        if other.rank and (score := other.value(metric.name)) is not None
    ]
    above = max((o.rank or 0 for score, o in near if score > sign * value), default=0)
    place = f"If published, its score would place it {ordinal(above + 1)}"
    sentence = f"{place} of {reading.counts.ranked_rows + 1:,} on the current board."
    return tuple(filter(None, [sentence, baselines_sentence(reading, entry)]))


def ordinal(number: int) -> str:
    """ "1st", "12th", "23rd" """
    ending = {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number:,}{'th' if number % 100 in (11, 12, 13) else ending}"


def baselines_sentence(reading: BoardReading, entry: BoardEntry) -> str:
    """Where the score is no better than that of an entry which never looks at a picture; empty of
    every other, and of these."""
    metric = reading.metrics[reading.board.ranking]
    value = entry.value(metric.name)
    scores = [
        score
        for other in reading.also
        if other.origin == "baseline"
        and not other.repeats_texts
        and (score := other.value(metric.name)) is not None
    ]
    if value is None or not scores or entry.origin == "baseline":
        return ""
    worst, best = sorted((min(scores), max(scores)), reverse=metric.higher_is_better is False)
    sign = -1.0 if metric.higher_is_better is False else 1.0
    if sign * value > sign * best:
        return ""
    lies = "below" if sign * value < sign * worst else "within"
    ends = dict.fromkeys(print_value(metric, end) for end in (worst, best))
    return (
        f"Its score is {lies} the range of the baselines, which never look at a picture "
        f"({' to '.join(ends)})."
    )


def steps_sentence(metric: Metric, release: Release) -> str:
    """What the scores of a hidden test are rounded to; empty for every other release, and before
    its first score."""
    if release.verdicts_are_public or release.rounding_share is None:
        return ""
    if not release.rounding_share:
        return (
            "It has too few questions for a score that would keep its labels, so that none is "
            "shown."
        )
    least, most = metric.scale
    step = print_points(metric, (most - least) * release.rounding_share)
    return (
        f"Scores are rounded to steps of {step} points of {metric.title}, at random up or down, so "
        "that one answer changes a shown score with a chance of at most one in ten. An account and "
        f"a team can submit {HIDDEN_TEST_LIMIT} files in all."
    )


WITHOUT_DIFFERENCES = (
    "This release is a hidden test: scores are rounded to coarse steps, and no intervals, rank "
    "ranges or differences are shown, because they would tell how single answers were judged. "
    "Entries with equal scores stand in the order in which they were submitted."
)
LEADER_GONE = (
    "The entry that led is not public any more. How far others were behind it is left out, for "
    "that would tell its score."
)


def answer_of(reading: BoardReading) -> str:
    """Who leads, and how surely; empty where nobody does, and of a hidden test."""
    lead = lead_of(reading)
    if lead is None or reading.is_hidden_test:
        return ""
    return lead_sentence(reading.metrics[reading.board.ranking], lead)


def claims(reading: BoardReading) -> tuple[str, ...]:
    """What is said of a board: on its lead, and on what differences the release can show."""
    metric = reading.metrics[reading.board.ranking]
    if reading.era and reading.is_hidden_test:
        steps = steps_sentence(metric, reading.era.release)
        return tuple(filter(None, (WITHOUT_DIFFERENCES, steps)))
    sentences = list(filter(None, [answer_of(reading)]))
    if reading.leader and reading.leader.is_gone:
        sentences.append(LEADER_GONE)
    if reading.smallest and reading.era:
        questions = reading.era.release.question_count
        sentences.append(smallest_sentence(metric, reading.smallest, questions))
    return tuple(sentences)
