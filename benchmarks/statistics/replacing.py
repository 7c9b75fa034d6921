"""Whether a judge may stand in for a person: the alternative annotator test (Calderon, Reichart and
Dror 2025, "The Alternative Annotator Test for LLM-as-a-Judge").

Each person in turn is left out. On the items of this person the judge and the person are held
against the others: the judge wins where it agrees with them at least as well. A person costs more
than a judge, so the judge need not win as often: less an advantage epsilon is enough. A test over
items says so for each person, the p-values are corrected (Benjamini and Yekutieli 2001), and the
judge may stand in if it beats at least half of the people.
"""

from dataclasses import dataclass, replace
from enum import StrEnum

import numpy as np

from benchmarks.statistics.agreement import Flags, Integers, Labels
from benchmarks.statistics.distributions import stdtr
from benchmarks.statistics.resampling import Floats

EPSILON = 0.15
"""The advantage of a judge over a trained person. The paper takes 0.2 for experts, 0.15 for trained
people and 0.1 for a crowd; raters here are invited and pass attention checks."""
LEAST_RATERS, LEAST_ITEMS = 3, 30
"""The paper's: of fewer people no rate of wins can be told, and the test of a mean needs thirty
items. Items of one group count once here."""
LEVEL = 0.05
LEAST_RATE = 0.5
MOST_CLASSES = 3
"""A scale of so many values is of classes, and to agree is to say the same. On a longer one to say
9 is nearer to 10 than to 0: there agreement is less the root of the mean squared distance."""


class Answer(StrEnum):
    YES = "yes"
    NO = "no"
    NOT_ENOUGH = "not enough labels"


@dataclass(frozen=True, slots=True)
class AgainstOne:
    """A judge against one rater. rater: its column. groups: of items that another rater saw too.
    judge, person: in which share of the items each agrees with the others at least as well as the
    other does. p: nan with too few groups."""

    rater: int
    groups: int
    judge: float
    person: float
    p: float
    is_beaten: bool


@dataclass(frozen=True, slots=True)
class Replacing:
    """rate: of the people tested, the share that the judge beats; advantage: the mean share of
    items on which it agrees with the others at least as well. Both nan where there are not enough
    labels; missing: how many are, over the three people with the most."""

    answer: Answer
    rate: float
    advantage: float
    people: tuple[AgainstOne, ...]
    missing: int
    epsilon: float = EPSILON


def may_replace(labels: Labels, judge: Floats, *, epsilon: float = EPSILON) -> Replacing:
    """judge: what it says of each item, (N,). One without a word, nan, agrees with nobody: a person
    would have said something."""
    people = [against(labels, judge, one, epsilon) for one in labels.columns]
    tested = [one for one in people if not np.isnan(one.p)]
    missing = labels_missing([one.groups for one in people])
    if missing:
        return Replacing(Answer.NOT_ENOUGH, np.nan, np.nan, tuple(people), missing, epsilon)
    beaten = iter(benjamini_yekutieli(np.array([one.p for one in tested]), LEVEL))
    marked = tuple(
        one if np.isnan(one.p) else replace(one, is_beaten=bool(next(beaten))) for one in people
    )
    tested = [one for one in marked if not np.isnan(one.p)]
    rate = float(np.mean([one.is_beaten for one in tested]))
    advantage = float(np.mean([one.judge for one in tested]))
    answer = Answer.YES if rate >= LEAST_RATE else Answer.NO
    return Replacing(answer, rate, advantage, marked, 0, epsilon)


def labels_missing(groups: list[int]) -> int:
    """How many labels the three people with the most still need; 0 where they have enough."""
    most = [*sorted(groups, reverse=True), *[0] * LEAST_RATERS][:LEAST_RATERS]
    return sum(max(0, LEAST_ITEMS - number) for number in most)


def against(labels: Labels, judge: Floats, rater: int, epsilon: float) -> AgainstOne:
    """The judge held against one rater, on the items that this rater and another one saw."""
    others = np.delete(labels.votes, rater, axis=1)
    own = labels.votes[:, rater]
    is_shared = ~np.isnan(own) & (~np.isnan(others)).any(axis=1)
    _, groups = np.unique(labels.groups[is_shared], return_inverse=True)
    number = int(groups.max(initial=-1)) + 1
    by_class = labels.high - labels.low < MOST_CLASSES
    ours = likeness(judge[is_shared], others[is_shared], by_class=by_class)
    theirs = likeness(own[is_shared], others[is_shared], by_class=by_class)
    wins, losses = ours >= theirs, theirs >= ours
    p = np.nan
    if number >= LEAST_ITEMS:
        p = p_below(losses * 1.0 - wins * 1.0, groups, epsilon)
    won, lost = (float(each.mean()) if len(each) else np.nan for each in (wins, losses))
    return AgainstOne(rater, number, won, lost, p, False)


def likeness(own: Floats, others: Floats, *, by_class: bool) -> Floats:
    """How well each value of `own`, (N,), agrees with those of the others, (N, people): the share
    that says the same, or less the root of the mean squared distance. -inf where it is nan."""
    known = ~np.isnan(others)
    number = known.sum(axis=1)
    apart = np.where(known, own[:, np.newaxis] - others, 0.0)
    if by_class:
        found = (known & (apart == 0)).sum(axis=1) / number
    else:
        # rounding must not make a winner of equal distances
        found = -np.round(np.sqrt((apart**2).sum(axis=1) / number), 9)
    return np.where(np.isnan(own), -np.inf, found)


def p_below(values: Floats, groups: Integers, limit: float) -> float:
    """The chance of a mean so far below `limit` where the true one is the limit: Student's
    one-sided test, over groups whose items may be alike.

    values: in [-1, 1]. Where no group differs there is no error to test by: then the chance that
    none would show a loss that every item has with chance `limit`.
    """
    number = int(groups.max(initial=-1)) + 1
    totals, sizes = np.bincount(groups, values, number), np.bincount(groups, minlength=number)
    mean = float(values.mean())
    error = np.sqrt(number / (number - 1) * ((totals - mean * sizes) ** 2).sum()) / len(values)
    if error <= 1e-12:
        return float((1 - limit) ** number) if mean < limit else 1.0
    return float(stdtr(number - 1, (mean - limit) / error))


def benjamini_yekutieli(p: Floats, level: float) -> Flags:
    """Which null hypotheses are rejected, wrongly in at most `level` of those rejected on average,
    however the tests depend on each other (Benjamini and Yekutieli 2001)."""
    number = len(p)
    order = np.argsort(p, kind="stable")
    ranks = np.arange(1, number + 1)
    limits = level * ranks / (number * (1 / ranks).sum())
    below = np.flatnonzero(p[order] <= limits)
    rejected = np.zeros(number, dtype=np.bool_)
    if len(below):
        rejected[order[: below[-1] + 1]] = True
    return rejected
